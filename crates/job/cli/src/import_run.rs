//! Parts of all commands of `urltree import`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use import::{ImportError, Report};

use crate::progress::{ImportProgress, megabytes};
use crate::report::Lines;
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

/// Adds the sum of counts, and each with its reason, if there are any.
pub(crate) fn add_counts(lines: &mut Lines, title: &str, counts: &BTreeMap<String, u64>) {
    if !counts.is_empty() {
        lines.add(title, counts.values().sum::<u64>());
    }
    for (reason, count) in counts {
        lines.add(&format!("  {reason}"), count);
    }
}

/// Ends a report with the counts of the archive at `output`, its place and its quarantine.
pub(crate) fn ended(mut lines: Lines, report: &Report, output: &str) -> String {
    lines.add("revisits elsewhere", report.revisits);
    lines.add("quarantined", report.quarantined);
    lines.add("pages", report.pages);
    lines.add("HTML MB", format!("{:.1}", megabytes(report.html_bytes)));
    lines.add("objects", report.objects);
    if let Some(dates) = dates(report) {
        lines.add("dates", dates);
    }
    let output = output.trim_end_matches('/');
    let mut quarantine = match report.quarantined {
        0 => String::new(),
        _ => format!("quarantine: {output}/_quarantine\n"),
    };
    for (reason, count) in &report.reasons {
        quarantine += &format!("  {count} {reason}\n");
    }
    format!("{}archive: {output}\n{quarantine}", lines.text())
}
