//! Refuses a run whose archive lacks pages: they may be lost, and the run would remove what the tables have of them.

use chrono::NaiveDate;
use tables::{DateRange, Partitioning, add_adjacent};

use crate::archive::Census;
use crate::error::EngineError;
use crate::job::Job;
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// Refuses a run over `dates`, of which `census` has the archive.
///
/// # Errors
/// [`EngineError::UnreadableObjects`], [`EngineError::NoRows`] or [`EngineError::EmptyDates`].
pub(crate) async fn refuse_missing_pages(
    job: &Job,
    tables: &mut TablesSnapshot,
    dates: DateRange,
    census: &Census,
) -> Result<(), EngineError> {
    refuse_unreadable_objects(census)?;
    let now = census.rows(dates);
    if now.is_empty() {
        let all = DateRange::between(NaiveDate::MIN, NaiveDate::MAX);
        let archive = job.archive.inputs(all).await?;
        let ends = archive.keys().next().zip(archive.keys().next_back());
        return Err(EngineError::NoRows {
            dates,
            archive: ends.map(|(first, last)| DateRange::between(*first, *last)),
        });
    }
    let mut empty = Vec::new();
    for run in tables.runs(dates).await? {
        if run.counts.archive_rows > 0 && !now.contains_key(&run.date) {
            add_adjacent(&mut empty, Partitioning::Day.dates(run.date));
        }
    }
    match empty.first() {
        Some(dates) => Err(EngineError::EmptyDates { dates: *dates }),
        None => Ok(()),
    }
}

/// Refuses an archive with objects that cannot be opened.
///
/// # Errors
/// [`EngineError::UnreadableObjects`].
pub(crate) fn refuse_unreadable_objects(census: &Census) -> Result<(), EngineError> {
    match census.unreadable().next() {
        Some((object, error)) => Err(EngineError::UnreadableObjects {
            source_object: object.source.clone(),
            error: error.to_owned(),
            count: census.unreadable().count(),
        }),
        None => Ok(()),
    }
}
