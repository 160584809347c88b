//! Builds the columns by which Block distributes and sorts rows.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, new_null_array};
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use datafusion::error::Result;

use crate::plan::columns::schemas::RecordBatchExt;

/// Where a later copy is read: behind the row group of the first page of its key.
pub(crate) struct LaterCopy {
    /// Object, row group and row of the first page.
    pub(crate) source: String,
    pub(crate) row_group: i32,
    pub(crate) row: i64,
    /// Copies of one page are sorted by it.
    pub(crate) order: i64,
}

/// Returns the four columns by which Block reads the rows of one batch.
///
/// A row is read with the other rows of its row group. A later copy goes where the first page of
/// its key is read: if that page has no text, the copy is tried. `copies` has one value per row.
pub(crate) fn read_order(
    batch: &RecordBatch,
    copies: &[Option<LaterCopy>],
) -> Result<[(&'static str, ArrayRef); 4]> {
    if copies.iter().all(Option::is_none) {
        return Ok([
            ("first_source", Arc::clone(batch.array("source")?)),
            ("first_row_group", Arc::clone(batch.array("row_group")?)),
            ("first_row", new_null_array(&DataType::Int64, copies.len())),
            ("copy_order", Arc::clone(batch.array("row")?)),
        ]);
    }
    let sources: StringArray = (batch.text("source")?.iter().zip(copies))
        .map(|(own, copy)| copy.as_ref().map_or(own, |copy| Some(&copy.source)))
        .collect();
    let row_groups: Int32Array = (batch.numbers::<Int32Type>("row_group")?.iter().zip(copies))
        .map(|(own, copy)| copy.as_ref().map_or(own, |copy| Some(copy.row_group)))
        .collect();
    let order: Int64Array = (batch.numbers::<Int64Type>("row")?.iter().zip(copies))
        .map(|(own, copy)| copy.as_ref().map_or(own, |copy| Some(copy.order)))
        .collect();
    let rows: Int64Array = copies.iter().map(|copy| Some(copy.as_ref()?.row)).collect();
    Ok([
        ("first_source", Arc::new(sources)),
        ("first_row_group", Arc::new(row_groups)),
        ("first_row", Arc::new(rows)),
        ("copy_order", Arc::new(order)),
    ])
}
