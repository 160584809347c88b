//! Step 4: inserts the pages of each domain into its URL Tree, in time order, and labels their
//! blocks [P 4].

use std::future::ready;
use std::sync::Arc;

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::SchemaRef;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::stream::{iter, once, try_unfold};
use futures::{Stream, StreamExt, TryStreamExt};
use template::Outline;

use crate::archive::ArchiveSource;
use crate::job::Job;
use crate::plan::columns::labels::{LabelledRow, with_labels};
use crate::plan::columns::pages::ReplayBatch;
use crate::plan::columns::schemas::REPLAYED;
use crate::plan::columns::status::{Phase, Status};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::label_queue::{LabelQueue, QueuedRows};
use crate::plan::exec::step::{BatchSender, RequiredDistribution, Step, spawn_stream, to_bytes};
use crate::plan::prior::learned::Learned;
use crate::plan::steps::domain_stream::DomainStream;
use crate::plan::steps::site_keys::SiteKeys;
use crate::settings::Settings;
use crate::spec::Batching;

/// The order in which Site takes and gives the rows of a partition.
pub(crate) const SITE_ORDER: [&str; 6] = ["domain", "batch", "fetched_at", "url", "source", "row"];

/// Labels the text blocks of every page.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) settings: Arc<Settings>,
    archive: ArchiveSource,
    /// The last date of the chunk, in days since 1970.
    pub(crate) last: i32,
    learned: Arc<Learned>,
}

impl Site {
    pub(crate) fn new(job: &Job, last: i32, learned: Arc<Learned>) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            archive: job.archive.clone(),
            last,
            learned,
        }
    }
}

impl Step for Site {
    fn name(&self) -> &'static str {
        "Site"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&REPLAYED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&(self.last, self.learned.as_ref()))
    }

    fn required_distribution(&self) -> RequiredDistribution {
        RequiredDistribution::KeyPartitioned(&["domain"])
    }

    fn required_ordering(&self) -> &'static [&'static str] {
        &SITE_ORDER
    }

    /// Rows wait, and come out as they came in. Learned rows come behind the pages of their domain.
    fn keeps_order(&self) -> bool {
        true
    }

    fn run(
        &self,
        input: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
        timer: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let (step, tasks_timer) = (self.clone(), timer.clone());
        let queue = LabelQueue::new(context, timer.spilled());
        let memory = MemoryConsumer::new("pages to compare").register(context.memory_pool());
        // Site, outlines and the consumer run in separate tasks. A site with half of all pages is
        // in one partition, and this way it still uses all cores.
        Ok(spawn_stream(self.schema(), 2, timer, |out| async move {
            let keys = SiteKeys::new(
                Arc::clone(&step.settings),
                step.archive.clone(),
                Arc::clone(&step.learned),
                memory,
            );
            let keyed = std::pin::pin!(keyed(input, keys));
            let mut outlined = keyed
                .map_ok(|batch| {
                    let settings = Arc::clone(&step.settings);
                    (tasks_timer.clone()).task(move || outlined(batch, &settings))
                })
                .try_buffered(OUTLINED_BATCHES);
            let mut replay = PartitionReplay::new(step.clone(), queue, out.clone());
            while let Some((rows, outlines)) = outlined.try_next().await?
                && !out.is_closed()
            {
                replay.rows(&rows, outlines).await?;
            }
            replay.label_rest().await
        }))
    }
}

/// Decides about the keys of all rows.
fn keyed(
    input: SendableRecordBatchStream,
    keys: SiteKeys,
) -> impl Stream<Item = Result<RecordBatch>> {
    let rows = input.map_ok(Some).chain(once(ready(Ok(None))));
    let decided = try_unfold((rows, keys), async |(mut rows, mut keys)| {
        let batches = match rows.try_next().await? {
            Some(Some(batch)) => keys.batch(batch).await?,
            Some(None) => keys.finish()?.into_iter().collect(),
            None => return Ok::<_, DataFusionError>(None),
        };
        let batches = iter(batches.into_iter().map(Ok));
        Ok(Some((batches, (rows, keys))))
    });
    decided.try_flatten()
}

/// Batches whose outlines are computed ahead of the replay. A higher value keeps more batches in
/// memory.
const OUTLINED_BATCHES: usize = 2;

/// Most blocks of a batch whose outlines are computed ahead: some 5 MB of outlines, and the
/// number of blocks of a usual batch. The other pages are outlined when they are inserted.
const OUTLINED_BLOCKS: usize = 1 << 15;

/// Computes outlines of the rows. An outline depends on its own page only, so it needs no tree.
fn outlined(
    batch: RecordBatch,
    settings: &Settings,
) -> Result<(Arc<ReplayBatch>, Vec<Option<Outline>>)> {
    let rows = Arc::new(ReplayBatch(batch));
    let mut blocks = 0;
    let outline = |row: usize| {
        // Only rows that are inserted next: others are queued, and their outlines would stay in
        // memory with them.
        let is_inserted = rows.phase(row)? == Phase::Page
            && (settings.site.batching == Batching::Page || rows.status(row)? == Status::Unique);
        if !is_inserted {
            return Ok(None);
        }
        let page = rows.page(row)?;
        blocks += page.hashes.len();
        match blocks <= OUTLINED_BLOCKS {
            true => page.outline(),
            false => Ok(None),
        }
    };
    let outlines = (0..rows.count()).map(outline).collect::<Result<_>>()?;
    Ok((rows, outlines))
}

/// Replays the rows of one partition.
///
/// Pages are inserted in input order and queued. They are labelled in the same order, once all
/// pages of their batch are inserted.
struct PartitionReplay {
    step: Site,
    domain: Option<DomainStream>,
    /// Rows that were inserted and that no labeller has passed yet.
    waiting: usize,
    labeller: Option<BatchLabeller>,
    queue: LabelQueue,
    out: BatchSender,
}

/// Labels the rows of one record batch.
struct BatchLabeller {
    queued: QueuedRows,
    next: usize,
    kept: Vec<u32>,
    labelled: Vec<LabelledRow>,
}

impl PartitionReplay {
    fn new(step: Site, queue: LabelQueue, out: BatchSender) -> Self {
        Self {
            step,
            domain: None,
            waiting: 0,
            labeller: None,
            queue,
            out,
        }
    }

    /// Replays the next rows. `outlines` has one value per row; a page without one is outlined when
    /// it is inserted.
    async fn rows(
        &mut self,
        rows: &Arc<ReplayBatch>,
        outlines: Vec<Option<Outline>>,
    ) -> Result<()> {
        let one_by_one = self.step.settings.site.batching == Batching::Page;
        let (queued, mut outlines) = match one_by_one {
            true => (outlines, Vec::new()),
            false => (Vec::new(), outlines),
        };
        self.queue.push(QueuedRows {
            rows: Arc::clone(rows),
            outlines: queued,
        })?;
        for row in 0..rows.count() {
            let phase = rows.phase(row)?;
            let name = rows.domain(row)?;
            let is_other = |domain: &DomainStream| domain.name != name;
            if phase != Phase::PassThrough && self.domain.as_ref().is_none_or(is_other) {
                self.label_rest().await?;
                let Site { settings, last, .. } = &self.step;
                self.domain = Some(DomainStream::new(name, settings, *last));
            }
            match phase {
                Phase::WindowEntry => {
                    if let Some(domain) = &mut self.domain {
                        domain.restore(&rows.page(row)?)?;
                    }
                }
                Phase::Page if !one_by_one && rows.status(row)? == Status::Unique => {
                    let outline = outlines.get_mut(row).and_then(Option::take);
                    self.insert(rows, row, outline).await?;
                }
                Phase::Page | Phase::PassThrough => {}
            }
            self.waiting += 1;
        }
        if one_by_one {
            self.label_rest().await
        } else {
            Ok(())
        }
    }

    async fn insert(
        &mut self,
        rows: &ReplayBatch,
        row: usize,
        outline: Option<Outline>,
    ) -> Result<()> {
        let date = rows.date(row)?;
        if let Some(domain) = &mut self.domain
            && domain.stream.expect(date)
        {
            self.label_due().await?;
        }
        match &mut self.domain {
            Some(domain) => domain.insert(&rows.page(row)?, date, outline),
            None => Ok(()),
        }
    }

    /// Labels all rows that were inserted.
    async fn label_rest(&mut self) -> Result<()> {
        if let Some(domain) = &mut self.domain {
            domain.stream.end();
        }
        self.label_due().await
    }

    /// Labels the inserted rows that are due.
    async fn label_due(&mut self) -> Result<()> {
        loop {
            if self.labeller.is_none() {
                self.labeller = self.queue.pop().await?.map(BatchLabeller::new);
            }
            let Some(labeller) = &mut self.labeller else {
                return Ok(());
            };
            if !labeller.advance(&self.step, self.domain.as_mut(), &mut self.waiting)? {
                return Ok(());
            }
            if let Some(done) = self.labeller.take() {
                let _ = self.out.send(Ok(done.finish()?)).await;
            }
        }
    }
}

impl BatchLabeller {
    fn new(queued: QueuedRows) -> Self {
        Self {
            queued,
            next: 0,
            kept: Vec::new(),
            labelled: Vec::new(),
        }
    }

    /// Labels those of the `waiting` rows that are due. Returns whether all rows are done.
    fn advance(
        &mut self,
        step: &Site,
        mut domain: Option<&mut DomainStream>,
        waiting: &mut usize,
    ) -> Result<bool> {
        let QueuedRows { rows, outlines } = &mut self.queued;
        while self.next < rows.count() {
            if *waiting == 0 {
                return Ok(false);
            }
            match (rows.phase(self.next)?, &mut domain) {
                (Phase::Page, Some(domain)) => {
                    let date = rows.date(self.next)?;
                    if !domain.stream.is_due(date) {
                        return Ok(false);
                    }
                    let outline = outlines.get_mut(self.next).and_then(Option::take);
                    let page = rows.page(self.next)?;
                    let labelled = domain.label(&page, date, outline, &step.settings)?;
                    self.labelled.push(labelled);
                    self.kept.push(self.next as u32);
                }
                (Phase::PassThrough, _) => {
                    let status = rows.status(self.next)?;
                    self.labelled.push(LabelledRow::pass(status));
                    self.kept.push(self.next as u32);
                }
                (Phase::WindowEntry | Phase::Page, _) => {}
            }
            self.next += 1;
            *waiting -= 1;
        }
        Ok(true)
    }

    fn finish(self) -> Result<RecordBatch> {
        let mut batch = self.queued.rows.0.clone();
        if self.kept.len() < batch.num_rows() {
            batch = take_record_batch(&batch, &UInt32Array::from(self.kept))?;
        }
        with_labels(&batch, &self.labelled)
    }
}
