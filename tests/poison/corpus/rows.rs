//! URLs, headers, and content that is not HTML.

use super::Outcome::{Document, Quarantine};
use super::Poison;
use crate::support::Row;

fn url(row: Row, url: impl Into<String>) -> Row {
    let url = Some(url.into());
    Row { url, ..row }
}

fn html(row: Row, html: impl Into<Vec<u8>>) -> Row {
    let html = Some(html.into());
    Row { html, ..row }
}

/// A page in Latin-1, whose letters differ in other charsets.
fn latin(row: Row, declared: &str) -> Row {
    let http_charset = Some(declared.to_owned());
    Row {
        http_charset,
        ..html(row, b"<p>caf\xe9 cr\xe8me, na\xefve \xe0 No\xebl".to_vec())
    }
}

pub(super) const ROWS: &[Poison] = &[
    // URLs.
    Poison::row(
        "a URL of a megabyte",
        |row| {
            url(
                row,
                format!("http://poison.example/{}", "x".repeat(1 << 20)),
            )
        },
        Quarantine("url_limit"),
    ),
    Poison::row(
        "a path of a thousand segments",
        |row| url(row, format!("http://poison.example{}", "/x".repeat(1000))),
        Quarantine("url_limit"),
    ),
    Poison::row(
        "a query of two thousand parameters",
        |row| {
            url(
                row,
                format!("http://poison.example/?{}", "a=1&".repeat(2000)),
            )
        },
        Document(&[]),
    ),
    Poison::row(
        "a host of many labels",
        |row| url(row, format!("http://{}poison.example/", "x.".repeat(2000))),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "a host of one long label",
        |row| url(row, format!("http://{}.example/", "x".repeat(4000))),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "control characters in a URL",
        |row| url(row, "http://poison.example/a\u{1}\tb\nc\r\u{7f}\0d"),
        Document(&[]),
    ),
    Poison::row(
        "control characters in a host",
        |row| url(row, "http://poi\u{1}son.example/"),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "a host of dots",
        |row| url(row, "http://....../x"),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "no host",
        |row| url(row, "http:///"),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "a URL of spaces",
        |row| url(row, "   \n\t "),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "an empty URL",
        |row| url(row, ""),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "a data URL",
        |row| url(row, "data:text/html,<p>x"),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "a file URL",
        |row| url(row, "file:///etc/passwd"),
        Quarantine("invalid_url"),
    ),
    Poison::row(
        "segments that climb",
        |row| {
            url(
                row,
                "http://poison.example/a/..%2f..%2f..%2fetc/%2e%2e/x.html",
            )
        },
        Document(&[]),
    ),
    Poison::row(
        "segments with slashes and quotes",
        |row| {
            url(
                row,
                "http://poison.example/%2f%5c'%22;--/date=2011-10-01/x.html",
            )
        },
        Document(&[]),
    ),
    Poison::row(
        "segments that are no UTF-8",
        |row| url(row, "http://poison.example/%ff%fe%00/%ed%a0%80/x.html"),
        Document(&[]),
    ),
    Poison::row(
        "percent signs",
        |row| url(row, format!("http://poison.example/{}", "%25".repeat(2000))),
        Document(&[]),
    ),
    Poison::row(
        "an address of a machine",
        |row| url(row, "http://0x7f.1/x.html"),
        Document(&[]),
    ),
    Poison::row(
        "a scheme with a script",
        |row| url(row, "javascript:alert(1)"),
        Quarantine("invalid_url"),
    ),
    // Other columns.
    Poison::row(
        "a title of ten megabytes",
        |row| Row {
            title: Some("title ".repeat(1_700_000)),
            ..row
        },
        Document(&[]),
    ),
    Poison::row(
        "a charset of nonsense",
        |row| latin(row, "../../etc/passwd\0'"),
        Document(&["unknown_charset"]),
    ),
    Poison::row(
        "a charset of a megabyte",
        |row| latin(row, &"x".repeat(1 << 20)),
        Document(&["unknown_charset"]),
    ),
    Poison::row(
        "a charset that is wrong",
        |row| latin(row, "utf-8"),
        Document(&["charset_mismatch"]),
    ),
    Poison::row(
        "a charset of two bytes",
        |row| latin(row, "utf-16le"),
        Document(&["charset_mismatch"]),
    ),
    Poison::row(
        "a charset that is none",
        |row| latin(row, "replacement"),
        Document(&["unknown_charset"]),
    ),
    Poison::row(
        "a content type of a megabyte",
        |row| Row {
            content_type: Some(format!("text/html; {}", "x;".repeat(500_000))),
            ..row
        },
        Document(&[]),
    ),
    Poison::row(
        "a status of no response",
        |row| Row {
            http_status: Some(i32::MIN),
            ..row
        },
        Quarantine("http_status"),
    ),
    // Other formats.
    Poison::row(
        "a gzip bomb",
        |row| html(row, b"\x1f\x8b\x08\0\0\0\0\0\0\x03".repeat(1000)),
        Quarantine("binary_html"),
    ),
    Poison::row(
        "an archive",
        |row| html(row, b"PK\x03\x04\x14\0".to_vec()),
        Quarantine("binary_html"),
    ),
    Poison::row(
        "a picture",
        |row| html(row, b"\x89PNG\r\n\x1a\n\0\0\0".to_vec()),
        Quarantine("binary_html"),
    ),
    Poison::row(
        "white space alone",
        |row| html(row, vec![b' '; 10_000_000]),
        Quarantine("empty_html"),
    ),
    Poison::row("one byte", |row| html(row, b"<".to_vec()), Document(&[])),
    Poison::row(
        "a byte order mark alone",
        |row| html(row, b"\xef\xbb\xbf".to_vec()),
        Quarantine("empty_html"),
    ),
];
