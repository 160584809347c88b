//! SQL over the tables of a job.

use std::sync::Arc;

use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use datafusion::error::DataFusionError;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use deltalake::delta_datafusion::create_session;
use tables::Table;

use crate::error::EngineError;
use crate::job::Job;

/// Runs `sql` with the output tables of `job` registered under their names,
/// and its input as `archive`. Tables that were never written are not there.
///
/// # Errors
/// [`EngineError::Query`] where the statement is wrong or fails.
pub async fn query(job: &Job, sql: &str) -> Result<Vec<RecordBatch>, EngineError> {
    let context: SessionContext = create_session().into_inner();
    for table in Table::ALL {
        register(&context, job, table).await?;
    }
    register_archive(&context, job).await?;
    let frame = context.sql(sql).await.map_err(EngineError::Query)?;
    let schema = Arc::new(frame.schema().as_arrow().clone());
    let mut batches = frame.collect().await.map_err(EngineError::Query)?;
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(schema));
    }
    Ok(batches)
}

/// The rows of one table, or none where it was never written.
pub(crate) async fn rows(job: &Job, table: Table) -> Result<Vec<RecordBatch>, EngineError> {
    let context: SessionContext = create_session().into_inner();
    if !register(&context, job, table).await? {
        return Ok(Vec::new());
    }
    let frame = context.table(table.name()).await;
    let rows = frame.map_err(EngineError::Query)?.collect().await;
    rows.map_err(EngineError::Query)
}

/// Gives `table` its name in `context`; false where it was never written.
async fn register(context: &SessionContext, job: &Job, table: Table) -> Result<bool, EngineError> {
    let Some(opened) = job.output.open(table).await? else {
        return Ok(false);
    };
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
        EngineError::Query(DataFusionError::External(error))
    };
    opened
        .update_datafusion_session(&context.state())
        .map_err(|error| failed(error.into()))?;
    let provider = opened.table_provider().await;
    let provider = provider.map_err(|error| failed(error.into()))?;
    context
        .register_table(table.name(), provider)
        .map_err(EngineError::Query)?;
    Ok(true)
}

/// An archive that cannot be read is no reason not to look at the tables.
async fn register_archive(context: &SessionContext, job: &Job) -> Result<(), EngineError> {
    let location = &job.archive.location;
    context.register_object_store(&location.store_url(), Arc::clone(location.store()));
    let mut url = location.url().to_string();
    if job.archive.single_object().await?.is_none() && !url.ends_with('/') {
        url.push('/');
    }
    let mut options = ParquetReadOptions::default();
    if job.archive.by_date {
        options = options.table_partition_cols(vec![("date".to_owned(), DataType::Date32)]);
    }
    if let Err(error) = context.register_parquet("archive", url, options).await {
        tracing::warn!("there is no table `archive`: {error}");
    }
    Ok(())
}
