//! CPU time, output bytes and spills of the operators of a plan.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::{
    ExecutionPlanMetricsSet, Metric, MetricValue, MetricsSet, SpillMetrics, Time,
};
use futures::Stream;
use rustix::time::{ClockId, clock_gettime};

use crate::metrics::PlanMetrics;

/// Sums the metrics of all operators of an executed plan by operator name.
pub(crate) fn plan_metrics(plan: &dyn ExecutionPlan) -> PlanMetrics {
    let mut sums = PlanMetrics::default();
    add(plan, &mut sums);
    sums
}

fn add(plan: &dyn ExecutionPlan, sums: &mut PlanMetrics) {
    let sum = sums.0.entry(plan.name().to_owned()).or_default();
    if let Some(metrics) = plan.metrics() {
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

/// Counts the CPU time of one operator over all threads, and its spills.
#[derive(Debug, Clone, Default)]
pub(crate) struct CpuTimer {
    nanos: Arc<AtomicI64>,
    spills: ExecutionPlanMetricsSet,
}

impl CpuTimer {
    /// Returns the CPU time and the spills as metrics of the operator.
    pub(crate) fn metrics(&self) -> MetricsSet {
        let mut metrics = self.spills.clone_inner();
        let time = Time::new();
        let nanos = self.nanos.load(Ordering::Relaxed);
        time.add_duration(Duration::from_nanos(nanos.max(0).unsigned_abs()));
        let time = Metric::new(MetricValue::ElapsedCompute(time), None);
        metrics.push(Arc::new(time));
        metrics
    }

    /// Returns the counters for bytes that the operator spills.
    pub(crate) fn spilled(&self) -> SpillMetrics {
        SpillMetrics::new(&self.spills, 0)
    }

    /// Runs `work` and adds the CPU time that it takes on this thread.
    pub(crate) fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        self.count(1, work)
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
        self.stream(-1, rows)
    }

    /// Adds the CPU time of polling `rows`.
    pub(crate) fn output(&self, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
        self.stream(1, rows)
    }

    fn stream(&self, sign: i64, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
        let timer = self.clone();
        Box::pin(TimedStream { rows, timer, sign })
    }
}

struct TimedStream {
    rows: SendableRecordBatchStream,
    timer: CpuTimer,
    sign: i64,
}

impl Stream for TimedStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (timer, sign) = (self.timer.clone(), self.sign);
        timer.count(sign, || self.rows.as_mut().poll_next(context))
    }
}

impl RecordBatchStream for TimedStream {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}

fn thread_nanos() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
