//! Step 3: cuts pages that are not duplicates into text blocks. HTML does not leave this step.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, Int32Array, Int64Array, RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};

use crate::archive::{ArchiveSource, ReadAhead, RowGroupRequest};
use crate::job::Job;
use crate::plan::columns::schemas::{BLOCKED, RecordBatchExt, object_of, project_to};
use crate::plan::columns::status::{Phase, Status};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{BatchSender, RequiredDistribution, Step, spawn_stream, to_bytes};
use crate::plan::html_reader::{PAGES_BYTES, PageStream, page_request};
use crate::plan::steps::later_copies::LaterCopies;
use crate::plan::steps::parse_pages::{block, unreadable};
use crate::plan::steps::rejected_pages::{RejectedPages, RejectedSender};
use crate::progress::ProgressReporter;
use crate::settings::Settings;

/// Most rows of row groups that are read ahead, with the later copies that wait until their pages are
/// parsed. A higher value keeps more narrow rows in memory, some 500 bytes each; with a lower value,
/// reading waits for the store and for parse tasks more often.
const MAX_WAITING_ROWS: usize = 1 << 13;

/// Number of copies of rejected pages at which they are tried. A higher value keeps more narrow rows
/// in memory, some 500 bytes each; a lower value reads more row groups again.
const MAX_LATER_COPIES: usize = 1 << 16;

/// Parses the pages of each row group.
///
/// Input rows are grouped by row group, so that each row group is read once, in row order. Pages
/// are parsed in tasks on all cores, whichever partition reads them. The later copies of a URL key
/// come behind the row group of its first page. They are duplicates, and are only parsed if that
/// page has no text: see [`LaterCopies`].
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
    pub(crate) fn new(job: &Job, reporter: ProgressReporter) -> Self {
        // For each core, one group of pages is parsed and one is read ahead.
        let max_permits = 2 * job.resources.threads;
        Self {
            archive: job.archive.clone(),
            settings: Arc::clone(&job.settings),
            reporter,
            permits: Arc::new(Semaphore::new(max_permits)),
            max_permits,
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

    /// Another process counts the rows that this one would report.
    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&self.reporter.is_watched())
    }

    fn required_distribution(&self) -> RequiredDistribution {
        RequiredDistribution::KeyPartitioned(&self.required_ordering()[..2])
    }

    /// The rows of a row group, and then the later copies of its first pages.
    fn required_ordering(&self) -> &'static [&'static str] {
        &["first_source", "first_row_group", "first_row", "copy_order"]
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
            let mut partition = PartitionBlock::new(step, output);
            while let Some(batch) = input.next().await {
                for part in split_by(&batch?, &["first_source", "first_row_group"])? {
                    partition.rows(&part).await?;
                }
            }
            partition.finish().await
        }))
    }
}

/// The rows of one partition.
struct PartitionBlock {
    step: Block,
    output: BlockOutput,
    tasks: JoinSet<()>,
    /// The rows of a row group, of which more may come.
    row_group: Vec<RecordBatch>,
    /// Row groups whose HTML is read from the store, in order.
    ahead: ReadAhead<RowGroupPages>,
    /// Later copies of first pages in the row group that was parsed last, until all of its pages are
    /// parsed.
    copies: Vec<RecordBatch>,
    /// The pages of that row group that have no text.
    rejected: RejectedPages,
    later_copies: LaterCopies,
}

/// A row group whose pages wait for their turn.
struct RowGroupPages {
    /// The rows with pages to parse, or `None`.
    rows: Option<RecordBatch>,
    /// The later copies of its first pages.
    copies: Vec<RecordBatch>,
}

impl RowGroupPages {
    /// Number of narrow rows.
    fn waiting(&self) -> usize {
        let rows = self.rows.iter().chain(&self.copies);
        rows.map(RecordBatch::num_rows).sum()
    }
}

impl PartitionBlock {
    fn new(step: Block, output: BlockOutput) -> Self {
        Self {
            ahead: ReadAhead::new(step.archive.clone()),
            step,
            output,
            tasks: JoinSet::new(),
            row_group: Vec::new(),
            copies: Vec::new(),
            rejected: RejectedPages::channel().1,
            later_copies: LaterCopies::default(),
        }
    }

    /// Adds rows of one row group, and later copies of its first pages.
    async fn rows(&mut self, rows: &RecordBatch) -> Result<()> {
        // Rows of the row group have no first row. Nulls sort first.
        let own = rows.array("first_row")?.null_count();
        if own > 0 {
            let part = rows.slice(0, own);
            if let Some(last) = self.row_group.last()
                && !same_row_group(last, &part)?
            {
                self.read_row_group().await?;
            }
            self.row_group.push(part);
        }
        if own < rows.num_rows() {
            self.read_row_group().await?;
            let copies = rows.slice(own, rows.num_rows() - own);
            match self.ahead.last_mut() {
                Some(row_group) => row_group.copies.push(copies),
                None => self.copies.push(copies),
            }
            let waiting: usize = self.copies.iter().map(RecordBatch::num_rows).sum();
            if waiting + self.waiting() >= MAX_WAITING_ROWS {
                self.parse_all().await?;
                self.decide_copies().await?;
            }
        }
        Ok(())
    }

    /// Rows of the row groups that wait for their turn.
    fn waiting(&self) -> usize {
        self.ahead.items().map(RowGroupPages::waiting).sum()
    }

    /// Begins to read the pages of the row group, and parses the row group whose turn it is.
    async fn read_row_group(&mut self) -> Result<()> {
        if self.row_group.is_empty() {
            return Ok(());
        }
        let batches = std::mem::take(&mut self.row_group);
        let rows = self.pages_of(&batches).await?;
        let archive = &self.step.archive;
        let request = rows.as_ref().map(|rows| request(archive, rows));
        let request = request.transpose()?;
        let copies = Vec::new();
        self.ahead.push(RowGroupPages { rows, copies }, request);
        while self.ahead.is_full() || self.waiting() >= MAX_WAITING_ROWS {
            self.parse_row_group().await?;
        }
        Ok(())
    }

    /// Returns the rows with pages to parse, and passes the others through.
    async fn pages_of(&self, batches: &[RecordBatch]) -> Result<Option<RecordBatch>> {
        let rows = concat_batches(batches[0].schema_ref(), batches)?;
        let statuses = rows.statuses()?;
        let (mut pages, mut others) = (Vec::new(), Vec::new());
        for row in 0..rows.num_rows() {
            match statuses.get(row)? {
                Status::Unique | Status::RevisionCandidate | Status::Audited => {
                    pages.push(row as u32);
                }
                _ => others.push(row as u32),
            }
        }
        if !others.is_empty() {
            self.pass_through(&take_record_batch(&rows, &UInt32Array::from(others))?)
                .await?;
        }
        if pages.is_empty() {
            return Ok(None);
        }
        let pages = take_record_batch(&rows, &UInt32Array::from(pages))?;
        Ok(Some(pages))
    }

    /// Parses the pages of the next row group. Then decides the copies that follow the row group
    /// before, whose pages were parsed meanwhile. Returns `false` if there is no row group.
    async fn parse_row_group(&mut self) -> Result<bool> {
        let Some((RowGroupPages { rows, copies }, read)) = self.ahead.next().await? else {
            return Ok(false);
        };
        let (sender, rejected) = RejectedPages::channel();
        if let (Some(rows), Some(read)) = (rows, read) {
            let (tasks, pages) = (&mut self.tasks, PageStream::new(read));
            (self.step)
                .pages(&rows, pages, tasks, &self.output, &sender)
                .await?;
        }
        drop(sender);
        self.decide_copies().await?;
        self.rejected = rejected;
        self.copies = copies;
        Ok(true)
    }

    async fn parse_all(&mut self) -> Result<()> {
        while self.parse_row_group().await? {}
        Ok(())
    }

    /// Passes the copies of pages with text through, and keeps the other copies.
    async fn decide_copies(&mut self) -> Result<()> {
        let copies = std::mem::take(&mut self.copies);
        if copies.is_empty() {
            return Ok(());
        }
        for copies in copies {
            let (duplicates, untried) = self.rejected.all().await.split(&copies)?;
            self.pass_through(&duplicates).await?;
            self.later_copies.push(untried);
        }
        if self.later_copies.count() >= MAX_LATER_COPIES {
            self.try_later_copies().await?;
        }
        Ok(())
    }

    /// Reads later copies until each key has a page with text or no copy is left.
    async fn try_later_copies(&mut self) -> Result<()> {
        let Some(mut waves) = self.later_copies.take()? else {
            return Ok(());
        };
        while let Some(rows) = waves.next()? {
            let (sender, mut rejected) = RejectedPages::channel();
            for rows in split_by(&rows, &ROW_GROUP)? {
                self.pages(&rows, &sender).await?;
            }
            drop(sender);
            waves.tried(rejected.all().await)?;
        }
        let settings = &self.step.settings;
        let duplicates = self.later_copies.finish(waves, settings)?;
        self.pass_through(&duplicates).await
    }

    /// Reads and parses the pages of `rows`, all of one row group.
    async fn pages(&mut self, rows: &RecordBatch, rejected: &RejectedSender) -> Result<()> {
        let archive = &self.step.archive;
        let pages = request(archive, rows)?.read(archive).await?;
        (self.step)
            .pages(
                rows,
                PageStream::new(pages),
                &mut self.tasks,
                &self.output,
                rejected,
            )
            .await
    }

    /// Emits rows that are not parsed.
    async fn pass_through(&self, rows: &RecordBatch) -> Result<()> {
        if rows.num_rows() == 0 {
            return Ok(());
        }
        self.step.advance(rows)?;
        let passed = pass_through(rows, &self.step.settings);
        let _ = self.output.out.send(passed).await;
        Ok(())
    }

    async fn finish(mut self) -> Result<()> {
        self.read_row_group().await?;
        self.parse_all().await?;
        self.decide_copies().await?;
        self.try_later_copies().await?;
        while let Some(done) = self.tasks.join_next().await {
            check_joined(done)?;
        }
        Ok(())
    }
}

impl Block {
    /// Spawns tasks that parse the pages of `rows`, all of one row group. They send the unique pages
    /// without text to `rejected`.
    async fn pages(
        &self,
        rows: &RecordBatch,
        mut stream: PageStream,
        tasks: &mut JoinSet<()>,
        output: &BlockOutput,
        rejected: &RejectedSender,
    ) -> Result<()> {
        let row_group = rows.numbers::<Int32Type>("row_group")?.value(0);
        let positions = rows.numbers::<Int64Type>("row")?;
        let mut next = 0;
        loop {
            let pages = match stream.next()? {
                None => break,
                Some(Ok(pages)) => pages,
                Some(Err(error)) => {
                    let rest = rows.slice(next, rows.num_rows() - next);
                    let at = positions.value(next);
                    let detail = format!("row group {row_group}, from row {at}: {error}");
                    self.advance(&rest)?;
                    let blocked = unreadable(&rest, &detail, &self.settings)?;
                    blocked.report_rejected(&rest, rejected)?;
                    let _ = output.out.send(Ok(blocked.rows)).await;
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
            let rejected = rejected.clone();
            tasks.spawn(async move {
                let blocked = timer.time(|| block(&batch, &pages, &step.settings));
                drop(pages);
                let sent = blocked.and_then(|blocked| {
                    step.advance(&batch)?;
                    blocked.report_rejected(&batch, &rejected)?;
                    Ok(blocked.rows)
                });
                // The copies of these pages wait until all senders are dropped.
                drop(rejected);
                drop(out.send(sent).await);
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

    /// Reports progress: `rows` are done. Rows of earlier dates do not count.
    fn advance(&self, rows: &RecordBatch) -> Result<()> {
        let sources = rows.text("source")?;
        let row_groups = rows.numbers::<Int32Type>("row_group")?;
        for run in runs(rows, &ROW_GROUP)? {
            if row_groups.is_valid(run.start) {
                let (source, row_group) = (sources.value(run.start), row_groups.value(run.start));
                self.reporter.report(source, row_group, run.len());
            }
        }
        Ok(())
    }
}

/// Returns the request for the pages of `rows`, all of one row group.
fn request(archive: &ArchiveSource, rows: &RecordBatch) -> Result<RowGroupRequest> {
    let row_group = rows.numbers::<Int32Type>("row_group")?.value(0);
    let positions = rows.numbers::<Int64Type>("row")?;
    Ok(page_request(
        archive,
        object_of(rows, 0)?,
        row_group,
        positions.values().to_vec(),
    ))
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

/// The columns of the position of a row group.
const ROW_GROUP: [&str; 2] = ["source", "row_group"];

/// Splits `batch` into its [`runs`].
fn split_by(batch: &RecordBatch, columns: &[&str; 2]) -> Result<Vec<RecordBatch>> {
    let runs = runs(batch, columns)?.into_iter();
    Ok(runs.map(|run| batch.slice(run.start, run.len())).collect())
}

/// Returns the rows of `batch` up to each change in one of two columns: an object, and a row group
/// in it.
fn runs(batch: &RecordBatch, [source, row_group]: &[&str; 2]) -> Result<Vec<Range<usize>>> {
    let (sources, groups) = (batch.text(source)?, batch.numbers::<Int32Type>(row_group)?);
    let mut runs = Vec::new();
    let mut start = 0;
    for row in 1..=batch.num_rows() {
        let ends = row == batch.num_rows()
            || sources.value(row) != sources.value(start)
            || groups.value(row) != groups.value(start);
        if ends {
            runs.push(start..row);
            start = row;
        }
    }
    Ok(runs)
}

fn same_row_group(a: &RecordBatch, b: &RecordBatch) -> Result<bool> {
    Ok(a.text("source")?.value(0) == b.text("source")?.value(0)
        && a.numbers::<Int32Type>("row_group")?.value(0)
            == b.numbers::<Int32Type>("row_group")?.value(0))
}

/// The `batch` of bases whose pages are compared, and of rows of earlier dates: they come before the window entries.
const EARLIER: [i64; 2] = [i64::MIN, i64::MIN + 1];

/// Adds the columns of Block to rows that are not parsed.
fn pass_through(rows: &RecordBatch, settings: &Settings) -> Result<RecordBatch> {
    let dates = rows.numbers::<Date32Type>("date")?;
    let statuses = rows.statuses()?;
    let batch = |row: usize| {
        Ok(match statuses.get(row)? {
            Status::Base => EARLIER[0],
            Status::Known => EARLIER[1],
            _ => settings.site.batching.batch_of(dates.value(row)),
        })
    };
    let count = rows.num_rows();
    let batches: Int64Array = (0..count).map(batch).collect::<Result<Vec<_>>>()?.into();
    project_to(
        rows,
        &BLOCKED,
        vec![
            ("batch", Arc::new(batches)),
            (
                "phase",
                Arc::new(Int32Array::from_value(Phase::PassThrough as i32, count)),
            ),
        ],
    )
}
