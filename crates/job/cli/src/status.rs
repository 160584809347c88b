//! The command `status`.

use anyhow::Result;

use crate::args::{FormatArgs, JobArgs, ReportFormat};
use crate::print::print;
use crate::report;
use crate::runtime::runtime;

#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Also read the archive, and show dates with rows that were not run, and dates whose rows or objects have changed
    /// since: late or corrected data.
    #[arg(long)]
    archive: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// Prints the dates in the tables.
pub(crate) fn status(args: &StatusArgs) -> Result<()> {
    let job = args.job.open()?;
    let status = runtime(&job)?.block_on(query::status(&job, args.archive))?;
    match args.format.format {
        ReportFormat::Json => print(&report::status_json(&status)),
        ReportFormat::Text => print(&report::status(&status, &args.job)),
    }
}
