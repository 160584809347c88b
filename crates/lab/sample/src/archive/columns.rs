//! Conversion of pages to record batches and to Parquet.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use arrow::error::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use tables::{archive_properties, archive_schema};

use crate::row::Page;

/// Returns the pages as the columns of `schemas/archive.sql`.
pub(crate) fn pages(pages: &[Page]) -> Result<RecordBatch, ArrowError> {
    let schema = archive_schema();
    let columns = schema.fields().iter().map(|field| -> ArrayRef {
        match field.name().as_str() {
            "fetched_at" => times(pages),
            "url" => texts(pages, |page| page.url.as_deref()),
            "html" => Arc::new(BinaryArray::from_iter_values(
                pages.iter().map(|page| &page.html),
            )),
            "request_url" => texts(pages, |page| page.request_url.as_deref()),
            "title" => texts(pages, |page| page.title.as_deref()),
            "content_type" => texts(pages, |page| page.content_type.as_deref()),
            "http_charset" => texts(pages, |page| page.http_charset.as_deref()),
            "http_status" => Arc::new(Int32Array::from_iter(
                pages.iter().map(|page| page.http_status),
            )),
            _ => arrow::array::new_null_array(field.data_type(), pages.len()),
        }
    });
    // Some rows have no URL, as in real archives, although the schema requires one.
    let fields = schema.fields().iter().map(|field| {
        let nullable = field.name() != "fetched_at";
        Field::new(field.name(), field.data_type().clone(), nullable)
    });
    let fields: Vec<Field> = fields.collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.collect())
}

/// Returns the pages with a gold text, as a gold set that needs no other file: `fetched_at, url,
/// lang, gold_text`, and what a replay reads of the archive.
pub(crate) fn gold(pages: &[Page]) -> Result<RecordBatch, ArrowError> {
    let articles: Vec<_> = pages
        .iter()
        .filter_map(|page| Some((page, page.gold.as_ref()?)))
        .collect();
    let schema = Schema::new(vec![
        Field::new(
            "fetched_at",
            DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            false,
        ),
        Field::new("url", DataType::Utf8, true),
        Field::new("lang", DataType::Utf8, false),
        Field::new("gold_text", DataType::Utf8, false),
        Field::new("html", DataType::Binary, false),
        Field::new("title", DataType::Utf8, true),
        Field::new("content_type", DataType::Utf8, true),
        Field::new("http_charset", DataType::Utf8, true),
        Field::new("http_status", DataType::Int32, true),
    ]);
    let times = articles.iter().map(|(page, _)| page.fetched_at);
    let of_page = |column: fn(&Page) -> Option<&str>| -> ArrayRef {
        let values = articles.iter().map(|(page, _)| column(page));
        Arc::new(StringArray::from_iter(values))
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
        of_page(|page| page.url.as_deref()),
        Arc::new(StringArray::from_iter_values(
            articles.iter().map(|(_, gold)| gold.lang),
        )),
        Arc::new(StringArray::from_iter_values(
            articles.iter().map(|(_, gold)| &gold.text),
        )),
        Arc::new(BinaryArray::from_iter_values(
            articles.iter().map(|(page, _)| &page.html),
        )),
        of_page(|page| page.title.as_deref()),
        of_page(|page| page.content_type.as_deref()),
        of_page(|page| page.http_charset.as_deref()),
        Arc::new(Int32Array::from_iter(
            articles.iter().map(|(page, _)| page.http_status),
        )),
    ];
    RecordBatch::try_new(Arc::new(schema), columns)
}

fn times(pages: &[Page]) -> ArrayRef {
    let times = pages.iter().map(|page| page.fetched_at);
    Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC"))
}

fn texts<'a>(pages: &'a [Page], column: fn(&'a Page) -> Option<&'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter(pages.iter().map(column)))
}

/// Encodes rows as a Parquet object.
pub(crate) fn parquet(rows: &RecordBatch) -> Result<Vec<u8>, ParquetError> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, rows.schema(), Some(archive_properties()))?;
    writer.write(rows)?;
    writer.close()?;
    Ok(bytes)
}
