//! Scans of the output tables.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, ident};
use datafusion::prelude::SessionContext;
use deltalake::DeltaTable;
use deltalake::delta_datafusion::create_session;
use tables::{DateRange, Table, days_from_date};

use crate::error::EngineError;

/// Reads the rows of `opened`, a version of `table`, whose date is in one of `ranges`.
pub(crate) async fn rows(
    opened: &DeltaTable,
    table: Table,
    ranges: &[DateRange],
) -> Result<Vec<RecordBatch>, EngineError> {
    let context: SessionContext = create_session().into_inner();
    let date = |date| {
        let days = ScalarValue::Date32(Some(days_from_date(date)));
        Expr::Literal(days, None)
    };
    let within = ranges
        .iter()
        .map(|range| ident("date").between(date(range.first()), date(range.last())))
        .reduce(Expr::or);
    let Some(within) = within else {
        return Ok(Vec::new());
    };
    let rows = async {
        register(&context, table, opened).await?;
        let rows = context.table(table.name()).await?.filter(within)?;
        rows.collect().await
    };
    rows.await.map_err(EngineError::Query)
}

/// Registers `opened` in `context` under the name of `table`.
///
/// # Errors
/// If the version of the table cannot be read.
pub async fn register(
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

/// Wraps the error of a table as an error of the plan that reads it.
pub(crate) fn external(
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> DataFusionError {
    DataFusionError::External(error.into())
}
