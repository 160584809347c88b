//! Parquet files of pages, quarantined records and revisits.

use std::fs::File;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use tables::archive_properties;
use warc::{Origin, RecordError, Revisit};

use crate::page::{Page, SpooledBodies, TemporaryFolder};

/// HTML of a row group. A higher value needs more memory where pages are large.
const ROW_GROUP_HTML_BYTES: usize = 64 << 20;
/// HTML that is encoded at a time, or one page.
const BATCH_HTML_BYTES: usize = 4 << 20;

fn text(name: &str, nullable: bool) -> Field {
    Field::new(name, DataType::Utf8, nullable)
}

/// The columns of `schemas/archive.sql` that a capture has, and its place. HTML is the last.
fn pages_schema() -> Arc<Schema> {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    Arc::new(Schema::new(vec![
        Field::new("fetched_at", time, false),
        text("url", false),
        text("request_url", true),
        text("content_type", true),
        text("http_charset", true),
        Field::new("http_status", DataType::Int32, true),
        text("warc_file", false),
        Field::new("warc_offset", DataType::Int64, false),
        text("warc_record_id", true),
        text("payload_digest", false),
        Field::new("html", DataType::Binary, false),
    ]))
}

/// Writes `pages` of the input `label` to a temporary file.
pub(crate) fn pages(
    pages: &[Page],
    bodies: &SpooledBodies,
    label: &str,
    folder: &TemporaryFolder,
) -> Result<File, ParquetError> {
    let schema = pages_schema();
    let mut writer = ArrowWriter::try_new(
        folder.file()?,
        Arc::clone(&schema),
        Some(archive_properties()),
    )?;
    let mut rest = pages;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |page: &&Page| {
            bytes += page.bytes();
            bytes <= BATCH_HTML_BYTES
        };
        let rows = rest.iter().take_while(fits).count().max(1);
        let (now, later) = rest.split_at(rows);
        writer.write(&batch(&schema, now, bodies, label)?)?;
        if writer.in_progress_size() >= ROW_GROUP_HTML_BYTES {
            writer.flush()?;
        }
        rest = later;
    }
    writer.into_inner()
}

fn batch(
    schema: &Arc<Schema>,
    pages: &[Page],
    bodies: &SpooledBodies,
    label: &str,
) -> Result<RecordBatch, ParquetError> {
    let texts = |of: fn(&Page) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(pages.iter().map(of)))
    };
    let html: Result<Vec<_>, _> = pages.iter().map(|page| bodies.html(page)).collect();
    let times = pages.iter().map(|page| page.fetched_at);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
        texts(|page| Some(&page.url)),
        texts(|page| page.request_url.as_deref()),
        texts(|page| page.content_type.as_deref()),
        texts(|page| page.charset.as_deref()),
        Arc::new(Int32Array::from_iter(pages.iter().map(|page| page.status))),
        Arc::new(StringArray::from_iter_values(pages.iter().map(|_| label))),
        Arc::new(Int64Array::from_iter_values(
            pages.iter().map(|page| page.offset),
        )),
        texts(|page| page.record_id.as_deref()),
        texts(|page| Some(&page.payload_digest)),
        Arc::new(BinaryArray::from_iter_values(html?)),
    ];
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// Writes the records of the input `label` that cannot be used to a temporary file.
pub(crate) fn quarantine(
    errors: &[RecordError],
    label: &str,
    folder: &TemporaryFolder,
) -> Result<File, ParquetError> {
    let schema = Arc::new(Schema::new(vec![
        text("warc_file", false),
        Field::new("warc_offset", DataType::Int64, false),
        text("warc_record_id", true),
        text("record_type", true),
        text("url", true),
        text("reason", false),
    ]));
    let offsets = errors.iter().map(|error| error.origin.offset);
    let offsets = offsets.map(|offset| i64::try_from(offset).unwrap_or(i64::MAX));
    let texts = |of: fn(&RecordError) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(errors.iter().map(of)))
    };
    let reasons = errors.iter().map(|error| error.reason.to_string());
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(errors.iter().map(|_| label))),
        Arc::new(Int64Array::from_iter_values(offsets)),
        texts(|error| error.origin.record_id.as_deref()),
        texts(|error| error.record_type.as_ref().map(warc::RecordType::name)),
        texts(|error| error.origin.url.as_deref()),
        Arc::new(StringArray::from_iter_values(reasons)),
    ];
    write(schema, columns, folder)
}

/// Writes the revisits of the input `label` whose captures are elsewhere to a temporary file.
pub(crate) fn revisits(
    revisits: &[(Origin, Revisit)],
    label: &str,
    folder: &TemporaryFolder,
) -> Result<File, ParquetError> {
    let time = || DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let schema = Arc::new(Schema::new(vec![
        Field::new("fetched_at", time(), false),
        text("url", false),
        text("content_type", true),
        Field::new("http_status", DataType::Int32, true),
        text("payload_digest", true),
        text("refers_to_url", true),
        Field::new("refers_to_time", time(), true),
        text("warc_file", false),
        Field::new("warc_offset", DataType::Int64, false),
        text("warc_record_id", true),
    ]));
    let texts = |of: fn(&(Origin, Revisit)) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(revisits.iter().map(of)))
    };
    let times = |of: fn(&Revisit) -> Option<i64>| -> ArrayRef {
        let times = revisits.iter().map(|(_, revisit)| of(revisit));
        Arc::new(TimestampMicrosecondArray::from_iter(times).with_timezone("UTC"))
    };
    let statuses = (revisits.iter()).map(|(_, revisit)| revisit.status.map(i32::from));
    let offsets = revisits.iter().map(|(origin, _)| origin.offset);
    let offsets = offsets.map(|offset| i64::try_from(offset).unwrap_or(i64::MAX));
    let columns: Vec<ArrayRef> = vec![
        times(|revisit| Some(revisit.fetched_at)),
        texts(|(_, revisit)| Some(&revisit.url)),
        texts(|(_, revisit)| revisit.content_type.as_deref()),
        Arc::new(Int32Array::from_iter(statuses)),
        texts(|(_, revisit)| revisit.payload_digest.as_deref()),
        texts(|(_, revisit)| revisit.refers_to_url.as_deref()),
        times(|revisit| revisit.refers_to_time),
        Arc::new(StringArray::from_iter_values(
            revisits.iter().map(|_| label),
        )),
        Arc::new(Int64Array::from_iter_values(offsets)),
        texts(|(origin, _)| origin.record_id.as_deref()),
    ];
    write(schema, columns, folder)
}

fn write(
    schema: Arc<Schema>,
    columns: Vec<ArrayRef>,
    folder: &TemporaryFolder,
) -> Result<File, ParquetError> {
    let rows = RecordBatch::try_new(Arc::clone(&schema), columns)?;
    let mut writer = ArrowWriter::try_new(folder.file()?, schema, Some(archive_properties()))?;
    writer.write(&rows)?;
    writer.into_inner()
}
