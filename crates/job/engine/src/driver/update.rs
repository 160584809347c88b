//! Runs the dates of an archive: all of them, or those that the tables do not have yet.

use std::sync::Arc;

use chrono::NaiveDate;
use tables::DateRange;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::archive::Census;
use crate::driver::backfill::{Accepted, RunReport, run};
use crate::driver::failure::{Failure, Position};
use crate::driver::missing_pages::refuse_unreadable_objects;
use crate::driver::partition;
use crate::error::EngineError;
use crate::job::Job;
use crate::progress::{Progress, Stage};
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// Dates of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveDates {
    /// Every date after the last one with pages in the tables, up to the last date of the
    /// archive. On empty tables these are all dates of the archive.
    ///
    /// An earlier date whose run stopped between the commits of two tables is run again, and
    /// so are all dates after it.
    ///
    /// Dates without pages at the end of the tables are run again until a later date has
    /// pages: an archive may be late.
    New,
    /// All dates.
    All,
}

/// Runs `dates` of the archive, as whole partitions. Returns `None` if it has none of them.
///
/// # Errors
/// As [`backfill`](crate::backfill).
pub async fn backfill_archive(
    job: &Job,
    dates: ArchiveDates,
    accepted: Accepted,
    progress: Arc<dyn Progress>,
    stop: &CancellationToken,
) -> Result<Option<RunReport>, Failure> {
    let mut at = Position::new(progress, None);
    let report = async {
        let mut tables = TablesSnapshot::open(&job.output, job.settings.opened_tables()).await?;
        let job = &partition::of_tables(job, &tables)?;
        let (next, last_start) = match dates {
            ArchiveDates::New => (next(&mut tables).await?, last_start(&mut tables).await?),
            ArchiveDates::All => (None, None),
        };
        at.stage = Stage::Census;
        let later = DateRange::between(next.unwrap_or(NaiveDate::MIN), NaiveDate::MAX);
        let census = Census::take(&job.archive, later).await?;
        if !accepted.missing_pages {
            refuse_unreadable_objects(&census)?;
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
        let report = run(job, tables, dates, accepted, &mut at, stop).await?;
        Ok(Some(report))
    };
    let report = report.await;
    report.map_err(|error| at.failure(error))
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
