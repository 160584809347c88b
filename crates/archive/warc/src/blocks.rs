//! The blocks of the records of a file.

use std::io::{self, Read};

use boundary::ParserPanic;

use crate::entry::{Limits, Origin, Reason, RecordError};
use crate::header::{self, Header, Known, RecordType};
use crate::inside::{Inside, WARC};
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

/// Bytes that belong to no record that was read: one lost record, as far as it is known.
struct Lost {
    error: RecordError,
    /// The compressed member of the bytes.
    member: u64,
    /// Whether a line said something about the record, and whether its header has ended.
    is_known: bool,
    has_ended: bool,
}

/// A record with the bytes of its block, if it may be a capture.
#[derive(Debug)]
pub struct Block {
    pub(crate) header: Header,
    pub(crate) origin: Origin,
    pub(crate) bytes: Vec<u8>,
}

impl Block {
    /// Bytes of the block.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// URL of the record.
    pub fn url(&self) -> Option<&str> {
        self.header.url.as_deref()
    }

    /// Seconds since 1970, UTC. Fractions are cut.
    pub fn seconds(&self) -> Option<i64> {
        self.header.time.map(|micros| micros.div_euclid(1_000_000))
    }

    /// `WARC-Payload-Digest`.
    pub fn payload_digest(&self) -> Option<&str> {
        self.header.payload_digest.as_deref()
    }
}

/// The records of a file in its order, whose content is not read: only their headers and lengths are.
///
/// After an error of [`Reason::Io`] there are no more records.
pub struct Blocks<R: Read> {
    stream: Stream<R>,
    max_block_bytes: usize,
    done: bool,
    /// The beginning of a record, or an error, behind bytes that belong to no record.
    found: Option<Result<(u64, Vec<u8>), RecordError>>,
    /// Bytes that belong to no record so far.
    lost: Option<Lost>,
    /// Whether the last record had a wrong length, so that bytes of it follow.
    lied: bool,
    /// Bytes of blocks that were read, and those of them that were put back and come again.
    block_bytes: u64,
    read_again: u64,
}

impl<R: Read> Blocks<R> {
    /// Reads the file of `reader`.
    pub fn new(reader: R, limits: Limits) -> Self {
        Self {
            stream: Stream::new(reader),
            max_block_bytes: limits.block_bytes,
            done: false,
            found: None,
            lost: None,
            lied: false,
            block_bytes: 0,
            read_again: 0,
        }
    }

    /// Reads a line with its end, or as much of it as there is. Longer lines are cut.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let bytes = self.stream.fill()?;
            let end = memchr::memchr(b'\n', bytes);
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
    /// at the end of the file. Bytes before it are an error for each record that they are known to be
    /// of, or one.
    fn next_start(&mut self) -> Result<Option<(u64, Vec<u8>)>, RecordError> {
        if let Some(found) = self.found.take() {
            return found.map(Some);
        }
        // The line before, if it belongs to no record.
        let mut before = None;
        loop {
            // Fills first: the offset of a compressed record is that of its member.
            let ended = self.stream.fill().map(<[u8]>::is_empty);
            let (offset, member) = (self.stream.offset(), self.stream.member());
            let line = match ended {
                Ok(true) => None,
                Ok(false) => Some(self.line()),
                Err(error) => Some(Err(error)),
            };
            let found = match line {
                None => match self.end_of_lost() {
                    Some(error) => return Err(error),
                    None => return Ok(None),
                },
                Some(Err(error)) => Err(self.broken(Origin::at(offset), None, &error)),
                Some(Ok(line)) if line.iter().all(u8::is_ascii_whitespace) => {
                    if let Some(lost) = &mut self.lost {
                        lost.has_ended = lost.is_known;
                    }
                    before = None;
                    continue;
                }
                Some(Ok(line)) if header::begins_record(&line) => Ok((offset, line)),
                Some(Ok(line)) => {
                    let start = before.replace(offset).unwrap_or(offset);
                    if let Some(error) = self.lose(start, member, &line) {
                        return Err(error);
                    }
                    continue;
                }
            };
            return match self.end_of_lost() {
                Some(error) => {
                    self.found = Some(found);
                    Err(error)
                }
                None => found.map(Some),
            };
        }
    }

    /// Takes a line that begins no record. Returns the error of the lost record before it, if the line
    /// is of another one.
    fn lose(&mut self, offset: u64, member: u64, line: &[u8]) -> Option<RecordError> {
        let known = Known::of_line(line);
        let is_arc = known
            .as_ref()
            .is_some_and(|known| known.url.is_some() && !Known::is_field(line));
        let is_next = |lost: &Lost| {
            let is_new = known.is_some() && lost.is_known && (is_arc || lost.has_ended);
            is_new || member != lost.member
        };
        let ended = if self.lost.as_ref().is_some_and(is_next) {
            self.end_of_lost()
        } else {
            None
        };
        let lost = self.lost.get_or_insert_with(|| Lost {
            error: RecordError {
                origin: Origin::at(offset),
                record_type: None,
                reason: Reason::NotARecord,
            },
            member,
            is_known: false,
            has_ended: false,
        });
        if let Some(known) = known {
            let error = &mut lost.error;
            error.origin.url = error.origin.url.take().or(known.url);
            error.origin.record_id = error.origin.record_id.take().or(known.record_id);
            error.record_type = error.record_type.take().or(known.record_type);
            lost.is_known = true;
        }
        ended
    }

    /// Ends the bytes of a lost record. Bytes behind a record of a wrong length are its own, unless they
    /// say otherwise.
    fn end_of_lost(&mut self) -> Option<RecordError> {
        let lost = self.lost.take()?;
        let is_own = std::mem::take(&mut self.lied) && !lost.is_known;
        (!is_own).then_some(lost.error)
    }

    /// Returns the error of a file or member that cannot be read, and leaves the member. The file
    /// ends here if that is not possible.
    fn broken(
        &mut self,
        origin: Origin,
        record_type: Option<RecordType>,
        error: &io::Error,
    ) -> RecordError {
        let is_panic = (error.get_ref()).is_some_and(|cause| cause.is::<ParserPanic>());
        let reason = match error.kind() {
            _ if is_panic => Reason::Parser(error.to_string()),
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
    fn read(&mut self, offset: u64, line: &[u8]) -> Result<Block, RecordError> {
        let header = match header::arc(line) {
            Some(header) => header,
            None => {
                let mut lines = Vec::new();
                let end = self.header_lines(&mut lines);
                let header = end.map(|()| header::warc(&lines));
                if let Ok(Ok(header)) = header {
                    header
                } else {
                    let known = Known::of(&lines);
                    let origin = Origin::new(offset, known.record_id, known.url);
                    return Err(match header {
                        Err(error) => self.broken(origin, known.record_type, &error),
                        Ok(problem) => {
                            // The block follows, and its length is not known.
                            self.lied = true;
                            RecordError {
                                origin,
                                record_type: known.record_type,
                                reason: Reason::Header(problem.err().unwrap_or_default()),
                            }
                        }
                    });
                }
            }
        };
        let origin = Origin::new(offset, header.record_id.clone(), header.url.clone());
        let kept = if header.may_be_capture() {
            self.max_block_bytes
        } else {
            0
        };
        match self.block(header.length, kept) {
            Ok(Ok(bytes)) => Ok(Block {
                header,
                origin,
                bytes,
            }),
            Ok(Err(reason)) => Err(RecordError {
                origin,
                record_type: Some(header.record_type),
                reason,
            }),
            Err(error) => Err(self.broken(origin, Some(header.record_type), &error)),
        }
    }

    /// Reads lines up to an empty one.
    fn header_lines(&mut self, lines: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let line = self.line()?;
            if line.iter().all(u8::is_ascii_whitespace) {
                return Ok(());
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
        let mut inside = Inside::new(self.max_block_bytes);
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
}

impl<R: Read> Iterator for Blocks<R> {
    type Item = Result<Block, RecordError>;

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
