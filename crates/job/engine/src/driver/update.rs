//! `urltree update`: runs the dates that the tables do not have yet.

use std::sync::Arc;

use chrono::NaiveDate;
use tables::{DateRange, Table};
use tokio_util::sync::CancellationToken;

use crate::driver::backfill::{RunReport, SettingsChange, run};
use crate::driver::failure::Failure;
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
    change: SettingsChange,
    progress: Arc<dyn Progress>,
    stop: &CancellationToken,
) -> Result<Option<RunReport>, Failure> {
    let in_tables = Failure::before_dates(Stage::Tables);
    let tables = TablesSnapshot::open(&job.output, &Table::ALL).await;
    let mut tables = tables.map_err(&in_tables)?;
    let next = next(&mut tables).await.map_err(in_tables)?;
    let from = next.unwrap_or(NaiveDate::MIN);
    let later = DateRange::between(from, NaiveDate::MAX);
    let dated = job.archive.inputs(later).await;
    let dated = dated.map_err(Failure::before_dates(Stage::Census))?;
    let (Some(first), Some(last)) = (dated.keys().next(), dated.keys().next_back()) else {
        return Ok(None);
    };
    let dates = DateRange::between(next.unwrap_or(*first), *last);
    let dates = job.output.partitioning().covering(dates);
    run(job, tables, dates, change, progress, stop)
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
