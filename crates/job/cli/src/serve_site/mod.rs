//! `urltree serve`: the pages of a job, live.

mod live_marks;
mod live_pages;
mod live_query;

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use crate::args::JobArgs;
use crate::print::print;
use crate::runtime::{SHUTDOWN, runtime_of, stop_at_a_signal};
use live_pages::LivePages;
use live_query::Limits;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Address to listen on, which only this machine can reach. Port 0 is any free port.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7080")]
    pub(crate) listen: String,
    /// Time after which a query is stopped, such as 30s or 5m.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub(crate) query_timeout: Duration,
    /// Most rows of a query in a page.
    #[arg(long, value_name = "N", default_value = "1000")]
    pub(crate) max_rows: NonZeroUsize,
}

/// Serves the pages of the job until a signal.
pub(crate) fn serve(args: &ServeArgs, quiet: bool) -> Result<()> {
    let job = args.job.open()?;
    // A query that computes without a pause must leave a thread for its time limit.
    let runtime = runtime_of(job.resources.threads.max(2))?;
    let served = runtime.block_on(async {
        let listener = ::serve::listen(&args.listen).await?;
        if !quiet {
            print(&format!("http://{}/", listener.local_addr()?))?;
        }
        let limits = Limits {
            time: args.query_timeout,
            rows: args.max_rows.get(),
        };
        let stop = stop_at_a_signal()?;
        let pages = LivePages::new(job, args.job.clone(), limits);
        Ok(::serve::serve(listener, pages, stop).await?)
    });
    runtime.shutdown_timeout(SHUTDOWN);
    served
}
