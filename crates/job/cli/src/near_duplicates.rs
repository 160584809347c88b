//! The command `near-duplicates`.

use anyhow::Result;

use crate::args::{JobArgs, OutputArgs};
use crate::sql::{Request, write_rows};

#[derive(Debug, clap::Args)]
pub(crate) struct NearDuplicatesArgs {
    #[command(flatten)]
    job: JobArgs,
    #[command(flatten)]
    rows: OutputArgs,
}

/// Writes the clusters of near duplicates.
pub(crate) fn near_duplicates(args: &NearDuplicatesArgs, quiet: bool) -> Result<()> {
    let request = Request::new(&args.rows, None)?;
    let job = args.job.open()?;
    write_rows(&job, query::near_duplicates(&job), &request, quiet)
}
