//! The job whose tables and settings are read.

use std::path::Path;

use anyhow::{Context, Result};
use engine::{EngineError, Job, JobSpec};
use tokio::runtime::Runtime;

/// Reads a job file with `KEY=VALUE` overrides.
pub(crate) fn job(file: &Path, overrides: &[String]) -> Result<Job, EngineError> {
    Ok(Job::new(&JobSpec::read(file, overrides)?)?)
}

/// Starts the threads that read the tables of a job.
pub(crate) fn runtime(job: &Job) -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(job.resources.threads)
        .enable_all()
        .build()
        .context("cannot start worker threads")
}
