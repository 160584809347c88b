//! Splits rows by partition and writes them to data files.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{AsArray, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{Date32Type, SchemaRef};
use arrow::record_batch::RecordBatch;
use deltalake::DeltaResult;
use futures::{StreamExt, stream};

use crate::data_files::{DataFile, DataFiles};
use crate::spill::RowSpill;
use crate::{date_from_days, days_from_date, fail_point};

/// Files that a sink closes concurrently. A remote store takes as long for a small file as
/// for a large one.
const CONCURRENT_CLOSES: usize = 32;

/// Buffered bytes at which a partition gets an open file. Lower: the open file takes
/// more memory than the rows. Higher: too much is written at the end.
const MIN_OPEN_FILE_BYTES: usize = 2 << 20;

/// Memory limits of a sink.
#[derive(Debug, Clone, Copy)]
pub struct SinkSize {
    /// Bytes of a row group. Each open file buffers one.
    pub row_group_bytes: usize,
    /// Bytes of the rows that are buffered before their file is opened, of all
    /// partitions together.
    pub buffered_bytes: usize,
    /// Files that are open at the same time before the end.
    pub open_files: usize,
}

/// Row groups of 8 MiB: an open file buffers a whole row group, so that with the usual
/// million rows per group the rows of a chunk all stayed in memory.
impl Default for SinkSize {
    fn default() -> Self {
        Self {
            row_group_bytes: 8 << 20,
            buffered_bytes: 32 << 20,
            open_files: 64,
        }
    }
}

/// Writes data files of one table, one sequence of files per partition.
///
/// Rows of many partitions arrive mixed. An open file takes 2 MB before its first row
/// (encoders and dictionaries for every column), then a row group, and up to 5 MiB that
/// wait for upload. Rows are therefore buffered until their partition has as many bytes,
/// or the buffer is full. In the second case the rows of the largest partition leave the
/// buffer: they go to its file if few enough files are open, and are spilled otherwise.
/// Partitions without an open file are written at the end.
pub struct TableSink {
    files: DataFiles,
    buffered_bytes: usize,
    /// By the first day of the partition.
    partitions: BTreeMap<i32, Partition>,
    /// Number of files that may still be opened.
    files_left: usize,
    spill: Arc<dyn RowSpill>,
}

#[derive(Default)]
struct Partition {
    file: Option<DataFile>,
    /// Indices of the batches that were spilled, which are its first rows.
    spilled: Vec<usize>,
    buffered: Vec<RecordBatch>,
    bytes: usize,
}

impl TableSink {
    pub(crate) fn new(files: DataFiles, size: SinkSize, spill: Arc<dyn RowSpill>) -> Self {
        Self {
            files,
            buffered_bytes: size.buffered_bytes,
            partitions: BTreeMap::new(),
            files_left: size.open_files,
            spill,
        }
    }

    /// Appends rows, which have the columns of `schemas/<table>.sql`. Their partition is
    /// derived from `date`.
    ///
    /// # Errors
    /// If the store or the spill fails, or the rows have other columns.
    pub async fn write(&mut self, rows: &RecordBatch) -> DeltaResult<()> {
        for (day, rows) in self.split(rows)? {
            let partition = self.partitions.entry(day).or_default();
            partition.bytes += rows.get_array_memory_size();
            partition.buffered.push(rows);
        }
        let mut buffered: usize = self.partitions.values().map(|part| part.bytes).sum();
        loop {
            let largest = self
                .partitions
                .iter_mut()
                .max_by_key(|(_, part)| part.bytes);
            let Some((day, largest)) = largest else { break };
            if buffered <= self.buffered_bytes && largest.bytes < MIN_OPEN_FILE_BYTES {
                break;
            }
            buffered -= largest.bytes;
            let rows = largest.take(&self.files.schema)?;
            if largest.file.is_none() && largest.spilled.is_empty() && self.files_left > 0 {
                self.files_left -= 1;
                largest.file = Some(self.files.open(*day)?);
            }
            if let Some(file) = &mut largest.file {
                file.write(&rows).await?;
            } else {
                largest.spilled.push(self.spill.push(&rows).await?);
            }
        }
        Ok(())
    }

    /// Splits rows by partition and keeps their order.
    fn split(&self, rows: &RecordBatch) -> DeltaResult<Vec<(i32, RecordBatch)>> {
        let mut indices: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        let dates = rows.column(0).as_primitive::<Date32Type>().values();
        for (row, day) in dates.iter().enumerate() {
            let dates = self.files.partitioning.dates(date_from_days(*day));
            let partition = indices.entry(days_from_date(dates.first()));
            partition.or_default().push(row as u32);
        }
        let rows = self.files.project(rows)?;
        if indices.len() <= 1 {
            let days = indices.into_keys();
            return Ok(days.map(|day| (day, rows.clone())).collect());
        }
        indices
            .into_iter()
            .map(|(day, indices)| {
                let rows = take_record_batch(&rows, &UInt32Array::from(indices))?;
                Ok((day, rows))
            })
            .collect()
    }

    /// Returns one future per partition, in their order. Each finishes the partition's
    /// files and returns Delta `add` actions as JSON, which can be sent to the process
    /// that commits. The futures are independent. All must be awaited, even if one
    /// fails: a dropped upload leaves its parts in the store.
    ///
    /// # Errors
    /// A future fails if the store or the spill fails. Files that were written stay
    /// invisible.
    pub fn finish(
        self,
    ) -> impl Iterator<Item = impl Future<Output = DeltaResult<Vec<String>>> + Send + 'static> {
        fail_point(format_args!("close"));
        let (files, spill) = (self.files, self.spill);
        self.partitions
            .into_iter()
            .map(move |(day, partition)| partition.finish(day, files.clone(), Arc::clone(&spill)))
    }

    /// Awaits [`TableSink::finish`], 32 files at a time.
    ///
    /// # Errors
    /// If the store or the spill fails. Files that were written stay invisible.
    pub async fn close(self) -> DeltaResult<Vec<String>> {
        let closed = stream::iter(self.finish()).buffered(CONCURRENT_CLOSES);
        let closed: Vec<DeltaResult<Vec<String>>> = closed.collect().await;
        let adds: Vec<_> = closed.into_iter().collect::<DeltaResult<_>>()?;
        Ok(adds.concat())
    }

    /// Aborts uploads that have begun, where the store supports it.
    ///
    /// # Errors
    /// The first failure of the store.
    pub async fn abort(self) -> DeltaResult<()> {
        let mut aborted = Ok(());
        let partitions = self.partitions.into_values();
        for file in partitions.filter_map(|partition| partition.file) {
            aborted = aborted.and(file.abort().await);
        }
        aborted
    }
}

impl Partition {
    /// Takes the buffered rows as one batch.
    fn take(&mut self, schema: &SchemaRef) -> DeltaResult<RecordBatch> {
        self.bytes = 0;
        let buffered = std::mem::take(&mut self.buffered);
        Ok(concat_batches(schema, &buffered)?)
    }

    async fn finish(
        mut self,
        day: i32,
        files: DataFiles,
        spill: Arc<dyn RowSpill>,
    ) -> DeltaResult<Vec<String>> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => files.open(day)?,
        };
        if let Err(error) = self.write_rest(&files.schema, &*spill, &mut file).await {
            // A failure to abort is logged by the store.
            let _ = file.abort().await;
            return Err(error);
        }
        file.close().await
    }

    async fn write_rest(
        mut self,
        schema: &SchemaRef,
        spill: &dyn RowSpill,
        file: &mut DataFile,
    ) -> DeltaResult<()> {
        for index in std::mem::take(&mut self.spilled) {
            file.write(&spill.read(index).await?).await?;
        }
        file.write(&self.take(schema)?).await
    }
}
