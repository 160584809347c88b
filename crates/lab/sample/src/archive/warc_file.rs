//! Writes the sample as WARC files, as a crawler would have left it.

use std::io::{self, Write};

use chrono::{DateTime, NaiveDate};
use flate2::Compression;
use flate2::write::GzEncoder;
use md5::{Digest, Md5};
use object_store::ObjectStoreExt;
use tables::Location;

use super::SampleError;
use crate::options::SampleOptions;
use crate::row::Page;

/// Writes the pages of the sample of `options` as `warc/DATE.warc.gz` below `output`, one gzip member
/// per record. Returns the number of files. Files of an existing sample with these dates are replaced.
///
/// A page that was redirected has a second record for the redirect. A row without a URL has no record,
/// because readers of WARC files fail at responses without one. WARC files have no titles of feeds.
///
/// # Errors
/// [`SampleError::Store`].
pub async fn write_sample_warc(
    options: &SampleOptions,
    output: &Location,
) -> Result<u64, SampleError> {
    let folder = output.child("warc");
    let mut files = 0;
    for (date, pages) in crate::days::Days::new(options) {
        let at = folder.child(&format!("{date}.warc.gz"));
        let failed = |source| SampleError::Store {
            object: at.to_string(),
            source,
        };
        let bytes = file(date, &pages).map_err(|source| {
            failed(object_store::Error::Generic {
                store: "memory",
                source: source.into(),
            })
        })?;
        let put = at.store().put(at.path(), bytes.into()).await;
        put.map_err(failed)?;
        files += 1;
    }
    Ok(files)
}

fn file(date: NaiveDate, pages: &[Page]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let id = format!("{date}/{number}");
        let (asked, url) = (page.request_url.as_deref(), page.url.as_deref());
        if let (Some(asked), Some(url)) = (asked, url)
            && asked != url
        {
            let moved = format!("HTTP/1.1 301 Moved Permanently\r\nLocation: {url}\r\n\r\n");
            let id = format!("{id}/redirect");
            record(&mut bytes, &id, page.fetched_at, asked, moved.as_bytes())?;
        }
        if let Some(url) = url.or(asked) {
            let block = [head(page).as_bytes(), &page.html].concat();
            record(&mut bytes, &id, page.fetched_at, url, &block)?;
        }
    }
    Ok(bytes)
}

/// The head of the response.
fn head(page: &Page) -> String {
    let status = page.http_status.unwrap_or(200);
    let charset = match &page.http_charset {
        Some(charset) => format!("; charset={charset}"),
        None => String::new(),
    };
    let content_type = match &page.content_type {
        Some(content_type) => format!("Content-Type: {content_type}{charset}\r\n"),
        None => String::new(),
    };
    format!("HTTP/1.1 {status} -\r\n{content_type}\r\n")
}

/// Appends a response.
fn record(
    bytes: &mut Vec<u8>,
    id: &str,
    fetched_at: i64,
    url: &str,
    block: &[u8],
) -> io::Result<()> {
    let time = DateTime::from_timestamp_micros(fetched_at).unwrap_or_default();
    let time = time.format("%Y-%m-%dT%H:%M:%S%.6fZ");
    let url = url.replace(['\r', '\n'], " ");
    let digest: [u8; 16] = Md5::digest(id.as_bytes()).into();
    let header = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n\
         WARC-Record-ID: <urn:uuid:{}>\r\nContent-Type: application/http;msgtype=response\r\n\
         Content-Length: {}\r\n\r\n",
        uuid(digest),
        block.len()
    );
    let mut member = GzEncoder::new(bytes, Compression::fast());
    member.write_all(header.as_bytes())?;
    member.write_all(block)?;
    member.write_all(b"\r\n\r\n")?;
    member.finish()?;
    Ok(())
}

fn uuid(bytes: [u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}
