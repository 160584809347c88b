//! SQL over the tables of a job.

use std::sync::Arc;

use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, ident};
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use deltalake::DeltaTable;
use deltalake::delta_datafusion::create_session;
use tables::{DateRange, Table, days_from_date};

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
        open(&context, job, table).await?;
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

/// The rows of one table on `dates`, or none where it was never written.
pub(crate) async fn rows(
    job: &Job,
    table: Table,
    dates: DateRange,
) -> Result<Vec<RecordBatch>, EngineError> {
    let context: SessionContext = create_session().into_inner();
    if !open(&context, job, table).await? {
        return Ok(Vec::new());
    }
    let rows = async {
        let date = |date| {
            let days = ScalarValue::Date32(Some(days_from_date(date)));
            Expr::Literal(days, None)
        };
        let within = ident("date").between(date(dates.first()), date(dates.last()));
        let rows = context.table(table.name()).await?.filter(within)?;
        rows.collect().await
    };
    rows.await.map_err(EngineError::Query)
}

/// Opens `table` under its name in `context`; false where it was never written.
async fn open(context: &SessionContext, job: &Job, table: Table) -> Result<bool, EngineError> {
    let Some(opened) = job.output.open(table).await? else {
        return Ok(false);
    };
    let registered = register(context, table, &opened).await;
    registered.map_err(EngineError::Query)?;
    Ok(true)
}

/// Gives `opened` the name of `table` in `context`.
pub(crate) async fn register(
    context: &SessionContext,
    table: Table,
    opened: &DeltaTable,
) -> Result<(), DataFusionError> {
    opened
        .update_datafusion_session(&context.state())
        .map_err(external)?;
    let session = Arc::new(context.state());
    let provider = opened.table_provider().with_session(session);
    let provider = provider.await.map_err(external)?;
    context.register_table(table.name(), provider)?;
    Ok(())
}

/// An error of a table in the midst of a plan.
pub(crate) fn external(
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> DataFusionError {
    DataFusionError::External(error.into())
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
