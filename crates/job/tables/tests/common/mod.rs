//! Rows of `quarantine`, which has few columns that are not nullable.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, RecordBatch, new_null_array};
use tables::{Location, Output, Partitioning, Table};

/// Creates a handle for tables in `folder`, with files of any size.
pub(crate) fn output(folder: &Path, partitioning: Partitioning) -> Output {
    let location = Location::parse(&folder.to_string_lossy()).expect("a path");
    Output::new(location, partitioning, NonZeroU64::MAX)
}

/// Creates rows of these days, with `texts` in every text column that is not nullable.
pub(crate) fn rows(days: Vec<i32>, texts: &ArrayRef) -> RecordBatch {
    let schema = Table::Quarantine.schema(Partitioning::Day);
    let rows = days.len();
    let days: ArrayRef = Arc::new(Date32Array::from(days));
    let columns = (schema.fields().iter())
        .map(|field| match field.name().as_str() {
            "date" => Arc::clone(&days),
            "source" | "reason" | "detail" => Arc::clone(texts),
            _ => new_null_array(field.data_type(), rows),
        })
        .collect();
    RecordBatch::try_new(schema, columns).expect("rows of the table")
}
