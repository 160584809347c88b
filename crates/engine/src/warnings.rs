//! What a user is told before a run that is not wrong, but may not be what was
//! meant.

use std::collections::BTreeSet;

use tables::{DateRange, Partitioning, Table};
use tracing::warn;

use crate::archive::Census;
use crate::error::EngineError;
use crate::job::Job;
use crate::resume::unfinished;

/// With fewer pages per partition than this, over more than
/// [`SPARSE_PARTITIONS`], most of the time goes into tiny files.
const SPARSE_ROWS: u64 = 50;
const SPARSE_PARTITIONS: usize = 100;

/// Warns of what is odd about a run over `dates`.
pub(crate) async fn warn_about(
    job: &Job,
    dates: DateRange,
    census: &Census,
) -> Result<(), EngineError> {
    let rows = census.rows(dates);
    let total: u64 = rows.values().sum();
    if total == 0 {
        warn!(
            "{dates}: {} has no rows on these dates; what the tables hold for them is removed",
            job.archive.location
        );
    }
    let partitioning = job.output.partitioning();
    let last = partitioning.value(dates.last());
    let mut later = job.output.partitions(Table::Runs).await?;
    later.retain(|partition| *partition > last);
    if let (Some(first), Some(last)) = (later.first(), later.last()) {
        warn!(
            "the tables already hold {first}..{last}, computed from the dates that are replaced \
             now; run those again after this"
        );
    }
    let earlier = unfinished(job).await?;
    if let Some(hole) = earlier.iter().find(|hole| hole.last() < dates.first()) {
        warn!("a run stopped at {hole}, which this one goes on from; run those dates again before");
    }
    let partitions: BTreeSet<_> = rows.keys().map(|date| partitioning.value(*date)).collect();
    if partitions.len() > SPARSE_PARTITIONS && total / (partitions.len() as u64) < SPARSE_ROWS {
        let coarser = match partitioning {
            Partitioning::Day => "month or year",
            Partitioning::Month | Partitioning::Year => "year",
        };
        warn!(
            "{} rows in {} partitions make tiny files; output.partition={coarser} suits this \
             archive better",
            total,
            partitions.len()
        );
    }
    let unreadable = census
        .objects()
        .iter()
        .filter(|object| object.row_groups.is_err());
    for object in unreadable {
        warn!(
            "{} cannot be opened and is quarantined: {}",
            object.object.source,
            object.row_groups.as_ref().err().map_or("", String::as_str)
        );
    }
    Ok(())
}
