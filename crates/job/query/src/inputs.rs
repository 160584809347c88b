//! The inputs of a job as tables of a session: the archive, and the rules of robots.txt files.

use datafusion::arrow::datatypes::DataType;
use datafusion::prelude::SessionContext;
use engine::{EngineError, Job};

use crate::register_parquet::register_parquet;
use crate::robots_allowed;

/// The table of the pages that a job reads.
pub(crate) const ARCHIVE: &str = "archive";

/// Registers the archive and the rules of robots.txt files.
///
/// # Errors
/// Where the rules cannot be read.
pub(crate) async fn register_inputs(
    context: &SessionContext,
    job: &Job,
) -> Result<(), EngineError> {
    register_archive(context, job).await;
    register_robots(context, job).await
}

/// Registers the rules of robots.txt files.
pub(crate) async fn register_robots(
    context: &SessionContext,
    job: &Job,
) -> Result<(), EngineError> {
    robots_allowed::register_function(context);
    let Some(rules) = &job.robots else {
        return Ok(());
    };
    let registered = robots_allowed::register_rules(context, rules).await;
    registered.map_err(EngineError::query)
}

/// Registers the archive. An archive that cannot be read is only warned about, so that the tables
/// can be queried without it.
pub(crate) async fn register_archive(context: &SessionContext, job: &Job) {
    let by_date = job.archive.by_date;
    let folders = by_date.then(|| ("date".to_owned(), DataType::Date32));
    let Some(location) = &job.archive.location else {
        tracing::warn!("the table `archive` is not available: archive.location is missing");
        return;
    };
    if let Err(error) =
        register_parquet(context, ARCHIVE, location, folders.into_iter().collect()).await
    {
        tracing::warn!(
            "the table `archive` is not available, which is read from Parquet and not from WARC files: {error}"
        );
    }
}
