//! Rows of the output tables.

use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, ident, lit};
use datafusion::prelude::SessionContext;
use deltalake::DeltaTable;
use tables::{DateRange, Output, Table, days_from_date};

use crate::error::EngineError;
use crate::tables_state::table_files::register_table;

/// Reads the rows of `opened`, a version of `table` of `output`, whose date is in one of `ranges`.
pub(crate) async fn rows(
    output: &Output,
    opened: &DeltaTable,
    table: Table,
    ranges: &[DateRange],
) -> Result<Vec<RecordBatch>, EngineError> {
    let context = SessionContext::new();
    let date = |date| lit(ScalarValue::Date32(Some(days_from_date(date))));
    let within = ranges
        .iter()
        .map(|range| ident("date").between(date(range.first()), date(range.last())))
        .reduce(Expr::or);
    let Some(within) = within else {
        return Ok(Vec::new());
    };
    let rows = async {
        register_table(&context, output.location(), table, opened)?;
        let rows = context.table(table.name()).await?.filter(within)?;
        rows.collect().await
    };
    rows.await.map_err(EngineError::Query)
}
