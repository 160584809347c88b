//! A night beside the backfill before it.

use std::path::Path;

use anyhow::Result;

use crate::job::Urltree;
use crate::table::table;

/// The days of the sample: of one size, so that the last has one page in a hundred.
pub(crate) const ALL: &str = "2011-10-01..2012-01-08";
const BEFORE: &str = "2011-10-01..2012-01-07";

/// Backfills 99 days, then runs the hundredth as a night.
pub(crate) fn measure(urltree: &Urltree, folder: &Path) -> Result<String> {
    let mut rows = Vec::new();
    for partition in ["day", "month"] {
        let archive = folder.join(format!("nights-{partition}"));
        urltree.sample(&archive, ALL)?;
        let last = archive.join("pages/date=2012-01-08");
        let aside = folder.join(format!("aside-{partition}"));
        std::fs::rename(&last, &aside)?;
        let output = folder.join(format!("tables-{partition}"));
        let pages = archive.join("pages");
        let setting = format!("output.partition={partition}");
        let settings = ["run.threads=1", &setting];
        let backfill = urltree.job(&pages, &output, &settings)?;
        std::fs::rename(&aside, &last)?;
        let night = urltree.job(&pages, &output, &settings)?;
        rows.push(vec![
            format!("a night after {BEFORE}, partitions by {partition}"),
            format!(
                "{:.1} %",
                night.number("/archive_rows") / backfill.number("/archive_rows") * 100.0
            ),
            format!("{:.2}", backfill.cpu_seconds),
            format!("{:.2}", night.cpu_seconds),
            format!("{:.1} %", night.cpu_seconds / backfill.cpu_seconds * 100.0),
        ]);
    }
    let head = [
        "sample, one core",
        "pages",
        "backfill, s",
        "night, s",
        "of it",
    ];
    Ok(table(&head, rows))
}
