//! Spills rows that wait for their data file to the run's spill directory.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use async_trait::async_trait;
use datafusion::common::internal_datafusion_err;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::spill_file::{SpillFile, SpillWriter};
use datafusion::physical_plan::metrics::SpillMetrics;
use deltalake::{DeltaResult, DeltaTableError};
use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use tables::RowSpill;

use crate::tables_state::table_files::external;

/// One temporary file for the rows of all tables and dates of a writer.
///
/// The file belongs to DataFusion's `DiskManager`, so that it counts towards the run's
/// spill limit. DataFusion's `SpillManager` is not used: it keeps one file open for every
/// sequence that is read on its own, and here every date has one. Many thousands of dates
/// would exceed the limit of open files.
pub(crate) struct DiskSpill {
    disk: Arc<DiskManager>,
    metrics: SpillMetrics,
    file: Arc<Mutex<Option<SpilledFile>>>,
}

struct SpilledFile {
    writer: Box<dyn SpillWriter>,
    reader: Arc<File>,
    /// The bytes of each batch in the file.
    batches: Vec<Range<u64>>,
    /// Deletes the file when it is dropped.
    _file: Arc<dyn SpillFile>,
}

impl DiskSpill {
    pub(crate) fn new(context: &TaskContext, metrics: SpillMetrics) -> Self {
        Self {
            disk: Arc::clone(&context.runtime_env().disk_manager),
            metrics,
            file: Arc::default(),
        }
    }
}

#[async_trait]
impl RowSpill for DiskSpill {
    async fn push(&self, rows: &RecordBatch) -> DeltaResult<usize> {
        let bytes = encode(rows)?;
        let written = bytes.len();
        let (disk, file) = (Arc::clone(&self.disk), Arc::clone(&self.file));
        let (index, files) = blocking(move || {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let files = usize::from(file.is_none());
            let file = match &mut *file {
                Some(file) => file,
                none => none.insert(SpilledFile::create(&disk)?),
            };
            Ok((file.append(&bytes)?, files))
        })
        .await?;
        self.metrics.spill_file_count.add(files);
        self.metrics.spilled_bytes.add(written);
        self.metrics.spilled_rows.add(rows.num_rows());
        Ok(index)
    }

    async fn read(&self, index: usize) -> DeltaResult<RecordBatch> {
        let found = {
            let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let file = file.as_ref();
            file.and_then(|file| Some((file.batches.get(index)?.clone(), Arc::clone(&file.reader))))
        };
        let (range, reader) =
            found.ok_or_else(|| DeltaTableError::generic(format!("no spilled batch {index}")))?;
        let bytes = blocking(move || {
            let mut bytes = vec![0; (range.end - range.start) as usize];
            reader.read_exact_at(&mut bytes, range.start)?;
            Ok(bytes)
        })
        .await?;
        Ok(decode(&bytes)?)
    }
}

impl SpilledFile {
    fn create(disk: &Arc<DiskManager>) -> Result<Self> {
        let file = disk.create_tmp_file("Write")?;
        let path = file.path();
        let path = path.ok_or_else(|| {
            internal_datafusion_err!("the spill directory is not on a local disk")
        })?;
        Ok(Self {
            reader: Arc::new(File::open(path)?),
            writer: file.open_writer()?,
            batches: Vec::new(),
            _file: file,
        })
    }

    /// Appends an encoded batch and returns its index.
    fn append(&mut self, bytes: &[u8]) -> Result<usize> {
        self.writer.write_all(bytes)?;
        let begin = self.batches.last().map_or(0, |last| last.end);
        self.batches.push(begin..begin + bytes.len() as u64);
        Ok(self.batches.len() - 1)
    }
}

/// Runs file operations on a thread that may block.
async fn blocking<T: Send + 'static>(
    operation: impl FnOnce() -> Result<T> + Send + 'static,
) -> DeltaResult<T> {
    let done = SpawnedTask::spawn_blocking(operation).join().await;
    let done = done.map_err(external);
    // The conversion of deltalake replaces the text of an I/O error.
    done.flatten()
        .map_err(|error| DeltaTableError::GenericError {
            source: Box::new(error),
        })
}

/// Encodes a batch and compresses it as a whole: Arrow compresses each buffer on its
/// own, and the rows of one date are about a hundred small buffers.
fn encode(rows: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let compressed = FrameEncoder::new(Vec::new());
    let mut stream = StreamWriter::try_new(compressed, &rows.schema())?;
    stream.write(rows)?;
    Ok(stream.into_inner()?.finish().map_err(io::Error::from)?)
}

fn decode(bytes: &[u8]) -> Result<RecordBatch, ArrowError> {
    let mut stream = StreamReader::try_new(FrameDecoder::new(bytes), None)?;
    let rows = stream.next().transpose()?;
    rows.ok_or_else(|| ArrowError::IpcError("a spilled batch has no rows".to_owned()))
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, Int64Array, StringArray};
    use datafusion::execution::disk_manager::DiskManagerBuilder;
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;
    use crate::plan::exec::cpu_metrics::CpuTimer;
    use crate::spill_disk::{SpillDisk, SpillError, SpillFiles};

    fn context(limit: u64) -> (Arc<TaskContext>, Arc<SpillDisk>) {
        let disk = Arc::new(SpillDisk::new(std::env::temp_dir(), limit));
        let files = Arc::new(SpillFiles(Arc::clone(&disk)));
        let builder = DiskManagerBuilder::default().with_temp_file_factory(files);
        let runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(builder);
        let runtime = runtime.build_arc().unwrap();
        let context = SessionContext::new_with_config_rt(SessionConfig::new(), runtime);
        (context.task_ctx(), disk)
    }

    fn numbers(first: i64) -> RecordBatch {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + 100));
        RecordBatch::try_from_iter([("number", numbers)]).unwrap()
    }

    fn texts() -> RecordBatch {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
        RecordBatch::try_from_iter([("text", texts)]).unwrap()
    }

    #[tokio::test]
    async fn batches_are_read_back_in_any_order() {
        let (context, disk) = context(1 << 20);
        let (disk, timer) = (disk.open().unwrap(), CpuTimer::default());
        let spill = DiskSpill::new(&context, timer.spilled());
        let mut pushed = Vec::new();
        for batch in [numbers(0), texts(), numbers(7)] {
            pushed.push((spill.push(&batch).await.unwrap(), batch));
        }
        for (index, batch) in pushed.iter().rev() {
            assert_eq!(&spill.read(*index).await.unwrap(), batch);
        }
        assert!(spill.read(3).await.is_err());
        let spilled = timer.metrics().spilled_bytes().unwrap();
        assert!(spilled > 0);
        assert_eq!(disk.used_disk_space(), spilled as u64);
        drop(spill);
        assert_eq!(disk.used_disk_space(), 0);
    }

    #[tokio::test]
    async fn a_batch_over_the_disk_limit_is_an_error() {
        let (context, _) = context(100);
        let spill = DiskSpill::new(&context, CpuTimer::default().spilled());
        let error = spill.push(&numbers(0)).await.unwrap_err();
        let found = SpillError::inside(&error);
        assert!(matches!(found, Some(SpillError::Limit { .. })), "{error}");
    }
}
