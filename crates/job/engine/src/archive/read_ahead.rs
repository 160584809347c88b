//! Reads row groups before their turn, so that a store with latency does not stop the work.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::column::ObjectColumn;
use super::object::{OpenObject, RowGroupRows};
use super::{ArchiveSource, ObjectState};

/// Row groups that one reader reads ahead at most. With a latency of 50 ms and eight requests at a
/// time, a reader waits 6 ms for a row group. A higher value sends more requests at a time.
const ROW_GROUPS: usize = 8;

/// Bytes of a permit.
const PERMIT_BYTES: u64 = 4 << 10;

/// Limits the bytes that all readers of a run read ahead.
#[derive(Debug, Clone)]
pub(crate) struct ReadAheadMemory(Arc<Semaphore>);

impl ReadAheadMemory {
    /// Creates a limit of `bytes`.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / PERMIT_BYTES as usize)))
    }

    /// Reserves `bytes`, if they are free.
    fn reserve(&self, bytes: u64) -> Option<OwnedSemaphorePermit> {
        let permits = u32::try_from(bytes.div_ceil(PERMIT_BYTES)).ok()?;
        Arc::clone(&self.0).try_acquire_many_owned(permits).ok()
    }
}

/// The rows of a row group to read.
#[derive(Debug, Clone)]
pub(crate) struct RowGroupRequest {
    pub(crate) object: ObjectState,
    pub(crate) row_group: i32,
    pub(crate) columns: Arc<[ObjectColumn]>,
    /// Ascending positions in the object; all rows if `None`.
    pub(crate) rows: Option<Vec<i64>>,
    pub(crate) batch_rows: usize,
}

/// An open object, with the rows if they were read ahead.
struct Ahead {
    request: RowGroupRequest,
    object: Arc<OpenObject>,
    /// The memory is reserved until the rows are taken. From then on they are the one row group
    /// that a reader has without read-ahead.
    rows: Option<(RowGroupRows, OwnedSemaphorePermit)>,
}

impl RowGroupRequest {
    /// Opens the object and reads the rows.
    ///
    /// # Errors
    /// Where the store fails, or the object has no such row.
    pub(crate) async fn read(&self, archive: &ArchiveSource) -> Result<RowGroupRows> {
        let object = archive.open(&self.object).await?;
        self.rows_of(&object).await
    }

    async fn rows_of(&self, object: &Arc<OpenObject>) -> Result<RowGroupRows> {
        let group = object.row_group(self.row_group)?;
        let selection = self.rows.as_deref().map(|rows| group.select(rows));
        let selection = selection.transpose()?;
        Ok(object
            .read(group.index, &self.columns, selection, self.batch_rows)
            .await)
    }

    async fn read_ahead(self, archive: ArchiveSource) -> Result<Ahead> {
        let object = archive.open(&self.object).await?;
        let group = object.row_group(self.row_group)?;
        // With a selection the bytes are at most these.
        let bytes = object.stored_bytes(group.index, &self.columns);
        let rows = match archive.read_ahead.reserve(bytes) {
            Some(permit) => Some((self.rows_of(&object).await?, permit)),
            None => None,
        };
        Ok(Ahead {
            request: self,
            object,
            rows,
        })
    }
}

/// Row groups in the order of their turns, each with an item of the reader.
pub(crate) struct ReadAhead<T> {
    archive: ArchiveSource,
    /// Dropping a task stops its request.
    waiting: VecDeque<(T, Option<SpawnedTask<Result<Ahead>>>)>,
}

impl<T> ReadAhead<T> {
    /// Creates an empty queue.
    pub(crate) fn new(archive: ArchiveSource) -> Self {
        Self {
            archive,
            waiting: VecDeque::new(),
        }
    }

    /// Adds an item, and begins to read its row group if it has one.
    pub(crate) fn push(&mut self, item: T, request: Option<RowGroupRequest>) {
        let read = |request: RowGroupRequest| request.read_ahead(self.archive.clone());
        let reading = request.map(|request| SpawnedTask::spawn(read(request)));
        self.waiting.push_back((item, reading));
    }

    /// Whether the first item must be taken before another is added.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() >= ROW_GROUPS
    }

    /// The items that wait.
    pub(crate) fn items(&self) -> impl Iterator<Item = &T> {
        self.waiting.iter().map(|(item, _)| item)
    }

    /// The item that was added last.
    pub(crate) fn last_mut(&mut self) -> Option<&mut T> {
        self.waiting.back_mut().map(|(item, _)| item)
    }

    /// Takes the first item, with its rows.
    ///
    /// # Errors
    /// As [`RowGroupRequest::read`].
    pub(crate) async fn next(&mut self) -> Result<Option<(T, Option<RowGroupRows>)>> {
        let Some((item, reading)) = self.waiting.pop_front() else {
            return Ok(None);
        };
        let Some(reading) = reading else {
            return Ok(Some((item, None)));
        };
        let ahead = reading.join_unwind().await;
        let ahead = ahead.map_err(|stopped| DataFusionError::External(Box::new(stopped)))??;
        let rows = match ahead.rows {
            Some((rows, _)) => rows,
            None => ahead.request.rows_of(&ahead.object).await?,
        };
        Ok(Some((item, Some(rows))))
    }
}
