//! Records, captures, revisits and errors, as a reader returns them.

use crate::header::RecordType;
use crate::warning::Warning;

/// The memory that one record may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Most bytes of the block of a response, as it is in the file. The block of a larger response is
    /// skipped, and the record is an error. Common Crawl truncates pages at 1 MiB, since 2025 at 5 MiB.
    pub block_bytes: usize,
    /// Most bytes of a body without its encodings.
    pub body_bytes: usize,
}

impl Default for Limits {
    /// 32 MiB each.
    fn default() -> Self {
        Self {
            block_bytes: 32 << 20,
            body_bytes: 32 << 20,
        }
    }
}

/// The place of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Offset in the file of the record, or of the compressed member in which it begins: the place from
    /// which a reader can read it. All records of a file that is one gzip member have the same, as in
    /// indexes of web archives. Their record ids tell them apart.
    pub offset: u64,
    /// `WARC-Record-ID`. ARC has none.
    pub record_id: Option<String>,
    /// URL of the record.
    pub url: Option<String>,
}

/// A record that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The type.
    pub record_type: RecordType,
    /// The place.
    pub origin: Origin,
    /// The capture, if the record is a response, a resource or a conversion with a web address, or a
    /// revisit of one in this file.
    pub capture: Option<Capture>,
    /// The revisit, if the capture that it repeats is not before it in this file.
    pub revisit: Option<Revisit>,
    /// The `Content-Type` of a record that has neither.
    pub content_type: Option<String>,
    /// Forms of the record that the standards do not have, each once.
    pub warnings: Vec<Warning>,
}

/// A revisit of a capture in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Revisit {
    /// URL of the revisit.
    pub url: String,
    /// Microseconds since 1970, UTC.
    pub fetched_at: i64,
    /// Status code.
    pub status: Option<u16>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `WARC-Payload-Digest`: that of the capture.
    pub payload_digest: Option<String>,
    /// `WARC-Refers-To-Target-URI`: URL of the capture.
    pub refers_to_url: Option<String>,
    /// `WARC-Refers-To-Date`: time of the capture, in microseconds since 1970, UTC.
    pub refers_to_time: Option<i64>,
}

/// A response of HTTP, or a resource without one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capture {
    /// URL of the response.
    pub url: String,
    /// Microseconds since 1970, UTC.
    pub fetched_at: i64,
    /// Status code.
    pub status: Option<u16>,
    /// `Content-Type`: of several types, the last one.
    pub content_type: Option<String>,
    /// Whether the capture is HTML, by its type or by its bytes. Always false for a revisit.
    pub is_html: bool,
    /// The parameter `charset` of `Content-Type`.
    pub charset: Option<String>,
    /// `X-Robots-Tag`, one header per line.
    pub x_robots_tag: Option<String>,
    /// `TDM-Reservation`.
    pub tdm_reservation: Option<String>,
    /// Body without transfer encoding and content encoding. Empty for a revisit, and where
    /// [`Records::html_only`](crate::Records::html_only) leaves it out.
    pub body: Vec<u8>,
    /// First URL of the redirects in this file that lead to the page.
    pub request_url: Option<String>,
    /// `WARC-Payload-Digest`, or the SHA-1 of the payload.
    pub payload_digest: String,
    /// Position of the capture, from 0 upwards. Only captures with a body count.
    pub position: u64,
    /// For a revisit: position of the capture that has the body.
    pub repeats: Option<u64>,
}

/// The reason why a record is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The bytes at the offset do not begin a record.
    #[error("no record begins here")]
    NotARecord,
    /// The header of the record.
    #[error("the header of the record cannot be read: {0}")]
    Header(&'static str),
    /// The file, the compressed member or the record ends too early.
    #[error("the record is truncated: {0}")]
    Truncated(String),
    /// The compressed member is broken.
    #[error("the compressed member is broken: {0}")]
    Compression(String),
    /// The bytes after the block begin no record: the length of the record is wrong.
    #[error("Content-Length is wrong: no record ends {0} bytes after its header")]
    Length(u64),
    /// The block or the payload differs from the digest in the header.
    #[error("{0} is not the digest of the record")]
    Digest(&'static str),
    /// The record is larger than a limit.
    #[error("the record exceeds the limit of {0} bytes")]
    TooLarge(u64),
    /// A response without a status line.
    #[error("the response has no status line")]
    Http,
    /// The content encoding is unknown or broken.
    #[error("Content-Encoding cannot be removed: {0}")]
    ContentEncoding(String),
    /// A parser panicked.
    #[error("{0}")]
    Parser(String),
    /// The time of the record is missing or has another form.
    #[error("WARC-Date is missing or not a time")]
    Date,
    /// The file cannot be read any further.
    #[error("the file cannot be read: {0}")]
    Io(String),
}

impl Reason {
    /// Returns the reason without what differs from record to record.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotARecord => "no record begins here",
            Self::Header(_) => "the header cannot be read",
            Self::Truncated(_) => "truncated",
            Self::Compression(_) => "a broken compressed member",
            Self::Length(_) => "a wrong Content-Length",
            Self::Digest(_) => "another digest",
            Self::TooLarge(_) => "too large",
            Self::Http => "no status line",
            Self::ContentEncoding(_) => "the Content-Encoding cannot be removed",
            Self::Parser(_) => "parser",
            Self::Date => "no WARC-Date",
            Self::Io(_) => "the file cannot be read",
        }
    }
}

/// A record that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("offset {}: {reason}", origin.offset)]
pub struct RecordError {
    /// The place, as far as it is known.
    pub origin: Origin,
    /// The type, if the header was read.
    pub record_type: Option<RecordType>,
    /// The reason.
    pub reason: Reason,
}

impl Origin {
    pub(crate) fn new(offset: u64, record_id: Option<String>, url: Option<String>) -> Self {
        Self {
            offset,
            record_id,
            url,
        }
    }

    pub(crate) fn at(offset: u64) -> Self {
        Self::new(offset, None, None)
    }
}
