//! The bytes of a file without its compression, with positions in the file.

use std::io::{self, BufRead, Read};

use boundary::{ParserPanic, UNKNOWN, guarded};
use flate2::bufread::GzDecoder;

use crate::frames::{Frames, Skippable, ZSTD};

/// First bytes of a gzip member with the only method that gzip has.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
/// Bytes that are read and decompressed at a time.
const CHUNK: usize = 64 << 10;

/// A buffered reader that knows its position, and can look ahead.
pub(crate) struct Counted<R> {
    reader: R,
    /// Bytes that were read are at `used..filled`. The rest is not cleared, because that took a tenth
    /// of the time of a file of small members.
    buffer: Vec<u8>,
    used: usize,
    filled: usize,
    /// Bytes that were taken.
    position: u64,
}

impl<R: Read> Counted<R> {
    /// Returns the next `bytes` bytes, or fewer at the end, and takes none of them.
    fn peek(&mut self, bytes: usize) -> io::Result<&[u8]> {
        while self.filled - self.used < bytes && self.fetch()? {}
        let end = self.filled.min(self.used + bytes);
        Ok(&self.buffer[self.used..end])
    }

    /// Appends to the buffer. Returns false at the end.
    fn fetch(&mut self) -> io::Result<bool> {
        self.buffer.copy_within(self.used..self.filled, 0);
        self.filled -= self.used;
        self.used = 0;
        if self.buffer.len() < self.filled + CHUNK {
            self.buffer.resize(self.filled + CHUNK, 0);
        }
        let free = &mut self.buffer[self.filled..self.filled + CHUNK];
        let read = loop {
            match self.reader.read(free) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.filled += *read.as_ref().unwrap_or(&0);
        Ok(read? > 0)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let read = bytes.len().min(out.len());
        out[..read].copy_from_slice(&bytes[..read]);
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.filled {
            self.fetch()?;
        }
        Ok(&self.buffer[self.used..self.filled])
    }

    fn consume(&mut self, bytes: usize) {
        self.used += bytes;
        self.position += bytes as u64;
    }
}

/// The compression of a file. Its first bytes decide.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Plain,
    Gzip,
    Zstd,
}

/// A member whose decoder panicked is broken.
fn broken(panic: ParserPanic) -> io::Result<usize> {
    Err(io::Error::new(io::ErrorKind::InvalidData, panic))
}

/// The source of decompressed bytes.
enum Source<R: Read> {
    /// Bytes of the file: between members, or a file that is not compressed.
    File(Counted<R>),
    Gzip(Box<GzDecoder<Counted<R>>>),
    /// A frame, which [`Stream::frames`] decodes.
    Zstd(Counted<R>),
    /// The decoder of a member could not be created. The file ends here.
    End,
}

/// The decompressed bytes of a file.
pub(crate) struct Stream<R: Read> {
    source: Source<R>,
    format: Option<Format>,
    /// The decoder of a file in zstd, and the dictionary for it.
    frames: Option<Frames>,
    dictionary: Vec<u8>,
    /// Offset in the file of the current member, or of `chunk` if the file is not compressed.
    start: u64,
    /// Decompressed bytes are at `used..filled`.
    chunk: Vec<u8>,
    used: usize,
    filled: usize,
    /// An error behind the bytes of `chunk`.
    failed: Option<io::Error>,
}

impl<R: Read> Stream<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            source: Source::File(Counted {
                reader,
                buffer: Vec::new(),
                used: 0,
                filled: 0,
                position: 0,
            }),
            format: None,
            frames: None,
            dictionary: Vec::new(),
            start: 0,
            chunk: Vec::new(),
            used: 0,
            filled: 0,
            failed: None,
        }
    }

    /// Offset in the file of the next byte, or of its member if the file is compressed.
    pub(crate) fn offset(&self) -> u64 {
        if self.is_compressed() {
            self.start
        } else {
            self.start + self.used as u64
        }
    }

    /// Whether the file is compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        matches!(self.format, Some(Format::Gzip | Format::Zstd))
    }

    /// A number that changes with each compressed member.
    pub(crate) fn member(&self) -> u64 {
        if self.is_compressed() { self.start } else { 0 }
    }

    /// Returns the next bytes, or none at the end of the file.
    ///
    /// # Errors
    /// Where the file cannot be read, or a member is broken ([`io::ErrorKind::InvalidData`],
    /// [`io::ErrorKind::InvalidInput`] or [`io::ErrorKind::UnexpectedEof`]).
    pub(crate) fn fill(&mut self) -> io::Result<&[u8]> {
        while self.used == self.filled {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            if matches!(self.source, Source::File(_)) && !self.begin()? {
                return Ok(&[]);
            }
            if let Source::File(file) = &self.source {
                self.start = file.position;
            }
            (self.used, self.filled) = (0, 0);
            if self.read()? == 0 {
                match std::mem::replace(&mut self.source, Source::End) {
                    Source::Gzip(member) => self.source = Source::File(member.into_inner()),
                    Source::Zstd(file) => self.source = Source::File(file),
                    end => {
                        self.source = end;
                        return Ok(&[]);
                    }
                }
            }
        }
        Ok(&self.chunk[self.used..self.filled])
    }

    /// Adds bytes of the source to `chunk`. Returns their number: 0 at the end of the source.
    fn read(&mut self) -> io::Result<usize> {
        if self.chunk.len() < self.filled + CHUNK {
            self.chunk.resize(self.filled + CHUNK, 0);
        }
        let free = &mut self.chunk[self.filled..self.filled + CHUNK];
        let read = match &mut self.source {
            Source::File(file) => file.read(free),
            Source::Gzip(member) => {
                guarded("gzip", UNKNOWN, || member.read(free)).unwrap_or_else(broken)
            }
            Source::Zstd(file) => match &mut self.frames {
                Some(frames) => {
                    guarded("zstd", UNKNOWN, || frames.read(file, free)).unwrap_or_else(broken)
                }
                None => Ok(0),
            },
            Source::End => Ok(0),
        };
        self.filled += *read.as_ref().unwrap_or(&0);
        read
    }

    /// Returns the next bytes: at least `wanted` or up to an `end`, unless the member or the file ends
    /// before. A later [`Self::fill`] has the error that comes after them.
    pub(crate) fn peek(&mut self, wanted: usize, end: Option<u8>) -> &[u8] {
        let mut failed = self.fill().err();
        while failed.is_none() {
            let bytes = &self.chunk[self.used..self.filled];
            let has_end = end.is_some_and(|end| memchr::memchr(end, bytes).is_some());
            if bytes.len() >= wanted || has_end || bytes.is_empty() {
                break;
            }
            match self.read() {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => failed = Some(error),
            }
        }
        if failed.is_some() {
            self.failed = failed;
        }
        &self.chunk[self.used..self.filled]
    }

    /// Puts consumed bytes back. They are the last of the current member, or of a file that is not
    /// compressed.
    pub(crate) fn put_back(&mut self, mut bytes: Vec<u8>) {
        if !self.is_compressed() {
            self.start = self.offset().saturating_sub(bytes.len() as u64);
        }
        bytes.extend_from_slice(&self.chunk[self.used..self.filled]);
        (self.used, self.filled) = (0, bytes.len());
        self.chunk = bytes;
    }

    pub(crate) fn consume(&mut self, bytes: usize) {
        self.used = (self.used + bytes).min(self.filled);
    }

    /// Begins the member at the position of the file, if the file is compressed. Returns false at
    /// the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        let Source::File(file) = &mut self.source else {
            return Ok(false);
        };
        if self.format == Some(Format::Plain) {
            return Ok(true);
        }
        while self.format != Some(Format::Gzip)
            && let Some(frame) = Skippable::of(file.peek(Skippable::HEAD)?)
        {
            self.start = file.position;
            file.consume(Skippable::HEAD);
            if frame.is_dictionary() {
                // A broken dictionary is an error of its frame, and frames without it are read.
                self.format = Some(Format::Zstd);
            }
            if let Some(dictionary) = frame.read(file)? {
                self.dictionary = dictionary;
                self.frames = None;
            }
        }
        let found = file.peek(4)?;
        if found.is_empty() {
            return Ok(false);
        }
        let found = match found {
            found if found.starts_with(&GZIP) => Format::Gzip,
            found if found == ZSTD => Format::Zstd,
            _ => Format::Plain,
        };
        let format = *self.format.get_or_insert(found);
        if format != found {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a compressed member does not begin where the one before it ends",
            ));
        }
        self.start = file.position;
        if format == Format::Zstd {
            let frames = match &mut self.frames {
                Some(frames) => frames,
                none => none.insert(Frames::new(&self.dictionary)?),
            };
            frames.begin()?;
        }
        let Source::File(file) = std::mem::replace(&mut self.source, Source::End) else {
            return Ok(false);
        };
        self.source = match format {
            Format::Plain => Source::File(file),
            Format::Gzip => Source::Gzip(Box::new(GzDecoder::new(file))),
            Format::Zstd => Source::Zstd(file),
        };
        Ok(true)
    }

    /// Leaves the rest of a broken member, and continues at the next bytes that may begin one.
    /// Returns false at the end of the file, or if the file is not compressed.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub(crate) fn skip_member(&mut self) -> io::Result<bool> {
        let magic: &[u8] = match self.format {
            Some(Format::Gzip) => &GZIP,
            Some(Format::Zstd) => &ZSTD,
            _ => return Ok(false),
        };
        let mut file = match std::mem::replace(&mut self.source, Source::End) {
            Source::File(file) => file,
            Source::Gzip(member) => member.into_inner(),
            Source::Zstd(file) => file,
            Source::End => return Ok(false),
        };
        (self.used, self.filled) = (0, 0);
        self.failed = None;
        // At least one byte, so that a member that is broken at its first byte is left.
        if file.position == self.start && !file.peek(1)?.is_empty() {
            file.consume(1);
        }
        let found = loop {
            let next = file.peek(magic.len())?;
            if next.len() < magic.len() {
                break false;
            }
            if next == magic {
                break true;
            }
            file.consume(1);
        };
        if found {
            self.source = Source::File(file);
        }
        Ok(found)
    }
}
