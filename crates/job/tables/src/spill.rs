use std::sync::{Mutex, PoisonError};

use arrow::array::RecordBatch;
use async_trait::async_trait;
use deltalake::{DeltaResult, DeltaTableError};

/// Storage for the rows of a [`TableSink`](crate::TableSink) that wait for their data
/// file and exceed the sink's buffer.
///
/// Batches of several sinks and tables may be in one storage. It is dropped when the
/// last file is finished.
#[async_trait]
pub trait RowSpill: Send + Sync {
    /// Appends a batch and returns the index under which it is read.
    ///
    /// # Errors
    /// If the batch cannot be stored.
    async fn push(&self, rows: &RecordBatch) -> DeltaResult<usize>;

    /// Reads the batch with this index.
    ///
    /// # Errors
    /// If the batch cannot be read.
    async fn read(&self, index: usize) -> DeltaResult<RecordBatch>;
}

/// Keeps the rows in memory: for sinks that write few rows, and for tests.
#[derive(Debug, Default)]
pub struct MemorySpill(Mutex<Vec<RecordBatch>>);

#[async_trait]
impl RowSpill for MemorySpill {
    async fn push(&self, rows: &RecordBatch) -> DeltaResult<usize> {
        let mut batches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        batches.push(rows.clone());
        Ok(batches.len() - 1)
    }

    async fn read(&self, index: usize) -> DeltaResult<RecordBatch> {
        let batches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = batches.get(index).cloned();
        rows.ok_or_else(|| DeltaTableError::generic(format!("no spilled batch {index}")))
    }
}
