//! Tables of results, and their Parquet files.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

/// Builds a table column by column, with one row per value.
pub(crate) struct Table<'r, R> {
    rows: &'r [R],
    columns: Vec<(&'static str, ArrayRef)>,
}

impl<'r, R> Table<'r, R> {
    pub(crate) fn of(rows: &'r [R]) -> Self {
        Self {
            rows,
            columns: Vec::new(),
        }
    }

    pub(crate) fn text<T: AsRef<str>>(
        self,
        name: &'static str,
        of: impl Fn(&'r R) -> Option<T>,
    ) -> Self {
        let values = StringArray::from_iter(self.rows.iter().map(of));
        self.with(name, Arc::new(values))
    }

    pub(crate) fn bytes(self, name: &'static str, of: impl Fn(&'r R) -> Option<&'r [u8]>) -> Self {
        let values = BinaryArray::from_iter(self.rows.iter().map(of));
        self.with(name, Arc::new(values))
    }

    pub(crate) fn number(self, name: &'static str, of: impl Fn(&'r R) -> Option<f64>) -> Self {
        let values = Float64Array::from_iter(self.rows.iter().map(of));
        self.with(name, Arc::new(values))
    }

    pub(crate) fn count(self, name: &'static str, of: impl Fn(&'r R) -> Option<usize>) -> Self {
        let counts = self.rows.iter().map(of);
        let values = Int64Array::from_iter(counts.map(|count| i64::try_from(count?).ok()));
        self.with(name, Arc::new(values))
    }

    /// A column of times in microseconds since 1970.
    pub(crate) fn time(self, name: &'static str, of: impl Fn(&'r R) -> Option<i64>) -> Self {
        let values = TimestampMicrosecondArray::from_iter(self.rows.iter().map(of));
        self.with(name, Arc::new(values.with_timezone("UTC")))
    }

    pub(crate) fn flag(self, name: &'static str, of: impl Fn(&'r R) -> bool) -> Self {
        let values = BooleanArray::from_iter(self.rows.iter().map(|row| Some(of(row))));
        self.with(name, Arc::new(values))
    }

    fn with(mut self, name: &'static str, column: ArrayRef) -> Self {
        self.columns.push((name, column));
        self
    }

    pub(crate) fn finish(self) -> RecordBatch {
        let columns = self.columns.into_iter();
        let nullable = columns.map(|(name, column)| (name, column, true));
        RecordBatch::try_from_iter_with_nullable(nullable).expect("a value for each row")
    }
}

/// Writes a table as a Parquet file.
pub(crate) fn write_parquet(table: &RecordBatch, path: &Path) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let file = File::create(path).map_err(|error| ParquetError::External(error.into()))?;
    let mut writer = ArrowWriter::try_new(file, table.schema(), Some(properties))?;
    writer.write(table)?;
    writer.close()?;
    Ok(())
}
