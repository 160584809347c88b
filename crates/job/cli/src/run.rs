//! The commands `run`, `backfill` and `update`: runs of a job.

use std::sync::Arc;

use anyhow::Result;
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use engine::{Accepted, ArchiveDates, EngineError, Failure, Job, Share, Stage, backfill_share};
use tables::DateRange;
use tokio::runtime::Runtime;

use crate::args::{JobArgs, ReportFormat};
use crate::print::{print, visible_lines};
use crate::progress::{RunProgress, Terminal};
use crate::report;
use crate::runtime::{Interrupted, SHUTDOWN, runtime, stop_at_a_signal};
use crate::usage::NotFound;
use crate::worker::{TlsArgs, with_workers};

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Run even if the tables were written with other settings. Later dates become
    /// stale.
    #[arg(long)]
    pub(crate) change_settings: bool,
    /// Run even if objects of the archive cannot be opened, or the archive has no rows of a date that the tables
    /// have: its rows are removed.
    #[arg(long)]
    pub(crate) allow_missing: bool,
    /// Workers that run the plans (`urltree worker`), instead of this process: HOST:PORT, dns:HOST:PORT
    /// (every address of a name) or file:PATH (a line for each). They are looked up again for each chunk.
    #[arg(long, value_name = "HOST:PORT,...", value_delimiter = ',')]
    pub(crate) workers: Vec<String>,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// Format of the report.
    #[arg(long, value_enum)]
    pub(crate) format: Option<ReportFormat>,
}

#[derive(Debug, clap::Args)]
#[command(mut_arg("tables", |tables| tables.long("output").alias("tables").required(true).help("Folder or URL of the tables")))]
pub(crate) struct ArchiveRunArgs {
    /// Parquet or WARC file, or a folder of such files, as a path or a URL.
    pub(crate) archive: String,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// UTC days to process instead of all days of the archive.
    #[arg(long, value_name = "A..B")]
    dates: Option<DateRange>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BackfillArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// UTC days to process, both ends inclusive: YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD.
    #[arg(long, value_name = "A..B")]
    pub(crate) dates: DateRange,
    /// Do one of several shares of the work, without committing it: 17/64. Any number of processes do so at once; a
    /// backfill without this option then does what is missing and commits.
    #[arg(long, value_name = "I/N", conflicts_with_all = ["plan", "analyze"])]
    units: Option<Share>,
    /// Print the plan of the first chunk without running it.
    #[arg(long)]
    plan: bool,
    /// Print each plan after it was executed, with the time, rows, bytes and spills of its
    /// operators.
    #[arg(long, conflicts_with_all = ["plan", "format"])]
    analyze: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// UTC days to process instead of all new days.
    #[arg(long, value_name = "A..B")]
    pub(crate) dates: Option<DateRange>,
}

/// Runs the archive that the arguments name, and shows the first text.
pub(crate) fn run_archive(args: &ArchiveRunArgs, quiet: bool, terminal: &Terminal) -> Result<()> {
    let mut run_args = args.run.clone();
    run_args.job = args.run.job.of_archive(&args.archive);
    let job = job_of_run(&run_args, args.dates)?;
    let runtime = runtime(&job)?;
    let job = with_workers(job, &run_args.workers, &run_args.tls, &runtime)?;
    let dates = args
        .dates
        .map_or(Dates::Archive(ArchiveDates::All), Dates::These);
    let done = run(
        &job,
        &runtime,
        dates,
        &run_args,
        quiet,
        &terminal.run(false),
    );
    let done = match run_args.format {
        None if !quiet => {
            done.and_then(|()| runtime.block_on(show_text(&job, &args.run.job, &args.archive)))
        }
        _ => done,
    };
    runtime.shutdown_timeout(SHUTDOWN);
    done
}

/// Letters of the text that is shown.
const SHOWN_LETTERS: usize = 800;

/// Prints the first text, and commands that show more.
async fn show_text(job: &Job, args: &JobArgs, archive: &str) -> Result<()> {
    let rows = |sql: String| async move { query::query(job, &sql).await };
    let with_text = "FROM documents WHERE content_blocks > 0";
    let first = rows(format!(
        "SELECT CAST(min(date) AS VARCHAR) AS date {with_text}"
    ))
    .await?;
    let Some(date) = text_of(&first, 0) else {
        return print("\nno page has text");
    };
    let first = rows(format!(
        "SELECT url, left(text, {SHOWN_LETTERS}) AS text, length(text) > {SHOWN_LETTERS} AS is_cut {with_text} \
         AND date = '{date}' ORDER BY fetched_at, url LIMIT 1"
    ));
    let first = first.await?;
    let is_cut = first.iter().any(|batch| {
        batch
            .column(2)
            .as_boolean()
            .iter()
            .any(|cut| cut == Some(true))
    });
    let text = visible_lines(&text_of(&first, 1).unwrap_or_default());
    let end = if is_cut { " ..." } else { "" };
    let sql = "SELECT url, text FROM documents LIMIT 3";
    let archive = format!("archive.location={}", tables::without_secrets(archive));
    print(&format!(
        "\n{}\n\n{text}{end}\n\nmore: {}\n      {}",
        visible_lines(&text_of(&first, 0).unwrap_or_default()),
        args.command(&["sql"], &[sql]),
        args.command(&["serve"], &["--set", &archive]),
    ))
}

/// Returns the text in a column of the first row.
fn text_of(batches: &[RecordBatch], column: usize) -> Option<String> {
    let batch = batches.iter().find(|batch| batch.num_rows() > 0)?;
    let texts = cast(batch.column(column), &DataType::Utf8).ok()?;
    let texts = texts.as_string::<i32>();
    texts.is_valid(0).then(|| texts.value(0).to_owned())
}

/// The dates of a run.
#[derive(Debug, Clone, Copy)]
enum Dates {
    These(DateRange),
    Archive(ArchiveDates),
}

pub(crate) fn backfill(args: &BackfillArgs, quiet: bool, terminal: &Terminal) -> Result<()> {
    let job = job_of_run(&args.run, Some(args.dates))?;
    let runtime = runtime(&job)?;
    let job = with_workers(job, &args.run.workers, &args.run.tls, &runtime)?;
    if args.plan {
        return print(&runtime.block_on(engine::explain(&job, args.dates))?);
    }
    let progress = terminal.run(args.analyze);
    if let Some(units) = args.units {
        let done = share(&job, &runtime, args, units, quiet, &progress);
        runtime.shutdown_timeout(SHUTDOWN);
        return done;
    }
    let done = run(
        &job,
        &runtime,
        Dates::These(args.dates),
        &args.run,
        quiet,
        &progress,
    );
    runtime.shutdown_timeout(SHUTDOWN);
    done
}

pub(crate) fn update(args: &UpdateArgs, quiet: bool, terminal: &Terminal) -> Result<()> {
    let job = job_of_run(&args.run, args.dates)?;
    let runtime = runtime(&job)?;
    let job = with_workers(job, &args.run.workers, &args.run.tls, &runtime)?;
    let done = run(
        &job,
        &runtime,
        args.dates
            .map_or(Dates::Archive(ArchiveDates::New), Dates::These),
        &args.run,
        quiet,
        &terminal.run(false),
    );
    runtime.shutdown_timeout(SHUTDOWN);
    done
}

fn job_of_run(args: &RunArgs, dates: Option<DateRange>) -> Result<Job, Failure> {
    args.job
        .open()
        .map_err(|source| Failure::new(Stage::Job, dates, source))
}

/// Does a share of the units of a backfill.
fn share(
    job: &Job,
    runtime: &Runtime,
    args: &BackfillArgs,
    share: Share,
    quiet: bool,
    progress: &Arc<RunProgress>,
) -> Result<()> {
    let stop = stop_at_a_signal()?;
    let accepted = args.run.accepted();
    let done = backfill_share(job, args.dates, accepted, share, progress.clone(), &stop);
    let report = runtime.block_on(done);
    progress.finish();
    let report = report.map_err(failed)?;
    match args.run.format {
        Some(ReportFormat::Json) => print(&report::share_json(&report)),
        None if quiet => Ok(()),
        None | Some(ReportFormat::Text) => print(&report::share(&report)),
    }
}

/// Returns the error of a run that failed.
fn failed(failure: Failure) -> anyhow::Error {
    match *failure.source {
        EngineError::Interrupted => Interrupted::Run.into(),
        _ => failure.into(),
    }
}

impl RunArgs {
    fn accepted(&self) -> Accepted {
        Accepted {
            other_settings: self.change_settings,
            missing_pages: self.allow_missing,
        }
    }
}

/// Runs `dates`, and prints the report.
fn run(
    job: &Job,
    runtime: &Runtime,
    dates: Dates,
    args: &RunArgs,
    quiet: bool,
    progress: &Arc<RunProgress>,
) -> Result<()> {
    let accepted = args.accepted();
    let stop = stop_at_a_signal()?;
    let report = runtime.block_on(async {
        match dates {
            Dates::These(dates) => engine::backfill(job, dates, accepted, progress.clone(), &stop)
                .await
                .map(Some),
            Dates::Archive(dates) => {
                engine::backfill_archive(job, dates, accepted, progress.clone(), &stop).await
            }
        }
    });
    progress.finish();
    let Some(report) = report.map_err(failed)? else {
        if let Dates::Archive(ArchiveDates::All) = dates {
            let problem = "the archive has no rows with a date (archive.dates)";
            return Err(NotFound::of(problem).into());
        }
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
