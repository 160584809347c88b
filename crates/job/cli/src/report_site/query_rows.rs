//! Rows of a query, value by value.

use anyhow::Result;
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use engine::EngineError;
use query::TablesSession;

/// A batch of rows.
pub(super) struct Batch(RecordBatch);

/// A row of a batch.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    batch: &'a Batch,
    row: usize,
}

/// Runs a query, and calls `each` for each row in order.
pub(super) async fn for_each(
    tables: &TablesSession,
    sql: &str,
    mut each: impl FnMut(Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut rows = tables.rows(sql).await?;
    while let Some(batch) = rows.next().await {
        let batch = Batch(typed(&batch.map_err(anyhow::Error::from)?)?);
        for row in 0..batch.0.num_rows() {
            each(Row { batch: &batch, row })?;
        }
    }
    Ok::<(), anyhow::Error>(())
}

/// Gives the columns the types that [`Row`] reads.
fn typed(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.schema_ref().fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, column)| {
        let kind = match column.data_type() {
            kind if kind.is_integer() => DataType::Int64,
            DataType::Float32 | DataType::Float64 => DataType::Float64,
            DataType::Binary | DataType::BinaryView | DataType::LargeBinary => DataType::Binary,
            _ => DataType::Utf8,
        };
        let column: ArrayRef = cast(column, &kind).map_err(internal)?;
        Ok((field.name().clone(), column))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    Ok(RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )?)
}

fn internal(error: arrow::error::ArrowError) -> EngineError {
    EngineError::Query(error.into())
}

impl<'a> Row<'a> {
    /// A text; empty for null.
    pub(super) fn text(self, column: &str) -> &'a str {
        let column = self
            .column(column)
            .and_then(|column| column.as_string_opt::<i32>());
        match column.filter(|column| column.is_valid(self.row)) {
            Some(column) => column.value(self.row),
            None => "",
        }
    }

    /// A count; `None` for null.
    pub(super) fn count(self, column: &str) -> Option<u64> {
        u64::try_from(self.number(column)?).ok()
    }

    /// A whole number; `None` for null.
    pub(super) fn number(self, column: &str) -> Option<i64> {
        let column = self.column(column)?.as_primitive_opt::<Int64Type>()?;
        column.is_valid(self.row).then(|| column.value(self.row))
    }

    /// A fraction; 0 for null.
    pub(super) fn fraction(self, column: &str) -> f64 {
        let column = self
            .column(column)
            .and_then(|column| column.as_primitive_opt::<Float64Type>());
        column.map_or(0.0, |column| column.value(self.row))
    }

    /// Bytes; none for null.
    pub(super) fn bytes(self, column: &str) -> &'a [u8] {
        let column = self
            .column(column)
            .and_then(|column| column.as_binary_opt::<i32>());
        match column.filter(|column| column.is_valid(self.row)) {
            Some(column) => column.value(self.row),
            None => &[],
        }
    }

    fn column(self, name: &str) -> Option<&'a ArrayRef> {
        let batch: &'a RecordBatch = &self.batch.0;
        batch.column_by_name(name)
    }
}
