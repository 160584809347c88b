//! Which dates a night has to run.

use chrono::NaiveDate;
use tables::DateRange;

use crate::archive::Census;
use crate::driver::failure::Failure;
use crate::error::EngineError;
use crate::job::Job;
use crate::progress::Stage;
use crate::state::runs_table::{last_with_pages, unfinished};

/// Every date after the last one with pages in the tables, up to the last that
/// the archive has, as whole partitions; `None` where the archive has nothing
/// after it. On empty tables these are all dates of the archive.
///
/// A date before that whose run stopped between the tables is run again, and so
/// are all after it.
///
/// Days on which nothing had arrived are looked at again until something later
/// did: an archive that is late is no hole.
///
/// # Errors
/// [`Failure`] where the tables or the archive cannot be read.
pub async fn new_dates(job: &Job) -> Result<Option<DateRange>, Failure> {
    let next = next(job).await;
    let next = next.map_err(Failure::before_dates(Stage::Tables))?;
    let from = next.unwrap_or(NaiveDate::MIN);
    let later = DateRange::between(from, NaiveDate::MAX);
    let census = Census::take(&job.archive, later).await;
    let dated = (census.map_err(Failure::before_dates(Stage::Census))?).dated(later);
    let (Some(first), Some(last)) = (dated.keys().next(), dated.keys().next_back()) else {
        return Ok(None);
    };
    let first = next.unwrap_or(*first);
    Ok(Some(
        job.output
            .partitioning()
            .covering(DateRange::between(first, *last)),
    ))
}

/// The date to go on with, where the tables have pages.
async fn next(job: &Job) -> Result<Option<NaiveDate>, EngineError> {
    let last = last_with_pages(job).await?;
    let after = last.map(|last| last.succ_opt().unwrap_or(last));
    let hole = unfinished(job).await?.first().map(|range| range.first());
    Ok(after.into_iter().chain(hole).min())
}
