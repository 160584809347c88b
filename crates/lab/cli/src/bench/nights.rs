//! The cost of nightly runs relative to the backfill before them.

use std::path::Path;

use anyhow::Result;

use super::pages::{SAMPLE_DATES, write_sample};
use super::runs::Program;
use super::table::table;

/// The dates that are processed as nightly runs. The first closes the past months.
const NIGHTS: [(&str, &str); 2] = [
    ("2012-01-07", "the first night, which closes three months"),
    ("2012-01-08", "the night after it"),
];

/// Backfills the dates before the nightly runs, for a small and a larger archive, and
/// measures both.
pub(crate) fn measure(urltree: &Program, folder: &Path) -> Result<String> {
    let mut rows = Vec::new();
    for (pages, partition) in [(20_000, "day"), (20_000, "month"), (100_000, "day")] {
        let folder = folder.join(format!("nights-{pages}-{partition}"));
        write_sample(&folder, SAMPLE_DATES, pages, false)?;
        let archive = folder.join("pages");
        for (night, _) in NIGHTS {
            std::fs::rename(archive.join(day(night)), folder.join(day(night)))?;
        }
        let output = folder.join("tables");
        let partitioning = format!("output.partition={partition}");
        let settings = ["run.threads=1", "archive.layout=hive", &partitioning];
        let backfill = urltree.job(&archive, &output, &settings)?;
        let before = backfill.number("/archive_rows");
        for (night, name) in NIGHTS {
            std::fs::rename(folder.join(day(night)), archive.join(day(night)))?;
            let run = urltree.job(&archive, &output, &settings)?;
            rows.push(vec![
                format!("{before:.0} pages, partitions by {partition}: {name}"),
                format!("{:.1} %", run.number("/archive_rows") / before * 100.0),
                format!("{:.2}", backfill.cpu_seconds),
                format!("{:.2}", run.cpu_seconds),
                format!("{:.1} %", run.cpu_seconds / backfill.cpu_seconds * 100.0),
            ]);
        }
        std::fs::remove_dir_all(&folder)?;
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

fn day(date: &str) -> String {
    format!("date={date}")
}
