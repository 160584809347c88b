//! `urltree`: clean text from crawl archives.
//!
//! This crate reads arguments, sets up logs and threads, calls the engine and
//! prints what came of it. What a job is and does is in `engine`.

mod args;
mod eval;
mod extract;
mod failure_line;
mod gold_sets;
mod manual;
mod progress;
mod report;
mod rows;
mod usage;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use engine::{
    EngineError, ErrorClass, Failure, Job, JobSpec, SettingsChange, SpecError, Stage, VacuumMode,
};
use evaluation::{ImportError, InputError};
use sample::SampleError;
use sample::SampleOptions;
use tables::{DateRange, Location, LocationError};
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use args::{
    Args, BackfillArgs, Command, JobArgs, ReportFormat, RunArgs, SampleArgs, SqlArgs, StatusArgs,
    UpdateArgs, VacuumArgs,
};
use eval::ThresholdsMissed;
use progress::Terminal;
use usage::Usage;

/// Tokenizing is many small allocations on many threads, and a long run frees
/// in one chunk what it took in the last.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    let terminal = Terminal::stderr(args.quiet);
    init_logs(&args, &terminal);
    let done = match &args.command {
        Command::Backfill(backfill_args) => backfill(backfill_args, args.quiet, &terminal),
        Command::Update(nightly_args) => nightly(nightly_args, args.quiet, &terminal),
        Command::Status(args) => status(args),
        Command::Vacuum(args) => vacuum(args),
        Command::Sql(args) => sql(args),
        Command::Eval(args) => eval::eval(args).and_then(|text| print(&text)),
        Command::Tune(args) => gold_sets::tune(args).and_then(|text| print(&text)),
        Command::Gold(args) => gold_sets::gold(args).and_then(|text| print(&text)),
        Command::Extract(args) => extract::extract(args).and_then(|text| print(&text)),
        Command::Sample(args) => sample(args),
        Command::Completions { shell } => print(&manual::completions(*shell)),
        Command::Man { folder } => manual::pages(folder),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The one place that writes an error: a closed stderr is no reason
            // to fail differently.
            let mut stderr = std::io::stderr().lock();
            let _ = writeln!(stderr, "error: {}", message(&error));
            let run = match &args.command {
                Command::Backfill(args) => Some(("backfill", &args.run)),
                Command::Update(args) => Some(("update", &args.run)),
                _ => None,
            };
            if let (Some((command, run)), Some(failure)) = (run, error.downcast_ref::<Failure>()) {
                let _ = writeln!(stderr, "{}", failure_line::line(command, run, failure));
            }
            ExitCode::from(exit_code(&error))
        }
    }
}

fn init_logs(args: &Args, terminal: &Terminal) {
    let level = match (args.quiet, args.verbose) {
        (true, _) => "error",
        (_, 0) => "warn,html5ever=error,engine=info,tables=info,urltree=info",
        (_, 1) => "warn,html5ever=error,engine=debug,tables=debug,urltree=debug",
        _ => "warn,html5ever=error,engine=trace,tables=trace,urltree=trace",
    };
    let filter = EnvFilter::try_from_env("URLTREE_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let terminal = terminal.clone();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || terminal.clone())
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .finish()
        .with(filter_fn(|event| {
            *event.level() <= LevelFilter::WARN || is_ours(event.target())
        }))
        .init();
}

/// Below a warning only our own crates speak, whatever URLTREE_LOG asks for:
/// deltalake's debug lines have printed the keys of a store.
fn is_ours(target: &str) -> bool {
    let name = target.split("::").next().unwrap_or_default();
    ["urltree", "engine", "tables", "archive", "evaluation"].contains(&name)
}

fn backfill(args: &BackfillArgs, quiet: bool, terminal: &Terminal) -> Result<()> {
    let job = job_of_run(&args.run, Some(args.dates))?;
    let runtime = runtime(&job)?;
    if args.explain {
        return print(&runtime.block_on(engine::explain(&job, args.dates))?);
    }
    run(&job, &runtime, args.dates, &args.run, quiet, terminal)
}

fn nightly(args: &UpdateArgs, quiet: bool, terminal: &Terminal) -> Result<()> {
    let job = job_of_run(&args.run, args.dates)?;
    let runtime = runtime(&job)?;
    let dates = match args.dates {
        Some(dates) => Some(dates),
        None => runtime.block_on(engine::new_dates(&job))?,
    };
    match dates {
        Some(dates) => run(&job, &runtime, dates, &args.run, quiet, terminal),
        None => match args.run.format {
            Some(ReportFormat::Json) => print("null"),
            None if quiet => Ok(()),
            None | Some(ReportFormat::Text) => print("the archive has nothing new"),
        },
    }
}

fn job_of_run(args: &RunArgs, dates: Option<DateRange>) -> Result<Job, Failure> {
    job(&args.job).map_err(|source| Failure {
        dates,
        stage: Stage::Job,
        source: Box::new(source),
    })
}

fn run(
    job: &Job,
    runtime: &Runtime,
    dates: DateRange,
    args: &RunArgs,
    quiet: bool,
    terminal: &Terminal,
) -> Result<()> {
    let change = if args.change_settings {
        SettingsChange::Asked
    } else {
        SettingsChange::Refused
    };
    let shown = terminal.run();
    let report = runtime.block_on(async {
        tokio::select! {
            report = engine::backfill(job, dates, change, shown.clone()) => Some(report),
            () = interrupted() => None,
        }
    });
    shown.finish();
    let report = report.ok_or(Interrupted)??;
    match args.format {
        Some(ReportFormat::Json) => print(&report::run_json(&report)),
        None if quiet => Ok(()),
        None | Some(ReportFormat::Text) => print(&report::run(&report)),
    }
}

fn status(args: &StatusArgs) -> Result<()> {
    let job = job(&args.job)?;
    let runtime = runtime(&job)?;
    let status = if args.archive {
        runtime.block_on(engine::status_with_archive(&job))?
    } else {
        runtime.block_on(engine::status(&job))?
    };
    match args.format {
        ReportFormat::Json => print(&report::status_json(&status)),
        ReportFormat::Text => print(&report::status(&status, &args.job)),
    }
}

/// Somebody ended the run.
#[derive(Debug)]
struct Interrupted;

impl std::error::Error for Interrupted {}

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted; the same command goes on from here")
    }
}

/// Waits until somebody wants the program to end: a run that is told so can still
/// give the tables free.
async fn interrupted() {
    let ctrl_c = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<Option<()>>();
    tokio::select! {
        () = ctrl_c => {}
        _ = terminated => {}
    }
}

fn vacuum(args: &VacuumArgs) -> Result<()> {
    let job = job(&args.job)?;
    let mode = if args.delete {
        VacuumMode::Delete
    } else {
        VacuumMode::Report
    };
    let found = runtime(&job)?.block_on(engine::vacuum(&job, args.retention, mode))?;
    match args.format {
        ReportFormat::Json => print(&report::gc_json(&found, mode)),
        ReportFormat::Text => print(&report::vacuum(&found, mode)),
    }
}

fn sql(args: &SqlArgs) -> Result<()> {
    let job = job(&args.job)?;
    let batches = runtime(&job)?.block_on(engine::query(&job, &args.query))?;
    print(&rows::text(&batches, args.format)?)
}

fn sample(args: &SampleArgs) -> Result<()> {
    let usage = |error: LocationError| SpecError::Key {
        key: "--output".to_owned(),
        expected: error.to_string(),
    };
    let location =
        Location::parse(&args.output).map_err(|error| EngineError::from(usage(error)))?;
    let options = SampleOptions {
        first: args.dates.first(),
        last: args.dates.last(),
        pages: args.pages,
        seed: args.seed,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    let written = runtime.block_on(sample::write_sample(&options, &location))?;
    print(&report::sample(&written, &args.output))
}

fn job(args: &JobArgs) -> Result<Job, EngineError> {
    let spec = JobSpec::read(&args.job, &args.set)?;
    Ok(Job::new(&spec)?)
}

fn runtime(job: &Job) -> Result<Runtime> {
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
    if error.is::<Failure>() || error.is::<EngineError>() || error.is::<SampleError>() {
        error.to_string()
    } else {
        format!("{error:#}")
    }
}

/// 1 quality below its threshold, 2 usage, 3 input, 4 storage, 5 internal, 130 as shells have it for Ctrl-C.
fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Interrupted>() {
        return 130;
    }
    if error.is::<ThresholdsMissed>() {
        return 1;
    }
    if error.is::<Usage>() {
        return 2;
    }
    if error.is::<InputError>() {
        return 3;
    }
    match error.downcast_ref::<ImportError>() {
        Some(ImportError::Write { .. }) => return 4,
        Some(_) => return 3,
        None => {}
    }
    // Files that are named on the command line.
    match error
        .downcast_ref::<std::io::Error>()
        .map(std::io::Error::kind)
    {
        Some(std::io::ErrorKind::NotFound) => return 3,
        Some(_) => return 4,
        None => {}
    }
    match error.downcast_ref::<SampleError>() {
        Some(SampleError::Occupied { .. }) => return 2,
        Some(SampleError::Store { .. }) => return 4,
        Some(SampleError::Encode { .. }) | None => {}
    }
    let failure = error.downcast_ref::<Failure>();
    let cause = failure.map(|failure| failure.source.as_ref());
    let class = (cause.or_else(|| error.downcast_ref::<EngineError>()))
        .map_or(ErrorClass::Internal, EngineError::class);
    match class {
        ErrorClass::Usage => 2,
        ErrorClass::Input => 3,
        ErrorClass::Storage => 4,
        ErrorClass::Internal => 5,
    }
}
