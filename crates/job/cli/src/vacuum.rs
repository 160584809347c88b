//! The command `vacuum`.

use std::time::Duration;

use anyhow::Result;
use engine::VacuumMode;

use crate::args::{FormatArgs, JobArgs, ReportFormat};
use crate::print::print;
use crate::report;
use crate::runtime::runtime;

#[derive(Debug, clap::Args)]
pub(crate) struct VacuumArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Delete the files. Fails if a run is active.
    #[arg(long)]
    delete: bool,
    /// Keep files that readers of earlier versions may still need for this time, such as
    /// 12h, at most 7d.
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = retention)]
    retention: Duration,
    #[command(flatten)]
    format: FormatArgs,
}

fn retention(text: &str) -> Result<Duration, String> {
    let retention = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if retention > tables::MAX_RETENTION {
        let longest = humantime::format_duration(tables::MAX_RETENTION);
        return Err(format!(
            "--retention is at most {longest}: the Delta log does not record older replacements"
        ));
    }
    Ok(retention)
}

/// Lists or deletes files that no table references.
pub(crate) fn vacuum(args: &VacuumArgs) -> Result<()> {
    let job = args.job.open()?;
    let mode = if args.delete {
        VacuumMode::Delete
    } else {
        VacuumMode::Report
    };
    let found = runtime(&job)?.block_on(engine::vacuum(&job, args.retention, mode))?;
    match args.format.format {
        ReportFormat::Json => print(&report::vacuum_json(&found, mode)),
        ReportFormat::Text => print(&report::vacuum(&found, mode)),
    }
}
