//! Columns of Parquet files from other programs.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type, TimeUnit, TimestampMicrosecondType};
use arrow::error::ArrowError;

/// The columns of a batch. Columns of another type for texts, bytes, numbers or times are
/// cast.
pub(crate) struct Columns<'b> {
    pub(crate) batch: &'b RecordBatch,
}

/// A column of texts.
pub(crate) struct Strings(arrow::array::StringArray);

impl Strings {
    pub(crate) fn value(&self, row: usize) -> Option<String> {
        self.0.is_valid(row).then(|| self.0.value(row).to_owned())
    }
}

/// A column of bytes.
pub(crate) struct Bytes(arrow::array::BinaryArray);

impl Bytes {
    pub(crate) fn value(&self, row: usize) -> Option<&[u8]> {
        self.0.is_valid(row).then(|| self.0.value(row))
    }
}

/// A column of numbers.
pub(crate) struct Numbers(arrow::array::Int32Array);

impl Numbers {
    pub(crate) fn value(&self, row: usize) -> Option<i32> {
        self.0.is_valid(row).then(|| self.0.value(row))
    }
}

/// A column of times.
pub(crate) struct Times(arrow::array::TimestampMicrosecondArray);

impl Times {
    pub(crate) fn value(&self, row: usize) -> Option<i64> {
        self.0.is_valid(row).then(|| self.0.value(row))
    }
}

impl Columns<'_> {
    pub(crate) fn text(&self, name: &str) -> Result<Option<Strings>, ArrowError> {
        let Some(column) = self.batch.column_by_name(name) else {
            return Ok(None);
        };
        let column = cast(column, &DataType::Utf8)?;
        Ok(Some(Strings(column.as_string().clone())))
    }

    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Bytes>, ArrowError> {
        let Some(column) = self.batch.column_by_name(name) else {
            return Ok(None);
        };
        let column = cast(column, &DataType::Binary)?;
        Ok(Some(Bytes(column.as_binary().clone())))
    }

    pub(crate) fn numbers(&self, name: &str) -> Result<Option<Numbers>, ArrowError> {
        let Some(column) = self.batch.column_by_name(name) else {
            return Ok(None);
        };
        let column = cast(column, &DataType::Int32)?;
        Ok(Some(Numbers(column.as_primitive::<Int32Type>().clone())))
    }

    pub(crate) fn times(&self, name: &str) -> Result<Option<Times>, ArrowError> {
        let Some(column) = self.batch.column_by_name(name) else {
            return Ok(None);
        };
        let column = cast(column, &DataType::Timestamp(TimeUnit::Microsecond, None))?;
        let column = column.as_primitive::<TimestampMicrosecondType>().clone();
        Ok(Some(Times(column)))
    }
}
