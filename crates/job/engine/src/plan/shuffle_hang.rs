//! A shuffle that spills hangs in DataFusion 55.2, and does not spill in the session of a run.
//!
//! The query is that of <https://github.com/apache/datafusion/issues/24883>: two inputs of one
//! hash `RepartitionExec`, in a memory that refuses it.

use std::sync::{Arc, Barrier};
use std::time::Duration;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::spill_file::{SpillFile, TempFileFactory};
use datafusion::physical_plan::collect;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::spill::SpillManager;
use datafusion::physical_plan::spill::spill_pool::mpsc_channel;
use futures::StreamExt;

use super::*;
use crate::plan::columns::schemas::RecordBatchExt;
use crate::plan::test_support::TestJob;

/// Time after which a query of .1 to .5 s counts as hanging.
const HANGING: Duration = Duration::from_secs(60);

/// Runs of the query.
const ATTEMPTS: usize = 12;

/// Runs the query. Returns the pages that it counts, and the spills of its shuffles.
async fn run_query(context: &SessionContext) -> Result<(i64, usize)> {
    for statement in [
        "CREATE TABLE pages AS SELECT v % 13 AS domain, \
         CASE WHEN v % 29 = 0 THEN NULL ELSE md5(CAST(v % 337 AS varchar)) END AS url_key \
         FROM generate_series(1, 40000) AS t(v)",
        "CREATE VIEW keys AS SELECT domain, arrow_cast(url_key, 'Utf8View') AS url_key FROM pages",
    ] {
        context.sql(statement).await?.collect().await?;
    }
    let counted = context
        .sql("SELECT domain, count(DISTINCT url_key) AS n FROM keys GROUP BY domain")
        .await?;
    let plan = counted.create_physical_plan().await?;
    let mut pages = 0;
    for batch in collect(Arc::clone(&plan), context.task_ctx()).await? {
        let counts = batch.numbers::<Int64Type>("n")?;
        pages += counts.values().iter().sum::<i64>();
    }
    Ok((pages, spills(plan.as_ref())))
}

fn spills(plan: &dyn ExecutionPlan) -> usize {
    let metrics = plan.metrics().filter(|_| plan.is::<RepartitionExec>());
    let own = metrics.and_then(|metrics| metrics.spill_count());
    let below = plan.children().into_iter();
    own.unwrap_or(0) + below.map(|child| spills(child.as_ref())).sum::<usize>()
}

fn with_small_batches(context: SessionContext) -> SessionContext {
    let state = context.state_ref();
    let mut state = state.write();
    let config = state.config().clone();
    *state.config_mut() = config.with_batch_size(64).with_target_partitions(2);
    drop(state);
    context
}

/// Fails when an upgrade of DataFusion repairs the hang. Two inputs of a shuffle spill a batch each
/// at the same time, and neither ends. The query above hangs for this reason, but not in every run.
#[tokio::test]
async fn plain_datafusion_does_not_read_the_second_of_two_open_files() {
    let disk = DiskManager::builder().with_temp_file_factory(Arc::new(TogetherDisk {
        disk: Arc::new(DiskManager::builder().build().unwrap()),
        both: Barrier::new(2),
    }));
    let runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk);
    let batch = numbers();
    let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
    let spills = SpillManager::new(runtime.build_arc().unwrap(), metrics, batch.schema());
    let (writer, mut reader) = mpsc_channel(1 << 20, Arc::new(spills));
    let (one, other) = (writer.new_sink(), writer.new_sink());
    std::thread::scope(|scope| {
        for sink in [&one, &other] {
            scope.spawn(|| sink.push_batch(&batch).unwrap());
        }
    });
    assert_eq!(reader.next().await.unwrap().unwrap(), batch);
    let second = tokio::time::timeout(Duration::from_secs(2), reader.next()).await;
    assert!(
        second.is_err(),
        "DataFusion reads both files now: retire the guard, `is_shuffle` in \
         plan/exec/memory_pool.rs, and this file"
    );
    drop((writer, one, other));
    assert_eq!(reader.next().await.unwrap().unwrap(), batch);
}

/// A disk that makes files in pairs.
struct TogetherDisk {
    disk: Arc<DiskManager>,
    both: Barrier,
}

impl TempFileFactory for TogetherDisk {
    fn create_temp_file(&self, description: &str) -> Result<Arc<dyn SpillFile>> {
        self.both.wait();
        self.disk.create_tmp_file(description)
    }
}

fn numbers() -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    RecordBatch::try_from_iter([("number", numbers)]).unwrap()
}

/// Whether an aggregate of the query was refused.
fn is_refused(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn the_session_of_a_run_does_not_hang() {
    let mut job = TestJob::new(&[]).job();
    // Without the guard, shuffles spill with this memory; with 1 to 6 MB the query hangs, or an
    // aggregate is refused.
    job.resources.memory = 16 << 20;
    let mut finished = 0;
    for _ in 0..ATTEMPTS {
        let context = with_small_batches(session(&job).unwrap());
        let ended = tokio::time::timeout(HANGING, run_query(&context)).await;
        match ended.expect("the query ends") {
            Ok(counts) => {
                assert_eq!(counts, (4381, 0));
                finished += 1;
            }
            Err(error) => assert!(is_refused(&error), "{error}"),
        }
    }
    assert!(finished > ATTEMPTS / 2, "{finished} queries finished");
}
