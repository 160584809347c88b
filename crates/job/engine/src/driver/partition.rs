//! The partitions of the output tables: those that the tables have, else those of the setting, else those that fit
//! the archive.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use tables::{DateRange, Partitioning};
use tracing::info;

use crate::error::EngineError;
use crate::job::Job;
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// Rows per partition below which files are tiny. Lower makes tiny files, higher makes partitions coarse whose files
/// are only small.
const SPARSE_ROWS: u64 = 50;

/// Partitions that tables may have, however few rows these have.
const SPARSE_PARTITIONS: usize = 100;

/// Returns `job` with the partitions that its tables have. Without tables it is as it was.
///
/// # Errors
/// [`EngineError::OtherPartition`] if the job sets other ones.
pub(crate) fn of_tables(job: &Job, tables: &TablesSnapshot) -> Result<Job, EngineError> {
    match (tables.found_partitioning()?, job.partition) {
        (Some(found), Some(set)) if set != found => Err(EngineError::OtherPartition {
            location: job.output.location().to_string(),
            found,
            set,
        }),
        (Some(found), _) => Ok(job.partitioned(found)),
        (None, _) => Ok(job.clone()),
    }
}

/// Returns `job` with partitions for new tables that fit `rows`, the rows of the archive by date, unless it has
/// some. They cut no range that was `requested`.
pub(crate) fn of_new_tables(
    job: &Job,
    requested: Option<DateRange>,
    rows: &BTreeMap<NaiveDate, u64>,
) -> Job {
    if job.partition.is_some() {
        return job.clone();
    }
    let fitting = fitting(requested, rows);
    if fitting != Partitioning::Day {
        info!(
            "the new tables get partitions by {fitting}: {} rows on {} dates would make tiny files \
             (output.partition)",
            rows.values().sum::<u64>(),
            rows.len()
        );
    }
    job.partitioned(fitting)
}

/// Returns the number of partitions if they are many and have few rows.
pub(crate) fn sparse_partitions(
    partitioning: Partitioning,
    rows: &BTreeMap<NaiveDate, u64>,
) -> Option<usize> {
    let total: u64 = rows.values().sum();
    let partitions: BTreeSet<_> = rows.keys().map(|date| partitioning.value(*date)).collect();
    let count = partitions.len();
    (count > SPARSE_PARTITIONS && total / (count as u64) < SPARSE_ROWS).then_some(count)
}

/// Returns the finest partitions that are not sparse, or the coarsest ones that do not cut `requested`.
fn fitting(requested: Option<DateRange>, rows: &BTreeMap<NaiveDate, u64>) -> Partitioning {
    let is_whole = |partitioning: &Partitioning| {
        requested.is_none_or(|dates| partitioning.covering(dates) == dates)
    };
    let whole = [Partitioning::Day, Partitioning::Month, Partitioning::Year];
    let mut fitting = Partitioning::Day;
    for partitioning in whole.into_iter().filter(is_whole) {
        fitting = partitioning;
        if sparse_partitions(partitioning, rows).is_none() {
            break;
        }
    }
    fitting
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what fits an archive of ten years with `rows` rows on every `step`th day.
    fn fitting_of(requested: Option<&str>, step: usize, rows: u64) -> Partitioning {
        let first: NaiveDate = "2001-01-01".parse().unwrap();
        let days = first.iter_days().take(3652).step_by(step);
        let rows = days.map(|day| (day, rows)).collect();
        fitting(requested.map(|dates| dates.parse().unwrap()), &rows)
    }

    #[test]
    fn partitions_fit_the_density_of_the_archive() {
        assert_eq!(fitting_of(None, 1, 50), Partitioning::Day);
        assert_eq!(fitting_of(None, 1, 49), Partitioning::Month);
        assert_eq!(fitting_of(None, 7, 1), Partitioning::Year);
        assert_eq!(fitting_of(None, 40, 1), Partitioning::Day);
    }

    #[test]
    fn partitions_cut_no_range_that_was_requested() {
        assert_eq!(
            fitting_of(Some("2001-01-01..2010-12-31"), 7, 1),
            Partitioning::Year
        );
        assert_eq!(
            fitting_of(Some("2001-01-01..2010-11-30"), 7, 1),
            Partitioning::Month
        );
        assert_eq!(
            fitting_of(Some("2001-01-02..2010-12-31"), 7, 1),
            Partitioning::Day
        );
    }
}
