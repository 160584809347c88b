//! Step 5: writes the rows of every table to data files. A commit of the driver adds them to the
//! tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{BinaryArray, RecordBatch};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use deltalake::DeltaTableError;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use tables::{
    Bucket, Location, Output, Partitioning, SinkSize, Table, TableError, TableSink, date_from_days,
};

use crate::archive::ArchiveSource;
use crate::error::EngineError;
use crate::job::Job;
use crate::plan::columns::page::{PageEncoding, Pages};
use crate::plan::columns::schemas::{RecordBatchExt, WRITTEN, object_of, project_to};
use crate::plan::columns::site_blocks::SiteBlocks;
use crate::plan::columns::status::Status;
use crate::plan::columns::written::{CountKey, WrittenColumns, WrittenCounts};
use crate::plan::exec::coalesce::{BatchSize, coalesced};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::row_spill::DiskSpill;
use crate::plan::exec::step::{RequiredDistribution, Step, spawn_stream, to_bytes};
use crate::plan::html_reader::{PageStream, page_request};
use crate::plan::session::coalesced_size;
use crate::plan::steps::parse_pages::{Fetched, parse};
use crate::plan::steps::render::Rendered;
use crate::plan::steps::site::SITE_ORDER;
use crate::progress::ProgressReporter;
use crate::settings::Settings;

/// Bytes of HTML below which a single partition writes the chunk.
///
/// A small night of 600 pages then makes one file per table instead of one per core, and later
/// nights read at most half as much. A higher value writes larger chunks on one core only.
const ONE_WRITER_BYTES: u64 = 16 << 20;

/// Batches whose rows are rendered ahead. A higher value keeps more texts in memory.
const RENDERED_BATCHES: usize = 2;

/// Least bytes of a row group. With a lower value, reading costs more per row.
const MIN_ROW_GROUP_BYTES: usize = 1 << 20;

/// Writes the rows of one partition to data files of all tables.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) reporter: ProgressReporter,
    pub(crate) archive: ArchiveSource,
    pub(crate) output: Output,
    pub(crate) settings: Arc<Settings>,
    pub(crate) extent: ChunkExtent,
    /// Sizes of the sink of each table: see [`sink_size`].
    pub(crate) sink: SinkSize,
    /// Files that are closed at the same time: see [`closes`].
    pub(crate) closes: usize,
    /// Size of the batches that are written. Rows come in domain order and go to the files of their
    /// dates; writing two rows to a file costs as much as writing forty.
    pub(crate) batches: BatchSize,
}

/// Bytes that an open file takes in addition to its row group: compression tables, dictionaries,
/// and up to 5 MiB that are not uploaded yet.
const OPEN_FILE_BYTES: usize = 7 << 20;

/// Returns the sizes of each of `sinks` sinks that are open at once, for a chunk of `partitions`
/// dates.
///
/// Open files get an eighth of `memory`, their row groups a sixteenth (but at least
/// `MIN_ROW_GROUP_BYTES` each), and rows without an open file a 32nd.
fn sink_size(memory: usize, partitions: usize, sinks: usize) -> SinkSize {
    let most = SinkSize::default();
    let sinks = sinks.max(1);
    let open_files = (memory / 8 / sinks / OPEN_FILE_BYTES).max(1);
    let files = sinks * open_files.min(partitions).max(1);
    SinkSize {
        row_group_bytes: (memory / 16 / files).clamp(MIN_ROW_GROUP_BYTES, most.row_group_bytes),
        buffered_bytes: (memory / 32 / sinks).min(most.buffered_bytes),
        open_files,
    }
}

/// Returns how many files each of `threads` writers closes at the same time. A remote store takes as long for a small
/// file as for a large one, and a file that is closed takes its encoders: the files get a sixteenth of `memory`.
fn closes(memory: usize, threads: usize) -> usize {
    const ENCODER_BYTES: usize = 2 << 20;
    (memory / 16 / threads.max(1) / ENCODER_BYTES).clamp(8, 32)
}

/// The sizes of a chunk that [`Write`] depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct ChunkExtent {
    /// Whether a single partition writes the rows: see [`ONE_WRITER_BYTES`].
    pub(crate) one_writer: bool,
    /// Partitions of the tables.
    pub(crate) partitions: usize,
    /// Dates in a partition of the tables.
    pub(crate) partitioning: Partitioning,
    /// The sites of the rows.
    pub(crate) bucket: Bucket,
}

impl ChunkExtent {
    /// Returns the extent of a chunk with these bytes of HTML, partitions of the tables and sites.
    ///
    /// If other processes run parts of the plan, all of them write: a single writer would be in the
    /// last stage, which runs in this process.
    pub(crate) fn new(job: &Job, html_bytes: u64, partitions: usize, bucket: Bucket) -> Self {
        Self {
            bucket,
            one_writer: html_bytes < ONE_WRITER_BYTES && job.session_extension.is_none(),
            partitions,
            partitioning: job.output.partitioning(),
        }
    }
}

impl Write {
    pub(crate) fn new(job: &Job, extent: ChunkExtent, reporter: ProgressReporter) -> Self {
        let sinks = job.resources.threads * job.settings.page_tables().count();
        Self {
            reporter,
            archive: job.archive.clone(),
            output: (job.output.clone())
                .partitioned_by(extent.partitioning)
                .of_sites(extent.bucket),
            settings: Arc::clone(&job.settings),
            sink: sink_size(job.resources.memory, extent.partitions, sinks),
            closes: closes(job.resources.memory, job.resources.threads),
            batches: coalesced_size(job),
            extent,
        }
    }

    fn is_single(&self) -> bool {
        self.extent.one_writer
    }
}

impl Step for Write {
    fn name(&self) -> &'static str {
        "Write"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&WRITTEN)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&self.extent)
    }

    fn required_distribution(&self) -> RequiredDistribution {
        if self.is_single() {
            RequiredDistribution::Single
        } else {
            RequiredDistribution::Any
        }
    }

    /// A single writer requires the order of Site, which several input partitions interleave.
    fn required_ordering(&self) -> &'static [&'static str] {
        if self.is_single() { &SITE_ORDER } else { &[] }
    }

    fn run(
        &self,
        input: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
        timer: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let step = self.clone();
        let spill = Arc::new(DiskSpill::new(context, timer.spilled()));
        let tasks = timer.clone();
        Ok(spawn_stream(self.schema(), 1, timer, |out| async move {
            let mut writer = Writer::new(&step, spill);
            let ahead = (Arc::clone(&step.settings), tasks.clone());
            let rendered = coalesced(input, step.batches)
                .map(|batch| Ok::<_, DataFusionError>(stream::iter(parts(&batch?)?).map(Ok)))
                .try_flatten()
                .map_ok(move |part| part.rendered(ahead.clone()))
                .try_buffered(RENDERED_BATCHES);
            let mut rendered = std::pin::pin!(rendered);
            while let Some(part) = rendered.next().await {
                let written = match part {
                    Ok(part) => writer.write_part(part).await,
                    Err(error) => Err(error),
                };
                if let Err(error) = written {
                    writer.abort().await;
                    return Err(error);
                }
            }
            if let Err(error) = writer.write_site_blocks().await {
                writer.abort().await;
                return Err(error);
            }
            let _ = out.send(writer.close(&tasks).await).await;
            Ok(())
        }))
    }
}

struct Writer {
    reporter: ProgressReporter,
    settings: Arc<Settings>,
    location: Location,
    archive: ArchiveSource,
    sinks: BTreeMap<Table, TableSink>,
    closes: usize,
    /// What the site of the last page repeats on its date, if the job writes it.
    site_blocks: Option<SiteBlocks>,
    counts: BTreeMap<CountKey, WrittenCounts>,
}

impl Writer {
    fn new(step: &Write, spill: Arc<DiskSpill>) -> Self {
        let sinks = step
            .settings
            .page_tables()
            .map(|table| (table, step.output.sink(table, step.sink, spill.clone())))
            .collect();
        Self {
            reporter: step.reporter.clone(),
            settings: Arc::clone(&step.settings),
            location: step.output.location().clone(),
            archive: step.archive.clone(),
            sinks,
            closes: step.closes,
            site_blocks: None,
            counts: BTreeMap::new(),
        }
    }

    /// Writes rows. A page without texts is completed here, so that one of them is in memory at a time.
    async fn write_part(&mut self, part: Part) -> Result<()> {
        let rendered = match part {
            Part::Rendered(rendered) => rendered,
            Part::WithoutTexts(row) => {
                Rendered::new(&self.with_texts(&row).await?, &self.settings)?
            }
            Part::Rows(rows) => Rendered::new(&rows, &self.settings)?,
        };
        for (table, rows) in &rendered.tables {
            self.write(*table, rows).await?;
        }
        for of_site in rendered.site_blocks {
            self.add_site_blocks(of_site).await?;
        }
        for (key, counts) in rendered.counts {
            self.reporter.written(counts.rows.unsigned_abs());
            self.counts.entry(key).or_default().add(counts);
        }
        Ok(())
    }

    /// Parses the page in the only row of `batch` again.
    async fn with_texts(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let source = batch.text("source")?.value(0);
        let row = batch.numbers::<Int64Type>("row")?.value(0);
        let row_group = batch.numbers::<Int32Type>("row_group")?.value(0);
        let fetched = Fetched {
            url: batch.text("url")?.value(0),
            date: date_from_days(batch.numbers::<Date32Type>("date")?.value(0)),
        };
        let request = page_request(&self.archive, object_of(batch, 0)?, row_group, vec![row]);
        let pages = PageStream::new(request.read(&self.archive).await?).next()?;
        let pages = pages.and_then(std::result::Result::ok);
        let page = pages
            .as_ref()
            .and_then(|pages| parse(pages.iter().next()?, fetched, &self.settings).ok())
            .filter(|page| {
                let blocks = batch
                    .bytes("hashes")
                    .map_or(0, |hashes| hashes.value(0).len() / 16);
                page.page.blocks.len() == blocks
            })
            .ok_or_else(|| {
                DataFusionError::Execution(format!("row {row} of {source} changed during the run"))
            })?;
        let page = PageEncoding::new(&self.settings).encode_whole(&page)?;
        let page = Arc::new(BinaryArray::from_iter_values([page]));
        project_to(batch, &batch.schema(), vec![("page", page)])
    }

    /// Counts on, or writes what the last site repeats and begins another. The pages of a site and date come one after the
    /// other: see [`SITE_ORDER`].
    async fn add_site_blocks(&mut self, next: SiteBlocks) -> Result<()> {
        let next = match &mut self.site_blocks {
            Some(of_site) => of_site.merge(next),
            None => Some(next),
        };
        if let Some(next) = next {
            self.write_site_blocks().await?;
            self.site_blocks = Some(next.bounded());
        }
        Ok(())
    }

    /// Writes what the last site repeats.
    async fn write_site_blocks(&mut self) -> Result<()> {
        match self.site_blocks.take() {
            Some(of_site) => self.write(Table::SiteBlocks, &of_site.rows()?).await,
            None => Ok(()),
        }
    }

    async fn write(&mut self, table: Table, rows: &RecordBatch) -> Result<()> {
        match self.sinks.get_mut(&table) {
            Some(sink) if rows.num_rows() > 0 => {
                let written = sink.write(rows).await;
                Ok(written.map_err(|error| self.failed(table, error))?)
            }
            _ => Ok(()),
        }
    }

    /// Finishes the files on all threads. Returns the files and the row counts.
    async fn close(mut self, timer: &CpuTimer) -> Result<RecordBatch> {
        let sinks = std::mem::take(&mut self.sinks);
        let files = sinks.into_iter().flat_map(|(table, sink)| {
            let files = sink.finish();
            files.map(move |file| (table, file))
        });
        let files = stream::iter(files)
            .map(|(table, file)| {
                let file = SpawnedTask::spawn(timer.clone().future(file)).join();
                file.map(move |file| (table, file))
            })
            .buffered(self.closes);
        // Await all of them, also after one has failed.
        let files: Vec<_> = files.collect().await;
        let mut written = WrittenColumns::default();
        for (table, adds) in files {
            let adds = adds.map_err(|panic| DataFusionError::External(Box::new(panic)))?;
            for add in adds.map_err(|error| self.failed(table, error))? {
                written.file(table.name(), &add);
            }
        }
        for (key, counts) in &self.counts {
            written.counts(key, counts);
        }
        written.finish()
    }

    fn failed(&self, table: Table, source: DeltaTableError) -> EngineError {
        EngineError::Table(TableError::delta(
            table.name(),
            self.location.child(table.name()).to_string(),
            source,
        ))
    }

    async fn abort(self) {
        for (table, sink) in self.sinks {
            if let Err(error) = sink.abort().await {
                tracing::warn!(table = table.name(), %error, "cannot remove files of a failed run; vacuum removes them");
            }
        }
    }
}

/// Rows of the input of a step, in order.
enum Part {
    Rows(RecordBatch),
    /// A page whose texts were too large to be kept.
    WithoutTexts(RecordBatch),
    Rendered(Rendered),
}

impl Part {
    /// Renders rows on another thread. Texts of one large site are all in one partition.
    async fn rendered(self, (settings, timer): (Arc<Settings>, CpuTimer)) -> Result<Self> {
        let Self::Rows(rows) = self else {
            return Ok(self);
        };
        let task = SpawnedTask::spawn(async move {
            let rendered = timer.time(|| Rendered::new(&rows, &settings));
            rendered.map(Self::Rendered)
        });
        let joined = task.join().await;
        joined.map_err(|panic| DataFusionError::External(Box::new(panic)))?
    }
}

/// Divides a batch: a page without texts is a part of its own.
fn parts(batch: &RecordBatch) -> Result<Vec<Part>> {
    let (mut parts, mut next) = (Vec::new(), 0);
    let rows = |from: usize, to: usize| (from < to).then(|| batch.slice(from, to - from));
    for row in without_texts(batch)? {
        parts.extend(rows(next, row).map(Part::Rows));
        parts.extend(rows(row, row + 1).map(Part::WithoutTexts));
        next = row + 1;
    }
    parts.extend(rows(next, batch.num_rows()).map(Part::Rows));
    Ok(parts)
}

/// Returns the rows of pages without texts.
fn without_texts(batch: &RecordBatch) -> Result<Vec<usize>> {
    let (statuses, pages) = (batch.statuses()?, Pages(batch.bytes("page")?));
    let mut rows = Vec::new();
    for row in 0..batch.num_rows() {
        let is_written = matches!(statuses.get(row)?, Status::Unique | Status::Revision);
        if is_written && !pages.has_rest(row)? {
            rows.push(row);
        }
    }
    Ok(rows)
}
