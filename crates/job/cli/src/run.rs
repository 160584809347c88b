//! The commands `backfill` and `update`: runs of a job.

use std::sync::Arc;

use anyhow::Result;
use engine::{Accepted, EngineError, Failure, Job, Share, Stage, backfill_share};
use tables::DateRange;
use tokio::runtime::Runtime;

use crate::args::{JobArgs, ReportFormat};
use crate::print::print;
use crate::progress::{RunProgress, Terminal};
use crate::report;
use crate::runtime::{Interrupted, SHUTDOWN, runtime, stop_at_a_signal};
use crate::worker::{TlsArgs, with_workers};

#[derive(Debug, clap::Args)]
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
        Some(args.dates),
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
        args.dates,
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

/// Runs `dates`, or all new dates if none are given.
fn run(
    job: &Job,
    runtime: &Runtime,
    dates: Option<DateRange>,
    args: &RunArgs,
    quiet: bool,
    progress: &Arc<RunProgress>,
) -> Result<()> {
    let accepted = args.accepted();
    let stop = stop_at_a_signal()?;
    let report = runtime.block_on(async {
        match dates {
            Some(dates) => engine::backfill(job, dates, accepted, progress.clone(), &stop)
                .await
                .map(Some),
            None => engine::update(job, accepted, progress.clone(), &stop).await,
        }
    });
    progress.finish();
    let Some(report) = report.map_err(failed)? else {
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
