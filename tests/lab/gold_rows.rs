//! Gold sets of invented pages.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};

use crate::support::{Row, batch};

/// A gold set: the rows with all columns, and a gold text for each.
pub(crate) fn with_gold(rows: &[Row], golds: &[String]) -> RecordBatch {
    let rows = batch(rows);
    let golds: ArrayRef = Arc::new(StringArray::from_iter_values(golds));
    let schema = rows.schema();
    let columns = schema.fields().iter().zip(rows.columns());
    let columns = columns.map(|(field, values)| (field.name().as_str(), Arc::clone(values)));
    RecordBatch::try_from_iter(columns.chain([("gold_text", golds)])).expect("a gold per row")
}
