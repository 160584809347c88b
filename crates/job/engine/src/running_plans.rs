//! The plans that are executed, for the watchdog.

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
        let plans = self.all();
        let waiting: Vec<_> = plans
            .iter()
            .flat_map(|plan| waiting(plan.as_ref()))
            .collect();
        match waiting.is_empty() {
            true => "no operator of a plan".to_owned(),
            false => waiting.join(", "),
        }
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

/// Returns the operators of `plan` that wait.
fn waiting(plan: &dyn ExecutionPlan) -> Vec<String> {
    let below = plan.children().into_iter();
    let below: Vec<_> = below.flat_map(|child| waiting(child.as_ref())).collect();
    let metrics = plan.metrics().unwrap_or_default();
    let ends = metrics.iter().filter_map(|metric| match metric.value() {
        MetricValue::EndTimestamp(end) => Some(end.value().is_some()),
        _ => None,
    });
    let has_ended = ends.reduce(|all, has_ended| all && has_ended);
    // An operator without a time of its end waits if one below it does.
    let own = (!has_ended.unwrap_or(below.is_empty())).then(|| {
        let rows = metrics.output_rows();
        let rows = rows.map_or_else(String::new, |rows| format!(" after {rows} rows"));
        format!("{}{rows}", plan.name())
    });
    own.into_iter().chain(below).collect()
}
