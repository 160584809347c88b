//! The command `urltree`: clean text from crawl archives.
//!
//! This crate parses arguments, sets up logs and threads, calls the engine and prints the
//! result. Jobs are implemented in the crate `engine`. It supports Unix only.
//!
//! The command is a library, so that the binary and the Python package are the same command: both
//! call [`main`] with their arguments. [`run_json`] is the report of a run, as the command prints it, and [`WARNINGS`] says which
//! lines of logs are warnings.

mod args;
mod command;
mod exit_code;
mod explain_page;
mod export_documents;
mod extract_files;
mod failure_line;
mod fetch_feeds;
mod fitted_table;
mod import_files;
mod import_index;
mod import_run;
mod manual;
mod marks;
mod near_duplicates;
mod new_job;
mod print;
mod progress;
mod report;
mod report_site;
mod row_sink;
mod rows;
mod rules;
mod rules_report;
mod run;
mod runtime;
mod serve_site;
mod sql;
mod status;
mod usage;
mod vacuum;
mod worker;

use std::ffi::OsString;
use std::io::Write;

use engine::Failure;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use command::{Args, Command};
use exit_code::exit_code;
use failure_line::failure_line;
use print::{message, print};
use progress::Terminal;

pub use report::run_json;

/// Runs the command with `args`, of which the first is the name of the program. Prints to stdout and
/// stderr, and handles SIGINT and SIGTERM while a run or a query is under way. The second signal
/// ends the process.
///
/// Returns 0 if the command succeeded, 2 for wrong usage, 3 for input, 4 for storage, 5 for an internal
/// error, and 130 if it was interrupted.
///
/// Logs go to one subscriber of the process, so a process calls it once.
pub fn main<T: Into<OsString> + Clone>(args: impl IntoIterator<Item = T>) -> u8 {
    let args = match Args::of(args) {
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
    let quiet = args.quiet;
    let terminal = Terminal::stderr(quiet);
    init_logs(args, &terminal);
    let done = match (&args.command, args.generate) {
        (Some(command), _) => done(command, quiet, &terminal),
        (None, Some(file)) => manual::generate(file, command::command())
            .map_err(Into::into)
            .and_then(|text| print(&text)),
        // clap prints the help instead.
        (None, None) => Ok(()),
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            // A closed stderr must not change the exit code.
            let mut stderr = std::io::stderr().lock();
            let _ = writeln!(stderr, "error: {}", message(&error));
            let run = match &args.command {
                Some(Command::Run(args)) => Some((vec!["run", &args.archive], &args.run)),
                Some(Command::Backfill(args)) => Some((vec!["backfill"], &args.run)),
                Some(Command::Update(args)) => Some((vec!["update"], &args.run)),
                _ => None,
            };
            if let (Some((command, run)), Some(failure)) = (run, error.downcast_ref::<Failure>())
                && let Some(line) = failure_line(&command, run, failure)
            {
                let _ = writeln!(stderr, "{line}");
            }
            exit_code(&error)
        }
    }
}

fn done(command: &Command, quiet: bool, terminal: &Terminal) -> anyhow::Result<()> {
    match command {
        Command::Import { command } => import_files::import_files(command, quiet, terminal),
        Command::Fetch(args) => fetch_feeds::fetch(args, quiet),
        Command::Extract(args) => extract_files::extract(args),
        Command::Run(args) => run::run_archive(args, quiet, terminal),
        Command::Init(args) => new_job::init(args),
        Command::Backfill(args) => run::backfill(args, quiet, terminal),
        Command::Update(args) => run::update(args, quiet, terminal),
        Command::Status(args) => status::status(args),
        Command::Vacuum(args) => vacuum::vacuum(args),
        Command::Worker(args) => worker::worker(args),
        Command::Sql(args) => sql::sql(args, quiet),
        Command::Explain(args) => explain_page::explain(args),
        Command::Report(args) => report_site::report(args, quiet),
        Command::Serve(args) => serve_site::serve(args, quiet),
        Command::Export(args) => export_documents::export(args, quiet),
        Command::NearDuplicates(args) => near_duplicates::near_duplicates(args, quiet),
        Command::Rules { command } => rules::rules(command),
    }
}

/// The filter of logs for warnings and errors. An upload that fails is an error of the run, and html5ever warns of pages.
pub const WARNINGS: &str = "warn,html5ever=error,deltalake_core::datafile=error";

/// Our crates that log.
const OURS: [&str; 6] = ["cluster", "engine", "export", "lease", "tables", "urltree"];

fn init_logs(args: &Args, terminal: &Terminal) {
    let ours = |level: &str| {
        let ours = OURS.map(|name| format!("{name}={level}"));
        format!("{WARNINGS},{}", ours.join(","))
    };
    let level = match (args.quiet, args.verbose) {
        (true, _) => "error".to_owned(),
        (_, 0) => ours("info"),
        (_, 1) => ours("debug"),
        _ => ours("trace"),
    };
    let filter = EnvFilter::try_from_env("URLTREE_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let terminal = terminal.clone();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || terminal.clone())
        .with_ansi(console::colors_enabled_stderr())
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
    OURS.contains(&name)
}
