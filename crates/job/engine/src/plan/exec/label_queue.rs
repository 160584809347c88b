//! Batches that were inserted into the trees and are not labelled yet, in memory or on disk.

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

use crate::plan::columns::pages::ReplayBatch;
use crate::plan::columns::schemas::BLOCKED;

/// Batches that stay in memory even if the memory pool refuses them.
///
/// With small sites the previous batch usually needs one more row before it is labelled. A
/// lower value spills such batches and reads them back at once. A higher value exceeds the
/// memory limit by more batches.
const MIN_QUEUED_BATCHES: usize = 3;

/// A batch in the queue. `outlines` has one value per row, or is empty if outlines are computed
/// when the rows are labelled.
pub(crate) struct QueuedRows {
    pub(crate) rows: Arc<ReplayBatch>,
    pub(crate) outlines: Vec<Option<Outline>>,
}

/// A first-in, first-out queue that spills.
///
/// The first batch that the memory pool refuses is spilled, and so are all batches after it
/// until the spilled ones are read back. The batch of one site can be as large as the chunk.
pub(crate) struct LabelQueue {
    in_memory: VecDeque<QueuedRows>,
    memory: MemoryReservation,
    /// Number of spilled batches. They come after the batches in memory.
    on_disk: usize,
    disk: Option<(SpillPoolSink, SendableRecordBatchStream)>,
    context: Arc<TaskContext>,
    spilled: SpillMetrics,
}

impl LabelQueue {
    pub(crate) fn new(context: &Arc<TaskContext>, spilled: SpillMetrics) -> Self {
        let memory = MemoryConsumer::new("Site").with_can_spill(true);
        Self {
            in_memory: VecDeque::new(),
            memory: memory.register(context.memory_pool()),
            on_disk: 0,
            disk: None,
            context: Arc::clone(context),
            spilled,
        }
    }

    pub(crate) fn push(&mut self, queued: QueuedRows) -> Result<()> {
        let batch = &queued.rows.0;
        if batch.num_rows() == 0 {
            return Ok(());
        }
        if self.on_disk == 0 && self.has_room_for(batch) {
            self.in_memory.push_back(queued);
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
        if self.in_memory.len() < MIN_QUEUED_BATCHES {
            self.memory.grow(bytes);
            return true;
        }
        self.memory.try_grow(bytes).is_ok()
    }

    /// Removes the oldest batch. A spilled batch comes back without outlines.
    pub(crate) async fn pop(&mut self) -> Result<Option<QueuedRows>> {
        if let Some(queued) = self.in_memory.pop_front() {
            self.memory.shrink(queued.rows.0.get_array_memory_size());
            return Ok(Some(queued));
        }
        let (1.., Some((_, disk))) = (self.on_disk, &mut self.disk) else {
            return Ok(None);
        };
        let Some(batch) = disk.try_next().await? else {
            return Ok(None);
        };
        self.on_disk -= 1;
        Ok(Some(QueuedRows {
            rows: Arc::new(ReplayBatch(batch)),
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
    use crate::plan::columns::schemas::{RecordBatchExt, project_to};
    use crate::plan::exec::cpu_metrics::CpuTimer;

    fn queue(memory: usize, timer: &CpuTimer) -> LabelQueue {
        let runtime = RuntimeEnvBuilder::new().with_memory_limit(memory, 1.0);
        let runtime = runtime.build_arc().unwrap();
        let session = SessionContext::new_with_config_rt(SessionConfig::new(), runtime);
        LabelQueue::new(&session.task_ctx(), timer.spilled())
    }

    fn batch(number: i64) -> QueuedRows {
        let columns = (BLOCKED.fields().iter())
            .map(|field| new_null_array(field.data_type(), 1))
            .collect();
        let nulls = RecordBatch::try_new(Arc::clone(&BLOCKED), columns).unwrap();
        let numbers = Arc::new(Int64Array::from(vec![number]));
        let rows = project_to(&nulls, &BLOCKED, vec![("row", numbers)]).unwrap();
        QueuedRows {
            rows: Arc::new(ReplayBatch(rows)),
            outlines: Vec::new(),
        }
    }

    async fn next(queue: &mut LabelQueue) -> Option<i64> {
        let batch = &queue.pop().await.unwrap()?.rows.0;
        let numbers = batch.numbers::<arrow::datatypes::Int64Type>("row").unwrap();
        Some(numbers.value(0))
    }

    async fn pass(queue: &mut LabelQueue) {
        // A long batch of one site, then short ones.
        for number in 0..40 {
            queue.push(batch(number)).unwrap();
        }
        for number in 0..30 {
            assert_eq!(next(queue).await, Some(number));
            queue.push(batch(40 + number)).unwrap();
        }
        for number in 30..70 {
            assert_eq!(next(queue).await, Some(number));
        }
        assert_eq!(next(queue).await, None);
        for number in 0..5 {
            queue.push(batch(number)).unwrap();
            assert_eq!(next(queue).await, Some(number));
        }
        assert_eq!(next(queue).await, None);
    }

    #[tokio::test]
    async fn spilled_batches_come_back_in_order() {
        let timer = CpuTimer::default();
        let mut queue = queue(1, &timer);
        pass(&mut queue).await;
        assert!(timer.metrics().spilled_bytes() > Some(0));
        assert_eq!(queue.memory.size(), 0);
    }

    #[tokio::test]
    async fn batches_that_fit_in_memory_are_not_spilled() {
        let timer = CpuTimer::default();
        pass(&mut queue(1 << 30, &timer)).await;
        assert_eq!(timer.metrics().spilled_bytes(), Some(0));
    }
}
