//! Step 5: writes the rows of every table to data files. A commit of the driver adds them to the
//! tables.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{BinaryArray, RecordBatch};
use arrow::datatypes::{Date32Type, Int64Type, SchemaRef};
use datafusion::common::exec_err;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use deltalake::DeltaTableError;
use futures::{FutureExt, Stream, StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use tables::{
    Bucket, Output, Partitioning, SinkSize, Table, TableError, TableSink, date_from_days,
};

use crate::accounting::{RowAccounting, UnitOutput};
use crate::archive::ArchiveSource;
use crate::error::EngineError;
use crate::job::Job;
use crate::plan::columns::page::{PageEncoding, Pages};
use crate::plan::columns::schemas::{RecordBatchExt, WRITTEN, project_to, rows_of};
use crate::plan::columns::site_blocks::SiteBlocks;
use crate::plan::columns::status::Status;
use crate::plan::exec::coalesce::{BatchSize, coalesced};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::row_spill::DiskSpill;
use crate::plan::exec::step::{RequiredDistribution, Step, spawn_stream, to_bytes};
use crate::plan::html_reader::PageStream;
use crate::plan::session::coalesced_size;
use crate::plan::steps::parse_pages::{Fetched, parse};
use crate::plan::steps::render::Rendered;
use crate::plan::steps::site::SITE_ORDER;
use crate::progress::ProgressReporter;
use crate::settings::Settings;
use crate::tables_state::table_files::external;

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
        match self.extent.one_writer {
            true => RequiredDistribution::Single,
            false => RequiredDistribution::Any,
        }
    }

    /// A single writer requires the order of Site, which several input partitions interleave.
    fn required_ordering(&self) -> &'static [&'static str] {
        match self.extent.one_writer {
            true => &SITE_ORDER,
            false => &[],
        }
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
            let rendered = rendered(input, &step, &tasks);
            let mut writer = Writer::new(step, spill);
            if let Err(error) = writer.write_all(rendered).await {
                writer.abort().await;
                return Err(error);
            }
            let _ = out.send(writer.close(&tasks).await).await;
            Ok(())
        }))
    }
}

struct Writer {
    step: Write,
    sinks: BTreeMap<Table, TableSink>,
    /// What the site of the last page repeats on its date, if the job writes it.
    site_blocks: Option<SiteBlocks>,
    counts: RowAccounting,
}

impl Writer {
    fn new(step: Write, spill: Arc<DiskSpill>) -> Self {
        let tables = step.settings.page_tables();
        let sink = |table| (table, step.output.sink(table, step.sink, spill.clone()));
        Self {
            sinks: tables.map(sink).collect(),
            site_blocks: None,
            counts: RowAccounting::default(),
            step,
        }
    }

    async fn write_all(&mut self, parts: impl Stream<Item = Result<Part>>) -> Result<()> {
        let mut parts = std::pin::pin!(parts);
        while let Some(part) = parts.try_next().await? {
            self.write_part(part).await?;
        }
        self.write_site_blocks().await
    }

    /// Writes rows. A page without texts is completed here, so that one of them is in memory at a time.
    async fn write_part(&mut self, part: Part) -> Result<()> {
        let rendered = match part {
            Part::Rendered(rendered) => rendered,
            Part::WithoutTexts(row) => {
                Rendered::new(&self.with_texts(&row).await?, &self.step.settings)?
            }
        };
        for (table, rows) in &rendered.tables {
            self.write(*table, rows).await?;
        }
        for of_site in rendered.site_blocks {
            self.add_site_blocks(of_site).await?;
        }
        for (.., counts) in rendered.counts.counts() {
            self.step.reporter.progress.written(counts.rows);
        }
        self.counts.add_all(&rendered.counts);
        Ok(())
    }

    /// Parses the page in the only row of `batch` again.
    async fn with_texts(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let settings = &self.step.settings;
        let fetched = Fetched {
            url: batch.text("url")?.value(0),
            date: date_from_days(batch.numbers::<Date32Type>("date")?.value(0)),
        };
        let blocks = batch.bytes("hashes")?.value(0).len() / 16;
        let pages = PageStream::of(&self.step.archive, batch).await?.next()?;
        let pages = pages.and_then(std::result::Result::ok);
        let page = pages
            .as_ref()
            .and_then(|pages| parse(pages.iter().next()?, fetched, settings).ok())
            .filter(|page| page.page.blocks.len() == blocks);
        let Some(page) = page else {
            let source = batch.text("source")?.value(0);
            let row = batch.numbers::<Int64Type>("row")?.value(0);
            return exec_err!("row {row} of {source} changed during the run");
        };
        let page = PageEncoding::new(settings).encode_whole(&page)?;
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
            .buffered(self.step.closes);
        // Await all of them, also after one has failed.
        let files: Vec<_> = files.collect().await;
        let mut written = UnitOutput::default();
        for (table, adds) in files {
            let adds = adds.map_err(external)?;
            for add in adds.map_err(|error| self.failed(table, error))? {
                written.files.entry(table).or_default().push(add);
            }
        }
        written.accounting = self.counts;
        let output = BinaryArray::from_iter_values([to_bytes(&written)?]);
        rows_of(&WRITTEN, vec![("output", Arc::new(output))])
    }

    fn failed(&self, table: Table, source: DeltaTableError) -> EngineError {
        EngineError::Table(TableError::delta(
            table.name(),
            self.step.output.location().child(table.name()).to_string(),
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
    /// A page whose texts were too large to be kept.
    WithoutTexts(RecordBatch),
    Rendered(Rendered),
}

/// Renders the rows of `input` in tasks. Texts of one large site are all in one partition.
fn rendered(
    input: SendableRecordBatchStream,
    step: &Write,
    timer: &CpuTimer,
) -> impl Stream<Item = Result<Part>> + use<> {
    let (settings, timer) = (Arc::clone(&step.settings), timer.clone());
    coalesced(input, step.batches)
        .map(|batch| -> Result<_> { Ok(stream::iter(parts(&batch?)?).map(Ok)) })
        .try_flatten()
        .map_ok(move |(rows, has_texts)| {
            let (settings, timer) = (Arc::clone(&settings), timer.clone());
            async move {
                if !has_texts {
                    return Ok(Part::WithoutTexts(rows));
                }
                let render = move || Rendered::new(&rows, &settings).map(Part::Rendered);
                timer.task(render).await
            }
        })
        .try_buffered(RENDERED_BATCHES)
}

/// Divides a batch into parts: rows that have texts, if they are pages, and each page without texts.
fn parts(batch: &RecordBatch) -> Result<Vec<(RecordBatch, bool)>> {
    let (mut parts, mut next) = (Vec::new(), 0);
    let mut add = |rows: Range<usize>, has_texts| {
        if !rows.is_empty() {
            parts.push((batch.slice(rows.start, rows.len()), has_texts));
        }
    };
    for row in without_texts(batch)? {
        add(next..row, true);
        add(row..row + 1, false);
        next = row + 1;
    }
    add(next..batch.num_rows(), true);
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
