//! Rows on their way into data files.

use std::collections::BTreeMap;

use arrow::array::{AsArray, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{Date32Type, SchemaRef};
use arrow::record_batch::RecordBatch;
use deltalake::DeltaResult;
use futures::{StreamExt, stream};

use crate::data_files::{DataFile, DataFiles};
use crate::spool::{Spool, Spooled};
use crate::{date_from_days, days_from_date, fail_point};

/// Files that are finished side by side: a store far away takes as long for a small one
/// as for a large one.
pub const CLOSING_FILES: usize = 8;

/// Bytes of one partition's rows that wait for no others: with less, an open file takes
/// more than its rows did, and with more, the writing is left to the end.
const WORTH_A_FILE: usize = 2 << 20;

/// How much a sink holds.
#[derive(Debug, Clone, Copy)]
pub struct SinkSize {
    /// Bytes of the row group that each open file is filling.
    pub row_group_bytes: usize,
    /// Bytes of the rows that wait for their files in memory, of all partitions together.
    pub waiting_bytes: usize,
    /// Files that are open side by side before the end.
    pub open_files: usize,
}

/// Row groups of 8 MiB: held in memory until they are full, one per open file, and with
/// a million rows each, as is usual, a chunk held all that it wrote.
impl Default for SinkSize {
    fn default() -> Self {
        Self {
            row_group_bytes: 8 << 20,
            waiting_bytes: 32 << 20,
            open_files: 64,
        }
    }
}

/// Writes data files of one table, one set per partition.
///
/// Rows of many partitions come mixed, and a file that is open takes 2 MB before it has a
/// row: tables of codes and dictionaries for every column. It also holds a row group, and
/// up to 5 MiB that wait to be sent. So rows wait until they are as large as that, or too
/// many wait in all and those of the fullest partition go: into its file, if few enough
/// are open, and else to disk. Partitions without an open file are written at the end.
pub struct TableSink {
    files: DataFiles,
    most_waiting_bytes: usize,
    /// By the first day of the partition.
    partitions: BTreeMap<i32, Partition>,
    /// Files that may still be opened.
    may_open: usize,
    spool: Option<Spool>,
}

#[derive(Default)]
struct Partition {
    file: Option<DataFile>,
    /// The first of its rows, if they went to disk.
    spooled: Vec<Spooled>,
    waiting: Vec<RecordBatch>,
    bytes: usize,
}

impl TableSink {
    pub(crate) fn new(files: DataFiles, size: SinkSize) -> Self {
        Self {
            files,
            most_waiting_bytes: size.waiting_bytes,
            partitions: BTreeMap::new(),
            may_open: size.open_files,
            spool: None,
        }
    }

    /// Appends `rows`, which have the columns of `schemas/<table>.sql`; the
    /// partition is told from `date`.
    ///
    /// # Errors
    /// Where the store fails, or the rows have other columns.
    pub async fn write(&mut self, rows: &RecordBatch) -> DeltaResult<()> {
        for (day, rows) in self.split(rows)? {
            let partition = self.partitions.entry(day).or_default();
            partition.bytes += rows.get_array_memory_size();
            partition.waiting.push(rows);
        }
        let mut waiting: usize = self.partitions.values().map(|part| part.bytes).sum();
        loop {
            let fullest = (self.partitions.iter_mut()).max_by_key(|(_, part)| part.bytes);
            let Some((day, fullest)) = fullest else { break };
            if waiting <= self.most_waiting_bytes && fullest.bytes < WORTH_A_FILE {
                break;
            }
            waiting -= fullest.bytes;
            let rows = fullest.take(&self.files.schema)?;
            if fullest.file.is_none() && fullest.spooled.is_empty() && self.may_open > 0 {
                self.may_open -= 1;
                fullest.file = Some(self.files.open(*day)?);
            }
            if let Some(file) = &mut fullest.file {
                file.write(&rows).await?;
                continue;
            }
            let spool = match &mut self.spool {
                Some(spool) => spool,
                none => none.insert(Spool::new(&self.files.schema)?),
            };
            fullest.spooled.push(spool.push(&rows)?);
        }
        Ok(())
    }

    /// The rows of each partition, in their order.
    fn split(&self, rows: &RecordBatch) -> DeltaResult<Vec<(i32, RecordBatch)>> {
        let mut of_partition: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        let dates = rows.column(0).as_primitive::<Date32Type>().values();
        for (row, day) in dates.iter().enumerate() {
            let dates = self.files.partitioning.dates(date_from_days(*day));
            let partition = of_partition.entry(days_from_date(dates.first()));
            partition.or_default().push(row as u32);
        }
        let rows = self.files.rows(rows)?;
        if of_partition.len() <= 1 {
            return Ok((of_partition.into_keys().map(|day| (day, rows.clone()))).collect());
        }
        (of_partition.into_iter())
            .map(|(day, indices)| {
                let rows = take_record_batch(&rows, &UInt32Array::from(indices))?;
                Ok((day, rows))
            })
            .collect()
    }

    /// Bytes of the rows that went to disk so far, for want of memory.
    pub fn spooled_bytes(&self) -> u64 {
        self.spool.as_ref().map_or(0, Spool::bytes)
    }

    /// What is left to do for each partition, in their order: its file is finished, and
    /// named by Delta `add` actions in JSON, which can travel to whoever commits. They do
    /// not depend on each other. All must be waited for, also after one that failed: an
    /// upload that is dropped leaves parts.
    ///
    /// # Errors
    /// Of each where the store fails; what was written stays unnamed and invisible.
    pub fn finish(
        self,
    ) -> impl Iterator<Item = impl Future<Output = DeltaResult<Vec<String>>> + Send + 'static> {
        fail_point(format_args!("close"));
        let files = self.files;
        (self.partitions.into_iter())
            .map(move |(day, partition)| partition.finish(day, files.clone()))
    }

    /// [`TableSink::finish`], a few files at a time.
    ///
    /// # Errors
    /// Where the store fails; what was written stays unnamed and invisible.
    pub async fn close(self) -> DeltaResult<Vec<String>> {
        let written = stream::iter(self.finish()).buffered(CLOSING_FILES);
        let written: Vec<DeltaResult<Vec<String>>> = written.collect().await;
        Ok((written.into_iter().collect::<DeltaResult<Vec<_>>>()?).concat())
    }

    /// Gives up: uploads that were begun are taken back where the store can.
    ///
    /// # Errors
    /// Where the store fails, the first.
    pub async fn abort(self) -> DeltaResult<()> {
        let mut aborted = Ok(());
        for file in (self.partitions.into_values()).filter_map(|partition| partition.file) {
            aborted = aborted.and(file.abort().await);
        }
        aborted
    }
}

impl Partition {
    /// The rows that wait, as one batch.
    fn take(&mut self, schema: &SchemaRef) -> DeltaResult<RecordBatch> {
        self.bytes = 0;
        let waiting = std::mem::take(&mut self.waiting);
        Ok(concat_batches(schema, &waiting)?)
    }

    async fn finish(mut self, day: i32, files: DataFiles) -> DeltaResult<Vec<String>> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => files.open(day)?,
        };
        if let Err(error) = self.write_rest(&files.schema, &mut file).await {
            // What it cannot take back it says in the log.
            let _ = file.abort().await;
            return Err(error);
        }
        file.close().await
    }

    async fn write_rest(mut self, schema: &SchemaRef, file: &mut DataFile) -> DeltaResult<()> {
        for rows in std::mem::take(&mut self.spooled) {
            file.write(&rows.read()?).await?;
        }
        file.write(&self.take(schema)?).await
    }
}
