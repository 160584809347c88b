//! Data files that nobody needs any more.

use std::time::Duration;

use tables::{Table, UnreferencedFile};

use crate::error::EngineError;
use crate::job::Job;
use crate::lease::Hold;

/// What becomes of the unreferenced files that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VacuumMode {
    /// It stays.
    Report,
    /// It is deleted.
    Delete,
}

/// The data files below the tables of `job` that no version of the last `keep`
/// names, by table. Files that no version names yet must be older than that as
/// well.
///
/// To delete them, the tables are claimed as a run claims them, so that no other
/// is at work meanwhile; to report them, nothing is written.
///
/// # Errors
/// [`EngineError::Busy`] where a run is at work, else where a table or the store
/// fails.
pub async fn vacuum(
    job: &Job,
    keep: Duration,
    mode: VacuumMode,
) -> Result<Vec<(Table, Vec<UnreferencedFile>)>, EngineError> {
    let hold = match mode {
        VacuumMode::Report => None,
        VacuumMode::Delete => Some(Hold::take(job, "urltree vacuum".to_owned(), None).await?),
    };
    let mut found = Vec::new();
    for table in Table::every() {
        let garbage = job.output.unreferenced_files(table, keep).await?;
        if let Some(hold) = &hold {
            hold.check().await?;
            job.output.delete_unreferenced(table, &garbage).await?;
        }
        found.push((table, garbage));
    }
    if let Some(hold) = hold {
        hold.remove_earlier().await?;
        hold.finish();
    }
    Ok(found)
}
