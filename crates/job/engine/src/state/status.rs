//! What the tables of a job hold, and what is wrong with it.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use tables::{DateRange, Partitioning, add_adjacent};

use crate::archive::{Census, Input};
use crate::error::EngineError;
use crate::job::Job;
use crate::state::runs_table::{Counts, RunDate};
use crate::state::tables_snapshot::TablesSnapshot;

/// The dates in the output tables of a job.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The first and the last date that were run, or begun; `None` where none was.
    pub span: Option<DateRange>,
    /// Dates that were run.
    pub done: u64,
    /// Dates inside the span that were not run, or whose run stopped.
    pub missing: Vec<DateRange>,
    /// Dates that were computed from earlier ones which have been run again
    /// since.
    pub stale: Vec<DateRange>,
    /// Dates that were run with other settings than the job has now.
    pub other_settings: Vec<DateRange>,
    /// Dates inside the span of which the archive now has other rows or objects
    /// than were run; empty where the archive was not asked.
    pub changed: Vec<DateRange>,
    /// The last date that had pages.
    pub last_with_pages: Option<NaiveDate>,
    /// Sums over all dates.
    pub counts: Counts,
    /// What to run to mend the dates above: whole partitions, to the end.
    pub repair: Option<DateRange>,
}

/// The archive now, by date.
type Archive = BTreeMap<NaiveDate, Input>;

/// Reads the status of `job` from its `runs` table; the archive is not touched.
///
/// # Errors
/// [`EngineError`] where the table cannot be read.
pub async fn status(job: &Job) -> Result<Status, EngineError> {
    let mut tables = TablesSnapshot::open(&job.output, &TablesSnapshot::DATED).await?;
    let runs = tables.all_runs().await?;
    Ok(Status::of(&runs, &tables.unfinished(), None, job))
}

/// Reads the status of `job`, and compares the dates with what the archive has for them
/// now.
///
/// # Errors
/// [`EngineError`] where the table or the archive cannot be read.
pub async fn status_with_archive(job: &Job) -> Result<Status, EngineError> {
    let mut tables = TablesSnapshot::open(&job.output, &TablesSnapshot::DATED).await?;
    let runs = tables.all_runs().await?;
    let unfinished = tables.unfinished();
    let Some(span) = span(&runs, &unfinished) else {
        return Ok(Status::default());
    };
    let archive = Census::take(&job.archive, span).await?.dated(span);
    Ok(Status::of(&runs, &unfinished, Some(&archive), job))
}

impl Status {
    fn of(
        dates: &[RunDate],
        unfinished: &[DateRange],
        archive: Option<&Archive>,
        job: &Job,
    ) -> Self {
        Self::at(
            dates,
            unfinished,
            archive,
            &job.settings.digest,
            job.output.partitioning(),
        )
    }

    /// `dates` come in order, each once; so do the partitions of `unfinished`.
    fn at(
        dates: &[RunDate],
        unfinished: &[DateRange],
        archive: Option<&Archive>,
        settings: &str,
        partitioning: Partitioning,
    ) -> Self {
        let Some(span) = span(dates, unfinished) else {
            return Self::default();
        };
        let mut status = Self {
            span: Some(span),
            done: dates.len() as u64,
            ..Self::default()
        };
        let done: BTreeMap<NaiveDate, &RunDate> = dates.iter().map(|run| (run.date, run)).collect();
        let mut newest_earlier = i64::MIN;
        for day in Partitioning::Day.partitions(span) {
            let Some(run) = done.get(&day.first()) else {
                add_adjacent(&mut status.missing, day);
                continue;
            };
            if run.started_micros < newest_earlier {
                add_adjacent(&mut status.stale, day);
            }
            if run.settings != settings {
                add_adjacent(&mut status.other_settings, day);
            }
            if archive.is_some_and(|archive| run.differs(archive)) {
                add_adjacent(&mut status.changed, day);
            }
            if run.counts.archive_rows > 0 {
                status.last_with_pages = Some(run.date);
            }
            newest_earlier = newest_earlier.max(run.started_micros);
            status.counts.add(run.counts);
        }
        status.repair = status
            .first_wrong()
            .map(|from| partitioning.covering(DateRange::between(from, span.last())));
        status
    }

    fn first_wrong(&self) -> Option<NaiveDate> {
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

impl RunDate {
    fn differs(&self, archive: &Archive) -> bool {
        let now = archive.get(&self.date).copied().unwrap_or_default();
        (now.rows, now.objects) != (self.counts.archive_rows, self.objects)
    }
}

/// The first and the last date.
fn span(dates: &[RunDate], unfinished: &[DateRange]) -> Option<DateRange> {
    let ends = |of: fn(DateRange) -> NaiveDate| {
        let unfinished = unfinished.iter().copied().map(of);
        dates.iter().map(|run| run.date).chain(unfinished)
    };
    let first = ends(DateRange::first).min()?;
    Some(DateRange::between(first, ends(DateRange::last).max()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter per date: the run that did it, in order of time; `.` for a
    /// date that was not run, capitals for other settings.
    fn status(runs: &str, partitioning: Partitioning) -> Status {
        Status::at(&dates(runs), &[], None, "now", partitioning)
    }

    fn dates(runs: &str) -> Vec<RunDate> {
        let first: NaiveDate = "2011-10-24".parse().unwrap();
        (first.iter_days().zip(runs.chars()))
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
            .collect()
    }

    fn ranges(ranges: &[DateRange]) -> String {
        let texts: Vec<_> = ranges.iter().map(ToString::to_string).collect();
        texts.join(" ")
    }

    #[test]
    fn a_chain_of_runs_has_nothing_to_mend() {
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
    fn what_follows_a_date_that_was_run_again_is_stale() {
        let again = status("aaabaab", Partitioning::Day);
        assert_eq!(ranges(&again.stale), "2011-10-28..2011-10-29");
        assert_eq!(again.repair.unwrap().to_string(), "2011-10-28..2011-10-30");
        // A run of the rest, as the repair asks for, mends it.
        assert_eq!(status("aaabccc", Partitioning::Day).stale, vec![]);
    }

    #[test]
    fn dates_that_were_left_out_are_missing() {
        let status = status("aa..a.a", Partitioning::Day);
        assert_eq!(ranges(&status.missing), "2011-10-26..2011-10-27 2011-10-29");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-26..2011-10-30");
    }

    #[test]
    fn dates_of_which_the_archive_has_something_else_are_told() {
        let runs = dates("aaaa");
        let input = |run: &RunDate, rows, objects| (run.date, Input { rows, objects });
        let archive = BTreeMap::from([
            input(&runs[0], 2, 1),
            input(&runs[1], 3, 1),
            input(&runs[2], 2, 2),
        ]);
        let status = Status::at(&runs, &[], Some(&archive), "now", Partitioning::Day);
        assert_eq!(ranges(&status.changed), "2011-10-25..2011-10-27");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-25..2011-10-27");
    }

    #[test]
    fn dates_whose_run_stopped_are_missing_at_the_end_too() {
        let unfinished: Vec<DateRange> = vec!["2011-10-27".parse().unwrap()];
        let at = |runs| Status::at(&dates(runs), &unfinished, None, "now", Partitioning::Day);
        let status = at("aa");
        assert_eq!(status.span.unwrap().to_string(), "2011-10-24..2011-10-27");
        assert_eq!(ranges(&status.missing), "2011-10-26..2011-10-27");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-26..2011-10-27");
        assert_eq!(ranges(&at("").missing), "2011-10-27");
    }

    #[test]
    fn a_repair_is_of_whole_partitions() {
        let status = status("aaB", Partitioning::Month);
        assert_eq!(ranges(&status.other_settings), "2011-10-26");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-01..2011-10-31");
    }

    #[test]
    fn tables_that_were_never_written_have_no_dates() {
        assert_eq!(status("", Partitioning::Day), Status::default());
    }
}
