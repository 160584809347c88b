//! The bytes of an input, for a synchronous reader.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::{GetOptions, GetResult, GetResultPayload, ObjectStore};
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

    fn fail_in(&self, store: &'static str, error: io::Error) -> io::Error {
        if error.kind() == io::ErrorKind::Interrupted {
            // It is read again.
            return error;
        }
        let source = error.into();
        self.fail(object_store::Error::Generic { store, source })
    }
}

/// The bytes of an input. Reads on a thread that may wait.
pub(crate) struct Source {
    bytes: Bytes,
    progress: UnboundedSender<u64>,
    watch: Watch,
}

/// The place of the bytes.
enum Bytes {
    StandardInput,
    /// A file of this machine. The store would read it in parts of 8 KiB, each on another thread.
    File(io::Take<File>),
    Stream {
        runtime: Handle,
        stream: BoxStream<'static, object_store::Result<bytes::Bytes>>,
        /// Bytes that the stream gave.
        given: bytes::Bytes,
    },
}

impl Source {
    pub(crate) async fn open(
        input: &Input,
        progress: UnboundedSender<u64>,
        watch: Watch,
    ) -> Result<Self, ImportError> {
        let bytes = match &input.location {
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
                Bytes::of(found).map_err(|source| ImportError::Store {
                    doing: "read",
                    object: input.label.clone(),
                    source: object_store::Error::Generic {
                        store: LOCAL_FILE,
                        source: source.into(),
                    },
                })?
            }
            None => Bytes::StandardInput,
        };
        Ok(Self {
            bytes,
            progress,
            watch,
        })
    }
}

/// The name in errors.
const LOCAL_FILE: &str = "local file";

impl Bytes {
    fn of(found: GetResult) -> io::Result<Self> {
        let range = found.range.clone();
        Ok(match found.payload {
            GetResultPayload::File(mut file, _) => {
                file.seek(SeekFrom::Start(range.start))?;
                Self::File(file.take(range.end - range.start))
            }
            GetResultPayload::Stream(stream) => Self::Stream {
                runtime: Handle::current(),
                stream,
                given: bytes::Bytes::new(),
            },
        })
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let watch = &self.watch;
        let read = match &mut self.bytes {
            Bytes::StandardInput => (io::stdin().lock().read(out))
                .map_err(|error| watch.fail_in("standard input", error))?,
            Bytes::File(file) => {
                (file.read(out)).map_err(|error| watch.fail_in(LOCAL_FILE, error))?
            }
            Bytes::Stream {
                runtime,
                stream,
                given,
            } => {
                while given.is_empty() {
                    match runtime.block_on(stream.next()) {
                        Some(Ok(bytes)) => *given = bytes,
                        Some(Err(error)) => return Err(watch.fail(error)),
                        None => return Ok(0),
                    }
                }
                let read = out.len().min(given.len());
                out[..read].copy_from_slice(&given.split_to(read));
                read
            }
        };
        watch.0.bytes.fetch_add(read as u64, Ordering::Relaxed);
        // The receiver of the progress may be gone.
        let _ = self.progress.send(read as u64);
        Ok(read)
    }
}
