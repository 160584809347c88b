//! The rows of a small query, with their columns in one type each.

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Int64Array, RecordBatch, StringArray,
};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Int64Type, SchemaRef};
use chrono::NaiveDate;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::DataFrame;
use tables::date_from_days;

/// Rows of a query.
pub(crate) struct Rows(pub(crate) RecordBatch);

impl Rows {
    /// Reads all rows of a query.
    pub(crate) async fn collect(frame: DataFrame) -> Result<Self> {
        let (schema, batches) = collect(frame).await?;
        Ok(Self(concat_batches(&schema, &batches)?))
    }

    pub(crate) fn count(&self) -> usize {
        self.0.num_rows()
    }

    pub(crate) fn texts(&self, name: &str) -> Result<StringArray> {
        Ok(self.column(name, &DataType::Utf8)?.as_string().clone())
    }

    /// Whole numbers; a time has its microseconds since 1970, and a date its days.
    pub(crate) fn numbers(&self, name: &str) -> Result<Int64Array> {
        let numbers = match self.0.column_by_name(name).map(|column| column.data_type()) {
            Some(DataType::Date32) => {
                cast(&self.column(name, &DataType::Int32)?, &DataType::Int64)?
            }
            _ => self.column(name, &DataType::Int64)?,
        };
        Ok(numbers.as_primitive::<Int64Type>().clone())
    }

    pub(crate) fn bytes(&self, name: &str) -> Result<BinaryArray> {
        Ok(self.column(name, &DataType::Binary)?.as_binary().clone())
    }

    pub(crate) fn flags(&self, name: &str) -> Result<BooleanArray> {
        Ok(self.column(name, &DataType::Boolean)?.as_boolean().clone())
    }

    fn column(&self, name: &str, kind: &DataType) -> Result<ArrayRef> {
        let column = self.0.column_by_name(name).ok_or_else(|| {
            DataFusionError::Internal(format!("the rows of a query have no column {name}"))
        })?;
        Ok(cast(column, kind)?)
    }
}

/// Reads the batches of a query, and their schema.
pub(crate) async fn collect(frame: DataFrame) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let schema = frame.schema().inner().clone();
    let batches = frame.collect().await?;
    let schema = batches.first().map_or(schema, RecordBatch::schema);
    Ok((schema, batches))
}

/// A value of a nullable column of texts.
pub(crate) fn owned(texts: &StringArray, row: usize) -> Option<String> {
    texts.is_valid(row).then(|| texts.value(row).to_owned())
}

/// A value of a nullable column of numbers.
pub(crate) fn number(numbers: &Int64Array, row: usize) -> Option<i64> {
    numbers.is_valid(row).then(|| numbers.value(row))
}

/// A value of a column of dates.
pub(crate) fn date(days: &Int64Array, row: usize) -> NaiveDate {
    date_from_days(i32::try_from(days.value(row)).unwrap_or_default())
}
