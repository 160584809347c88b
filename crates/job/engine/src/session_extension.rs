//! Lets other processes run a part of the plans of a job.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::ExecutionPlan;

/// Changes the sessions in which the plans of a job run.
#[async_trait]
pub trait SessionExtension: fmt::Debug + Send + Sync {
    /// Extends a session.
    ///
    /// # Errors
    /// Where the session cannot run plans.
    fn extend(&self, session: SessionStateBuilder) -> Result<SessionStateBuilder>;

    /// Called before the plans of a chunk: finds the processes that can run parts of them.
    async fn prepare(&self) {}

    /// Returns the number of these processes.
    fn processes(&self) -> usize {
        0
    }

    /// Returns the pages of the job that these processes have parsed since they know it
    /// ([`Job::parsed_rows`](crate::Job::parsed_rows)).
    async fn parsed_rows(&self) -> u64 {
        0
    }

    /// Returns an executed plan with the metrics of all processes that ran a part of it.
    async fn with_metrics(&self, plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        plan
    }

    /// Called after a plan failed. Returns whether it was for a process that is gone, and the same plan
    /// may run on those that are left: nothing of it is visible before the commit.
    async fn recover(&self) -> bool {
        false
    }
}

/// Returns an executed plan with the metrics of all processes that ran a part of it.
pub(crate) async fn with_metrics(
    extension: Option<&Arc<dyn SessionExtension>>,
    plan: Arc<dyn ExecutionPlan>,
) -> Arc<dyn ExecutionPlan> {
    match extension {
        Some(extension) => extension.with_metrics(plan).await,
        None => plan,
    }
}
