//! The disk of a run: the files of sorts, of queues, and of rows that wait for their data file.

use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use bytesize::ByteSize;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::spill_file::{SpillFile, SpillWriter, TempFileFactory};
use futures::Stream;
use tables::{Classified, ErrorClass};

/// A reason for which rows cannot be spilled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpillError {
    /// The run has spilled as much as it may.
    #[error(
        "{spilled} of rows are spilled to {folder}, and one more batch exceeds \
         run.spill_limit = \"{limit}\"; raise run.spill_limit, or lower run.chunk_bytes so that a \
         chunk has fewer rows"
    )]
    Limit {
        /// `run.spill_dir`.
        folder: String,
        /// The limit.
        limit: ByteSize,
        /// The bytes on disk.
        spilled: ByteSize,
    },
    /// The disk is full.
    #[error(
        "the disk of {folder} is full, with {spilled} of rows that this run spilled: {cause}; free \
         space, name a folder on a larger disk in run.spill_dir (of a worker: --spill-dir), or lower \
         run.chunk_bytes"
    )]
    Full {
        /// `run.spill_dir`.
        folder: String,
        /// The bytes on disk.
        spilled: ByteSize,
        /// The error of the system.
        cause: String,
    },
    /// The folder cannot be written for another reason.
    #[error(
        "cannot spill to {folder}: {cause}; name a writable folder in run.spill_dir \
         (of a worker: --spill-dir)"
    )]
    Folder {
        /// `run.spill_dir`.
        folder: String,
        /// The error of the system.
        cause: String,
    },
}

impl SpillError {
    /// Returns the error of a disk inside `error`.
    pub(crate) fn inside<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        causes(error).find_map(|error| error.downcast_ref())
    }

    /// Returns `run.spill_dir`.
    pub(crate) fn folder(&self) -> &str {
        let (Self::Limit { folder, .. } | Self::Full { folder, .. } | Self::Folder { folder, .. }) =
            self;
        folder
    }
}

impl Classified for SpillError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Limit { .. } | Self::Folder { .. } => ErrorClass::Usage,
            Self::Full { .. } => ErrorClass::Storage,
        }
    }

    /// A person frees a disk, or raises a limit.
    fn is_retryable(&self) -> bool {
        false
    }
}

/// The folder to which all plans of a run spill, and the bytes that they may have there at once.
#[derive(Debug)]
pub(crate) struct SpillDisk {
    folder: PathBuf,
    limit: u64,
    /// Makes the files in a temporary folder inside `folder`, and deletes both.
    files: Mutex<Option<Arc<DiskManager>>>,
}

impl SpillDisk {
    pub(crate) fn new(folder: PathBuf, limit: u64) -> Self {
        Self {
            folder,
            limit,
            files: Mutex::default(),
        }
    }

    /// Makes the temporary folder, if it was not made yet.
    ///
    /// # Errors
    /// [`SpillError`] if this is not possible.
    pub(crate) fn open(&self) -> Result<Arc<DiskManager>, SpillError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(files) = &*files {
            return Ok(Arc::clone(files));
        }
        let opened = DiskManagerBuilder::default()
            .with_mode(DiskManagerMode::Directories(vec![self.folder.clone()]))
            // This type has the limit.
            .with_max_temp_directory_size(u64::MAX)
            .build();
        let opened = Arc::new(opened.map_err(|error| self.failed(&error, 0))?);
        *files = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// Returns the bytes on disk.
    pub(crate) fn spilled(&self) -> u64 {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.as_ref().map_or(0, |files| files.used_disk_space())
    }

    /// Returns the error of a file operation, with `spilled` bytes on disk.
    fn failed(&self, error: &(dyn Error + 'static), spilled: u64) -> SpillError {
        let folder = self.folder.display().to_string();
        let cause = io_error(error);
        let is_full = cause.is_some_and(|error| {
            matches!(
                error.kind(),
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
            )
        });
        let cause = cause.map_or_else(|| error.to_string(), io::Error::to_string);
        if is_full {
            SpillError::Full {
                folder,
                spilled: ByteSize(spilled),
                cause,
            }
        } else {
            SpillError::Folder { folder, cause }
        }
    }
}

/// Returns the error of the system inside the error of a file operation.
fn io_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    causes(error)
        .filter_map(|error| error.downcast_ref())
        .last()
}

/// Returns an error and its causes.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        // The source of an I/O error is the source of the error in it.
        match error.downcast_ref().and_then(io::Error::get_ref) {
            Some(in_io) => Some(in_io as &(dyn Error + 'static)),
            None => (*error).source(),
        }
    })
}

/// A [`SpillDisk`] as DataFusion takes it.
#[derive(Debug, Clone)]
pub(crate) struct SpillFiles(pub(crate) Arc<SpillDisk>);

impl TempFileFactory for SpillFiles {
    fn create_temp_file(&self, description: &str) -> Result<Arc<dyn SpillFile>> {
        let disk = Arc::clone(&self.0);
        let file = disk.open().map_err(external)?.create_tmp_file(description);
        let inner = file.map_err(|error| external(disk.failed(&error, disk.spilled())))?;
        Ok(Arc::new(Limited { inner, disk }))
    }
}

fn external(error: SpillError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// A file, or its writer, that counts towards the limit of its disk.
struct Limited<T> {
    inner: T,
    disk: Arc<SpillDisk>,
}

impl SpillFile for Limited<Arc<dyn SpillFile>> {
    fn path(&self) -> Option<&Path> {
        self.inner.path()
    }

    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        self.inner.read_stream()
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(Limited {
            inner: self.inner.open_writer()?,
            disk: Arc::clone(&self.disk),
        }))
    }
}

impl Write for Limited<Box<dyn SpillWriter>> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let disk = &self.disk;
        let spilled = disk.spilled();
        // Threads that write at the same time exceed the limit by a buffer each.
        if spilled.saturating_add(bytes.len() as u64) > disk.limit {
            return Err(io::Error::other(SpillError::Limit {
                folder: disk.folder.display().to_string(),
                limit: ByteSize(disk.limit),
                spilled: ByteSize(spilled),
            }));
        }
        let written = self.inner.write(bytes);
        written.map_err(|error| io::Error::other(disk.failed(&error, spilled)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl SpillWriter for Limited<Box<dyn SpillWriter>> {
    fn finish(&mut self) -> Result<()> {
        self.inner.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path, limit: u64) -> SpillFiles {
        SpillFiles(Arc::new(SpillDisk::new(folder.to_owned(), limit)))
    }

    #[test]
    fn files_share_the_limit_and_return_their_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path(), 100);
        let [one, other] = [(), ()].map(|()| files.create_temp_file("a test").unwrap());
        one.open_writer().unwrap().write_all(&[0; 60]).unwrap();
        let mut writer = other.open_writer().unwrap();
        writer.write_all(&[0; 40]).unwrap();
        let error = writer.write_all(&[0]).unwrap_err();
        let expected = SpillError::Limit {
            folder: folder.path().display().to_string(),
            limit: ByteSize(100),
            spilled: ByteSize(100),
        };
        assert_eq!(SpillError::inside(&error), Some(&expected));
        drop(one);
        writer.write_all(&[0; 60]).unwrap();
        drop((other, writer));
        assert_eq!(files.0.open().unwrap().used_disk_space(), 0);
        drop(files);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = files(&file, 1).create_temp_file("a test").err().unwrap();
        let found = SpillError::inside(&error).unwrap();
        assert!(matches!(found, SpillError::Folder { .. }), "{found:?}");
        assert_eq!(found.folder(), file.to_str().unwrap());
        assert!(found.to_string().contains("run.spill_dir"), "{found}");
    }
}
