//! What the operators of a plan cost.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricValue, SpillMetrics};
use futures::Stream;
use rustix::time::{ClockId, clock_gettime};

use super::gather::GatherExec;
use super::step::StepExec;

/// What one kind of operator has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OperatorCost {
    /// Seconds of the processor. DataFusion's own operators tell seconds in which they
    /// were at work, which is more where threads wait for a processor.
    pub seconds: f64,
    /// Bytes of the rows that it gave, where it tells.
    pub bytes: u64,
    /// Bytes that it wrote to disk for want of memory.
    pub spilled_bytes: u64,
}

impl OperatorCost {
    fn add(&mut self, other: Self) {
        self.seconds += other.seconds;
        self.bytes += other.bytes;
        self.spilled_bytes += other.spilled_bytes;
    }
}

/// What operators have cost, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Costs(pub BTreeMap<String, OperatorCost>);

impl Costs {
    pub(crate) fn add(&mut self, others: Self) {
        for (operator, cost) in others.0 {
            self.0.entry(operator).or_default().add(cost);
        }
    }
}

/// What the operators of a plan, which has run, have cost.
pub(crate) fn costs(plan: &dyn ExecutionPlan) -> Costs {
    let mut costs = Costs::default();
    add(plan, &mut costs);
    costs
}

fn add(plan: &dyn ExecutionPlan, costs: &mut Costs) {
    let cost = costs.0.entry(plan.name().to_owned()).or_default();
    let step = plan.downcast_ref().map(StepExec::meter);
    if let Some(meter) = step.or_else(|| plan.downcast_ref().map(GatherExec::meter)) {
        cost.seconds += meter.seconds();
        cost.spilled_bytes += meter.spilled_bytes();
    } else if let Some(metrics) = plan.metrics() {
        let moving = metrics.sum_by_name("repartition_time");
        let nanos =
            metrics.elapsed_compute().unwrap_or(0) + moving.map_or(0, |time| time.as_usize());
        cost.seconds += nanos as f64 / 1e9;
        let bytes = metrics.sum(|metric| matches!(metric.value(), MetricValue::OutputBytes(_)));
        cost.bytes += bytes.map_or(0, |bytes| bytes.as_usize()) as u64;
        cost.spilled_bytes += metrics.spilled_bytes().unwrap_or(0) as u64;
    }
    for child in plan.children() {
        add(child.as_ref(), costs);
    }
}

/// Counts the processor time of one step, over all threads, and what it spills.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    nanos: Arc<AtomicI64>,
    spills: ExecutionPlanMetricsSet,
}

impl Meter {
    pub(super) fn seconds(&self) -> f64 {
        self.nanos.load(Ordering::Relaxed) as f64 / 1e9
    }

    /// Where what is spilled is counted.
    pub(super) fn spilled(&self) -> SpillMetrics {
        SpillMetrics::new(&self.spills, 0)
    }

    pub(super) fn spilled_bytes(&self) -> u64 {
        let spills = self.spills.clone_inner();
        spills.spilled_bytes().unwrap_or(0) as u64
    }

    /// Adds the time that `work` takes on this thread.
    pub(super) fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        self.count(1, work)
    }

    fn count<T>(&self, sign: i64, work: impl FnOnce() -> T) -> T {
        let before = thread_nanos();
        let done = work();
        let nanos = thread_nanos() - before;
        self.nanos.fetch_add(sign * nanos, Ordering::Relaxed);
        done
    }

    /// Adds the time in which `work` is polled.
    pub(super) async fn future<W: Future>(self, work: W) -> W::Output {
        let mut work = Box::pin(work);
        std::future::poll_fn(|context| self.time(|| work.as_mut().poll(context))).await
    }

    /// Takes off the time in which these rows, which others make, are polled.
    pub(super) fn input(&self, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
        self.stream(-1, rows)
    }

    /// Adds the time in which these rows are polled.
    pub(super) fn output(&self, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
        self.stream(1, rows)
    }

    fn stream(&self, sign: i64, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
        let meter = self.clone();
        Box::pin(Metered { rows, meter, sign })
    }
}

struct Metered {
    rows: SendableRecordBatchStream,
    meter: Meter,
    sign: i64,
}

impl Stream for Metered {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (meter, sign) = (self.meter.clone(), self.sign);
        meter.count(sign, || self.rows.as_mut().poll_next(context))
    }
}

impl RecordBatchStream for Metered {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}

fn thread_nanos() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
