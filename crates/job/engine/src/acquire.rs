//! The lease of a run or a vacuum. The crate `lease` has its laws.

use chrono::Utc;
use lease::{Lease, LeaseRecord, LeaseState, ThisProcess};
use sysinfo::System;
use uuid::Uuid;

use crate::error::EngineError;
use crate::job::Job;

/// Acquires the lease on the tables of `job` for `purpose`. `request` is the digest of
/// the run's request, or `None` if `purpose` is not a run.
///
/// # Errors
/// [`EngineError::Lease`] if another process holds the lease or the store fails, else the error of a table.
pub(crate) async fn acquire_lease(
    job: &Job,
    purpose: String,
    request: Option<String>,
) -> Result<Lease, EngineError> {
    let record = LeaseRecord {
        id: Uuid::new_v4().to_string(),
        purpose,
        request,
        host: System::host_name().unwrap_or_else(|| "unknown".to_owned()),
        process: std::process::id(),
        acquired_at: Utc::now().format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        heartbeat_ms: u64::try_from(job.resources.heartbeat.as_millis()).unwrap_or(u64::MAX),
        heartbeats: 0,
        state: LeaseState::Running,
    };
    Ok(Lease::acquire(&job.output, &ThisProcess, record).await?)
}
