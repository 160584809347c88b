//! Rows on disk that wait for their data file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;
use lz4_flex::frame::{FrameDecoder, FrameEncoder};

/// One file without a name, for the rows of many partitions: however many have some, one
/// file is open.
pub(crate) struct Spool {
    schema: SchemaRef,
    file: Arc<File>,
    bytes: u64,
}

/// Rows in a [`Spool`].
#[derive(Debug)]
pub(crate) struct Spooled {
    file: Arc<File>,
    at: u64,
    bytes: usize,
}

impl Spool {
    pub(crate) fn new(schema: &SchemaRef) -> Result<Self, ArrowError> {
        Ok(Self {
            schema: schema.clone(),
            file: Arc::new(tempfile::tempfile()?),
            bytes: 0,
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends `rows`, which have the columns of the spool. They are compressed as one:
    /// arrow would do it buffer by buffer, and a partition's rows are a hundred small ones.
    pub(crate) fn push(&mut self, rows: &RecordBatch) -> Result<Spooled, ArrowError> {
        let mut stream = StreamWriter::try_new(FrameEncoder::new(Vec::new()), &self.schema)?;
        stream.write(rows)?;
        let stream = stream.into_inner()?.finish().map_err(io::Error::from)?;
        self.file.write_all_at(&stream, self.bytes)?;
        let spooled = Spooled {
            file: Arc::clone(&self.file),
            at: self.bytes,
            bytes: stream.len(),
        };
        self.bytes += stream.len() as u64;
        Ok(spooled)
    }
}

impl Spooled {
    pub(crate) fn read(&self) -> Result<RecordBatch, ArrowError> {
        let mut stream = vec![0; self.bytes];
        self.file.read_exact_at(&mut stream, self.at)?;
        let mut stream = StreamReader::try_new(FrameDecoder::new(stream.as_slice()), None)?;
        let rows = stream.next().transpose()?;
        rows.ok_or_else(|| ArrowError::IpcError("rows that waited on disk are gone".to_owned()))
    }
}
