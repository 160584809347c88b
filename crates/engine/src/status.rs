//! What the tables of a job hold, and what is wrong with it.

use std::collections::BTreeMap;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Date32Type, Int64Type, TimeUnit, TimestampMicrosecondType};
use chrono::NaiveDate;
use datafusion::error::DataFusionError;
use tables::{DateRange, Partitioning, Table, date_from_days};

use crate::archive::{Census, Input};
use crate::error::EngineError;
use crate::job::Job;
use crate::query;
use crate::resume::unfinished;

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

/// Counts of the `runs` table, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows of the archive.
    pub archive_rows: u64,
    /// Pages in `documents`.
    pub unique_pages: u64,
    /// Rows that are duplicates.
    pub duplicates: u64,
    /// Duplicates with unseen text.
    pub revisions: u64,
    /// Rows with a blacklisted URL.
    pub blacklisted: u64,
    /// Rows that could not be processed.
    pub quarantined: u64,
    /// Objects that could not be opened.
    pub unreadable_objects: u64,
    /// Bytes of HTML read.
    pub html_bytes: u64,
    /// Bytes of text written.
    pub text_bytes: u64,
}

/// One date of the `runs` table.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunDate {
    pub(crate) date: NaiveDate,
    pub(crate) run_id: String,
    pub(crate) request: String,
    pub(crate) settings: String,
    pub(crate) started_micros: i64,
    pub(crate) objects: u64,
    pub(crate) counts: Counts,
}

/// Partitions of `runs` that are looked at in one go.
const NIGHTS_AT_ONCE: usize = 32;

/// The archive now, by date.
type Archive = BTreeMap<NaiveDate, Input>;

/// Reads the status of `job` from its `runs` table; the archive is not touched.
///
/// # Errors
/// [`EngineError`] where the table cannot be read.
pub async fn status(job: &Job) -> Result<Status, EngineError> {
    let dates = runs(job, all_dates()).await?;
    let unfinished = unfinished(job).await?;
    Ok(Status::of(&dates, &unfinished, None, job))
}

/// The same, with what the archive has for these dates now.
///
/// # Errors
/// [`EngineError`] where the table or the archive cannot be read.
pub async fn status_with_archive(job: &Job) -> Result<Status, EngineError> {
    let dates = runs(job, all_dates()).await?;
    let unfinished = unfinished(job).await?;
    let Some(span) = span(&dates, &unfinished) else {
        return Ok(Status::default());
    };
    let archive = Census::take(&job.archive, span).await?.dated(span);
    Ok(Status::of(&dates, &unfinished, Some(&archive), job))
}

/// The last date that had pages; `None` where none had.
///
/// # Errors
/// [`EngineError`] where the table cannot be read.
pub(crate) async fn last_with_pages(job: &Job) -> Result<Option<NaiveDate>, EngineError> {
    // From the end, since a night asks this: a year of nights is a year of files.
    for partitions in partitions_of_runs(job).await?.rchunks(NIGHTS_AT_ONCE) {
        let dates = partitions.iter().copied().reduce(DateRange::through);
        let Some(dates) = dates else { continue };
        let runs = runs(job, dates).await?;
        let with_pages = runs.iter().rfind(|run| run.counts.archive_rows > 0);
        if let Some(run) = with_pages {
            return Ok(Some(run.date));
        }
    }
    Ok(None)
}

/// The partitions of `runs`, in order.
async fn partitions_of_runs(job: &Job) -> Result<Vec<DateRange>, EngineError> {
    let partitioning = job.output.partitioning();
    let partitions = job.output.partitions(Table::Runs).await?;
    let mut partitions: Vec<_> = (partitions.iter())
        .filter_map(|value| partitioning.parse_value(value))
        .collect();
    partitions.sort_by_key(|dates| dates.first());
    Ok(partitions)
}

/// Those of `dates` that were run, in order.
pub(crate) async fn runs(job: &Job, dates: DateRange) -> Result<Vec<RunDate>, EngineError> {
    let mut runs = Vec::new();
    for batch in &query::rows(job, Table::Runs, dates).await? {
        runs.extend(run_dates(batch).map_err(EngineError::Query)?);
    }
    runs.sort_by_key(|run| run.date);
    Ok(runs)
}

/// The last dates that were run with other settings than `job` has: among those
/// of `range`, which a run would replace, and the one before, which it goes on
/// from.
///
/// # Errors
/// [`EngineError`] where the table cannot be read.
pub(crate) async fn other_settings(
    job: &Job,
    range: DateRange,
) -> Result<Option<DateRange>, EngineError> {
    let mut partitions = partitions_of_runs(job).await?;
    partitions.retain(|partition| partition.first() < range.first());
    let before = partitions.pop().unwrap_or(range);
    let dates = runs(job, before.through(range)).await?;
    let before = dates.iter().rfind(|run| run.date < range.first());
    let mut others: Vec<DateRange> = Vec::new();
    for run in before
        .into_iter()
        .chain(dates.iter().filter(|run| range.contains(run.date)))
    {
        if run.settings != job.settings.digest {
            join(&mut others, Partitioning::Day.dates(run.date));
        }
    }
    Ok(others.pop())
}

fn run_dates(batch: &RecordBatch) -> Result<Vec<RunDate>, DataFusionError> {
    let column = |name: &str, as_type: &DataType| {
        let column = (batch.column_by_name(name)).ok_or_else(|| {
            DataFusionError::Execution(format!("table `runs` has no column `{name}`"))
        })?;
        Ok::<_, DataFusionError>(cast(column, as_type)?)
    };
    let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
    let dates = column("date", &DataType::Date32)?;
    let run_ids = column("run_id", &DataType::Utf8)?;
    let requests = column("request", &DataType::Utf8)?;
    let settings = column("settings", &DataType::Utf8)?;
    let started = column("started_at", &micros)?;
    let objects = column("objects", &DataType::Int64)?;
    let mut runs: Vec<RunDate> = (0..batch.num_rows())
        .map(|row| RunDate {
            date: date_from_days(dates.as_primitive::<Date32Type>().value(row)),
            run_id: run_ids.as_string::<i32>().value(row).to_owned(),
            request: requests.as_string::<i32>().value(row).to_owned(),
            settings: settings.as_string::<i32>().value(row).to_owned(),
            objects: objects
                .as_primitive::<Int64Type>()
                .value(row)
                .unsigned_abs(),
            started_micros: started
                .as_primitive::<TimestampMicrosecondType>()
                .value(row),
            counts: Counts::default(),
        })
        .collect();
    for (name, field) in Counts::COLUMNS {
        let numbers = column(name, &DataType::Int64)?;
        for (run, number) in runs.iter_mut().zip(numbers.as_primitive::<Int64Type>()) {
            *field(&mut run.counts) = number.unwrap_or(0).unsigned_abs();
        }
    }
    Ok(runs)
}

type Field = fn(&mut Counts) -> &mut u64;

impl Counts {
    const COLUMNS: [(&str, Field); 9] = [
        ("archive_rows", |counts| &mut counts.archive_rows),
        ("unique_pages", |counts| &mut counts.unique_pages),
        ("duplicates", |counts| &mut counts.duplicates),
        ("revisions", |counts| &mut counts.revisions),
        ("blacklisted", |counts| &mut counts.blacklisted),
        ("quarantined", |counts| &mut counts.quarantined),
        ("unreadable_objects", |counts| {
            &mut counts.unreadable_objects
        }),
        ("html_bytes", |counts| &mut counts.html_bytes),
        ("text_bytes", |counts| &mut counts.text_bytes),
    ];

    fn add(&mut self, mut other: Self) {
        for (_, field) in Self::COLUMNS {
            *field(self) += *field(&mut other);
        }
    }
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
                join(&mut status.missing, day);
                continue;
            };
            if run.started_micros < newest_earlier {
                join(&mut status.stale, day);
            }
            if run.settings != settings {
                join(&mut status.other_settings, day);
            }
            if archive.is_some_and(|archive| run.differs(archive)) {
                join(&mut status.changed, day);
            }
            if run.counts.archive_rows > 0 {
                status.last_with_pages = Some(run.date);
            }
            newest_earlier = newest_earlier.max(run.started_micros);
            status.counts.add(run.counts);
        }
        status.repair = status
            .first_wrong()
            .map(|from| partitioning.covering(days(from, span.last())));
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
    Some(days(first, ends(DateRange::last).max()?))
}

/// All days from `first` to `last`, which is no earlier.
pub(crate) fn days(first: NaiveDate, last: NaiveDate) -> DateRange {
    Partitioning::Day
        .dates(first)
        .through(Partitioning::Day.dates(last))
}

fn all_dates() -> DateRange {
    days(NaiveDate::MIN, NaiveDate::MAX)
}

/// Adds `dates`, which follow all of `ranges`, to the last of them where they begin
/// on the day after it.
pub(crate) fn join(ranges: &mut Vec<DateRange>, dates: DateRange) {
    match ranges.last_mut() {
        Some(last) if last.last().succ_opt() == Some(dates.first()) => *last = last.through(dates),
        _ => ranges.push(dates),
    }
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
