//! The bytes of an input, for a synchronous reader.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::{GetOptions, ObjectStore};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;

use crate::error::ImportError;
use crate::inputs::Input;

/// Bytes and error of the reader of an input. Decoders between the reader and its user
/// replace errors by their own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch(Arc<Watched>);

#[derive(Debug, Default)]
struct Watched {
    bytes: AtomicU64,
    failure: Mutex<Option<object_store::Error>>,
}

impl Watch {
    /// Bytes that were read.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Returns the error that ended the bytes of `input`.
    pub(crate) fn check(&self, input: &Input) -> Result<(), ImportError> {
        let failure = self.0.failure.lock();
        match failure.unwrap_or_else(PoisonError::into_inner).take() {
            None => Ok(()),
            Some(source) => Err(ImportError::Store {
                doing: "read",
                object: input.label.clone(),
                source,
            }),
        }
    }

    fn fail(&self, error: object_store::Error) -> io::Error {
        let failed = io::Error::new(io::ErrorKind::ConnectionAborted, error.to_string());
        *(self.0.failure.lock()).unwrap_or_else(PoisonError::into_inner) = Some(error);
        failed
    }
}

/// The bytes of an input. Reads on a thread that may wait.
pub(crate) struct Source {
    runtime: Handle,
    /// `None` is standard input.
    stream: Option<BoxStream<'static, object_store::Result<bytes::Bytes>>>,
    bytes: bytes::Bytes,
    progress: UnboundedSender<u64>,
    watch: Watch,
}

impl Source {
    pub(crate) async fn open(
        input: &Input,
        progress: UnboundedSender<u64>,
        watch: Watch,
    ) -> Result<Self, ImportError> {
        let stream = match &input.location {
            Some(location) => {
                let options = GetOptions {
                    range: input.range.clone().map(Into::into),
                    ..GetOptions::default()
                };
                let found = location.store().get_opts(location.path(), options).await;
                let found = found.map_err(|source| ImportError::Store {
                    doing: "read",
                    object: input.label.clone(),
                    source,
                })?;
                Some(found.into_stream())
            }
            None => None,
        };
        Ok(Self {
            runtime: Handle::current(),
            stream,
            bytes: bytes::Bytes::new(),
            progress,
            watch,
        })
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.stream {
            None => io::stdin().lock().read(out).map_err(|error| {
                self.watch.fail(object_store::Error::Generic {
                    store: "standard input",
                    source: error.into(),
                })
            })?,
            Some(stream) => {
                while self.bytes.is_empty() {
                    match self.runtime.block_on(stream.next()) {
                        Some(Ok(bytes)) => self.bytes = bytes,
                        Some(Err(error)) => return Err(self.watch.fail(error)),
                        None => return Ok(0),
                    }
                }
                let read = out.len().min(self.bytes.len());
                out[..read].copy_from_slice(&self.bytes.split_to(read));
                read
            }
        };
        self.watch.0.bytes.fetch_add(read as u64, Ordering::Relaxed);
        // The receiver of the progress may be gone.
        let _ = self.progress.send(read as u64);
        Ok(read)
    }
}
