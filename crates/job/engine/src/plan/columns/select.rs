//! Rows of a query with the columns of a step.

use arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, cast, ident};
use datafusion::prelude::DataFrame;

/// Projects `rows` to `schema`. A column comes from `given`, else from the column of the same name,
/// else it is null.
pub(crate) fn select_columns(
    rows: DataFrame,
    schema: &SchemaRef,
    given: Vec<(&str, Expr)>,
) -> Result<LogicalPlan> {
    let columns = schema
        .fields()
        .iter()
        .map(|field| {
            let name = field.name().as_str();
            let known = rows.schema().has_column_with_unqualified_name(name);
            let value = match given.iter().find(|(given, _)| *given == name) {
                Some((_, value)) => value.clone(),
                None if known => ident(name),
                None => Expr::Literal(ScalarValue::try_from(field.data_type())?, None),
            };
            Ok(cast(value, field.data_type().clone()).alias(name))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(rows.select(columns)?.into_unoptimized_plan())
}
