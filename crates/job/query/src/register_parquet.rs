//! Parquet files as a table of a session.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::error::DataFusionError;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use engine::single_object;
use tables::Location;

/// Registers the Parquet file at `location`, or the folder of Parquet files there, as the table `name`.
/// `folders` are columns that the names of folders have.
pub(crate) async fn register_parquet(
    context: &SessionContext,
    name: &str,
    location: &Location,
    folders: Vec<(String, DataType)>,
) -> Result<(), DataFusionError> {
    context.register_object_store(&location.store_url(), Arc::clone(location.store()));
    let single = single_object(location).await;
    let single = single.map_err(|error| DataFusionError::External(error.into()))?;
    let mut url = location.url().to_string();
    if single.is_none() && !url.ends_with('/') {
        url.push('/');
    }
    let options = ParquetReadOptions::default().table_partition_cols(folders);
    context.register_parquet(name, url, options).await
}
