//! The records of a file.

use std::io::{self, Read};

use crate::body::{decoded, without_chunks};
use crate::digest::{self, Check};
use crate::entry::{Capture, Entry, Limits, Origin, Reason, RecordError, Revisit};
use crate::header::{self, Header, RecordType};
use crate::http::{self, Head};
use crate::inside::{Inside, WARC};
use crate::links::Links;
use crate::stream::Stream;

/// Most bytes of the header of a record. Real headers have less than 4 KB.
const MAX_HEADER_BYTES: usize = 1 << 20;
/// Most bytes of the line of an ARC record that is looked at behind a block.
const MAX_ARC_LINE: usize = 16 << 10;
/// Most bytes that are reserved for a block before any of it is read.
const MAX_RESERVED: usize = 1 << 20;
/// Most bytes of blocks that are read twice, per byte of a block. A file with one wrong length needs
/// less than 1. A higher value gives a hostile file more of the time of a reader.
const MAX_READ_AGAIN: u64 = 4;

/// The content of a response or a revisit.
enum Found {
    Capture(Capture),
    Revisit(Revisit),
}

/// The records of a file, in the order of the file. See the crate for an example.
///
/// After an error of [`Reason::Io`] there are no more records.
pub struct Records<R: Read> {
    stream: Stream<R>,
    limits: Limits,
    /// Whether captures of a content type have a body.
    has_body: fn(Option<&str>) -> bool,
    links: Links,
    captures: u64,
    done: bool,
    /// The beginning of a record that was found after bytes that belong to none.
    found: Option<(u64, Vec<u8>)>,
    /// Whether the last record had a wrong length, so that bytes of it follow.
    lied: bool,
    /// Bytes of blocks that were read, and those of them that were put back and come again.
    block_bytes: u64,
    read_again: u64,
}

impl<R: Read> Records<R> {
    /// Reads the file of `reader`.
    pub fn new(reader: R, limits: Limits) -> Self {
        Self {
            stream: Stream::new(reader),
            limits,
            has_body: |_| true,
            links: Links::default(),
            captures: 0,
            done: false,
            found: None,
            lied: false,
            block_bytes: 0,
            read_again: 0,
        }
    }

    /// Captures have a body only if `has_body` is true for their content type. Other bodies are
    /// neither decoded nor compared with the limit.
    #[must_use]
    pub fn with_bodies_of(mut self, has_body: fn(Option<&str>) -> bool) -> Self {
        self.has_body = has_body;
        self
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
        match block.and_then(|block| self.capture(&header, block)) {
            Ok(found) => {
                let (capture, revisit) = match found {
                    Some(Found::Capture(capture)) => (Some(capture), None),
                    Some(Found::Revisit(revisit)) => (None, Some(revisit)),
                    None => (None, None),
                };
                Ok(Entry {
                    record_type,
                    origin,
                    capture,
                    revisit,
                })
            }
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
        // A length may be wrong, so a large block grows as its bytes come.
        let expected = usize::try_from(length).unwrap_or(usize::MAX).min(kept);
        let mut block = Vec::with_capacity(expected.min(MAX_RESERVED));
        let mut left = length;
        let mut inside = Inside::new(self.limits.block_bytes);
        let mut member = self.stream.member();
        while left > 0 {
            let is_end = self.stream.fill()?.is_empty();
            if std::mem::replace(&mut member, self.stream.member()) != member
                && self.stream.peek(WARC.len(), None).starts_with(WARC)
            {
                let problem = format!("the compressed member ends {left} bytes before the record");
                return Ok(Err(Reason::Truncated(problem)));
            }
            if is_end {
                if self.returns_to(inside) {
                    return Ok(Err(Reason::Length(length)));
                }
                let problem = format!("the file ends {left} bytes before the record");
                return Ok(Err(Reason::Truncated(problem)));
            }
            let bytes = self.stream.fill()?;
            let taken = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            inside.look(&bytes[..taken]);
            if block.len() < kept {
                block.extend_from_slice(&bytes[..taken.min(kept - block.len())]);
            }
            self.stream.consume(taken);
            left -= taken as u64;
            self.block_bytes += taken as u64;
        }
        // An error of the bytes after the block is one of the next record.
        let line = self.stream.peek(MAX_ARC_LINE, Some(b'\n'));
        let line = line.split_inclusive(|byte| *byte == b'\n').next();
        let line = line.unwrap_or_default();
        let follows = line.is_empty()
            || line.starts_with(b"\r")
            || line.starts_with(b"\n")
            || header::begins_record(line);
        if !follows {
            self.lied = !self.returns_to(inside);
            return Ok(Err(Reason::Length(length)));
        }
        self.lied = false;
        if kept > 0 && length > kept as u64 {
            return Ok(Err(Reason::TooLarge(kept as u64)));
        }
        Ok(Ok(block))
    }

    /// Goes back to the record inside a block whose length is wrong. Returns false if there is none, or
    /// it cannot be read again.
    fn returns_to(&mut self, inside: Inside) -> bool {
        let Some(bytes) = inside.record() else {
            return false;
        };
        // Each record of a hostile file can claim all bytes behind it.
        let once = self.block_bytes - self.read_again;
        if self.read_again + bytes.len() as u64 > MAX_READ_AGAIN * once {
            return false;
        }
        self.read_again += bytes.len() as u64;
        self.stream.put_back(bytes);
        true
    }

    /// Reads the block of a response or a revisit.
    fn capture(&mut self, header: &Header, mut block: Vec<u8>) -> Result<Option<Found>, Reason> {
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
        let date = header.date.as_deref().and_then(header::time);
        let fetched_at = date.ok_or(Reason::Date)?;
        if !header.partial
            && let Some(stored) = &header.block_digest
            && digest::check(stored, &block) == Check::Wrong
        {
            return Err(Reason::Digest("WARC-Block-Digest"));
        }
        let head = match Head::parse(&block) {
            Some(head) => head,
            None if is_revisit => Head::default(),
            None => return Err(Reason::Http),
        };
        if is_revisit && repeats.is_none() {
            return Ok(Some(Found::Revisit(Revisit {
                url,
                fetched_at,
                status: head.status,
                content_type: head.get("content-type").map(str::to_owned),
                payload_digest: header.payload_digest.clone(),
                refers_to_url: header.refers_to_url.clone(),
                refers_to_time: header.refers_to_date.as_deref().and_then(header::time),
            })));
        }
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
        let content_type = head.get("content-type").map(str::to_owned);
        let x_robots_tag = head.lines("x-robots-tag");
        let tdm_reservation = head.get("tdm-reservation").map(str::to_owned);
        let body = if is_revisit || !(self.has_body)(content_type.as_deref()) {
            Vec::new()
        } else {
            let body = dechunked.unwrap_or_else(|| {
                block.drain(..head.bytes);
                block
            });
            let encodings = head.get("content-encoding");
            decoded(body, encodings, self.limits.body_bytes)?
        };
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
        Ok(Some(Found::Capture(Capture {
            request_url: self.links.request_url(&url),
            url,
            fetched_at,
            status: head.status,
            charset: content_type.as_deref().and_then(http::charset),
            content_type,
            x_robots_tag,
            tdm_reservation,
            body,
            payload_digest,
            position,
            repeats,
        })))
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
