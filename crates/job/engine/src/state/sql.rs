//! SQL over the archive and the output tables of a job.

use std::sync::Arc;

use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use deltalake::delta_datafusion::create_session;
use tables::{Partitioning, Table};

use crate::error::EngineError;
use crate::job::Job;
use crate::state::delta_scan::open;

/// Runs `sql` with the output tables of `job` registered under their names, and its input as
/// `archive`. A table that does not exist is not registered, except
/// for `url_parameters`, which has no rows then.
///
/// # Errors
/// [`EngineError::Query`] where the statement is wrong or fails.
pub async fn query(job: &Job, sql: &str) -> Result<Vec<RecordBatch>, EngineError> {
    let context: SessionContext = create_session().into_inner();
    for table in Table::ALL {
        let is_there = open(&context, job, table).await?;
        if !is_there && table == Table::UrlParameters {
            register_empty(&context, table)?;
        }
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

/// Registers a table without rows: a run makes `url_parameters` with its first row.
fn register_empty(context: &SessionContext, table: Table) -> Result<(), EngineError> {
    let empty = MemTable::try_new(table.schema(Partitioning::Day), vec![vec![]]);
    let registered = empty.and_then(|empty| context.register_table(table.name(), Arc::new(empty)));
    registered.map(drop).map_err(EngineError::Query)
}

/// Registers the archive. An archive that cannot be read is only warned about, so that the tables
/// can be queried without it.
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
        tracing::warn!("the table `archive` is not available: {error}");
    }
    Ok(())
}
