//! Bodies of pages in a temporary file, until their rows are written.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use arrow::array::BinaryArray;
use arrow::buffer::OffsetBuffer;

/// The place of a body in the spool.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    start: u64,
    bytes: usize,
}

impl Body {
    /// Bytes of the body.
    pub fn bytes(self) -> usize {
        self.bytes
    }
}

/// The folder of temporary files.
#[derive(Debug, Clone, Default)]
pub struct TemporaryFolder(pub Option<PathBuf>);

impl TemporaryFolder {
    /// Creates a file without a name.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn file(&self) -> io::Result<File> {
        match &self.0 {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        }
    }
}

/// Bodies in the order of the input, in an unnamed file.
#[derive(Debug)]
pub struct Spool {
    file: io::BufWriter<File>,
    bytes: u64,
}

impl Spool {
    /// Creates an empty spool.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn new(folder: &TemporaryFolder) -> io::Result<Self> {
        Ok(Self {
            file: io::BufWriter::with_capacity(1 << 20, folder.file()?),
            bytes: 0,
        })
    }

    /// Appends a body.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn append(&mut self, body: &[u8]) -> io::Result<Body> {
        let start = self.bytes;
        self.file.write_all(body)?;
        self.bytes += body.len() as u64;
        Ok(Body {
            start,
            bytes: body.len(),
        })
    }

    /// Ends writing.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn finish(self) -> io::Result<SpooledBodies> {
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(SpooledBodies(file))
    }
}

/// Bodies in any order.
#[derive(Debug)]
pub struct SpooledBodies(File);

impl SpooledBodies {
    /// Reads bodies as a column, whose bytes they fill without a copy.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn column(&self, bodies: impl Iterator<Item = Body> + Clone) -> io::Result<BinaryArray> {
        let mut bytes = vec![0; bodies.clone().map(Body::bytes).sum()];
        let mut rest = bytes.as_mut_slice();
        for body in bodies.clone() {
            let (now, later) = rest.split_at_mut(body.bytes);
            self.0.read_exact_at(now, body.start)?;
            rest = later;
        }
        let offsets = OffsetBuffer::from_lengths(bodies.map(Body::bytes));
        Ok(BinaryArray::new(offsets, bytes.into(), None))
    }
}
