//! The rows of a small query, with their columns in one type each.

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, Int64Array, RecordBatch, StringArray};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Int64Type};
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::DataFrame;

/// All rows of a query.
pub(super) struct Rows(RecordBatch);

impl Rows {
    pub(super) async fn collect(frame: DataFrame) -> Result<Self> {
        let schema = frame.schema().inner().clone();
        let batches = frame.collect().await?;
        let schema = batches.first().map_or(schema, RecordBatch::schema);
        Ok(Self(concat_batches(&schema, &batches)?))
    }

    pub(super) fn count(&self) -> usize {
        self.0.num_rows()
    }

    pub(super) fn texts(&self, name: &str) -> Result<StringArray> {
        Ok(self.column(name, &DataType::Utf8)?.as_string().clone())
    }

    /// Whole numbers; a time has its microseconds since 1970, and a date its days.
    pub(super) fn numbers(&self, name: &str) -> Result<Int64Array> {
        let numbers = match self.0.column_by_name(name).map(|column| column.data_type()) {
            Some(DataType::Date32) => {
                cast(&self.column(name, &DataType::Int32)?, &DataType::Int64)?
            }
            _ => self.column(name, &DataType::Int64)?,
        };
        Ok(numbers.as_primitive::<Int64Type>().clone())
    }

    pub(super) fn bytes(&self, name: &str) -> Result<BinaryArray> {
        Ok(self.column(name, &DataType::Binary)?.as_binary().clone())
    }

    fn column(&self, name: &str, kind: &DataType) -> Result<ArrayRef> {
        let column = self.0.column_by_name(name).ok_or_else(|| {
            DataFusionError::Internal(format!("the rows of a query have no column {name}"))
        })?;
        Ok(cast(column, kind)?)
    }
}

/// A value of a nullable column of texts.
pub(super) fn owned(texts: &StringArray, row: usize) -> Option<String> {
    texts.is_valid(row).then(|| texts.value(row).to_owned())
}
