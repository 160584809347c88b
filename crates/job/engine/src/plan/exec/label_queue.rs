//! Batches that were inserted and wait to be labelled, in memory or on disk.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::SpillManager;
use datafusion::physical_plan::spill::spill_pool::{SpillPoolSink, spsc_channel};
use futures::TryStreamExt;
use template::Outline;

use crate::plan::columns::pages::Rows;
use crate::plan::columns::schemas::BLOCKED;

/// So many batches wait in memory, whoever else needs it: of sites with few pages the
/// batch before this one is waiting for its last row.
const ALWAYS_IN_MEMORY: usize = 3;

/// Rows that wait, and outlines of them that were made before: of each row one, or none
/// at all.
pub(crate) struct WaitingRows {
    pub(crate) rows: Arc<Rows>,
    pub(crate) outlines: Vec<Option<Outline>>,
}

/// First in, first out. What finds no room in memory goes to disk, with what comes after
/// it: a site's batch may be as large as the chunk.
pub(crate) struct Waiting {
    in_memory: VecDeque<WaitingRows>,
    memory: MemoryReservation,
    /// All of them after those in memory.
    on_disk: usize,
    disk: Option<(SpillPoolSink, SendableRecordBatchStream)>,
    context: Arc<TaskContext>,
    spilled: SpillMetrics,
}

impl Waiting {
    pub(crate) fn new(context: &Arc<TaskContext>, spilled: SpillMetrics) -> Self {
        let memory = MemoryConsumer::new("Replay").with_can_spill(true);
        Self {
            in_memory: VecDeque::new(),
            memory: memory.register(context.memory_pool()),
            on_disk: 0,
            disk: None,
            context: Arc::clone(context),
            spilled,
        }
    }

    pub(crate) fn push(&mut self, waiting: WaitingRows) -> Result<()> {
        let batch = &waiting.rows.batch;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        if self.on_disk == 0 && self.has_room_for(batch) {
            self.in_memory.push_back(waiting);
            return Ok(());
        }
        let (disk, _) = self.disk.get_or_insert_with(|| {
            let runtime = self.context.runtime_env();
            let spilled = self.spilled.clone();
            let spills = SpillManager::new(runtime, spilled, Arc::clone(&BLOCKED));
            let options = self.context.session_config().options();
            spsc_channel(
                options.execution.max_spill_file_size_bytes.into(),
                Arc::new(spills),
            )
        });
        disk.push_batch(batch)?;
        self.on_disk += 1;
        Ok(())
    }

    fn has_room_for(&mut self, batch: &RecordBatch) -> bool {
        let bytes = batch.get_array_memory_size();
        if self.in_memory.len() < ALWAYS_IN_MEMORY {
            self.memory.grow(bytes);
            return true;
        }
        self.memory.try_grow(bytes).is_ok()
    }

    /// The oldest, if any waits. Those from disk have no outlines.
    pub(crate) async fn pop(&mut self) -> Result<Option<WaitingRows>> {
        if let Some(waiting) = self.in_memory.pop_front() {
            self.memory
                .shrink(waiting.rows.batch.get_array_memory_size());
            return Ok(Some(waiting));
        }
        let (1.., Some((_, disk))) = (self.on_disk, &mut self.disk) else {
            return Ok(None);
        };
        let Some(batch) = disk.try_next().await? else {
            return Ok(None);
        };
        self.on_disk -= 1;
        Ok(Some(WaitingRows {
            rows: Rows::of(batch)?,
            outlines: Vec::new(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, new_null_array};
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;
    use crate::plan::columns::schemas::{Named, extend};
    use crate::plan::exec::cpu_metrics::CpuTimer;

    fn waiting(memory: usize, timer: &CpuTimer) -> Waiting {
        let runtime = RuntimeEnvBuilder::new().with_memory_limit(memory, 1.0);
        let runtime = runtime.build_arc().unwrap();
        let session = SessionContext::new_with_config_rt(SessionConfig::new(), runtime);
        Waiting::new(&session.task_ctx(), timer.spilled())
    }

    fn batch(number: i64) -> WaitingRows {
        let columns = (BLOCKED.fields().iter())
            .map(|field| new_null_array(field.data_type(), 1))
            .collect();
        let nulls = RecordBatch::try_new(Arc::clone(&BLOCKED), columns).unwrap();
        let numbers = Arc::new(Int64Array::from(vec![number]));
        let rows = extend(&nulls, &BLOCKED, vec![("row", numbers)]).unwrap();
        WaitingRows {
            rows: Rows::of(rows).unwrap(),
            outlines: Vec::new(),
        }
    }

    async fn next(waiting: &mut Waiting) -> Option<i64> {
        let batch = &waiting.pop().await.unwrap()?.rows.batch;
        let numbers = batch.numbers::<arrow::datatypes::Int64Type>("row").unwrap();
        Some(numbers.value(0))
    }

    async fn pass(waiting: &mut Waiting) {
        // As a long batch of a site comes and goes, and then others.
        for number in 0..40 {
            waiting.push(batch(number)).unwrap();
        }
        for number in 0..30 {
            assert_eq!(next(waiting).await, Some(number));
            waiting.push(batch(40 + number)).unwrap();
        }
        for number in 30..70 {
            assert_eq!(next(waiting).await, Some(number));
        }
        assert_eq!(next(waiting).await, None);
        for number in 0..5 {
            waiting.push(batch(number)).unwrap();
            assert_eq!(next(waiting).await, Some(number));
        }
        assert_eq!(next(waiting).await, None);
    }

    #[tokio::test]
    async fn what_has_no_room_in_memory_comes_back_from_disk_in_its_order() {
        let timer = CpuTimer::default();
        let mut waiting = waiting(1, &timer);
        pass(&mut waiting).await;
        assert!(timer.metrics().spilled_bytes() > Some(0));
        assert_eq!(waiting.memory.size(), 0);
    }

    #[tokio::test]
    async fn what_has_room_never_goes_to_disk() {
        let timer = CpuTimer::default();
        pass(&mut waiting(1 << 30, &timer)).await;
        assert_eq!(timer.metrics().spilled_bytes(), Some(0));
    }
}
