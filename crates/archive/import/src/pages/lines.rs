//! Lines of a list.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;

use crate::pages::error::RowsError;

/// Bytes of a list, without the compression of gzip and without a mark of UTF-8 at the beginning.
pub(crate) type Plain = Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>;

/// Removes gzip and the mark of UTF-8.
pub(crate) fn plain(mut bytes: impl Read + Send + 'static) -> Result<Plain, RowsError> {
    let start = beginning(&mut bytes, 2)?;
    let is_gzip = start == [0x1f, 0x8b];
    let whole = Cursor::new(start).chain(bytes);
    let mut bytes: Box<dyn Read + Send> = match is_gzip {
        true => Box::new(MultiGzDecoder::new(whole)),
        false => Box::new(whole),
    };
    let mut start = beginning(&mut bytes, 3)?;
    match start.as_slice() {
        [0xef, 0xbb, 0xbf] => start.clear(),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Err(RowsError::Utf16),
        _ => {}
    }
    Ok(Cursor::new(start).chain(bytes))
}

fn beginning(bytes: &mut impl Read, most: u64) -> Result<Vec<u8>, RowsError> {
    let mut beginning = Vec::new();
    let read = bytes.take(most).read_to_end(&mut beginning);
    read.map_err(RowsError::Read)?;
    Ok(beginning)
}

/// A line of a list.
#[derive(Debug)]
pub(crate) struct Line {
    /// From 1 upwards.
    pub(crate) number: u64,
    /// With its end.
    pub(crate) bytes: Vec<u8>,
    /// Whether all of it is in `bytes`.
    pub(crate) is_whole: bool,
}

impl Line {
    /// The line without its end.
    pub(crate) fn text(&self) -> &[u8] {
        match self.bytes.as_slice() {
            [text @ .., b'\r' | b'\n'] => text,
            text => text,
        }
    }
}

/// Lines of a list. One that is longer than the limit is skipped and named.
pub(crate) struct Lines {
    bytes: BufReader<Plain>,
    ends: &'static [u8],
    limit: u64,
    number: u64,
    /// The last byte of the line before.
    last: Option<u8>,
}

impl Lines {
    /// Lines that end with one of `ends`. Of two in a row (CRLF), the second is an empty line.
    pub(crate) fn new(bytes: Plain, ends: &'static [u8], limit: u64) -> Self {
        Self {
            bytes: BufReader::new(bytes),
            ends,
            limit,
            number: 0,
            last: None,
        }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        let (mut line, mut bytes) = (Vec::new(), 0);
        let mut last = None;
        loop {
            let found = self.bytes.fill_buf()?;
            let end = found.iter().position(|byte| self.ends.contains(byte));
            let taken = end.map_or(found.len(), |end| end + 1);
            last = found[..taken].last().copied().or(last);
            bytes += taken as u64;
            if bytes <= self.limit {
                line.extend_from_slice(&found[..taken]);
            }
            self.bytes.consume(taken);
            if end.is_some() || taken == 0 {
                break;
            }
        }
        // CRLF ends one line.
        let is_same = self.last == Some(b'\r') && line == b"\n";
        self.number += u64::from(!is_same);
        self.last = last;
        Ok((bytes > 0).then_some(Line {
            number: self.number,
            bytes: line,
            is_whole: bytes <= self.limit,
        }))
    }
}
