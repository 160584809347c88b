//! What the tables of a job hold, and what is wrong with it.

use std::collections::BTreeMap;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Date32Type, Int64Type, TimeUnit, TimestampMicrosecondType};
use chrono::NaiveDate;
use datafusion::error::DataFusionError;
use tables::{DateRange, Partitioning, Table, date_from_days};

use crate::error::EngineError;
use crate::job::Job;
use crate::query;

/// The dates in the output tables of a job.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The first and the last date that were run; `None` where none was.
    pub span: Option<DateRange>,
    /// Dates that were run.
    pub done: u64,
    /// Dates inside the span that were not run.
    pub missing: Vec<DateRange>,
    /// Dates that were computed from earlier ones which have been run again
    /// since.
    pub stale: Vec<DateRange>,
    /// Dates that were run with other settings than the job has now.
    pub other_settings: Vec<DateRange>,
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
struct RunDate {
    date: NaiveDate,
    settings: String,
    started_micros: i64,
    counts: Counts,
}

/// Reads the status of `job` from its `runs` table; the archive is not touched.
///
/// # Errors
/// [`EngineError`] where the table cannot be read.
pub async fn status(job: &Job) -> Result<Status, EngineError> {
    let batches = query::rows(job, Table::Runs).await?;
    let mut dates = Vec::new();
    for batch in &batches {
        dates.extend(run_dates(batch).map_err(EngineError::Query)?);
    }
    dates.sort_by_key(|run| run.date);
    let settings = &job.settings.digest;
    Ok(Status::of(&dates, settings, job.output.partitioning()))
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
    let settings = column("settings", &DataType::Utf8)?;
    let started = column("started_at", &micros)?;
    let mut runs: Vec<RunDate> = (0..batch.num_rows())
        .map(|row| RunDate {
            date: date_from_days(dates.as_primitive::<Date32Type>().value(row)),
            settings: settings.as_string::<i32>().value(row).to_owned(),
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
    /// `dates` come in order, each once.
    fn of(dates: &[RunDate], settings: &str, partitioning: Partitioning) -> Self {
        let (Some(first), Some(last)) = (dates.first(), dates.last()) else {
            return Self::default();
        };
        let mut status = Self {
            done: dates.len() as u64,
            ..Self::default()
        };
        let done: BTreeMap<NaiveDate, &RunDate> = dates.iter().map(|run| (run.date, run)).collect();
        let mut newest_earlier = i64::MIN;
        let mut span: Option<DateRange> = None;
        for day in Partitioning::Day.partitions(day_range(first.date).through(day_range(last.date)))
        {
            span = Some(span.map_or(day, |span| span.through(day)));
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
            newest_earlier = newest_earlier.max(run.started_micros);
            status.counts.add(run.counts);
        }
        status.span = span;
        let wrong = [&status.missing, &status.stale, &status.other_settings];
        let from = wrong.into_iter().filter_map(|ranges| ranges.first());
        status.repair = (from.min_by_key(|range| range.first()))
            .zip(span)
            .map(|(from, span)| partitioning.covering(from.through(day_range(span.last()))));
        status
    }
}

fn day_range(date: NaiveDate) -> DateRange {
    Partitioning::Day.dates(date)
}

/// Adds `day`, which follows all of `ranges`, to the last of them where it is
/// the next day.
fn join(ranges: &mut Vec<DateRange>, day: DateRange) {
    match ranges.last_mut() {
        Some(last) if last.last().succ_opt() == Some(day.first()) => *last = last.through(day),
        _ => ranges.push(day),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter per date: the run that did it, in order of time; `.` for a
    /// date that was not run, capitals for other settings.
    fn status(runs: &str, partitioning: Partitioning) -> Status {
        let first: NaiveDate = "2011-10-24".parse().unwrap();
        let dates: Vec<RunDate> = (first.iter_days().zip(runs.chars()))
            .filter(|(_, run)| *run != '.')
            .map(|(date, run)| RunDate {
                date,
                settings: if run.is_lowercase() { "now" } else { "then" }.to_owned(),
                started_micros: i64::from(u32::from(run.to_ascii_lowercase())),
                counts: Counts {
                    archive_rows: 2,
                    ..Counts::default()
                },
            })
            .collect();
        Status::of(&dates, "now", partitioning)
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
    fn a_repair_is_of_whole_partitions() {
        let status = status("aaB", Partitioning::Month);
        assert_eq!(ranges(&status.other_settings), "2011-10-26");
        assert_eq!(status.repair.unwrap().to_string(), "2011-10-01..2011-10-31");
    }

    #[test]
    fn tables_that_were_never_written_have_no_dates() {
        assert_eq!(Status::of(&[], "now", Partitioning::Day), Status::default());
    }
}
