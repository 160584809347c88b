//! `urltree vacuum`: removes data files that no table references.

use std::time::Duration;

use tables::{Table, TableFormat, UNIT_TIME, UnreferencedFile};

use crate::acquire::acquire_lease;
use crate::driver::partition;
use crate::error::EngineError;
use crate::job::Job;
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// Whether [`vacuum`] deletes the files that it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VacuumMode {
    /// Reports the files and keeps them.
    Report,
    /// Deletes the files.
    Delete,
}

/// Returns the data files below the tables of `job` that no version of the last `retention`
/// references, by table. Files that were never committed must be older than `retention` as
/// well.
///
/// While units wait for a commit, files of the last day stay.
///
/// [`VacuumMode::Delete`] acquires the lease of a run, so that no run commits meanwhile.
/// [`VacuumMode::Report`] writes nothing.
///
/// # Errors
/// [`EngineError::Lease`] if a run holds the lease, else [`EngineError`] if a table or the
/// store fails.
pub async fn vacuum(
    job: &Job,
    retention: Duration,
    mode: VacuumMode,
) -> Result<Vec<(Table, Vec<UnreferencedFile>)>, EngineError> {
    let tables = TablesSnapshot::open(&job.output, TablesSnapshot::DATED.to_vec()).await?;
    let job = &partition::of_tables(job, &tables)?;
    let lease = match mode {
        VacuumMode::Report => None,
        VacuumMode::Delete => Some(acquire_lease(job, "urltree vacuum".to_owned(), None).await?),
    };
    let retention = match job.output.format() {
        // A unit that is not done has files that no manifest names.
        TableFormat::Delta if job.output.has_units().await? => retention.max(UNIT_TIME),
        TableFormat::Delta => retention,
        // No reader of an earlier version has its files anyway.
        TableFormat::Parquet => Duration::ZERO,
    };
    let found = lease::vacuum(lease.as_ref(), &job.output, retention).await;
    if let Some(lease) = lease {
        lease.release(found.is_ok()).await;
    }
    Ok(found?)
}
