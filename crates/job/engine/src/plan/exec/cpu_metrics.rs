//! CPU time, output bytes and spills of the operators of a plan.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::Poll;
use std::time::Duration;

use datafusion::common::runtime::SpawnedTask;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::{
    Count, ExecutionPlanMetricsSet, Metric, MetricBuilder, MetricValue, MetricsSet, SpillMetrics,
    Time, Timestamp,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use rustix::time::{ClockId, clock_gettime};

use crate::metrics::PlanMetrics;
use crate::tables_state::table_files::external;

/// The metric of bytes that an operator of datafusion-distributed received.
const RECEIVED: &str = "bytes_transferred";

/// Sums the metrics of all operators of an executed plan by operator name.
pub(crate) fn plan_metrics(plan: &dyn ExecutionPlan) -> PlanMetrics {
    let mut sums = PlanMetrics::default();
    add(plan, &mut sums);
    sums
}

fn add(plan: &dyn ExecutionPlan, sums: &mut PlanMetrics) {
    let metrics = plan.metrics();
    let network_bytes = metrics.as_ref().and_then(network_bytes);
    let name = match network_bytes {
        Some(_) => format!("{} of {}", plan.name(), step_below(plan)),
        None => plan.name().to_owned(),
    };
    let sum = sums.0.entry(name).or_default();
    sum.network_bytes += network_bytes.unwrap_or(0);
    if let Some(metrics) = metrics {
        let moving = metrics.sum_by_name("repartition_time");
        let nanos =
            metrics.elapsed_compute().unwrap_or(0) + moving.map_or(0, |time| time.as_usize());
        sum.seconds += nanos as f64 / 1e9;
        let bytes = metrics.sum(|metric| matches!(metric.value(), MetricValue::OutputBytes(_)));
        sum.bytes += bytes.map_or(0, |bytes| bytes.as_usize()) as u64;
        sum.spilled_bytes += metrics.spilled_bytes().unwrap_or(0) as u64;
    }
    for child in plan.children() {
        add(child.as_ref(), sums);
    }
}

/// Returns the bytes that an operator received from other processes, if it is one that does.
fn network_bytes(metrics: &MetricsSet) -> Option<u64> {
    let received = metrics.iter().filter_map(|metric| match metric.value() {
        MetricValue::Custom { name, value } if name == RECEIVED => Some(value.as_usize() as u64),
        _ => None,
    });
    received.reduce(|sum, bytes| sum + bytes)
}

/// Returns the step whose rows `plan` moves.
fn step_below(plan: &dyn ExecutionPlan) -> String {
    match plan.children().first() {
        Some(below) if below.name().ends_with("Exec") => step_below(below.as_ref()),
        Some(step) => step.name().to_owned(),
        None => plan.name().to_owned(),
    }
}

/// Counts the CPU time of one operator over all threads, and its spills.
#[derive(Debug, Clone, Default)]
pub(crate) struct CpuTimer {
    nanos: Arc<AtomicI64>,
    /// Rows, begin and end of the output of each partition, and spills.
    metrics: ExecutionPlanMetricsSet,
}

impl CpuTimer {
    /// Returns the CPU time and the spills as metrics of the operator.
    pub(crate) fn metrics(&self) -> MetricsSet {
        let mut metrics = self.metrics.clone_inner();
        let time = Time::new();
        let nanos = self.nanos.load(Ordering::Relaxed);
        time.add_duration(Duration::from_nanos(nanos.max(0).unsigned_abs()));
        let time = Metric::new(MetricValue::ElapsedCompute(time), None);
        metrics.push(Arc::new(time));
        metrics
    }

    /// Returns the counters for bytes that the operator spills.
    pub(crate) fn spilled(&self) -> SpillMetrics {
        SpillMetrics::new(&self.metrics, 0)
    }

    /// Runs `work` and adds the CPU time that it takes on this thread.
    pub(crate) fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        self.count(1, work)
    }

    /// Runs `work` in a separate task, and adds its CPU time.
    pub(crate) async fn task<T: Send + 'static>(
        self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let task = SpawnedTask::spawn(async move { self.time(work) });
        task.join().await.map_err(external)?
    }

    fn count<T>(&self, sign: i64, work: impl FnOnce() -> T) -> T {
        let before = thread_nanos();
        let done = work();
        let nanos = thread_nanos() - before;
        self.nanos.fetch_add(sign * nanos, Ordering::Relaxed);
        done
    }

    /// Awaits `work` and adds the CPU time of its polls.
    pub(crate) async fn future<W: Future>(self, work: W) -> W::Output {
        let mut work = Box::pin(work);
        std::future::poll_fn(|context| self.time(|| work.as_mut().poll(context))).await
    }

    /// Subtracts the CPU time of polling `rows`, which is the time of the operators below.
    pub(crate) fn input(&self, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
        self.stream(-1, rows, None)
    }

    /// Adds the CPU time of polling `rows`, which are the output of `partition`, and counts them.
    pub(crate) fn output(
        &self,
        rows: SendableRecordBatchStream,
        partition: usize,
    ) -> SendableRecordBatchStream {
        let output = Output {
            rows: MetricBuilder::new(&self.metrics).output_rows(partition),
            end: MetricBuilder::new(&self.metrics).end_timestamp(partition),
        };
        self.stream(1, rows, Some(output))
    }

    /// Counts the CPU time of polling `rows`. `output` is `None` for the input of an operator.
    fn stream(
        &self,
        sign: i64,
        mut rows: SendableRecordBatchStream,
        mut output: Option<Output>,
    ) -> SendableRecordBatchStream {
        let (timer, schema) = (self.clone(), rows.schema());
        let batches = futures::stream::poll_fn(move |context| {
            let next = timer.count(sign, || rows.as_mut().poll_next(context));
            match (&next, &output) {
                (Poll::Ready(Some(Ok(batch))), Some(output)) => output.rows.add(batch.num_rows()),
                (Poll::Ready(None), _) => output = None,
                _ => {}
            }
            next
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, batches))
    }
}

/// The output of a partition.
struct Output {
    rows: Count,
    end: Timestamp,
}

impl Drop for Output {
    fn drop(&mut self) {
        self.end.record();
    }
}

fn thread_nanos() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
