//! Jobs and sessions of another process that runs a part of a plan.
//!
//! A driver gives its job an extension ([`Job::with_session_extension`]) that sends stages of a plan to
//! workers, in the format of [`StepCodec`](crate::StepCodec), with the text of [`Job::to_document`]. A
//! worker makes the job of the text again, with its own threads and memory
//! ([`WorkerResources::job`]), and the session in which a stage runs ([`worker_session`]).

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::error::ArrowError;
use bytesize::ByteSize;
use datafusion::catalog::memory::{DataSourceExec, MemorySourceConfig};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::physical_plan::ExecutionPlan;

use crate::job::Job;
use crate::job_document::JobDocument;
use crate::peak_memory::peak_memory;
use crate::plan::columns::schemas::ROW_GROUPS;
use crate::plan::exec::step::IsWorker;
use crate::plan::session::{configure_session, register_job, runtime};
use crate::spec::{JobSpec, SpecError};
use crate::spill_disk::SpillDisk;
use crate::step_counters::StepCounters;

impl Job {
    /// Returns the pages that this process has parsed for plans that another process began.
    pub fn parsed_rows(&self) -> u64 {
        self.parsed_rows.load(Ordering::Relaxed)
    }

    /// Returns the job as a text, with absolute locations and the content of its rule files. It has no
    /// credentials: those of the other process apply there.
    ///
    /// # Errors
    /// Where the job has no text form.
    pub fn to_document(&self) -> Result<String, toml::ser::Error> {
        let mut document = self.document.as_ref().clone();
        let spec = &mut document.spec;
        let archive = self.archive.location.as_ref();
        spec.archive.location =
            archive.map_or_else(String::new, |location| location.url().to_string());
        spec.output.location = self.output.location().url().to_string();
        toml::to_string(&document)
    }
}

/// The resources of a process that runs parts of the plans of jobs.
#[derive(Debug, Clone)]
pub struct WorkerResources {
    /// Threads, and partitions of a stage.
    pub threads: usize,
    /// Memory of the process.
    pub memory: ByteSize,
    /// Folder to which rows are spilled. The default is the folder of the system for temporary files.
    pub spill_dir: Option<PathBuf>,
    /// Most bytes that are spilled at once.
    pub spill_limit: ByteSize,
}

impl WorkerResources {
    /// Makes the job of a text of [`Job::to_document`], with these resources.
    ///
    /// # Errors
    /// [`SpecError`] where the text is not a job of this version, or a store lacks credentials.
    pub fn job(&self, document: &str) -> std::result::Result<Job, SpecError> {
        let mut document: JobDocument =
            toml::from_str(document).map_err(|error| SpecError::key("job", error.to_string()))?;
        self.apply(&mut document.spec);
        Job::from_document(document)
    }

    fn apply(&self, spec: &mut JobSpec) {
        spec.run.threads = Some(self.threads);
        spec.run.memory_limit = self.memory;
        spec.run.spill_dir.clone_from(&self.spill_dir);
        spec.run.spill_limit = self.spill_limit;
    }

    /// Makes the memory pool and the disk of all stages of a process.
    ///
    /// # Errors
    /// Where the resources cannot hold a plan.
    pub fn runtime(&self) -> Result<WorkerRuntime> {
        let mut spec = JobSpec::new("archive", "tables");
        self.apply(&mut spec);
        let job =
            Job::new(&spec).map_err(|error| DataFusionError::Configuration(error.to_string()))?;
        Ok(WorkerRuntime {
            env: runtime(&job)?,
            spill_disk: job.spill_disk,
        })
    }
}

/// The memory pool and the disk of all stages of a process.
#[derive(Debug, Clone)]
pub struct WorkerRuntime {
    env: Arc<RuntimeEnv>,
    spill_disk: Arc<SpillDisk>,
}

impl WorkerRuntime {
    /// Returns the runtime for sessions.
    pub fn env(&self) -> &Arc<RuntimeEnv> {
        &self.env
    }

    /// Returns the bytes of memory that operators have reserved.
    pub fn reserved_memory(&self) -> usize {
        self.env.memory_pool.reserved()
    }

    /// Returns the most memory that the process has had resident so far, in bytes. `None` where the
    /// system does not tell.
    pub fn peak_memory(&self) -> Option<u64> {
        peak_memory()
    }

    /// Returns the bytes of rows on disk.
    pub fn spilled(&self) -> u64 {
        self.spill_disk.spilled()
    }
}

/// Makes the session in which a stage of a plan of `job` runs, from one with a runtime. Its steps are
/// counted in `steps`.
///
/// # Errors
/// Where the stores of the job cannot be registered.
pub fn worker_session(
    mut session: SessionStateBuilder,
    job: &Job,
    steps: &Arc<StepCounters>,
) -> Result<SessionState> {
    let config = session.config().take().unwrap_or_default();
    let worker = IsWorker(Arc::clone(steps));
    let config = configure_session(config, job).with_extension(Arc::new(worker));
    let session = session.with_config(config);
    let mut state = session.build();
    register_job(&mut state, job)?;
    Ok(state)
}

/// Divides the row groups that `plan` lists over `tasks` plans of as many partitions. Returns `None` if
/// `plan` is not the leaf of a plan that lists row groups.
///
/// # Errors
/// Where Arrow fails.
pub fn split_row_groups(
    plan: &Arc<dyn ExecutionPlan>,
    tasks: usize,
) -> Result<Option<Vec<Arc<dyn ExecutionPlan>>>> {
    let Some(partitions) = row_groups(plan) else {
        return Ok(None);
    };
    let of_task = |task: usize| -> Result<Arc<dyn ExecutionPlan>> {
        let rows = |batch: &RecordBatch| {
            let rows = (task..batch.num_rows()).step_by(tasks);
            let rows: UInt32Array = rows.map(|row| row as u32).collect();
            take_record_batch(batch, &rows)
        };
        let partitions = partitions
            .iter()
            .map(|batches| batches.iter().map(rows).collect());
        let partitions: Vec<Vec<_>> = partitions.collect::<std::result::Result<_, ArrowError>>()?;
        let leaf = MemorySourceConfig::try_new_exec(&partitions, Arc::clone(&ROW_GROUPS), None)?;
        Ok(leaf)
    };
    (0..tasks).map(of_task).collect::<Result<_>>().map(Some)
}

/// Whether `plan` lists row groups.
pub fn lists_row_groups(plan: &Arc<dyn ExecutionPlan>) -> bool {
    row_groups(plan).is_some()
}

fn row_groups(plan: &Arc<dyn ExecutionPlan>) -> Option<&[Vec<RecordBatch>]> {
    let source = plan.downcast_ref::<DataSourceExec>()?.data_source();
    let source = source.downcast_ref::<MemorySourceConfig>()?;
    (plan.schema() == *ROW_GROUPS).then(|| source.partitions())
}
