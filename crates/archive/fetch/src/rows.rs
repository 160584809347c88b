//! Rows of a commit: pages and failures.

use std::fs::File;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use chrono::{DateTime, Utc};
use import::output::{Body, SpooledBodies, TemporaryFolder, write_pages};
use parquet::errors::ParquetError;

/// A row of the archive without its HTML, which is in the spool.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) fetched_at: DateTime<Utc>,
    pub(crate) url: String,
    pub(crate) request_url: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) status: i32,
    pub(crate) x_robots_tag: Option<String>,
    pub(crate) tdm_reservation: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) published_at: Option<DateTime<Utc>>,
    pub(crate) feed_url: String,
    pub(crate) body: Body,
}

/// A feed or a page that failed.
#[derive(Debug, Clone)]
pub(crate) struct FailedRow {
    pub(crate) failed_at: DateTime<Utc>,
    pub(crate) site: String,
    pub(crate) feed_url: String,
    /// The page, or `None` if the feed failed.
    pub(crate) url: Option<String>,
    pub(crate) reason: &'static str,
    pub(crate) detail: String,
}

pub(crate) fn text(name: &str, nullable: bool) -> Field {
    Field::new(name, DataType::Utf8, nullable)
}

pub(crate) fn time(name: &str, nullable: bool) -> Field {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    Field::new(name, time, nullable)
}

pub(crate) fn times(times: impl Iterator<Item = Option<DateTime<Utc>>>) -> ArrayRef {
    let micros = times.map(|time| time.map(|time| time.timestamp_micros()));
    Arc::new(TimestampMicrosecondArray::from_iter(micros).with_timezone("UTC"))
}

pub(crate) fn texts<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(StringArray::from_iter(texts))
}

/// The columns of `schemas/archive.sql` that a page of a feed has. HTML is the last.
fn page_schema() -> Arc<Schema> {
    Arc::new(Schema::new(vec![
        time("fetched_at", false),
        text("url", false),
        text("request_url", true),
        text("title", true),
        text("content_type", true),
        Field::new("http_status", DataType::Int32, true),
        text("x_robots_tag", true),
        text("tdm_reservation", true),
        text("description", true),
        time("published_at", true),
        text("feed_url", true),
        Field::new("html", DataType::Binary, false),
    ]))
}

/// Writes `pages` to a temporary file.
pub(crate) fn pages(
    pages: &[Page],
    bodies: &SpooledBodies,
    folder: &TemporaryFolder,
) -> Result<File, ParquetError> {
    let schema = page_schema();
    let batch = |pages: &[Page]| {
        let of = |column: fn(&Page) -> Option<&str>| texts(pages.iter().map(column));
        let columns: Vec<ArrayRef> = vec![
            times(pages.iter().map(|page| Some(page.fetched_at))),
            of(|page| Some(&page.url)),
            of(|page| page.request_url.as_deref()),
            of(|page| page.title.as_deref()),
            of(|page| page.content_type.as_deref()),
            Arc::new(Int32Array::from_iter_values(
                pages.iter().map(|page| page.status),
            )),
            of(|page| page.x_robots_tag.as_deref()),
            of(|page| page.tdm_reservation.as_deref()),
            of(|page| page.description.as_deref()),
            times(pages.iter().map(|page| page.published_at)),
            of(|page| Some(&page.feed_url)),
            Arc::new(bodies.column(pages.iter().map(|page| page.body))?),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&schema), columns)?)
    };
    write_pages(&schema, pages, |page| page.body.bytes(), batch, folder)
}

/// Writes failures to a temporary file.
pub(crate) fn failures(rows: &[FailedRow], folder: &TemporaryFolder) -> Result<File, ParquetError> {
    let schema = Arc::new(Schema::new(vec![
        time("failed_at", false),
        text("site", false),
        text("feed_url", false),
        text("url", true),
        text("reason", false),
        text("detail", false),
    ]));
    let batch = |rows: &[FailedRow]| {
        let of = |column: fn(&FailedRow) -> Option<&str>| texts(rows.iter().map(column));
        let columns: Vec<ArrayRef> = vec![
            times(rows.iter().map(|row| Some(row.failed_at))),
            of(|row| Some(&row.site)),
            of(|row| Some(&row.feed_url)),
            of(|row| row.url.as_deref()),
            of(|row| Some(row.reason)),
            of(|row| Some(&row.detail)),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&schema), columns)?)
    };
    write_pages(&schema, rows, |_| 0, batch, folder)
}
