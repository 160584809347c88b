//! Parts of all commands of `urltree import`.

use anyhow::{Context, Result};
use import::{ImportError, Report};

use crate::progress::ImportProgress;
use crate::runtime::{Interrupted, stop_at_a_signal};

/// Runs an import until it is done or interrupted.
pub(crate) fn run<T>(
    import: impl Future<Output = Result<T, ImportError>>,
    progress: &ImportProgress,
) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start worker threads")?;
    let stop = stop_at_a_signal()?;
    let done = runtime.block_on(stop.run_until_cancelled(import));
    progress.finish();
    // Files that are read on other threads have nothing that must be saved.
    runtime.shutdown_background();
    Ok(done.ok_or(Interrupted::Run)??)
}

/// The dates as `urltree backfill --dates` reads them.
pub(crate) fn dates(report: &Report) -> Option<String> {
    let (first, last) = report.dates?;
    Some(format!("{first}..{last}"))
}
