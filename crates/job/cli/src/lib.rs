//! The command `urltree`: clean text from crawl archives.
//!
//! This crate parses arguments, sets up logs and threads, calls the engine and prints the
//! result. Jobs are implemented in the crate `engine`. It supports Unix only.
//!
//! The command is a library, so that the binary and the Python package are the same command: both
//! call [`main`] with their arguments. [`run_json`] is the report of a run, as the command prints it.

mod args;
mod eval;
mod eval_args;
mod exit_code;
mod explain_page;
mod export_documents;
mod extract;
mod failure_line;
mod fetch_feeds;
mod gold_comparison;
mod gold_sets;
mod import_files;
mod manual;
mod marks;
mod progress;
mod replay_settings;
mod report;
mod report_site;
mod reproduce;
mod row_sink;
mod rows;
mod rules_report;
mod serve_site;
mod sql;
mod usage;
mod worker;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use engine::{
    CancellationToken, EngineError, Failure, Job, JobSpec, SettingsChange, Stage, VacuumMode,
};
use sample::{SampleError, SampleOptions};
use serve::ServeError;
use tables::{DateRange, Location};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use args::{
    Args, BackfillArgs, Command, DedupArgs, JobArgs, ReportFormat, RulesCheckArgs, RulesCommand,
    RulesLearnArgs, RunArgs, SampleArgs, SqlArgs, StatusArgs, UpdateArgs, VacuumArgs,
};
use exit_code::exit_code;
use explain_page::ExplainArgs;
use export::ExportError;
use export_documents::ExportArgs;
use failure_line::failure_line;
use fetch::FetchError;
use import::ImportError;
use import_files::ImportCommand;
use progress::{RunProgress, Terminal};
use report_site::ReportArgs;
use usage::Usage;
use worker::with_workers;

pub use report::run_json;

/// Runs the command with `args`, of which the first is the name of the program. Prints to stdout and
/// stderr, and handles SIGINT and SIGTERM while a run or a query is under way. The second signal
/// ends the process.
///
/// Returns 0 if the command succeeded, 1 for quality below a threshold, 2 for wrong usage, 3 for input,
/// 4 for storage, 5 for an internal error, and 130 if it was interrupted.
///
/// Logs go to one subscriber of the process, so a process calls it once.
pub fn main<T: Into<OsString> + Clone>(args: impl IntoIterator<Item = T>) -> u8 {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(usage) => {
            // Help goes to stdout and has the code 0. A closed stream must not change the code.
            let _ = usage.print();
            return u8::try_from(usage.exit_code()).unwrap_or(2);
        }
    };
    let code = run_command(&args);
    // The runtime of Rust flushes stdout at the end of a process; that of Python does not know of it.
    // After an interruption a thread may still wait, with stdout locked, for a reader that never reads.
    if code == 0 {
        let _ = std::io::stdout().flush();
    }
    code
}

fn run_command(args: &Args) -> u8 {
    let terminal = Terminal::stderr(args.quiet);
    init_logs(args, &terminal);
    let done = match &args.command {
        Command::Backfill(backfill_args) => backfill(backfill_args, args.quiet, &terminal),
        Command::Update(update_args) => update(update_args, args.quiet, &terminal),
        Command::Worker(args) => worker::worker(args),
        Command::Status(args) => status(args),
        Command::Vacuum(args) => vacuum(args),
        Command::Sql(sql_args) => sql(sql_args, args.quiet),
        Command::Dedup(dedup_args) => dedup(dedup_args, args.quiet),
        Command::Export(export_args) => export_documents(export_args, args.quiet),
        Command::Explain(explain_args) => explain(explain_args),
        Command::Report(report_args) => report_site(report_args, args.quiet),
        Command::Serve(serve_args) => serve_site::serve(serve_args, args.quiet),
        Command::Rules {
            command: RulesCommand::Learn(args),
        } => rules_learn(args),
        Command::Rules {
            command: RulesCommand::Check(args),
        } => rules_check(args),
        Command::Eval(args) => eval::eval(args).and_then(|text| print(&text)),
        Command::Tune(args) => gold_sets::tune(args).and_then(|text| print(&text)),
        Command::Reproduce(args) => reproduce::reproduce(args).and_then(|text| print(&text)),
        Command::Gold(args) => gold_sets::gold(args).and_then(|text| print(&text)),
        Command::Extract(args) => extract::extract(args).and_then(|text| print(&text)),
        Command::Import {
            command: ImportCommand::Warc(import_args),
        } => import_files::warc(import_args, args.quiet, &terminal).and_then(|text| print(&text)),
        Command::Import {
            command: ImportCommand::Pages(import_args),
        } => import_files::pages(import_args, args.quiet, &terminal).and_then(|text| print(&text)),
        Command::Fetch(fetch_args) => {
            fetch_feeds::fetch(fetch_args, args.quiet).and_then(|text| print(&text))
        }
        Command::Sample(args) => sample(args),
        Command::Completions { shell } => print(&manual::completions(*shell)),
        Command::Man { folder } => manual::pages(folder),
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            // A closed stderr must not change the exit code.
            let mut stderr = std::io::stderr().lock();
            let _ = writeln!(stderr, "error: {}", message(&error));
            let run = match &args.command {
                Command::Backfill(args) => Some(("backfill", &args.run)),
                Command::Update(args) => Some(("update", &args.run)),
                _ => None,
            };
            if let (Some((command, run)), Some(failure)) = (run, error.downcast_ref::<Failure>()) {
                let _ = writeln!(stderr, "{}", failure_line(command, run, failure));
            }
            exit_code(&error)
        }
    }
}

fn init_logs(args: &Args, terminal: &Terminal) {
    let level = match (args.quiet, args.verbose) {
        (true, _) => "error",
        (_, 0) => {
            "warn,html5ever=error,cluster=info,engine=info,export=info,tables=info,urltree=info"
        }
        (_, 1) => {
            "warn,html5ever=error,cluster=debug,engine=debug,export=debug,tables=debug,urltree=debug"
        }
        _ => {
            "warn,html5ever=error,cluster=trace,engine=trace,export=trace,tables=trace,urltree=trace"
        }
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

/// Whether events below a warning are logged, whatever URLTREE_LOG asks for. Only our own
/// crates log them: debug lines of deltalake have printed the keys of a store.
fn is_ours(target: &str) -> bool {
    let name = target.split("::").next().unwrap_or_default();
    [
        "urltree",
        "cluster",
        "engine",
        "tables",
        "evaluation",
        "export",
        "fetch",
        "import",
    ]
    .contains(&name)
}

/// Time after a run or query in which its tasks may end. The threads of a run that stalled may never end.
const SHUTDOWN: Duration = Duration::from_secs(5);

fn backfill(args: &BackfillArgs, quiet: bool, terminal: &Terminal) -> Result<()> {
    let job = job_of_run(&args.run, Some(args.dates))?;
    let runtime = runtime(&job)?;
    let job = with_workers(job, &args.run, &runtime)?;
    if args.explain {
        return print(&runtime.block_on(engine::explain(&job, args.dates))?);
    }
    let progress = terminal.run(args.explain_analyze);
    let done = run(
        &job,
        &runtime,
        Some(args.dates),
        &args.run,
        quiet,
        &progress,
    );
    runtime.shutdown_timeout(SHUTDOWN);
    done
}

fn update(args: &UpdateArgs, quiet: bool, terminal: &Terminal) -> Result<()> {
    let job = job_of_run(&args.run, args.dates)?;
    let runtime = runtime(&job)?;
    let job = with_workers(job, &args.run, &runtime)?;
    let done = run(
        &job,
        &runtime,
        args.dates,
        &args.run,
        quiet,
        &terminal.run(false),
    );
    runtime.shutdown_timeout(SHUTDOWN);
    done
}

fn job_of_run(args: &RunArgs, dates: Option<DateRange>) -> Result<Job, Failure> {
    job(&args.job).map_err(|source| Failure::new(Stage::Job, dates, source))
}

/// Runs `dates`, or all new dates if none are given.
fn run(
    job: &Job,
    runtime: &Runtime,
    dates: Option<DateRange>,
    args: &RunArgs,
    quiet: bool,
    progress: &Arc<RunProgress>,
) -> Result<()> {
    let change = if args.change_settings {
        SettingsChange::Requested
    } else {
        SettingsChange::Refused
    };
    let stop = CancellationToken::new();
    let report = runtime.block_on(async {
        tokio::spawn(stop_at_a_signal(stop.clone()));
        match dates {
            Some(dates) => engine::backfill(job, dates, change, progress.clone(), &stop)
                .await
                .map(Some),
            None => engine::update(job, change, progress.clone(), &stop).await,
        }
    });
    progress.finish();
    let report = report.map_err(|failure| match *failure.source {
        EngineError::Interrupted => Interrupted::Run.into(),
        _ => anyhow::Error::from(failure),
    });
    let Some(report) = report? else {
        return match args.format {
            Some(ReportFormat::Json) => print("null"),
            None if quiet => Ok(()),
            None | Some(ReportFormat::Text) => print("the archive has nothing new"),
        };
    };
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

/// A signal ended the command.
#[derive(Debug)]
pub(crate) enum Interrupted {
    /// A run, which the same command continues.
    Run,
    /// A query.
    Query,
}

impl std::error::Error for Interrupted {}

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Run => "interrupted; run the same command again to continue",
            Self::Query => "interrupted",
        })
    }
}

/// Stops a run at the first signal, so that it can release its lease. The second ends the process.
async fn stop_at_a_signal(stop: CancellationToken) {
    interrupted().await;
    stop.cancel();
    interrupted().await;
    std::process::exit(i32::from(exit_code(&Interrupted::Run.into())));
}

/// Waits for SIGINT or SIGTERM.
async fn interrupted() {
    let received = async |kind| match signal(kind) {
        Ok(mut signal) => signal.recv().await,
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        _ = received(SignalKind::interrupt()) => {}
        _ = received(SignalKind::terminate()) => {}
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
        ReportFormat::Json => print(&report::vacuum_json(&found, mode)),
        ReportFormat::Text => print(&report::vacuum(&found, mode)),
    }
}

fn sql(args: &SqlArgs, quiet: bool) -> Result<()> {
    let request = sql::Request::new(args)?;
    let job = job(&args.job)?;
    written(&job, sql::write_rows(&job, &args.query, &request), quiet)
}

fn dedup(args: &DedupArgs, quiet: bool) -> Result<()> {
    let request = sql::Request::of_clusters(args)?;
    let job = job(&args.job)?;
    written(&job, sql::write_clusters(&job, &request), quiet)
}

/// Writes rows until all are written or the command is interrupted.
fn written(job: &Job, rows: impl Future<Output = Result<bool>>, quiet: bool) -> Result<()> {
    let is_cut = until_interrupted(job, Interrupted::Query, rows)?;
    if is_cut && !quiet {
        sql::note_cut()?;
    }
    Ok(())
}

/// Works for a job until the work ends or the command is interrupted.
fn until_interrupted<T>(
    job: &Job,
    interruption: Interrupted,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let runtime = runtime(job)?;
    let done = runtime.block_on(async {
        tokio::select! {
            done = work => Some(done),
            () = interrupted() => None,
        }
    });
    // Operators delete their spilled rows when they are dropped.
    runtime.shutdown_timeout(SHUTDOWN);
    done.ok_or(interruption)?
}

fn export_documents(args: &ExportArgs, quiet: bool) -> Result<()> {
    let job = job(&args.job)?;
    let exported = export_documents::export(args, &job, quiet);
    match until_interrupted(&job, Interrupted::Run, exported)? {
        report if report.is_empty() => Ok(()),
        report => print(&report),
    }
}

fn explain(args: &ExplainArgs) -> Result<()> {
    let job = job(&args.job)?;
    let explained = explain_page::explain(args, &job);
    print(&until_interrupted(&job, Interrupted::Query, explained)?)
}

fn report_site(args: &ReportArgs, quiet: bool) -> Result<()> {
    let job = job(&args.job)?;
    let written = report_site::write(args, &job);
    match until_interrupted(&job, Interrupted::Query, written)? {
        _ if quiet => Ok(()),
        said => print(&said),
    }
}

fn rules_learn(args: &RulesLearnArgs) -> Result<()> {
    let job = job(&args.job)?;
    print(&runtime(&job)?.block_on(engine::learn_rules(&job))?)
}

fn rules_check(args: &RulesCheckArgs) -> Result<()> {
    let job = job(&args.job)?;
    let check = runtime(&job)?.block_on(engine::check_rules(&job, &args.rules))?;
    match args.format {
        ReportFormat::Json => print(&rules_report::check_json(&check)),
        ReportFormat::Text => print(&rules_report::check(&check)),
    }
}

fn sample(args: &SampleArgs) -> Result<()> {
    let location = Location::parse(&args.output);
    let location = location.map_err(|error| Usage::of(format!("--output: {error}")))?;
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
    let files = match args.warc {
        true => Some(runtime.block_on(sample::write_sample_warc(&options, &location))?),
        false => None,
    };
    print(&report::sample(&written, files, &args.output))
}

fn job(args: &JobArgs) -> Result<Job, EngineError> {
    let spec = JobSpec::read(&args.job, &args.set)?;
    Ok(Job::new(&spec)?)
}

fn runtime(job: &Job) -> Result<Runtime> {
    runtime_of(job.resources.threads)
}

fn runtime_of(threads: usize) -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(worker::STACK_BYTES)
        .enable_all()
        .build()
        .context("cannot start worker threads")
}

pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", text.trim_end()) {
        // A reader such as `head` has closed the pipe.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write the result"),
    }
}

/// Formats an error. Errors of the engine, of imports, fetches, samples and servers include their causes,
/// others do not.
pub(crate) fn message(error: &anyhow::Error) -> String {
    if error.is::<Failure>()
        || error.is::<EngineError>()
        || error.is::<ExportError>()
        || error.is::<SampleError>()
        || error.is::<ImportError>()
        || error.is::<FetchError>()
        || error.is::<ServeError>()
    {
        error.to_string()
    } else {
        format!("{error:#}")
    }
}
