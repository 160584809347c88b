//! Documents as records of a WARC file, in the form of the WET files of Common Crawl.

use std::io::Write;

use arrow::array::{Array, AsArray, RecordBatch};
use chrono::{DateTime, NaiveDate, SecondsFormat};
use data_encoding::BASE32;
use flate2::write::GzEncoder;
use sha1::{Digest, Sha1};

use crate::documents::{DATE, ID, TEXT, URL, languages};
use crate::error::EncodeError;

/// Namespace of the ids of records, as of version 5 of RFC 9562: that of URLs.
const NAMESPACE: [u8; 16] = [
    0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
];

/// A document whose `date` is neither a date nor a time.
#[derive(Debug)]
pub(crate) struct NoDate {
    /// The document, from 0.
    pub(crate) row: usize,
    pub(crate) text: String,
}

/// Returns each document as a compressed `conversion` record.
pub(crate) fn records(
    documents: &RecordBatch,
) -> Result<Result<Vec<Vec<u8>>, NoDate>, EncodeError> {
    let column = |at: usize| documents.column(at).as_string::<i32>();
    let (ids, texts, urls, dates) = (column(ID), column(TEXT), column(URL), column(DATE));
    let languages = languages(documents);
    let mut records = Vec::with_capacity(documents.num_rows());
    for row in 0..documents.num_rows() {
        let Some(date) = warc_date(dates.value(row)) else {
            let text = dates.value(row).to_owned();
            return Ok(Err(NoDate { row, text }));
        };
        let language = languages
            .filter(|languages| languages.is_valid(row))
            .and_then(|languages| text::language::three_letters(languages.value(row)));
        let text = texts.value(row).as_bytes();
        let mut fields = vec![
            ("WARC-Type", "conversion".to_owned()),
            ("WARC-Target-URI", without_controls(urls.value(row))),
            ("WARC-Date", date),
            ("WARC-Record-ID", record_id(&["conversion", ids.value(row)])),
            ("WARC-Block-Digest", digest(text)),
        ];
        fields.extend(language.map(|code| ("WARC-Identified-Content-Language", code.to_owned())));
        fields.push(("Content-Type", "text/plain".to_owned()));
        records.push(record(&fields, text)?);
    }
    Ok(Ok(records))
}

/// Returns the `warcinfo` record at the start of the file `name`, whose first documents are `documents`. Its
/// date is that of the first document: an export has no clock.
pub(crate) fn warcinfo(name: &str, documents: &RecordBatch) -> Result<Vec<u8>, EncodeError> {
    let first = |at: usize| documents.column(at).as_string::<i32>().value(0);
    let content = concat!(
        "software: urltree/",
        env!("CARGO_PKG_VERSION"),
        "\r\nformat: WARC File Format 1.0\r\n\
         conformsTo: http://bibnum.bnf.fr/WARC/WARC_ISO_28500_version1_latestdraft.pdf\r\n"
    );
    let fields = [
        ("WARC-Type", "warcinfo".to_owned()),
        ("WARC-Date", warc_date(first(DATE)).unwrap_or_default()),
        ("WARC-Filename", name.to_owned()),
        ("WARC-Record-ID", record_id(&["warcinfo", name, first(ID)])),
        ("Content-Type", "application/warc-fields".to_owned()),
    ];
    record(&fields, content.as_bytes())
}

fn record(fields: &[(&str, String)], block: &[u8]) -> Result<Vec<u8>, EncodeError> {
    let mut member = GzEncoder::new(Vec::new(), flate2::Compression::default());
    member.write_all(b"WARC/1.0\r\n")?;
    for (name, value) in fields {
        write!(member, "{name}: {value}\r\n")?;
    }
    write!(member, "Content-Length: {}\r\n\r\n", block.len())?;
    member.write_all(block)?;
    member.write_all(b"\r\n\r\n")?;
    Ok(member.finish()?)
}

/// Returns a time in the form of WARC 1.0, which has whole seconds.
fn warc_date(text: &str) -> Option<String> {
    let time = match DateTime::parse_from_rfc3339(text) {
        Ok(time) => time.to_utc(),
        Err(_) => text
            .parse::<NaiveDate>()
            .ok()?
            .and_hms_opt(0, 0, 0)?
            .and_utc(),
    };
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, true))
}

/// Returns the URL with blanks and control characters encoded, which would end a field or its line.
fn without_controls(url: &str) -> String {
    let mut safe = String::with_capacity(url.len());
    for c in url.chars() {
        if c.is_control() || c.is_whitespace() {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                safe.push_str(&format!("%{byte:02X}"));
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

fn digest(block: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&Sha1::digest(block)))
}

/// Returns a UUID that is a function of `parts`.
fn record_id(parts: &[&str]) -> String {
    let mut hash = Sha1::new_with_prefix(NAMESPACE);
    hash.update("urltree:");
    hash.update(parts.join(":"));
    let hash = hash.finalize();
    let mut id = [0; 16];
    id.copy_from_slice(&hash[..16]);
    id[6] = id[6] & 0x0f | 0x50;
    id[8] = id[8] & 0x3f | 0x80;
    let hex = hex::encode(id);
    format!(
        "<urn:uuid:{}-{}-{}-{}-{}>",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_of_warc_has_whole_seconds() {
        for (text, expected) in [
            ("2011-10-25T05:34:34.229505Z", Some("2011-10-25T05:34:34Z")),
            ("2011-10-25T05:34:34+02:00", Some("2011-10-25T03:34:34Z")),
            ("2011-10-25", Some("2011-10-25T00:00:00Z")),
            ("yesterday", None),
        ] {
            assert_eq!(warc_date(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_url_cannot_add_a_field() {
        let url = "http://a.example/\r\nWARC-Type: response b\u{85}\u{2028}é";
        let safe = without_controls(url);
        assert_eq!(
            safe,
            "http://a.example/%0D%0AWARC-Type:%20response%20b%C2%85%E2%80%A8é"
        );
    }

    #[test]
    fn an_id_is_a_uuid_of_version_5() {
        let id = record_id(&["conversion", "1"]);
        assert_eq!(id, record_id(&["conversion", "1"]));
        assert_ne!(id, record_id(&["conversion", "2"]));
        assert_eq!((id.len(), &id[24..25]), (47, "5"), "{id}");
    }
}
