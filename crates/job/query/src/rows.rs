//! The rows of a query, value by value.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use arrow::error::ArrowError;
use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::prelude::DataFrame;
use tables::date_from_days;

/// Rows of a query.
pub(crate) struct Rows(RecordBatch);

/// A row of a query. A column that it lacks has no value.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    rows: &'a RecordBatch,
    row: usize,
}

impl Rows {
    /// Reads all rows of a query.
    pub(crate) async fn collect(frame: DataFrame) -> Result<Self> {
        let schema = frame.schema().inner().clone();
        let batches = frame.collect().await?;
        let schema = batches.first().map_or(schema, RecordBatch::schema);
        Ok(Self::of(&concat_batches(&schema, &batches)?)?)
    }

    /// Gives the columns of a batch the types that [`Row`] reads.
    pub(crate) fn of(batch: &RecordBatch) -> Result<Self, ArrowError> {
        let mut fields = Vec::new();
        let mut columns: Vec<ArrayRef> = Vec::new();
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let kind = match field.data_type() {
                DataType::Boolean => DataType::Boolean,
                kind if kind.is_string() => DataType::Utf8,
                kind if kind.is_binary() => DataType::Binary,
                _ => DataType::Int64,
            };
            columns.push(cast(column, &kind)?);
            fields.push(Field::new(field.name(), kind, true));
        }
        let schema = Schema::new(fields).into();
        Ok(Self(RecordBatch::try_new(schema, columns)?))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let rows = &self.0;
        (0..rows.num_rows()).map(move |row| Row { rows, row })
    }
}

impl<'a> Row<'a> {
    /// A text; empty for null.
    pub(crate) fn text(self, column: &str) -> &'a str {
        let texts = self.valid(column).and_then(AsArray::as_string_opt::<i32>);
        texts.map_or("", |texts| texts.value(self.row))
    }

    /// A text; `None` for null.
    pub(crate) fn owned(self, column: &str) -> Option<String> {
        self.valid(column).map(|_| self.text(column).to_owned())
    }

    /// A whole number; `None` for null. A time has its microseconds since 1970, and a date its days.
    pub(crate) fn number(self, column: &str) -> Option<i64> {
        let numbers = self.valid(column)?.as_primitive_opt::<Int64Type>()?;
        Some(numbers.value(self.row))
    }

    /// A date; `None` for null.
    pub(crate) fn date(self, column: &str) -> Option<NaiveDate> {
        let days = i32::try_from(self.number(column)?).unwrap_or_default();
        Some(date_from_days(days))
    }

    /// Bytes; none for null.
    pub(crate) fn bytes(self, column: &str) -> &'a [u8] {
        let bytes = self.valid(column).and_then(AsArray::as_binary_opt::<i32>);
        bytes.map_or(&[], |bytes| bytes.value(self.row))
    }

    /// Whether a flag is set.
    pub(crate) fn flag(self, column: &str) -> bool {
        let flags = self.valid(column).and_then(AsArray::as_boolean_opt);
        flags.is_some_and(|flags| flags.value(self.row))
    }

    /// A column that has a value in this row.
    fn valid(self, column: &str) -> Option<&'a ArrayRef> {
        let column = self.rows.column_by_name(column)?;
        column.is_valid(self.row).then_some(column)
    }
}
