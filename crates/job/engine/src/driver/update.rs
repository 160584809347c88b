//! Runs the dates of an archive: all of them, or those that the tables do not have yet.

use std::sync::Arc;

use chrono::NaiveDate;
use tables::DateRange;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::archive::Census;
use crate::driver::backfill::{Accepted, RunReport, run};
use crate::driver::failure::Failure;
use crate::driver::missing_pages::refuse_unreadable_objects;
use crate::driver::partition;
use crate::error::EngineError;
use crate::job::Job;
use crate::progress::{Progress, Stage};
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// Runs every date after the last one with pages in the tables, up to the last date of the
/// archive, as whole partitions. On empty tables these are all dates of the archive.
/// Returns `None` if the archive has nothing after the tables.
///
/// An earlier date whose run stopped between the commits of two tables is run again, and
/// so are all dates after it.
///
/// Dates without pages at the end of the tables are run again until a later date has
/// pages: an archive may be late.
///
/// # Errors
/// As [`backfill`](crate::backfill).
pub async fn update(
    job: &Job,
    accepted: Accepted,
    progress: Arc<dyn Progress>,
    stop: &CancellationToken,
) -> Result<Option<RunReport>, Failure> {
    run_archive(job, Which::New, accepted, progress, stop).await
}

/// Runs all dates of the archive, as whole partitions. Returns `None` if it has none.
///
/// # Errors
/// As [`backfill`](crate::backfill).
pub async fn backfill_all(
    job: &Job,
    accepted: Accepted,
    progress: Arc<dyn Progress>,
    stop: &CancellationToken,
) -> Result<Option<RunReport>, Failure> {
    run_archive(job, Which::All, accepted, progress, stop).await
}

/// Dates of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    New,
    All,
}

async fn run_archive(
    job: &Job,
    which: Which,
    accepted: Accepted,
    progress: Arc<dyn Progress>,
    stop: &CancellationToken,
) -> Result<Option<RunReport>, Failure> {
    let in_tables = Failure::before_dates(Stage::Tables);
    let tables = TablesSnapshot::open(&job.output, job.settings.opened_tables()).await;
    let mut tables = tables.map_err(&in_tables)?;
    let job = &partition::of_tables(job, &tables).map_err(&in_tables)?;
    let (next, last_start) = match which {
        Which::New => (
            next(&mut tables).await.map_err(&in_tables)?,
            last_start(&mut tables).await.map_err(in_tables)?,
        ),
        Which::All => (None, None),
    };
    let from = next.unwrap_or(NaiveDate::MIN);
    let later = DateRange::between(from, NaiveDate::MAX);
    let in_census = Failure::before_dates(Stage::Census);
    let census = Census::take(&job.archive, later).await;
    let census = census.map_err(&in_census)?;
    if !accepted.missing_pages {
        refuse_unreadable_objects(&census).map_err(in_census)?;
    }
    if let Some((date, since)) = next.zip(last_start) {
        warn_about_late_objects(&census, date, since);
    }
    let dated = census.dated(later);
    let (Some(first), Some(last)) = (dated.keys().next(), dated.keys().next_back()) else {
        return Ok(None);
    };
    let dates = DateRange::between(next.unwrap_or(*first), *last);
    let rows = dated.iter().map(|(date, input)| (*date, input.rows));
    let job = &partition::of_new_tables(job, None, &rows.collect());
    let dates = job.output.partitioning().covering(dates);
    run(job, tables, dates, accepted, progress, stop)
        .await
        .map(Some)
}

/// The date to start from, if the tables have pages.
async fn next(tables: &mut TablesSnapshot) -> Result<Option<NaiveDate>, EngineError> {
    let last = tables.last_with_pages().await?;
    let after = last.map(|last| last.succ_opt().unwrap_or(last));
    let hole = tables.unfinished().first().map(|range| range.first());
    Ok(after.into_iter().chain(hole).min())
}

/// The start of the run that wrote the last date, in microseconds since 1970.
async fn last_start(tables: &mut TablesSnapshot) -> Result<Option<i64>, EngineError> {
    let Some(last) = tables.run_partitions().pop() else {
        return Ok(None);
    };
    let runs = tables.runs(last).await?;
    Ok(runs.iter().map(|run| run.started_micros).max())
}

/// Names objects with rows of dates that were run before they were there.
fn warn_about_late_objects(census: &Census, date: NaiveDate, since_micros: i64) {
    let late: Vec<_> = census.late_objects(date, since_micros).collect();
    if let Some(first) = late.first() {
        warn!(
            "objects are newer than the last run and have rows of dates before {date}: {}, such as {}; \
             urltree status --archive shows the dates to run again",
            late.len(),
            first.source
        );
    }
}
