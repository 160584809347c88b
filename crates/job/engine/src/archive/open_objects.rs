//! The objects of an archive whose footers were read.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parquet::errors::ParquetError;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};

use super::{ArchiveSource, ObjectState, OpenObject};
use crate::error::EngineError;

/// Objects that are kept whatever their footers take, so that the readers of all partitions do not
/// evict the objects of each other. A higher value keeps more large footers in memory.
const MIN_OBJECTS: usize = 16;

/// The objects of an archive whose footers were read, up to a number of bytes. A run opens an
/// object for its census, its scans and its HTML: with this cache, a footer is one request.
#[derive(Clone)]
pub(crate) struct OpenObjects(Arc<Shared>);

struct Shared {
    max_bytes: usize,
    /// Bytes of the disk for the pages of WARC files.
    max_disk_bytes: u64,
    /// WARC files that are read at the same time.
    warc_turns: Semaphore,
    opened: Mutex<Opened>,
}

/// Readers that need the same object wait for one request.
type Cell = Arc<OnceCell<Arc<OpenObject>>>;

#[derive(Default)]
struct Opened {
    cells: HashMap<ObjectState, Cell>,
    /// In the order in which they were opened, with the bytes of their footers, and those of the disk.
    order: VecDeque<(ObjectState, usize, u64)>,
    bytes: usize,
    disk_bytes: u64,
}

impl fmt::Debug for OpenObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenObjects({} bytes)", self.0.max_bytes)
    }
}

impl ArchiveSource {
    /// Returns the object in the state that the census found, and reads its footer if it is not
    /// kept.
    ///
    /// The census opened the object before, so an object that is not Parquet now has changed
    /// during the run and is an error.
    ///
    /// # Errors
    /// Where the store fails or the object has changed.
    pub(crate) async fn open(
        &self,
        found: &ObjectState,
    ) -> datafusion::error::Result<Arc<OpenObject>> {
        let cell = Arc::clone(self.opened.lock().cells.entry(found.clone()).or_default());
        let open = || async {
            let opened = Arc::new(OpenObject::open(self, found.clone()).await??);
            self.opened.count(&opened);
            Ok::<_, datafusion::error::DataFusionError>(opened)
        };
        cell.get_or_try_init(open).await.cloned()
    }

    /// Opens an object for the census, and keeps its footer.
    ///
    /// # Errors
    /// As [`OpenObject::open`].
    pub(super) async fn open_for_census(
        &self,
        found: ObjectState,
    ) -> Result<Result<Arc<OpenObject>, ParquetError>, EngineError> {
        let opened = OpenObject::open(self, found).await?.map(Arc::new);
        if let Ok(object) = &opened {
            let cell = Arc::new(OnceCell::from(Arc::clone(object)));
            let state = object.state().clone();
            self.opened.lock().cells.insert(state, cell);
            self.opened.count(object);
        }
        Ok(opened)
    }
}

impl OpenObjects {
    /// Creates a cache of footers of `max_bytes` bytes. The pages of WARC files take `max_disk_bytes` of the disk, or those
    /// of one file, and `warc_files` are read at the same time.
    pub(crate) fn new(max_bytes: usize, max_disk_bytes: u64, warc_files: usize) -> Self {
        Self(Arc::new(Shared {
            max_bytes,
            max_disk_bytes,
            warc_turns: Semaphore::new(warc_files),
            opened: Mutex::default(),
        }))
    }

    /// Counts an object, and removes those that were opened first.
    fn count(&self, object: &OpenObject) {
        let mut opened = self.lock();
        let (bytes, disk_bytes) = (object.metadata().memory_size(), object.disk_bytes());
        opened.bytes += bytes;
        opened.disk_bytes += disk_bytes;
        (opened.order).push_back((object.state().clone(), bytes, disk_bytes));
        let is_full = |opened: &Opened| {
            let objects = opened.order.len();
            opened.bytes > self.0.max_bytes && objects > MIN_OBJECTS
                || opened.disk_bytes > self.0.max_disk_bytes && objects > 1
        };
        while is_full(&opened) {
            let Some((first, bytes, disk_bytes)) = opened.order.pop_front() else {
                return;
            };
            opened.bytes -= bytes;
            opened.disk_bytes -= disk_bytes;
            // An object that was opened twice stays until its last time leaves.
            if !opened.order.iter().any(|(state, ..)| *state == first) {
                opened.cells.remove(&first);
            }
        }
    }

    /// Waits for the turn to read a WARC file.
    pub(super) async fn warc_turn(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.0.warc_turns.acquire().await.ok()
    }

    fn lock(&self) -> MutexGuard<'_, Opened> {
        self.0.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
