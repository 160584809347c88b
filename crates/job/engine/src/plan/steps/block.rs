//! Step 3: cuts pages that are not duplicates into text blocks. HTML does not leave this step.

use std::sync::Arc;

use arrow::array::{Int32Array, Int64Array, RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use html_blocks::{Page, PageError};
use tables::Reason;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};

use crate::archive::ArchiveSource;
use crate::job::Settings;
use crate::plan::columns::blocks::BlockColumns;
use crate::plan::columns::schemas::{
    BLOCKED, Phase, RecordBatchExt, Status, object_of, project_to,
};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{BatchSender, RequiredDistribution, Step, spawn_stream};
use crate::plan::html_reader::{PAGES_BYTES, PageBytes, PageReader, Pages};
use crate::progress::ProgressReporter;

/// Parses the pages of each row group.
///
/// Input rows are grouped by row group, so that each row group is read once, in row order. Pages
/// are parsed in tasks on all cores, whichever partition reads them.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    archive: ArchiveSource,
    settings: Arc<Settings>,
    reporter: ProgressReporter,
    /// Limits the HTML and blocks in memory over all partitions. A permit is for
    /// [`PAGES_BYTES`] of HTML.
    permits: Arc<Semaphore>,
    max_permits: usize,
}

impl Block {
    pub(crate) fn new(
        archive: ArchiveSource,
        settings: Arc<Settings>,
        reporter: ProgressReporter,
        threads: usize,
    ) -> Self {
        Self {
            archive,
            settings,
            reporter,
            // For each core, one group of pages is parsed and one is read ahead.
            permits: Arc::new(Semaphore::new(2 * threads)),
            max_permits: 2 * threads,
        }
    }
}

impl Step for Block {
    fn name(&self) -> &'static str {
        "Block"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&BLOCKED)
    }

    fn required_distribution(&self) -> RequiredDistribution {
        RequiredDistribution::KeyPartitioned(&["source", "row_group"])
    }

    fn required_ordering(&self) -> &'static [&'static str] {
        &["source", "row_group", "row"]
    }

    fn run(
        &self,
        mut input: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
        timer: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let (step, tasks_timer) = (self.clone(), timer.clone());
        Ok(spawn_stream(self.schema(), 2, timer, |out| async move {
            let output = BlockOutput {
                out,
                timer: tasks_timer,
            };
            let mut reader = PageReader::new(step.archive.clone());
            let mut tasks = JoinSet::new();
            let mut group: Vec<RecordBatch> = Vec::new();
            while let Some(batch) = input.next().await {
                for part in split_by_row_group(&batch?)? {
                    if let Some(last) = group.last()
                        && !same_row_group(last, &part)?
                    {
                        step.row_group(&group, &mut reader, &mut tasks, &output)
                            .await?;
                        group.clear();
                    }
                    group.push(part);
                }
            }
            step.row_group(&group, &mut reader, &mut tasks, &output)
                .await?;
            while let Some(done) = tasks.join_next().await {
                check_joined(done)?;
            }
            Ok(())
        }))
    }
}

impl Block {
    async fn row_group(
        &self,
        batches: &[RecordBatch],
        reader: &mut PageReader,
        tasks: &mut JoinSet<()>,
        output: &BlockOutput,
    ) -> Result<()> {
        let Some(first) = batches.first() else {
            return Ok(());
        };
        let rows = concat_batches(first.schema_ref(), batches)?;
        let statuses = rows.text("status")?;
        let (mut pages, mut others) = (Vec::new(), Vec::new());
        for row in 0..rows.num_rows() {
            match Status::from_name(statuses.value(row))? {
                Status::Unique | Status::RevisionCandidate => pages.push(row as u32),
                _ => others.push(row as u32),
            }
        }
        if !others.is_empty() {
            let others = take_record_batch(&rows, &UInt32Array::from(others))?;
            self.advance(&others)?;
            let _ = output.out.send(pass_through(&others)).await;
        }
        if pages.is_empty() {
            return Ok(());
        }
        let rows = take_record_batch(&rows, &UInt32Array::from(pages))?;
        self.pages(&rows, reader, tasks, output).await
    }

    /// Reads the HTML of `rows`, all of one row group, and spawns tasks that parse it.
    async fn pages(
        &self,
        rows: &RecordBatch,
        reader: &mut PageReader,
        tasks: &mut JoinSet<()>,
        output: &BlockOutput,
    ) -> Result<()> {
        let object = reader.object(&object_of(rows, 0)?).await?;
        let row_group = rows.numbers::<Int32Type>("row_group")?.value(0);
        let positions = rows.numbers::<Int64Type>("row")?;
        let mut stream = object.read(row_group, positions.values())?;
        let mut next = 0;
        loop {
            let pages = match stream.next().await? {
                None => break,
                Some(Ok(pages)) => pages,
                Some(Err(error)) => {
                    let rest = rows.slice(next, rows.num_rows() - next);
                    let at = positions.value(next);
                    let detail = format!("row group {row_group}, from row {at}: {error}");
                    self.advance(&rest)?;
                    let _ = output
                        .out
                        .send(unreadable(&rest, &detail, &self.settings))
                        .await;
                    break;
                }
            };
            // A group above the limit takes all permits and is parsed alone.
            let permits = pages
                .bytes()
                .div_ceil(PAGES_BYTES)
                .clamp(1, self.max_permits);
            let permit = Arc::clone(&self.permits)
                .acquire_many_owned(permits as u32)
                .await
                .map_err(|closed| DataFusionError::External(Box::new(closed)))?;
            let batch = rows.slice(next, pages.len());
            next += pages.len();
            let (step, BlockOutput { out, timer }) = (self.clone(), output.clone());
            tasks.spawn(async move {
                let blocked = timer.time(|| block(&batch, &pages, &step.settings));
                drop(pages);
                match step.advance(&batch).and(blocked) {
                    Ok(blocked) => drop(out.send(Ok(blocked)).await),
                    Err(error) => drop(out.send(Err(error)).await),
                }
                // Release the permit only after sending: blocks that are not taken yet occupy
                // memory.
                drop(permit);
            });
        }
        // Does not wait for running tasks: the next row group is read meanwhile.
        while let Some(done) = tasks.try_join_next() {
            check_joined(done)?;
        }
        Ok(())
    }

    /// Reports progress: `rows`, all of one row group, are done.
    fn advance(&self, rows: &RecordBatch) -> Result<()> {
        let source = rows.text("source")?.value(0);
        let row_group = rows.numbers::<Int32Type>("row_group")?.value(0);
        self.reporter.report(source, row_group, rows.num_rows());
        Ok(())
    }
}

/// The output of parse tasks, and the timer of their CPU time.
#[derive(Clone)]
struct BlockOutput {
    out: BatchSender,
    timer: CpuTimer,
}

fn check_joined(task: std::result::Result<(), JoinError>) -> Result<()> {
    task.map_err(|panic| DataFusionError::External(Box::new(panic)))
}

fn split_by_row_group(batch: &RecordBatch) -> Result<Vec<RecordBatch>> {
    let (sources, groups) = (
        batch.text("source")?,
        batch.numbers::<Int32Type>("row_group")?,
    );
    let mut parts = Vec::new();
    let mut start = 0;
    for row in 1..=batch.num_rows() {
        let ends = row == batch.num_rows()
            || sources.value(row) != sources.value(start)
            || groups.value(row) != groups.value(start);
        if ends {
            parts.push(batch.slice(start, row - start));
            start = row;
        }
    }
    Ok(parts)
}

fn same_row_group(a: &RecordBatch, b: &RecordBatch) -> Result<bool> {
    Ok(a.text("source")?.value(0) == b.text("source")?.value(0)
        && a.numbers::<Int32Type>("row_group")?.value(0)
            == b.numbers::<Int32Type>("row_group")?.value(0))
}

/// Adds the columns of Block to rows that are not parsed.
fn pass_through(rows: &RecordBatch) -> Result<RecordBatch> {
    let count = rows.num_rows();
    project_to(
        rows,
        &BLOCKED,
        vec![
            ("batch", Arc::new(Int64Array::from_value(0, count))),
            (
                "phase",
                Arc::new(Int32Array::from_value(Phase::PassThrough as i32, count)),
            ),
        ],
    )
}

/// Quarantines rows whose HTML cannot be decoded.
fn unreadable(rows: &RecordBatch, detail: &str, settings: &Settings) -> Result<RecordBatch> {
    let mut columns = BlockColumns::new(settings);
    for _ in 0..rows.num_rows() {
        columns.problem(Reason::UnreadableRow, detail, None);
    }
    columns.finish(rows)
}

/// Parses `pages`, one per row of `rows`.
fn block(rows: &RecordBatch, pages: &Pages, settings: &Settings) -> Result<RecordBatch> {
    let dates = rows.numbers::<Date32Type>("date")?;
    let statuses = rows.text("status")?;
    let mut columns = BlockColumns::new(settings);
    for (row, page) in pages.iter().enumerate() {
        let bytes = page.html.map(|html| html.len() as i64);
        let batch = settings.batching.batch_of(dates.value(row));
        match parse(page, settings) {
            Ok(parsed) => {
                let status = Status::from_name(statuses.value(row))?;
                columns.page(status, batch, bytes, &parsed);
            }
            Err((reason, detail)) => columns.problem(reason, &detail, bytes),
        }
    }
    columns.finish(rows)
}

/// Parses one page. The error is the reason to quarantine the row, with a detail.
pub(crate) fn parse(
    page: PageBytes<'_>,
    settings: &Settings,
) -> std::result::Result<Page, (Reason, String)> {
    let html = page
        .html
        .ok_or_else(|| (Reason::MissingHtml, "html is null".to_owned()))?;
    html_blocks::page(html, page.charset, &settings.blocks)
        .map_err(|error| (reason(&error), error.to_string()))
}

fn reason(error: &PageError) -> Reason {
    match error {
        PageError::Empty { .. } => Reason::EmptyHtml,
        PageError::Binary { .. } => Reason::BinaryHtml,
    }
}
