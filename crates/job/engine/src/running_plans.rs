//! The plans that are executed, for the watchdog.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::physical_plan::metrics::{MetricValue, MetricsSet};
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::DataFrame;

/// The plans of a run that are executed, and what they have moved.
#[derive(Debug, Default)]
pub(crate) struct RunningPlans(Mutex<Vec<Weak<dyn ExecutionPlan>>>);

impl RunningPlans {
    /// Adds a plan, for as long as it lives.
    pub(crate) fn add(&self, plan: &Arc<dyn ExecutionPlan>) {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.retain(|plan| plan.strong_count() > 0);
        plans.push(Arc::downgrade(plan));
    }

    fn all(&self) -> Vec<Arc<dyn ExecutionPlan>> {
        let plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.iter().filter_map(Weak::upgrade).collect()
    }

    /// Returns a number that changes when an operator moves rows, spills, or ends.
    pub(crate) fn moved(&self) -> usize {
        let plans = self.all();
        let moved = plans.iter().map(|plan| moved(plan.as_ref()));
        moved.fold(0, usize::wrapping_add)
    }

    /// Returns the operators that have begun and not ended, from the last to the first.
    pub(crate) fn waiting(&self) -> String {
        let mut waiting = String::new();
        for plan in self.all() {
            list_waiting(plan.as_ref(), &mut waiting);
        }
        if waiting.is_empty() {
            waiting.push_str("no operator of a plan");
        }
        waiting
    }
}

/// Returns the rows of a query. Keeps its plan as long as it runs, which DataFusion's `collect` does
/// not.
pub(crate) async fn collect_watched(rows: DataFrame) -> Result<Vec<RecordBatch>> {
    let context = Arc::new(rows.task_ctx());
    let plan = rows.create_physical_plan().await?;
    collect(Arc::clone(&plan), context).await
}

fn moved(plan: &dyn ExecutionPlan) -> usize {
    let metrics = plan.metrics();
    let own = metrics.iter().flat_map(MetricsSet::iter);
    let own = own.map(|metric| metric.value().as_usize());
    let below = plan.children().into_iter();
    let below = below.map(|child| moved(child.as_ref()));
    // Times are nanoseconds since 1970, and the sum of ten of them overflows.
    own.chain(below).fold(0, usize::wrapping_add)
}

/// Appends the operators of `plan` that wait to `waiting`. Returns whether there are any.
fn list_waiting(plan: &dyn ExecutionPlan, waiting: &mut String) -> bool {
    let metrics = plan.metrics().unwrap_or_default();
    let own = waiting.len();
    if state(&metrics) != State::Ended {
        let separator = if waiting.is_empty() { "" } else { ", " };
        let rows = metrics.output_rows();
        let rows = rows.map_or_else(String::new, |rows| format!(" after {rows} rows"));
        // Writing to a string does not fail.
        let _ = write!(waiting, "{separator}{}{rows}", plan.name());
    }
    let end = waiting.len();
    let below = plan.children().into_iter();
    let is_below = below
        .filter(|child| list_waiting(child.as_ref(), waiting))
        .count()
        > 0;
    // An operator without a time of its end waits if one below it does.
    if state(&metrics) == State::Unknown && !is_below {
        waiting.replace_range(own..end, "");
    }
    waiting.len() > own
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Ended,
    Unknown,
}

fn state(metrics: &MetricsSet) -> State {
    let ends = metrics.iter().filter_map(|metric| match metric.value() {
        MetricValue::EndTimestamp(end) => Some(end.value().is_some()),
        _ => None,
    });
    ends.fold(State::Unknown, |state, has_ended| {
        match (state, has_ended) {
            (State::Unknown | State::Ended, true) => State::Ended,
            _ => State::Running,
        }
    })
}
