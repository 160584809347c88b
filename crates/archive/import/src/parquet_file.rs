//! Parquet files of pages, quarantined records and revisits.

use std::fs::File;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    UInt64Array,
};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use tables::archive_properties;
use warc::Revisit;

use crate::archive_file::append;
use crate::page::{Elsewhere, Page};
use crate::quarantine::{Kind, Quarantined};
use crate::sites::{SITE_HASH, with_site_rules};
use crate::spool::{SpooledBodies, TemporaryFolder};

fn text(name: &str, nullable: bool) -> Field {
    Field::new(name, DataType::Utf8, nullable)
}

impl Kind {
    /// The columns that say where a page is from: the input, the position in it, and the name there.
    fn place(self) -> [Field; 3] {
        let [input, position, name] = match self {
            Self::Records => ["warc_file", "warc_offset", "warc_record_id"],
            Self::List => ["manifest", "manifest_row", "path"],
        };
        let position = Field::new(position, DataType::Int64, false);
        [text(input, false), position, text(name, true)]
    }
}

/// The columns of `schemas/archive.sql` that a page has, and its place. HTML is the last.
pub(crate) fn pages_schema(kind: Kind) -> Arc<Schema> {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let mut fields = vec![
        Field::new("fetched_at", time, false),
        text("url", false),
        text("request_url", true),
        text("content_type", true),
        text("http_charset", true),
        Field::new("http_status", DataType::Int32, true),
        text("x_robots_tag", true),
        text("tdm_reservation", true),
    ];
    fields.extend(kind.place());
    fields.push(text("payload_digest", false));
    if kind == Kind::List {
        fields.push(text("title", true));
    }
    fields.push(Field::new(SITE_HASH, DataType::UInt64, true));
    fields.push(Field::new("html", DataType::Binary, false));
    Arc::new(Schema::new(fields))
}

/// Writes `pages` of the input `label` to a temporary file.
pub(crate) fn pages(
    pages: &[Page],
    bodies: &SpooledBodies,
    kind: Kind,
    label: &str,
    folder: &TemporaryFolder,
) -> Result<File, ParquetError> {
    let schema = pages_schema(kind);
    let rows = |pages: &[Page]| batch(&schema, pages, bodies, kind, label);
    let properties = with_site_rules(archive_properties());
    let mut writer = ArrowWriter::try_new(folder.file()?, Arc::clone(&schema), Some(properties))?;
    append(&mut writer, pages, Page::bytes, rows)?;
    writer.into_inner()
}

/// Returns the rows of `pages`, with the columns of [`pages_schema`].
pub(crate) fn batch(
    schema: &Arc<Schema>,
    pages: &[Page],
    bodies: &SpooledBodies,
    kind: Kind,
    label: &str,
) -> Result<RecordBatch, ParquetError> {
    let texts = |of: fn(&Page) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(pages.iter().map(of)))
    };
    let times = pages.iter().map(|page| page.fetched_at);
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
        texts(|page| Some(&page.url)),
        texts(|page| page.request_url.as_deref()),
        texts(|page| page.content_type.as_deref()),
        texts(|page| page.charset.as_deref()),
        Arc::new(Int32Array::from_iter(pages.iter().map(|page| page.status))),
        texts(|page| page.x_robots_tag.as_deref()),
        texts(|page| page.tdm_reservation.as_deref()),
        Arc::new(StringArray::from_iter_values(
            pages
                .iter()
                .map(|page| page.file.as_deref().unwrap_or(label)),
        )),
        Arc::new(Int64Array::from_iter_values(
            pages.iter().map(|page| page.position),
        )),
        texts(|page| page.name.as_deref()),
        texts(|page| Some(&page.payload_digest)),
    ];
    if kind == Kind::List {
        columns.push(texts(|page| page.title.as_deref()));
    }
    let hashes = pages.iter().map(|page| page.site_hash);
    columns.push(Arc::new(UInt64Array::from_iter(hashes)));
    columns.push(Arc::new(bodies.column(pages.iter().map(|page| page.body))?));
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// Writes the rows of the input `label` that cannot be used to a temporary file.
pub(crate) fn quarantine(
    rows: &[Quarantined],
    kind: Kind,
    label: &str,
    folder: &TemporaryFolder,
) -> Result<File, ParquetError> {
    let texts = |of: fn(&Quarantined) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(rows.iter().map(of)))
    };
    let mut fields = kind.place().to_vec();
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(
            rows.iter().map(|row| row.file.as_deref().unwrap_or(label)),
        )),
        Arc::new(Int64Array::from_iter_values(
            rows.iter().map(|row| row.position),
        )),
        texts(|row| row.name.as_deref()),
    ];
    if kind == Kind::Records {
        fields.push(text("record_type", true));
        columns.push(texts(|row| row.record_type.as_deref()));
    }
    fields.extend([text("url", true), text("reason", false)]);
    columns.push(texts(|row| row.url.as_deref()));
    columns.push(texts(|row| Some(&row.reason)));
    write(Arc::new(Schema::new(fields)), columns, folder)
}

/// Writes the revisits of the input `label` whose captures are elsewhere to a temporary file.
pub(crate) fn revisits(
    revisits: &[Elsewhere],
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
    let texts = |of: fn(&Elsewhere) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(revisits.iter().map(of)))
    };
    let times = |of: fn(&Revisit) -> Option<i64>| -> ArrayRef {
        let times = revisits.iter().map(|found| of(&found.revisit));
        Arc::new(TimestampMicrosecondArray::from_iter(times).with_timezone("UTC"))
    };
    let statuses = (revisits.iter()).map(|found| found.revisit.status.map(i32::from));
    let offsets = revisits.iter().map(|found| found.origin.offset);
    let offsets = offsets.map(|offset| i64::try_from(offset).unwrap_or(i64::MAX));
    let columns: Vec<ArrayRef> = vec![
        times(|revisit| Some(revisit.fetched_at)),
        texts(|found| Some(&found.revisit.url)),
        texts(|found| found.revisit.content_type.as_deref()),
        Arc::new(Int32Array::from_iter(statuses)),
        texts(|found| found.revisit.payload_digest.as_deref()),
        texts(|found| found.revisit.refers_to_url.as_deref()),
        times(|revisit| revisit.refers_to_time),
        Arc::new(StringArray::from_iter_values(
            revisits
                .iter()
                .map(|found| found.file.as_deref().unwrap_or(label)),
        )),
        Arc::new(Int64Array::from_iter_values(offsets)),
        texts(|found| found.origin.record_id.as_deref()),
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
