//! Archives: rows with the columns of `schemas/archive.sql`, as Parquet files.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use chrono::DateTime;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

/// One row of an archive. Fields that are `None` are written as null.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    /// Microseconds since 1970, UTC.
    pub(crate) fetched_at: Option<i64>,
    pub(crate) url: Option<String>,
    pub(crate) html: Option<Vec<u8>>,
    pub(crate) request_url: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) http_charset: Option<String>,
    pub(crate) http_status: Option<i32>,
}

impl Row {
    /// A page with the required columns only. `time` is such as `2011-10-24T12:00:00`.
    pub(crate) fn page(time: &str, url: impl Into<String>, html: impl Into<Vec<u8>>) -> Self {
        Self {
            fetched_at: Some(micros(time)),
            url: Some(url.into()),
            html: Some(html.into()),
            ..Self::default()
        }
    }

    /// The page fetched so many days and seconds later.
    pub(crate) fn after(&self, days: i64, seconds: i64) -> Self {
        let later = (days * 86_400 + seconds) * 1_000_000;
        Self {
            fetched_at: self.fetched_at.map(|time| time + later),
            ..self.clone()
        }
    }
}

/// Microseconds since 1970 of a UTC time such as `2011-10-24T12:00:00`.
pub(crate) fn micros(time: &str) -> i64 {
    DateTime::parse_from_rfc3339(&format!("{time}Z"))
        .unwrap_or_else(|error| panic!("{time}: {error}"))
        .timestamp_micros()
}

/// A record batch of the rows, with all columns.
pub(crate) fn batch(rows: &[Row]) -> RecordBatch {
    let text = |of: fn(&Row) -> &Option<String>| -> ArrayRef {
        Arc::new(StringArray::from_iter(
            rows.iter().map(|row| of(row).as_deref()),
        ))
    };
    let times = rows.iter().map(|row| row.fetched_at);
    let html = rows.iter().map(|row| row.html.as_deref());
    let statuses = rows.iter().map(|row| row.http_status);
    let columns: [(&str, ArrayRef); 8] = [
        (
            "fetched_at",
            Arc::new(TimestampMicrosecondArray::from_iter(times).with_timezone("UTC")),
        ),
        ("url", text(|row| &row.url)),
        ("html", Arc::new(BinaryArray::from_iter(html))),
        ("request_url", text(|row| &row.request_url)),
        ("title", text(|row| &row.title)),
        ("content_type", text(|row| &row.content_type)),
        ("http_charset", text(|row| &row.http_charset)),
        ("http_status", Arc::new(Int32Array::from_iter(statuses))),
    ];
    // All columns are nullable, so that all batches of a file have the same schema.
    let nullable = columns.map(|(name, values)| (name, values, true));
    RecordBatch::try_from_iter_with_nullable(nullable).expect("columns of one length")
}

/// Applies `change` to the name and the values of every column.
pub(crate) fn changed<'a>(
    rows: &'a RecordBatch,
    change: impl Fn(&'a str, &ArrayRef) -> (&'a str, ArrayRef),
) -> RecordBatch {
    let fields = rows.schema_ref().fields();
    let columns = fields.iter().zip(rows.columns());
    RecordBatch::try_from_iter(columns.map(|(field, array)| change(field.name(), array)))
        .expect("columns of one length")
}

/// Writes one file with the rows in the given order.
pub(crate) fn write(path: &Path, rows: &[Row]) {
    write_groups(path, rows, 1000);
}

/// Writes one file in row groups of at most `rows_per_group` rows.
pub(crate) fn write_groups(path: &Path, rows: &[Row], rows_per_group: usize) {
    write_batch(path, &batch(rows), rows_per_group);
}

/// Writes one file row by row, so that at most one row group is in memory.
pub(crate) fn write_rows(path: &Path, rows: impl Iterator<Item = Row>, rows_per_group: usize) {
    let empty = batch(&[]);
    let mut writer = writer(path, &empty, rows_per_group);
    for row in rows {
        (writer.write(&batch(&[row]))).expect("the row can be written");
    }
    writer.close().expect("the footer can be written");
}

/// Writes one file with any columns, and creates its parent folders.
pub(crate) fn write_batch(path: &Path, batch: &RecordBatch, rows_per_group: usize) {
    let mut writer = writer(path, batch, rows_per_group);
    writer.write(batch).expect("the rows can be written");
    writer.close().expect("the footer can be written");
}

fn writer(path: &Path, columns: &RecordBatch, rows_per_group: usize) -> ArrowWriter<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).expect("the folder can be made");
    }
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(rows_per_group))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // Pages differ, so a dictionary would only repeat them.
        .set_column_dictionary_enabled("html".into(), false)
        .build();
    let file = File::create(path).expect("the file can be made");
    ArrowWriter::try_new(file, columns.schema(), Some(properties)).expect("a Parquet schema")
}
