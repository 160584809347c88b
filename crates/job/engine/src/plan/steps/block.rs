//! Step 3: cuts pages that are not duplicates into text blocks. HTML does not leave this step.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::archive::{ArchiveSource, ReadAhead};
use crate::job::Job;
use crate::plan::columns::schemas::{BLOCKED, ROW_GROUP, RecordBatchExt, project_to};
use crate::plan::columns::status::{Phase, Status};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{BatchSender, RequiredDistribution, Step, spawn_stream, to_bytes};
use crate::plan::html_reader::{PAGES_BYTES, PageStream, request};
use crate::plan::steps::later_copies::{LaterCopies, divided};
use crate::plan::steps::parse_pages::{Blocked, block, unreadable};
use crate::plan::steps::rejected_pages::{RejectedPages, RejectedSender};
use crate::progress::ProgressReporter;
use crate::settings::Settings;
use crate::tables_state::table_files::external;

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
            let mut partition = PartitionBlock::new(step, out, tasks_timer);
            while let Some(batch) = input.next().await {
                let batch = batch?;
                for run in batch.runs(&["first_source", "first_row_group"])? {
                    partition.rows(&batch.slice(run.start, run.len())).await?;
                }
            }
            partition.finish().await
        }))
    }
}

/// The rows of one partition.
struct PartitionBlock {
    step: Block,
    out: BatchSender,
    /// Counts the CPU time of parse tasks.
    timer: CpuTimer,
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
    /// The rows with pages to parse.
    rows: RecordBatch,
    /// The later copies of its first pages.
    copies: Vec<RecordBatch>,
}

impl PartitionBlock {
    fn new(step: Block, out: BatchSender, timer: CpuTimer) -> Self {
        Self {
            ahead: ReadAhead::new(step.archive.clone()),
            step,
            out,
            timer,
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
            }
        }
        Ok(())
    }

    /// Rows of the row groups that wait for their turn.
    fn waiting(&self) -> usize {
        let batches = self.ahead.items();
        let batches = batches.flat_map(|pages| std::iter::once(&pages.rows).chain(&pages.copies));
        batches.map(RecordBatch::num_rows).sum()
    }

    /// Begins to read the pages of the row group, and parses the row group whose turn it is.
    async fn read_row_group(&mut self) -> Result<()> {
        if self.row_group.is_empty() {
            return Ok(());
        }
        let batches = std::mem::take(&mut self.row_group);
        let rows = self.pages_of(&batches).await?;
        let request = (rows.num_rows() > 0).then(|| request(&self.step.archive, &rows));
        let request = request.transpose()?;
        let copies = Vec::new();
        self.ahead.push(RowGroupPages { rows, copies }, request);
        while self.ahead.is_full() || self.waiting() >= MAX_WAITING_ROWS {
            self.parse_row_group().await?;
        }
        Ok(())
    }

    /// Returns the rows with pages to parse, and passes the others through.
    async fn pages_of(&self, batches: &[RecordBatch]) -> Result<RecordBatch> {
        let rows = concat_batches(batches[0].schema_ref(), batches)?;
        let statuses = rows.statuses()?;
        let is_parsed = (0..rows.num_rows()).map(|row| {
            let status = statuses.get(row)?;
            Ok(Some(matches!(
                status,
                Status::Unique | Status::RevisionCandidate | Status::Audited
            )))
        });
        let is_parsed = is_parsed.collect::<Result<BooleanArray>>()?;
        let (pages, others) = divided(&rows, &is_parsed)?;
        self.pass_through(&others).await?;
        Ok(pages)
    }

    /// Parses the pages of the next row group. Then decides the copies that follow the row group
    /// before, whose pages were parsed meanwhile. Returns `false` if there is no row group.
    async fn parse_row_group(&mut self) -> Result<bool> {
        let Some((RowGroupPages { rows, copies }, read)) = self.ahead.next().await? else {
            return Ok(false);
        };
        let (sender, rejected) = RejectedPages::channel();
        if let Some(read) = read {
            self.pages(&rows, PageStream::new(read), &sender).await?;
        }
        drop(sender);
        self.decide_copies().await?;
        self.rejected = rejected;
        self.copies = copies;
        Ok(true)
    }

    /// Parses the pages of all row groups, and decides the copies that follow them.
    async fn parse_all(&mut self) -> Result<()> {
        while self.parse_row_group().await? {}
        self.decide_copies().await
    }

    /// Passes the copies of pages with text through, and keeps the other copies.
    async fn decide_copies(&mut self) -> Result<()> {
        for copies in std::mem::take(&mut self.copies) {
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
            for run in rows.runs(&ROW_GROUP)? {
                let rows = rows.slice(run.start, run.len());
                let pages = PageStream::of(&self.step.archive, &rows).await?;
                self.pages(&rows, pages, &sender).await?;
            }
            drop(sender);
            waves.tried(rejected.all().await)?;
        }
        let settings = &self.step.settings;
        let duplicates = self.later_copies.finish(waves, settings)?;
        self.pass_through(&duplicates).await
    }

    /// Spawns tasks that parse the pages of `rows`, all of one row group. They send the unique pages
    /// without text to `rejected`.
    async fn pages(
        &mut self,
        rows: &RecordBatch,
        mut stream: PageStream,
        rejected: &RejectedSender,
    ) -> Result<()> {
        let row_group = rows.numbers::<Int32Type>("row_group")?.value(0);
        let positions = rows.numbers::<Int64Type>("row")?;
        let mut next = 0;
        while let Some(pages) = stream.next()? {
            let pages = match pages {
                Ok(pages) => pages,
                Err(error) => {
                    let rest = rows.slice(next, rows.num_rows() - next);
                    let at = positions.value(next);
                    let detail = format!("row group {row_group}, from row {at}: {error}");
                    let blocked = unreadable(&rest, &detail, &self.step.settings)?;
                    let rows = self.step.reported(blocked, rejected)?;
                    let _ = self.out.send(Ok(rows)).await;
                    break;
                }
            };
            // A group above the limit takes all permits and is parsed alone.
            let permits = pages.bytes().div_ceil(PAGES_BYTES);
            let permits = permits.clamp(1, self.step.max_permits) as u32;
            let permit = Arc::clone(&self.step.permits).acquire_many_owned(permits);
            let permit = permit.await.map_err(external)?;
            let batch = rows.slice(next, pages.len());
            next += pages.len();
            let (step, timer, out) = (self.step.clone(), self.timer.clone(), self.out.clone());
            let rejected = rejected.clone();
            self.tasks.spawn(async move {
                let blocked = timer.time(|| block(&batch, &pages, &step.settings));
                drop(pages);
                let rows = blocked.and_then(|blocked| step.reported(blocked, &rejected));
                // The copies of these pages wait until all senders are dropped.
                drop(rejected);
                drop(out.send(rows).await);
                // Release the permit only after sending: blocks that are not taken yet occupy
                // memory.
                drop(permit);
            });
        }
        // Does not wait for running tasks: the next row group is read meanwhile.
        while let Some(done) = self.tasks.try_join_next() {
            done.map_err(external)?;
        }
        Ok(())
    }

    /// Emits rows that are not parsed.
    async fn pass_through(&self, rows: &RecordBatch) -> Result<()> {
        if rows.num_rows() == 0 {
            return Ok(());
        }
        self.step.advance(rows)?;
        let passed = pass_through(rows, &self.step.settings);
        let _ = self.out.send(passed).await;
        Ok(())
    }

    async fn finish(mut self) -> Result<()> {
        self.read_row_group().await?;
        self.parse_all().await?;
        self.try_later_copies().await?;
        while let Some(done) = self.tasks.join_next().await {
            done.map_err(external)?;
        }
        Ok(())
    }
}

impl Block {
    /// Returns parsed rows, all of one object. Reports them as done, and those without text to `rejected`.
    fn reported(&self, blocked: Blocked, rejected: &RejectedSender) -> Result<RecordBatch> {
        self.advance(&blocked.rows)?;
        if !blocked.rejected.is_empty() {
            let source = blocked.rows.text("source")?.value(0).to_owned();
            // The receiver is gone if the row group has no copies.
            let _ = rejected.send((source, blocked.rejected));
        }
        Ok(blocked.rows)
    }

    /// Reports progress: `rows` are done. Rows of earlier dates do not count.
    fn advance(&self, rows: &RecordBatch) -> Result<()> {
        let sources = rows.text("source")?;
        let row_groups = rows.numbers::<Int32Type>("row_group")?;
        for run in rows.runs(&ROW_GROUP)? {
            if row_groups.is_valid(run.start) {
                let (source, row_group) = (sources.value(run.start), row_groups.value(run.start));
                self.reporter.report(source, row_group, run.len());
            }
        }
        Ok(())
    }
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
    let batches = (0..count).map(batch).collect::<Result<Vec<_>>>()?;
    let phases = Int32Array::from_value(Phase::PassThrough as i32, count);
    let given: Vec<(&str, ArrayRef)> = vec![
        ("batch", Arc::new(Int64Array::from(batches))),
        ("phase", Arc::new(phases)),
    ];
    project_to(rows, &BLOCKED, given)
}
