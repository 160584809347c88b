//! The archive of a job as a table of a session, and other files of Parquet.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::error::DataFusionError;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use engine::{Job, single_object};
use tables::Location;

/// The table of the pages that a job reads.
pub(crate) const ARCHIVE: &str = "archive";

/// Registers the archive. An archive that cannot be read is only warned about, so that the tables
/// can be queried without it.
pub(crate) async fn register_archive(context: &SessionContext, job: &Job) {
    let Some(location) = &job.archive.location else {
        tracing::warn!("the table `archive` is not available: archive.location is missing");
        return;
    };
    let folders = match job.archive.by_date {
        true => vec![("date".to_owned(), DataType::Date32)],
        false => Vec::new(),
    };
    if let Err(error) = register_parquet(context, ARCHIVE, location, folders).await {
        tracing::warn!(
            "the table `archive` is not available, which is read from Parquet and not from WARC files: {error}"
        );
    }
}

/// Registers the Parquet file at `location`, or the folder of Parquet files there, as the table `name`.
/// `folders` are columns that the names of folders have.
pub(crate) async fn register_parquet(
    context: &SessionContext,
    name: &str,
    location: &Location,
    folders: Vec<(String, DataType)>,
) -> Result<(), DataFusionError> {
    context.register_object_store(&location.store_url(), Arc::clone(location.store()));
    let is_folder = single_object(location).await?.is_none();
    let mut url = location.url().to_string();
    if is_folder && !url.ends_with('/') {
        url.push('/');
    }
    let options = ParquetReadOptions::default().table_partition_cols(folders);
    context.register_parquet(name, url, options).await
}
