//! `urltree`: clean text from crawl archives.
//!
//! This crate reads arguments, sets up logs and threads, calls the engine and
//! prints what came of it. What a job is and does is in `engine`.

mod args;
mod report;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use engine::{EngineError, ErrorClass, Job, JobSpec};
use tracing_subscriber::EnvFilter;

use args::{Args, BackfillArgs, Command, JobArgs, SqlArgs};

/// Tokenizing is many small allocations on many threads, and a long run frees
/// in one chunk what it took in the last.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    init_logs();
    let done = match &args.command {
        Command::Backfill(args) => backfill(args),
        Command::Sql(args) => sql(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The one place that writes an error: a closed stderr is no reason
            // to fail differently.
            let _ = writeln!(std::io::stderr(), "error: {}", message(&error));
            ExitCode::from(exit_code(&error))
        }
    }
}

fn init_logs() {
    let filter = EnvFilter::try_from_env("URLTREE_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,engine=info,urltree=info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
}

fn backfill(args: &BackfillArgs) -> Result<()> {
    let job = job(&args.job)?;
    let runtime = runtime(&job)?;
    if args.explain {
        let plan = runtime.block_on(engine::explain(&job, args.date))?;
        return print(&plan);
    }
    let report = runtime.block_on(engine::backfill(&job, args.date))?;
    print(&report::table(&report)?)
}

fn sql(args: &SqlArgs) -> Result<()> {
    let job = job(&args.job)?;
    let batches = runtime(&job)?.block_on(engine::query(&job, &args.query))?;
    print(&report::rows(&batches, args.format)?)
}

fn job(args: &JobArgs) -> Result<Job, EngineError> {
    let spec = JobSpec::read(&args.job, &args.set)?;
    Ok(Job::new(&spec)?)
}

fn runtime(job: &Job) -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(job.resources.threads)
        .enable_all()
        .build()
        .context("cannot start worker threads")
}

fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", text.trim_end()) {
        // A reader that has seen enough, such as `head`.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write the result"),
    }
}

/// The engine's errors name their cause themselves.
fn message(error: &anyhow::Error) -> String {
    match error.downcast_ref::<EngineError>() {
        Some(error) => error.to_string(),
        None => format!("{error:#}"),
    }
}

/// 2 usage, 3 input, 4 storage, 5 internal.
fn exit_code(error: &anyhow::Error) -> u8 {
    let class = error
        .downcast_ref::<EngineError>()
        .map_or(ErrorClass::Internal, EngineError::class);
    match class {
        ErrorClass::Usage => 2,
        ErrorClass::Input => 3,
        ErrorClass::Storage => 4,
        ErrorClass::Internal => 5,
    }
}
