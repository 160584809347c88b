//! The records of a file.

use std::io::Read;

use crate::blocks::Blocks;
use crate::capture::Decoder;
use crate::entry::{Entry, Limits, RecordError};
use crate::links::Links;

/// The records of a file, in the order of the file. See the crate for an example.
///
/// After an error of [`Reason::Io`](crate::Reason::Io) there are no more records.
pub struct Records<R: Read> {
    blocks: Blocks<R>,
    decoder: Decoder,
    links: Links,
}

impl<R: Read> Records<R> {
    /// Reads the file of `reader`.
    pub fn new(reader: R, limits: Limits) -> Self {
        Self {
            blocks: Blocks::new(reader, limits),
            decoder: Decoder::new(limits),
            links: Links::default(),
        }
    }

    /// Captures have a body only if they are HTML, as those of [`Decoder::html_only`].
    #[must_use]
    pub fn html_only(mut self) -> Self {
        self.decoder = self.decoder.html_only();
        self
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Entry, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let decoded = (self.blocks.next()?).and_then(|block| self.decoder.decode(block));
        Some(decoded.map(|decoded| self.links.entry(decoded)))
    }
}
