//! Labels that are written again when later dates are known: `tree.relabel_days`.
//!
//! A page of date D is labelled by what is known after D + N days. A run knows no later
//! date than its last, so the labels of its last N dates are not final: the run that
//! goes on from there runs them again, and so does each chunk with the end of the one
//! before. What is inserted, and in which order, is the same each time; only labels
//! change. So a range at once and the same range night by night leave the same tables.

use chrono::{Days, NaiveDate};
use tables::DateRange;

use crate::archive::Census;
use crate::error::EngineError;
use crate::job::Job;
use crate::state::tables_snapshot::TablesSnapshot;

/// `dates`, and those before them that were run and whose labels they settle.
pub(crate) async fn with_unsettled(
    job: &Job,
    tables: &mut TablesSnapshot,
    dates: DateRange,
) -> Result<DateRange, EngineError> {
    let reach = reaching_back(job, dates, NaiveDate::MIN);
    if reach == dates {
        return Ok(dates);
    }
    let runs = tables.runs(reach).await?;
    // One that stopped has taken its dates out of `runs`.
    let stopped = tables.unfinished();
    let known = (runs.iter().map(|run| run.date))
        .chain(stopped.iter().map(|partition| partition.first()))
        .filter(|date| reach.contains(*date));
    let first = known.min().unwrap_or(dates.first());
    Ok(DateRange::between(first.min(dates.first()), dates.last()))
}

/// `chunk`, and the dates before it whose labels it settles, but none before `first`.
pub(crate) fn reaching_back(job: &Job, chunk: DateRange, first: NaiveDate) -> DateRange {
    let back = Days::new(job.settings.relabel_days.into());
    let from = chunk.first().checked_sub_days(back).unwrap_or(first);
    let partition = job.output.partitioning().dates(from.max(first));
    DateRange::between(partition.first().max(first), chunk.last())
}

/// Dates before those that were asked for are only run again for their labels: that must
/// not take pages away.
pub(crate) async fn refuse_missing_pages(
    tables: &mut TablesSnapshot,
    dates: DateRange,
    asked: DateRange,
    census: &Census,
) -> Result<(), EngineError> {
    if dates == asked {
        return Ok(());
    }
    let now = census.rows(dates);
    for run in tables.runs(dates).await? {
        let rows = now.get(&run.date).copied().unwrap_or(0);
        if run.date < asked.first() && rows < run.counts.archive_rows {
            return Err(EngineError::Unsettled {
                date: run.date,
                rows,
                before: run.counts.archive_rows,
            });
        }
    }
    Ok(())
}
