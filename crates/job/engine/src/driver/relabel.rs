//! Relabels recent dates once later pages are known (`tree.relabel_days`).
//!
//! A page of date D is labelled with the pages up to date D + N. A run knows no date after
//! its last, so the labels of its last N dates are not final. The run that continues from
//! there runs these dates again, and each chunk runs the last N dates of the chunk before it
//! again. Each run inserts the same pages in the same order, and only labels change.
//! So one run over a range leaves the same tables as one run per date.

use chrono::{Days, NaiveDate};
use tables::DateRange;

use crate::archive::Census;
use crate::error::EngineError;
use crate::job::Job;
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// Returns `dates`, extended to the earlier dates that were run and must be relabelled.
pub(crate) async fn with_relabelled(
    job: &Job,
    tables: &mut TablesSnapshot,
    dates: DateRange,
) -> Result<DateRange, EngineError> {
    let reach = reach_back(job, dates, NaiveDate::MIN);
    if reach == dates {
        return Ok(dates);
    }
    let runs = tables.runs(reach).await?;
    // A run that stopped has removed its dates from `runs`.
    let unfinished = tables.unfinished();
    let known = runs
        .iter()
        .map(|run| run.date)
        .chain(unfinished.iter().map(|partition| partition.first()))
        .filter(|date| reach.contains(*date));
    let first = known.min().unwrap_or(dates.first());
    Ok(DateRange::between(first.min(dates.first()), dates.last()))
}

/// Returns `chunk`, extended by `tree.relabel_days`, but to no date before `first`.
pub(crate) fn reach_back(job: &Job, chunk: DateRange, first: NaiveDate) -> DateRange {
    let back = Days::new(job.settings.site.relabel_days.into());
    let from = chunk.first().checked_sub_days(back).unwrap_or(first);
    let partition = job.output.partitioning().dates(from.max(first));
    DateRange::between(partition.first().max(first), chunk.last())
}

/// Refuses to relabel a date of which the archive has lost pages: its rows would be removed.
pub(crate) async fn refuse_missing_pages(
    tables: &mut TablesSnapshot,
    dates: DateRange,
    requested: DateRange,
    census: &Census,
) -> Result<(), EngineError> {
    if dates == requested {
        return Ok(());
    }
    let now = census.rows(dates);
    for run in tables.runs(dates).await? {
        let rows = now.get(&run.date).copied().unwrap_or(0);
        if run.date < requested.first() && rows < run.counts.archive_rows {
            return Err(EngineError::NeedsRelabelling {
                date: run.date,
                rows,
                before: run.counts.archive_rows,
            });
        }
    }
    Ok(())
}
