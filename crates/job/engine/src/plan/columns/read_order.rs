//! Builds the columns by which Block distributes and sorts rows.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, new_null_array};
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use datafusion::error::Result;

use crate::plan::columns::schemas::RecordBatchExt;

/// The order in which Block reads the rows of one batch.
///
/// A row is read with the other rows of its row group. A later copy goes where the first page of
/// its key is read: if that page has no text, the copy is tried.
#[derive(Default)]
pub(crate) struct ReadOrder {
    later_copies: Vec<LaterCopy>,
}

/// A row of the batch, and the position of the first page of its key.
struct LaterCopy {
    row: usize,
    first: RowPosition,
    order: i64,
}

/// The position of a row in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowPosition {
    pub(crate) source: String,
    pub(crate) row_group: i32,
    pub(crate) row: i64,
}

impl ReadOrder {
    /// Moves `row` of the batch behind the row group of `first`. Copies of one page are sorted by
    /// `order`.
    pub(crate) fn later_copy(&mut self, row: usize, first: RowPosition, order: i64) {
        self.later_copies.push(LaterCopy { row, first, order });
    }

    /// Returns the four columns.
    pub(crate) fn finish(self, batch: &RecordBatch) -> Result<[(&'static str, ArrayRef); 4]> {
        if self.later_copies.is_empty() {
            return Ok([
                ("first_source", Arc::clone(batch.array("source")?)),
                ("first_row_group", Arc::clone(batch.array("row_group")?)),
                (
                    "first_row",
                    new_null_array(&DataType::Int64, batch.num_rows()),
                ),
                ("copy_order", Arc::clone(batch.array("row")?)),
            ]);
        }
        let mut copies: Vec<Option<&LaterCopy>> = vec![None; batch.num_rows()];
        for copy in &self.later_copies {
            copies[copy.row] = Some(copy);
        }
        let sources: StringArray = (batch.text("source")?.iter().zip(&copies))
            .map(|(own, copy)| copy.map_or(own, |copy| Some(&copy.first.source)))
            .collect();
        let row_groups: Int32Array = (batch.numbers::<Int32Type>("row_group")?.iter().zip(&copies))
            .map(|(own, copy)| copy.map_or(own, |copy| Some(copy.first.row_group)))
            .collect();
        let order: Int64Array = (batch.numbers::<Int64Type>("row")?.iter().zip(&copies))
            .map(|(own, copy)| copy.map_or(own, |copy| Some(copy.order)))
            .collect();
        let first_rows: Int64Array = copies
            .iter()
            .map(|copy| copy.map(|copy| copy.first.row))
            .collect();
        Ok([
            ("first_source", Arc::new(sources)),
            ("first_row_group", Arc::new(row_groups)),
            ("first_row", Arc::new(first_rows)),
            ("copy_order", Arc::new(order)),
        ])
    }
}
