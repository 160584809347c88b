//! Step 4: each domain's pages, in time order, through its URL Tree [P 4].

use std::sync::Arc;

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::SchemaRef;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::TryStreamExt;
use template::Outline;

use crate::job::Settings;
use crate::plan::columns::labels::LabelColumns;
use crate::plan::columns::pages::ReplayBatch;
use crate::plan::columns::schemas::{Phase, REPLAYED, Status};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::label_queue::{LabelQueue, QueuedRows};
use crate::plan::exec::step::{BatchSender, RequiredDistribution, Step, spawn_stream};
use crate::plan::steps::domain_stream::DomainStream;
use crate::spec::Batch;

/// Labels the blocks of every page.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    pub(crate) settings: Arc<Settings>,
    /// The last date of the chunk, in days since 1970.
    pub(crate) last: i32,
}

impl Step for Replay {
    fn name(&self) -> &'static str {
        "Replay"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&REPLAYED)
    }

    fn required_distribution(&self) -> RequiredDistribution {
        RequiredDistribution::KeyPartitioned(&["domain"])
    }

    fn required_ordering(&self) -> &'static [&'static str] {
        &[
            "domain",
            "batch",
            "phase",
            "fetched_at",
            "url",
            "source",
            "row",
        ]
    }

    fn run(
        &self,
        input: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
        timer: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let (step, outlining) = (self.clone(), timer.clone());
        let queue = LabelQueue::new(context, timer.spilled());
        // In tasks of their own, beside the one that writes what they give: a site with
        // half of all pages is replayed in one partition, and has all cores.
        Ok(spawn_stream(self.schema(), 2, timer, |out| async move {
            let mut outlined = input
                .map_ok(|batch| outlined(batch, Arc::clone(&step.settings), outlining.clone()))
                .try_buffered(OUTLINED_BATCHES);
            let mut replay = PartitionReplay::new(step.clone(), queue, out.clone());
            while let Some((rows, outlines)) = outlined.try_next().await?
                && !out.is_closed()
            {
                replay.rows(&rows, outlines).await?;
            }
            replay.finish().await
        }))
    }
}

/// Batches whose outlines are made while those before them are replayed.
const OUTLINED_BATCHES: usize = 2;

/// Blocks of a batch whose outlines are made ahead, some 5 MB of them; a usual batch has
/// as many. Others are outlined when it is their turn.
const OUTLINED_BLOCKS: usize = 1 << 15;

/// Rows, with the outlines that their replay will ask for first: no other page has a
/// part in them.
async fn outlined(
    batch: RecordBatch,
    settings: Arc<Settings>,
    timer: CpuTimer,
) -> Result<(Arc<ReplayBatch>, Vec<Option<Outline>>)> {
    let task = SpawnedTask::spawn(async move {
        timer.time(|| {
            let rows = ReplayBatch::of(batch)?;
            let outlines = outlines(&rows, &settings)?;
            Ok((rows, outlines))
        })
    });
    let joined = task.join().await;
    joined.map_err(|panic| DataFusionError::External(Box::new(panic)))?
}

fn outlines(rows: &ReplayBatch, settings: &Settings) -> Result<Vec<Option<Outline>>> {
    let mut blocks = 0;
    (0..rows.count())
        .map(|row| {
            // What is not inserted may wait, and its outline would wait with it.
            let comes = rows.phase(row)? == Phase::Page
                && (settings.batch == Batch::Page || rows.status(row) == Status::Unique.as_str());
            if !comes {
                return Ok(None);
            }
            let page = rows.page(row)?;
            blocks += page.hashes.len();
            match blocks <= OUTLINED_BLOCKS {
                true => page.outline(),
                false => Ok(None),
            }
        })
        .collect()
}

/// The rows of one partition. Pages are inserted as they come, and wait; they are
/// labelled, in the same order, as soon as all of their batch are inserted.
struct PartitionReplay {
    step: Replay,
    domain: Option<DomainStream>,
    /// The batch that is being inserted.
    batch: Option<i64>,
    /// Rows that were inserted.
    inserted: u64,
    /// Those among them that went on, whole batches.
    passed: u64,
    labeller: Option<BatchLabeller>,
    queue: LabelQueue,
    out: BatchSender,
}

/// How far labels may go: no further than rows of all have come, and no page of this
/// batch or a later one.
#[derive(Clone, Copy)]
struct LabelLimit {
    rows: u64,
    batch: i64,
}

/// Rows that are being labelled.
struct BatchLabeller {
    waited: QueuedRows,
    next: usize,
    kept: Vec<u32>,
    columns: LabelColumns,
}

impl PartitionReplay {
    fn new(step: Replay, queue: LabelQueue, out: BatchSender) -> Self {
        Self {
            step,
            domain: None,
            batch: None,
            inserted: 0,
            passed: 0,
            labeller: None,
            queue,
            out,
        }
    }

    /// Takes in the next rows. Where a page has none of the `outlines`, one per row, it is
    /// outlined when it is inserted.
    async fn rows(
        &mut self,
        rows: &Arc<ReplayBatch>,
        mut outlines: Vec<Option<Outline>>,
    ) -> Result<()> {
        let one_by_one = self.step.settings.batch == Batch::Page;
        self.queue.push(QueuedRows {
            rows: Arc::clone(rows),
            outlines: match one_by_one {
                true => std::mem::take(&mut outlines),
                false => Vec::new(),
            },
        })?;
        for row in 0..rows.count() {
            let phase = rows.phase(row)?;
            let name = rows.domain(row);
            let is_next = |domain: &DomainStream| domain.name != name;
            if phase != Phase::PassThrough && self.domain.as_ref().is_none_or(is_next) {
                self.label_rest().await?;
                (self.domain, self.batch) =
                    (Some(DomainStream::new(name, &self.step.settings)), None);
            }
            match phase {
                Phase::WindowEntry => {
                    if let Some(domain) = &mut self.domain {
                        domain.remember(&rows.page(row)?)?;
                    }
                }
                Phase::Page if !one_by_one && rows.status(row) == Status::Unique.as_str() => {
                    let outline = outlines.get_mut(row).and_then(Option::take);
                    self.insert(rows, row, outline).await?;
                }
                Phase::Page | Phase::PassThrough => {}
            }
            self.inserted += 1;
        }
        match one_by_one {
            true => self.label_rest().await,
            false => Ok(()),
        }
    }

    async fn insert(
        &mut self,
        rows: &ReplayBatch,
        row: usize,
        outline: Option<Outline>,
    ) -> Result<()> {
        let page = rows.page(row)?;
        if self.batch != Some(page.batch) {
            self.batch = Some(page.batch);
            self.label(LabelLimit {
                rows: self.inserted,
                batch: page.batch,
            })
            .await?;
        }
        match &mut self.domain {
            Some(domain) => {
                domain.enter(page.batch);
                domain.insert(&page, outline)
            }
            None => Ok(()),
        }
    }

    /// Labels what waits of the last domain.
    async fn finish(mut self) -> Result<()> {
        self.label_rest().await
    }

    async fn label_rest(&mut self) -> Result<()> {
        self.label(LabelLimit {
            rows: self.inserted,
            batch: i64::MAX,
        })
        .await
    }

    async fn label(&mut self, until: LabelLimit) -> Result<()> {
        loop {
            let labeller = match &mut self.labeller {
                Some(labeller) => labeller,
                none => match self.queue.pop().await? {
                    Some(waited) => none.insert(BatchLabeller::new(waited)),
                    None => return Ok(()),
                },
            };
            let until = LabelLimit {
                rows: until.rows - self.passed,
                ..until
            };
            if !labeller.advance(&self.step, self.domain.as_mut(), until)? {
                return Ok(());
            }
            if let Some(done) = self.labeller.take() {
                self.passed += done.waited.rows.count() as u64;
                let _ = self.out.send(Ok(done.finish()?)).await;
            }
        }
    }
}

impl BatchLabeller {
    fn new(waited: QueuedRows) -> Self {
        Self {
            waited,
            next: 0,
            kept: Vec::new(),
            columns: LabelColumns::default(),
        }
    }

    /// Whether all rows are done; `until` counts from the first of them.
    fn advance(
        &mut self,
        step: &Replay,
        mut domain: Option<&mut DomainStream>,
        until: LabelLimit,
    ) -> Result<bool> {
        let QueuedRows { rows, outlines } = &mut self.waited;
        while self.next < rows.count() {
            if self.next as u64 >= until.rows {
                return Ok(false);
            }
            match (rows.phase(self.next)?, &mut domain) {
                (Phase::Page, Some(domain)) => {
                    let batch = step.settings.label_batch(rows.date(self.next), step.last);
                    if batch >= until.batch {
                        return Ok(false);
                    }
                    let outline = outlines.get_mut(self.next).and_then(Option::take);
                    domain.enter(batch);
                    let page = rows.page(self.next)?;
                    domain.label(&page, outline, &step.settings, &mut self.columns)?;
                    self.kept.push(self.next as u32);
                }
                (Phase::PassThrough, _) => {
                    self.columns.pass(rows.status(self.next));
                    self.kept.push(self.next as u32);
                }
                (Phase::WindowEntry | Phase::Page, _) => {}
            }
            self.next += 1;
        }
        Ok(true)
    }

    fn finish(self) -> Result<RecordBatch> {
        // Some 1.5 KB a page, which go no further.
        let mut batch = self.waited.rows.batch.clone();
        batch.remove_column(batch.schema_ref().index_of("layout")?);
        if self.kept.len() < batch.num_rows() {
            batch = take_record_batch(&batch, &UInt32Array::from(self.kept))?;
        }
        self.columns.finish(&batch)
    }
}
