//! Rows on their way into data files.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{Date32Type, SchemaRef};
use arrow::record_batch::RecordBatch;
use deltalake::DeltaResult;
use deltalake::datafile::writer::{DeltaWriter, WriterConfig};
use deltalake::kernel::Add;
use deltalake::logstore::ObjectStoreRef;
use futures::{StreamExt, stream};

use crate::spool::{Spool, Spooled};
use crate::{Partitioning, date_from_days, days_from_date, fail_point};

/// Small files that are written side by side at the end: a store far away takes as long
/// for each of them as for a large one.
const CLOSING_FILES: usize = 8;

/// Bytes of one partition's rows that wait for no others: with less, an open file takes
/// more than its rows did, and with more, the writing is left to the end, when nothing is
/// left to run beside it.
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
/// are open, and else to disk. Partitions without an open file are written at the end, a
/// few at a time.
pub struct TableSink {
    store: ObjectStoreRef,
    config: WriterConfig,
    partitioning: Partitioning,
    schema: SchemaRef,
    most_waiting_bytes: usize,
    /// By the first day of the partition.
    partitions: BTreeMap<i32, Partition>,
    open: DeltaWriter,
    /// Files that may still be opened.
    may_open: usize,
    spool: Option<Spool>,
}

#[derive(Default)]
struct Partition {
    /// The first of its rows, if they went to disk.
    spooled: Vec<Spooled>,
    waiting: Vec<RecordBatch>,
    bytes: usize,
    is_open: bool,
}

impl TableSink {
    pub(crate) fn new(
        store: ObjectStoreRef,
        config: WriterConfig,
        partitioning: Partitioning,
        schema: SchemaRef,
        size: SinkSize,
    ) -> Self {
        Self {
            open: DeltaWriter::new(Arc::clone(&store), config.clone()),
            store,
            config,
            partitioning,
            schema,
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
        let rows = self.with_partition(rows)?;
        for (day, rows) in self.split(rows)? {
            let partition = self.partitions.entry(day).or_default();
            partition.bytes += rows.get_array_memory_size();
            partition.waiting.push(rows);
        }
        let mut waiting: usize = self.partitions.values().map(|part| part.bytes).sum();
        loop {
            let fullest = (self.partitions.values_mut()).max_by_key(|partition| partition.bytes);
            let Some(fullest) = fullest else { break };
            if waiting <= self.most_waiting_bytes && fullest.bytes < WORTH_A_FILE {
                break;
            }
            waiting -= fullest.bytes;
            let rows = fullest.take(&self.schema)?;
            if !fullest.is_open && fullest.spooled.is_empty() && self.may_open > 0 {
                self.may_open -= 1;
                fullest.is_open = true;
            }
            if fullest.is_open {
                self.open.write(&rows).await?;
                continue;
            }
            let spool = match &mut self.spool {
                Some(spool) => spool,
                none => none.insert(Spool::new(&self.schema)?),
            };
            fullest.spooled.push(spool.push(&rows)?);
        }
        Ok(())
    }

    fn with_partition(&self, rows: &RecordBatch) -> DeltaResult<RecordBatch> {
        let mut columns = rows.columns().to_vec();
        if self.partitioning != Partitioning::Day {
            columns.push(partition_column(self.partitioning, rows.column(0)));
        }
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    /// The rows of each partition, in their order.
    fn split(&self, rows: RecordBatch) -> DeltaResult<Vec<(i32, RecordBatch)>> {
        let mut of_partition: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        let dates = rows.column(0).as_primitive::<Date32Type>().values();
        for (row, day) in dates.iter().enumerate() {
            let dates = self.partitioning.dates(date_from_days(*day));
            let partition = of_partition.entry(days_from_date(dates.first()));
            partition.or_default().push(row as u32);
        }
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

    /// Finishes the files and names them: Delta `add` actions in JSON, which
    /// can travel to whoever commits.
    ///
    /// # Errors
    /// Where the store fails; what was written stays unnamed and invisible.
    pub async fn close(mut self) -> DeltaResult<Vec<String>> {
        fail_point(format_args!("close"));
        let mut closed = Vec::new();
        for partition in std::mem::take(&mut self.partitions).into_values() {
            if !partition.is_open {
                closed.push(partition);
            } else if let Err(error) = self.write_rest(partition).await {
                // What it cannot take back it says in the log.
                let _ = self.open.abort().await;
                return Err(error);
            }
        }
        let mut adds = self.open.close().await?;
        let files = stream::iter(closed)
            .map(|partition| {
                let writer = DeltaWriter::new(Arc::clone(&self.store), self.config.clone());
                file(writer, partition.rows(&self.schema, self.spool.as_ref()))
            })
            .buffered(CLOSING_FILES);
        // All of them, also after one that failed: an upload that is dropped leaves parts.
        let written: Vec<DeltaResult<Vec<Add>>> = files.collect().await;
        for file in written {
            adds.extend(file?);
        }
        adds.iter()
            .map(|add| Ok(serde_json::to_string(add)?))
            .collect()
    }

    async fn write_rest(&mut self, mut partition: Partition) -> DeltaResult<()> {
        if partition.waiting.is_empty() {
            return Ok(());
        }
        let rows = partition.take(&self.schema)?;
        self.open.write(&rows).await
    }

    /// Gives up: uploads that were begun are taken back where the store can.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn abort(self) -> DeltaResult<()> {
        self.open.abort().await
    }
}

impl Partition {
    /// All its rows in their order.
    fn rows(
        mut self,
        schema: &SchemaRef,
        spool: Option<&Spool>,
    ) -> impl Iterator<Item = DeltaResult<RecordBatch>> {
        let rest = (!self.waiting.is_empty()).then(|| self.take(schema));
        (self.spooled.into_iter())
            .filter_map(move |rows| Some(spool?.read(rows).map_err(Into::into)))
            .chain(rest)
    }

    fn take(&mut self, schema: &SchemaRef) -> DeltaResult<RecordBatch> {
        self.bytes = 0;
        let waiting = std::mem::take(&mut self.waiting);
        Ok(concat_batches(schema, &waiting)?)
    }
}

/// The file of these rows, which are all of their partition.
async fn file(
    mut writer: DeltaWriter,
    rows: impl Iterator<Item = DeltaResult<RecordBatch>>,
) -> DeltaResult<Vec<Add>> {
    for rows in rows {
        let written = match rows {
            Ok(rows) => writer.write(&rows).await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            // What it cannot take back it says in the log.
            let _ = writer.abort().await;
            return Err(error);
        }
    }
    writer.close().await
}

fn partition_column(partitioning: Partitioning, dates: &ArrayRef) -> ArrayRef {
    let dates = dates.as_primitive::<Date32Type>();
    let values: StringArray = dates
        .iter()
        .map(|days| days.map(|days| partitioning.value(date_from_days(days))))
        .collect();
    Arc::new(values)
}
