//! Warnings before a run that is valid, but may not be what the user intended.

use tables::{DateRange, Partitioning};
use tracing::warn;
use url_tree::DAY_MICROS;

use crate::archive::Census;
use crate::driver::partition::sparse_partitions;
use crate::job::Job;
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// Warns of dates without rows, of dates that become stale, of an unfinished run, of tiny
/// files, and of objects that cannot be opened.
pub(crate) fn warn_about(job: &Job, dates: DateRange, tables: &TablesSnapshot, census: &Census) {
    let rows = census.rows(dates);
    let total: u64 = rows.values().sum();
    if total == 0 {
        warn!(
            "{dates}: the archive has no rows on these dates; their rows in the tables are removed"
        );
    }
    let partitioning = job.output.partitioning();
    let mut later = tables.run_partitions();
    later.retain(|partition| partition.first() > dates.last());
    if let (Some(first), Some(last)) = (later.first(), later.last()) {
        let [first, last] = [first, last].map(|partition| partitioning.value(partition.first()));
        warn!(
            "the tables already have {first}..{last}, whose labels start from the dates that this \
             run replaces; run {first}..{last} again after this run"
        );
    }
    let unfinished = tables.unfinished();
    if let Some(hole) = unfinished.iter().find(|hole| hole.last() < dates.first()) {
        warn!(
            "a run stopped at {hole}, and this run starts from the state of these dates; run \
             {hole} again first"
        );
    }
    if let Some(partitions) = sparse_partitions(partitioning, &rows) {
        let coarser = match partitioning {
            Partitioning::Day => "month or year",
            Partitioning::Month | Partitioning::Year => "year",
        };
        warn!(
            "{total} rows in {partitions} partitions make tiny files; use output.partition={coarser} for \
             this archive, at another output.location"
        );
    }
    for (object, error) in census.unreadable() {
        warn!(
            "{} cannot be opened and goes to quarantine: {error}",
            object.source
        );
    }
}

/// Warns if `chunks` are so short that most of the work is to read windows again.
pub(crate) fn warn_about_chunks(job: &Job, chunks: &[DateRange], census: &Census) {
    let [first, .., last] = chunks else { return };
    let dates = first.through(*last);
    let window = job.settings.site.window.max_age_micros / DAY_MICROS;
    if let Some(advice) = longer_chunks(
        chunks.len() as u64,
        (dates.last() - dates.first()).num_days().unsigned_abs() + 1,
        window.unsigned_abs(),
        census.html_bytes(dates),
        job.resources.chunk_bytes,
    ) {
        warn!("{dates}: {advice}");
    }
}

/// Returns the advice for a run of `days` in `chunks`, or `None` if a chunk is at least half
/// as long as the window on average.
fn longer_chunks(
    chunks: u64,
    days: u64,
    window: u64,
    html_bytes: u64,
    chunk_bytes: u64,
) -> Option<String> {
    if chunks < 3 || 2 * days >= chunks * window {
        return None;
    }
    let window_bytes = html_bytes / days * window;
    let setting = if window_bytes > chunk_bytes {
        format!(
            "run.chunk_bytes={}GiB",
            window_bytes.div_ceil(bytesize::GIB)
        )
    } else {
        "more run.memory_limit".to_owned()
    };
    Some(format!(
        "{chunks} chunks of {} days on average, and each reads the windows of up to {window} days \
         before it; {setting} makes them as long as a window",
        days.div_ceil(chunks)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_chunks_give_advice_on_their_limit() {
        let gib = bytesize::GIB;
        let advice = longer_chunks(100, 100, 14, 1000 * gib, 4 * gib).unwrap();
        assert!(advice.contains("chunks of 1 days"), "{advice}");
        assert!(advice.contains("run.chunk_bytes=140GiB"), "{advice}");
        assert_eq!(longer_chunks(10, 100, 14, 1000 * gib, 100 * gib), None);
        assert_eq!(longer_chunks(2, 2, 14, gib, gib), None);
        let cramped = longer_chunks(50, 100, 14, gib, 4 * gib).unwrap();
        assert!(cramped.contains("more run.memory_limit"), "{cramped}");
    }
}
