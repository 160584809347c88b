//! The rows of a query.

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::prelude::DataFrame;
use engine::EngineError;
use futures::StreamExt;

/// The rows of a query, batch by batch. The query runs while batches are taken, and stops when
/// this is dropped.
pub struct QueryRows {
    batches: SendableRecordBatchStream,
}

impl QueryRows {
    /// Starts the query.
    pub(crate) async fn start(frame: DataFrame) -> Result<Self, EngineError> {
        let batches = frame.execute_stream().await?;
        Ok(Self { batches })
    }

    /// Returns the columns of the rows.
    pub fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }

    /// Returns the next rows, or `None` after the last. Batches may be empty.
    ///
    /// # Errors
    /// [`EngineError::Query`], [`EngineError::QueryMemory`] or [`EngineError::QuerySpill`] if the query
    /// fails.
    pub async fn next(&mut self) -> Option<Result<RecordBatch, EngineError>> {
        let batch = self.batches.next().await?;
        Some(batch.map_err(EngineError::query))
    }
}

impl std::fmt::Debug for QueryRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "QueryRows({:?})", self.schema())
    }
}
