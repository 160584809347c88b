//! The status of a job: the dates in its tables, and the dates to run again.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use engine::{Counts, DateInput, EngineError, Job, RunDate, TableDates};
use tables::{DateRange, Partitioning, add_adjacent};

use crate::learned_parameters::LearnedParameters;

/// The dates in the output tables of a job.
#[derive(Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The first and the last date that a run committed or began to commit, or `None` if the
    /// tables have no dates.
    pub span: Option<DateRange>,
    /// Number of dates that are complete and have rows in the archive.
    pub done: u64,
    /// Dates inside the span whose run stopped, and those that were not run and have rows in the archive, if the
    /// archive was read.
    pub missing: Vec<DateRange>,
    /// Dates that started from an earlier date that has been run again since.
    pub stale: Vec<DateRange>,
    /// Dates that were run with other settings than the job has now.
    pub other_settings: Vec<DateRange>,
    /// Dates inside the span whose rows or objects in the archive have changed since their
    /// run. Empty if the archive was not read.
    pub changed: Vec<DateRange>,
    /// The last date with pages.
    pub last_with_pages: Option<NaiveDate>,
    /// Sums over all dates.
    pub counts: Counts,
    /// Most memory that a run of these dates had, in bytes. `None` if no row says it.
    pub peak_memory: Option<u64>,
    /// Most bytes that a chunk spilled. `None` if no row says it.
    pub spilled_bytes: Option<u64>,
    /// The learned parameters of URLs.
    pub parameters: LearnedParameters,
    /// The range to run again to repair the dates above: whole partitions, up to the end of
    /// the span.
    pub repair: Option<DateRange>,
}

/// Rows and objects of the archive now, by date.
type Archive = BTreeMap<NaiveDate, DateInput>;

/// Reads the status of `job` from its tables, and compares it with the archive if that is asked.
///
/// # Errors
/// [`EngineError`] if a table or the archive cannot be read.
pub async fn status(job: &Job, with_archive: bool) -> Result<Status, EngineError> {
    let dates = TableDates::read(&job.output).await?;
    let archive = match (span(&dates), with_archive) {
        (Some(span), true) => Some(job.archive.inputs(span).await?),
        (None, true) => return Ok(Status::default()),
        (_, false) => None,
    };
    let mut status = Status::new(&dates, archive.as_ref(), &job.settings.digest);
    status.parameters = LearnedParameters::read(job).await?;
    Ok(status)
}

impl Status {
    /// Computes the status. The rows of `dates` are in order and without repetition, and so are
    /// the partitions.
    fn new(dates: &TableDates, archive: Option<&Archive>, settings: &str) -> Self {
        let Some(span) = span(dates) else {
            return Self::default();
        };
        let mut status = Self {
            span: Some(span),
            done: dates.runs.len() as u64,
            ..Self::default()
        };
        status.missing = missing(dates, archive, span);
        status.changed = ranges_of(&dates.runs, |run| {
            archive.is_some_and(|archive| has_changed(run, archive))
        });
        status.other_settings = ranges_of(&dates.runs, |run| run.settings != settings);
        let mut newest_earlier = i64::MIN;
        status.stale = ranges_of(&dates.runs, |run| {
            let is_stale = run.started_micros < newest_earlier;
            newest_earlier = newest_earlier.max(run.started_micros);
            is_stale
        });
        for run in &dates.runs {
            if run.counts.archive_rows > 0 {
                status.last_with_pages = Some(run.date);
            }
            status.counts.add(run.counts);
            status.peak_memory = status.peak_memory.max(run.peak_memory);
            status.spilled_bytes = status.spilled_bytes.max(run.spilled_bytes);
        }
        let repair = status.first_to_repair();
        let repair = repair.map(|from| DateRange::between(from, span.last()));
        status.repair = repair.map(|repair| dates.partitioning.covering(repair));
        status
    }

    /// Returns the first date that must be run again.
    fn first_to_repair(&self) -> Option<NaiveDate> {
        [
            &self.missing,
            &self.stale,
            &self.other_settings,
            &self.changed,
        ]
        .into_iter()
        .filter_map(|ranges| ranges.first())
        .map(|range| range.first())
        .min()
    }
}

/// Returns the dates of `span` that no run has completed: those that one began, and those that the archive has.
fn missing(dates: &TableDates, archive: Option<&Archive>, span: DateRange) -> Vec<DateRange> {
    let done: BTreeSet<_> = dates.runs.iter().map(|run| run.date).collect();
    let archived = archive.into_iter().flat_map(BTreeMap::keys);
    let archived = archived.filter(|date| span.contains(**date) && !done.contains(*date));
    let archived = archived.map(|date| Partitioning::Day.dates(*date));
    let mut missing: Vec<_> = dates.unfinished.iter().copied().chain(archived).collect();
    missing.sort_unstable_by_key(|range| (range.first(), range.last()));
    let mut ranges = Vec::new();
    for next in missing {
        add_adjacent(&mut ranges, next);
    }
    ranges
}

/// Returns the ranges of `runs` for which `is_meant` is true. Dates without pages do not end a range.
fn ranges_of(runs: &[RunDate], mut is_meant: impl FnMut(&RunDate) -> bool) -> Vec<DateRange> {
    let are_meant = runs.iter().map(|run| (run.date, is_meant(run)));
    let are_meant: Vec<(NaiveDate, bool)> = are_meant.collect();
    let parts = are_meant.chunk_by(|(_, one), (_, other)| one == other);
    let ranges = parts.filter_map(|part| {
        let ((first, is_meant), (last, _)) = (part.first()?, part.last()?);
        is_meant.then(|| DateRange::between(*first, *last))
    });
    ranges.collect()
}

/// Whether the archive has changed since the run.
fn has_changed(run: &RunDate, archive: &Archive) -> bool {
    let now = archive.get(&run.date).copied().unwrap_or_default();
    (now.rows, now.objects) != (run.counts.archive_rows, run.objects)
}

/// Returns the first and the last date that were run or begun.
fn span(dates: &TableDates) -> Option<DateRange> {
    let ends = |end: fn(DateRange) -> NaiveDate| {
        let unfinished = dates.unfinished.iter().copied().map(end);
        dates.runs.iter().map(|run| run.date).chain(unfinished)
    };
    let first = ends(DateRange::first).min()?;
    Some(DateRange::between(first, ends(DateRange::last).max()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the status of `runs`, which has one letter per date: the run that wrote it, in
    /// order of time. `.` is a date that was not run, capitals are other settings.
    fn status(runs: &str, partitioning: Partitioning) -> Status {
        let dates = TableDates {
            partitioning,
            ..dates(runs)
        };
        Status::new(&dates, None, "now")
    }

    fn dates(runs: &str) -> TableDates {
        let first: NaiveDate = "2011-10-24".parse().unwrap();
        let runs = (first.iter_days().zip(runs.chars()))
            .filter(|(_, run)| *run != '.')
            .map(|(date, run)| RunDate {
                date,
                settings: if run.is_lowercase() { "now" } else { "then" }.to_owned(),
                started_micros: i64::from(u32::from(run.to_ascii_lowercase())),
                objects: 1,
                counts: Counts {
                    archive_rows: 2,
                    ..Counts::default()
                },
                ..RunDate::default()
            })
            .collect();
        TableDates {
            runs,
            unfinished: Vec::new(),
            partitioning: Partitioning::Day,
        }
    }

    fn ranges(ranges: &[DateRange]) -> String {
        let texts: Vec<_> = ranges.iter().map(ToString::to_string).collect();
        texts.join(" ")
    }

    #[test]
    fn runs_in_date_order_need_no_repair() {
        let status = status("aaabccd", Partitioning::Day);
        assert_eq!(status.span.unwrap().to_string(), "2011-10-24..2011-10-30");
        assert_eq!((status.done, status.counts.archive_rows), (7, 14));
        assert_eq!(status.repair, None);
        assert_eq!(
            (status.missing, status.stale, status.other_settings),
            (vec![], vec![], vec![])
        );
    }

    #[test]
    fn dates_after_a_date_that_was_run_again_are_stale() {
        let again = status("aaabaab", Partitioning::Day);
        assert_eq!(ranges(&again.stale), "2011-10-28..2011-10-29");
        assert_eq!(again.repair.unwrap().to_string(), "2011-10-28..2011-10-30");
        // A run over the range of the repair leaves no stale date.
        assert_eq!(status("aaabccc", Partitioning::Day).stale, vec![]);
    }

    #[test]
    fn dates_without_a_run_are_missing_if_the_archive_has_them() {
        let dates = dates("aa..C.D");
        let input = DateInput {
            rows: 2,
            objects: 1,
        };
        let archive = dates.runs.iter().map(|run| (run.date, input));
        let mut archive: Archive = archive.collect();
        let status = Status::new(&dates, Some(&archive), "now");
        assert_eq!((status.missing, status.changed), (vec![], vec![]));
        // Dates that are empty do not end a range.
        assert_eq!(ranges(&status.other_settings), "2011-10-28..2011-10-30");
        for date in ["2011-10-26", "2011-10-27", "2011-10-29", "2011-11-05"] {
            archive.insert(date.parse().unwrap(), input);
        }
        let status = Status::new(&dates, Some(&archive), "now");
        assert_eq!(ranges(&status.missing), "2011-10-26..2011-10-27 2011-10-29");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-26..2011-10-30");
    }

    #[test]
    fn dates_that_changed_in_the_archive_are_reported() {
        let dates = dates("aaaa");
        let runs = &dates.runs;
        let input = |run: &RunDate, rows, objects| (run.date, DateInput { rows, objects });
        let archive = BTreeMap::from([
            input(&runs[0], 2, 1),
            input(&runs[1], 3, 1),
            input(&runs[2], 2, 2),
        ]);
        let status = Status::new(&dates, Some(&archive), "now");
        assert_eq!(ranges(&status.changed), "2011-10-25..2011-10-27");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-25..2011-10-27");
    }

    #[test]
    fn dates_of_a_stopped_run_are_missing() {
        let at = |runs| {
            let mut dates = dates(runs);
            dates.unfinished = vec!["2011-10-27".parse().unwrap()];
            Status::new(&dates, None, "now")
        };
        let status = at("aa");
        assert_eq!(status.span.unwrap().to_string(), "2011-10-24..2011-10-27");
        assert_eq!(ranges(&status.missing), "2011-10-27");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-27");
        assert_eq!(ranges(&at("").missing), "2011-10-27");
    }

    #[test]
    fn a_repair_covers_whole_partitions() {
        let status = status("aaB", Partitioning::Month);
        assert_eq!(ranges(&status.other_settings), "2011-10-26");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-01..2011-10-31");
    }

    #[test]
    fn missing_tables_have_no_dates() {
        assert_eq!(status("", Partitioning::Day), Status::default());
    }
}
