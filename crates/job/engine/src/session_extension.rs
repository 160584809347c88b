//! Lets other processes run a part of the plans of a job.

use std::fmt;

use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;

/// Changes the sessions in which the plans of a job run.
pub trait SessionExtension: fmt::Debug + Send + Sync {
    /// Extends a session.
    ///
    /// # Errors
    /// Where the session cannot run plans.
    fn extend(&self, session: SessionStateBuilder) -> Result<SessionStateBuilder>;
}
