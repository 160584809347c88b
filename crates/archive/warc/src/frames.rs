//! Frames of zstd, and the dictionary that they may share.
//!
//! A `.warc.zst` file may begin with a special frame that has the dictionary of all other frames.
//! Decoders skip this frame, so it is read here.

use std::io::{self, BufRead, Read};

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// First bytes of a frame.
pub(crate) const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The number that begins the frame of a dictionary.
const DICTIONARY: u32 = 0x184d_2a5d;
/// Bytes of the head of a frame without content: its number and its length.
const HEAD: usize = 8;
/// Most bytes of a dictionary. Real ones have some 1 MB. A higher value gives a hostile file more memory.
const MAX_DICTIONARY: u64 = 32 << 20;

/// A frame that decoders skip.
#[derive(Clone, Copy)]
pub(crate) struct Skippable {
    is_dictionary: bool,
    bytes: u64,
}

impl Skippable {
    /// Bytes of the head of such a frame.
    pub(crate) const HEAD: usize = HEAD;

    /// Reads the head of a frame. Returns `None` if the frame has content for a decoder.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        let (number, rest) = head.split_first_chunk::<4>()?;
        let number = u32::from_le_bytes(*number);
        let bytes = u32::from_le_bytes(*rest.first_chunk::<4>()?);
        (number & 0xffff_fff0 == 0x184d_2a50).then_some(Self {
            is_dictionary: number == DICTIONARY,
            bytes: bytes.into(),
        })
    }

    /// Whether the frame has the dictionary of the frames behind it.
    pub(crate) fn is_dictionary(self) -> bool {
        self.is_dictionary
    }

    /// Reads the frame behind its head. Returns the dictionary, if it has one.
    ///
    /// # Errors
    /// Where the file cannot be read, or the dictionary is broken or too large.
    pub(crate) fn read(self, file: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
        let mut content = file.take(self.bytes);
        if !self.is_dictionary {
            io::copy(&mut content, &mut io::sink())?;
            return Ok(None);
        }
        let broken = |problem: &str| io::Error::new(io::ErrorKind::InvalidData, problem.to_owned());
        let mut dictionary = Vec::new();
        (&mut content)
            .take(MAX_DICTIONARY)
            .read_to_end(&mut dictionary)?;
        // The frame behind a large dictionary is found nevertheless.
        let too_large = io::copy(&mut content, &mut io::sink())? > 0;
        if dictionary.starts_with(&ZSTD) {
            let packed = std::mem::take(&mut dictionary);
            zstd::stream::read::Decoder::with_buffer(packed.as_slice())?
                .take(MAX_DICTIONARY + 1)
                .read_to_end(&mut dictionary)
                .map_err(|error| broken(&format!("the dictionary of the file: {error}")))?;
        }
        if too_large || dictionary.len() as u64 > MAX_DICTIONARY {
            return Err(broken("the dictionary of the file is too large"));
        }
        Ok(Some(dictionary))
    }
}

/// Decodes frames, one after the other, with one dictionary. The memory of a decoder is used for all.
pub(crate) struct Frames {
    decoder: Decoder<'static>,
    ended: bool,
}

impl Frames {
    /// Frames with a dictionary, which may be empty.
    ///
    /// # Errors
    /// Where the dictionary is broken.
    pub(crate) fn new(dictionary: &[u8]) -> io::Result<Self> {
        let decoder = Decoder::with_dictionary(dictionary)?;
        let ended = true;
        Ok(Self { decoder, ended })
    }

    /// Begins the next frame.
    ///
    /// # Errors
    /// Where the decoder cannot be used again.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        self.ended = false;
        self.decoder.reinit()
    }

    /// Decodes bytes of the frame. Returns 0 at its end.
    ///
    /// # Errors
    /// Where the file cannot be read, or the frame is broken or ends too early.
    pub(crate) fn read(&mut self, file: &mut impl BufRead, out: &mut [u8]) -> io::Result<usize> {
        while !self.ended {
            let bytes = file.fill_buf()?;
            let is_end = bytes.is_empty();
            let mut input = InBuffer::around(bytes);
            let mut output = OutBuffer::around(&mut *out);
            self.ended = self.decoder.run(&mut input, &mut output)? == 0;
            let (read, written) = (input.pos(), output.pos());
            file.consume(read);
            if written > 0 {
                return Ok(written);
            }
            if is_end && !self.ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}
