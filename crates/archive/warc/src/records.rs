//! The records of a file.

use std::io::{self, Read};

use crate::body::{decoded, without_chunks};
use crate::digest::{self, Check};
use crate::header::{self, Header, RecordType};
use crate::http::{self, Head};
use crate::links::Links;
use crate::stream::Stream;

/// Most bytes of the header of a record. Real headers have less than 4 KB.
const MAX_HEADER_BYTES: usize = 1 << 20;

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
    /// Offset in the file of the record, or of the compressed member in which it begins.
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
    /// The capture, if the record is a response of HTTP, or a revisit of one in this file.
    pub capture: Option<Capture>,
}

/// A response of HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capture {
    /// URL of the response.
    pub url: String,
    /// Microseconds since 1970, UTC.
    pub fetched_at: i64,
    /// Status code.
    pub status: Option<u16>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// The parameter `charset` of `Content-Type`.
    pub charset: Option<String>,
    /// Body without transfer encoding and content encoding. Empty for a revisit.
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
    /// The time of the record is missing or has another form.
    #[error("WARC-Date is missing or not a time")]
    Date,
    /// The file cannot be read any further.
    #[error("the file cannot be read: {0}")]
    Io(String),
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

/// The records of a file, in the order of the file. See the crate for an example.
///
/// After an error of [`Reason::Io`] there are no more records.
pub struct Records<R: Read> {
    stream: Stream<R>,
    limits: Limits,
    links: Links,
    captures: u64,
    done: bool,
    /// The beginning of a record that was found after bytes that belong to none.
    found: Option<(u64, Vec<u8>)>,
    /// Whether the last record had a wrong length, so that bytes of it follow.
    lied: bool,
}

impl<R: Read> Records<R> {
    /// Reads the file of `reader`.
    pub fn new(reader: R, limits: Limits) -> Self {
        Self {
            stream: Stream::new(reader),
            limits,
            links: Links::default(),
            captures: 0,
            done: false,
            found: None,
            lied: false,
        }
    }

    /// Reads a line with its end, or as much of it as there is. Longer lines are cut.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let bytes = self.stream.fill()?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            let kept = taken.min(MAX_HEADER_BYTES - line.len().min(MAX_HEADER_BYTES));
            line.extend_from_slice(&bytes[..kept]);
            self.stream.consume(taken);
            if end.is_some() || taken == 0 {
                return Ok(line);
            }
        }
    }

    /// Reads up to the line that begins the next record. Returns its offset and the line, or `None`
    /// at the end of the file.
    fn next_start(&mut self) -> Result<Option<(u64, Vec<u8>)>, RecordError> {
        if let Some(start) = self.found.take() {
            return Ok(Some(start));
        }
        let mut strange = None;
        loop {
            // Fills first: the offset of a compressed record is that of its member.
            let ended = self.stream.fill().map(<[u8]>::is_empty);
            let offset = self.stream.offset();
            let line = ended.and_then(|ended| {
                if ended {
                    Ok(None)
                } else {
                    self.line().map(Some)
                }
            });
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    let broken = self.broken(Origin::at(offset), None, &error);
                    return Err(strange.unwrap_or(broken));
                }
            };
            let start = line.filter(|line| !line.iter().all(u8::is_ascii_whitespace));
            let ended = start.is_none() && self.stream.fill().is_ok_and(<[u8]>::is_empty);
            let start = start.map(|line| (offset, line));
            match start {
                Some((_, line)) if !header::begins_record(&line) => {
                    strange.get_or_insert_with(|| RecordError {
                        origin: Origin::at(offset),
                        record_type: None,
                        reason: Reason::NotARecord,
                    });
                }
                Some(start) if strange.is_none() => return Ok(Some(start)),
                Some(start) => self.found = Some(start),
                None => {}
            }
            if (ended || self.found.is_some())
                && let Some(error) = strange.take()
            {
                if !std::mem::take(&mut self.lied) {
                    return Err(error);
                }
                if self.found.is_some() {
                    return Ok(self.found.take());
                }
            }
            if ended {
                return Ok(None);
            }
        }
    }

    /// Returns the error of a file or member that cannot be read, and leaves the member. The file
    /// ends here if that is not possible.
    fn broken(
        &mut self,
        origin: Origin,
        record_type: Option<RecordType>,
        error: &io::Error,
    ) -> RecordError {
        let reason = match error.kind() {
            io::ErrorKind::UnexpectedEof => Reason::Truncated("the file ends".to_owned()),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other
                if self.stream.is_compressed() =>
            {
                Reason::Compression(error.to_string())
            }
            _ => Reason::Io(error.to_string()),
        };
        let lost = matches!(reason, Reason::Io(_));
        self.done = lost || !self.stream.skip_member().unwrap_or(false);
        RecordError {
            origin,
            record_type,
            reason,
        }
    }

    /// Reads the record that begins with `line` at `offset`.
    fn read(&mut self, offset: u64, line: &[u8]) -> Result<Entry, RecordError> {
        let mut origin = Origin::at(offset);
        let header = match header::arc(line) {
            Some(header) => Ok(header),
            None => match self.header_lines() {
                Ok(lines) => header::warc(&lines),
                Err(error) => return Err(self.broken(origin, None, &error)),
            },
        };
        let header = header.map_err(|problem| RecordError {
            origin: origin.clone(),
            record_type: None,
            reason: Reason::Header(problem),
        })?;
        origin.record_id.clone_from(&header.record_id);
        origin.url.clone_from(&header.url);
        let kept = if header.is_http() {
            self.limits.block_bytes
        } else {
            0
        };
        let record_type = header.record_type.clone();
        let block = match self.block(header.length, kept) {
            Ok(block) => block,
            Err(error) => return Err(self.broken(origin, Some(record_type), &error)),
        };
        match block.and_then(|block| self.capture(&header, &block)) {
            Ok(capture) => Ok(Entry {
                record_type,
                origin,
                capture,
            }),
            Err(reason) => Err(RecordError {
                origin,
                record_type: Some(record_type),
                reason,
            }),
        }
    }

    /// Reads lines up to an empty one.
    fn header_lines(&mut self) -> io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        loop {
            let line = self.line()?;
            if line.iter().all(u8::is_ascii_whitespace) {
                return Ok(lines);
            }
            if lines.len() < MAX_HEADER_BYTES {
                lines.extend_from_slice(&line);
            }
        }
    }

    /// Reads a block of `length` bytes. Keeps nothing if `kept` is 0. The outer error is one of the
    /// file, the inner error one of the record.
    fn block(&mut self, length: u64, kept: usize) -> io::Result<Result<Vec<u8>, Reason>> {
        let mut block = Vec::new();
        let mut left = length;
        let mut member = self.stream.member();
        while left > 0 {
            let bytes = self.stream.fill()?;
            let taken = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if taken == 0 {
                let problem = format!("the file ends {left} bytes before the record");
                return Ok(Err(Reason::Truncated(problem)));
            }
            let is_record = bytes.starts_with(b"WARC/");
            if block.len() < kept {
                block.extend_from_slice(&bytes[..taken.min(kept - block.len())]);
            }
            if std::mem::replace(&mut member, self.stream.member()) != member && is_record {
                let problem = format!("the compressed member ends {left} bytes before the record");
                return Ok(Err(Reason::Truncated(problem)));
            }
            self.stream.consume(taken);
            left -= taken as u64;
        }
        // An error of the bytes after the block is one of the next record.
        let next = self.stream.fill().unwrap_or_default();
        let line = next.split_inclusive(|byte| *byte == b'\n').next();
        let line = line.unwrap_or_default();
        let follows = line.is_empty()
            || line.starts_with(b"\r")
            || line.starts_with(b"\n")
            || header::begins_record(line);
        self.lied = !follows;
        if !follows {
            return Ok(Err(Reason::Length(length)));
        }
        if kept > 0 && length > kept as u64 {
            return Ok(Err(Reason::TooLarge(kept as u64)));
        }
        Ok(Ok(block))
    }

    /// Turns the block of a response or a revisit into a capture.
    fn capture(&mut self, header: &Header, block: &[u8]) -> Result<Option<Capture>, Reason> {
        if !header.is_http() {
            return Ok(None);
        }
        let Some(url) = header.url.clone() else {
            return Err(Reason::Header("it has no WARC-Target-URI"));
        };
        let is_revisit = header.record_type == RecordType::Revisit;
        let repeats = (header.payload_digest.as_deref())
            .filter(|_| is_revisit)
            .and_then(|digest| self.links.repeated(digest));
        if is_revisit && repeats.is_none() {
            return Ok(None);
        }
        let date = header.date.as_deref().and_then(header::time);
        let fetched_at = date.ok_or(Reason::Date)?;
        if !header.partial
            && let Some(stored) = &header.block_digest
            && digest::check(stored, block) == Check::Wrong
        {
            return Err(Reason::Digest("WARC-Block-Digest"));
        }
        let head = match Head::parse(block) {
            Some(head) => head,
            None if is_revisit => Head::default(),
            None => return Err(Reason::Http),
        };
        let payload = &block[head.bytes..];
        let chunked = (head.get("transfer-encoding"))
            .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
        let dechunked = chunked.then(|| without_chunks(payload)).flatten();
        if !header.partial
            && !is_revisit
            && let Some(stored) = &header.payload_digest
            && digest::check(stored, payload) == Check::Wrong
            // Crawlers disagree on whether the chunks are part of the payload.
            && !(dechunked.as_deref()).is_some_and(|bytes| digest::check(stored, bytes) == Check::Right)
        {
            return Err(Reason::Digest("WARC-Payload-Digest"));
        }
        let payload_digest = header.payload_digest.clone();
        let payload_digest = payload_digest.unwrap_or_else(|| digest::sha1_of(payload));
        let body = dechunked.unwrap_or_else(|| payload.to_vec());
        let encodings = head.get("content-encoding");
        let body = decoded(body, encodings, self.limits.body_bytes)?;
        if let (Some(301 | 302 | 303 | 307 | 308), Some(target)) =
            (head.status, head.get("location"))
        {
            self.links.redirect(&url, target);
        }
        let position = self.captures;
        if !is_revisit {
            self.links.capture(&payload_digest, position);
            self.captures += 1;
        }
        let content_type = head.get("content-type").map(str::to_owned);
        Ok(Some(Capture {
            request_url: self.links.request_url(&url),
            url,
            fetched_at,
            status: head.status,
            charset: content_type.as_deref().and_then(http::charset),
            content_type,
            body: if is_revisit { Vec::new() } else { body },
            payload_digest,
            position,
            repeats,
        }))
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Entry, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        match self.next_start() {
            Ok(Some((offset, line))) => Some(self.read(offset, &line)),
            Ok(None) => {
                self.done = true;
                None
            }
            Err(error) => Some(Err(error)),
        }
    }
}

impl Origin {
    fn at(offset: u64) -> Self {
        Self {
            offset,
            record_id: None,
            url: None,
        }
    }
}

impl Header {
    /// Whether the record has a response of HTTP, or repeats one.
    fn is_http(&self) -> bool {
        let url = self.url.as_deref().unwrap_or_default();
        let is_web = url.starts_with("http:") || url.starts_with("https:");
        match self.record_type {
            RecordType::Response if self.arc => is_web,
            RecordType::Response => (self.content_type.as_deref().unwrap_or_default())
                .to_ascii_lowercase()
                .starts_with("application/http"),
            RecordType::Revisit => is_web,
            _ => false,
        }
    }
}
