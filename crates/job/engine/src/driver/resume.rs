//! Resumes a run that stopped.
//!
//! The `runs` table is the only input: a date in it is complete, and has the digest of the
//! request that it was run for. Two runs of one command over an unchanged archive have one digest.

use chrono::NaiveDate;
use tables::{DateRange, Table};

use crate::archive::Census;
use crate::error::EngineError;
use crate::job::Job;
use crate::settings_digest::md5_hex;
use crate::tables_state::runs_table::RunDate;
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// A run of the same request that committed some or all of its dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResumableRun {
    /// The id of the run in the `runs` table.
    pub(crate) run_id: String,
    /// The start of the run.
    pub(crate) started_micros: i64,
    /// The committed dates: the first ones of the range, as whole partitions.
    pub(crate) done: DateRange,
}

/// Returns the MD5 of all inputs of a run over `dates`, except the state that earlier dates
/// left.
pub(crate) fn request(job: &Job, dates: DateRange, census: &Census) -> String {
    let objects: Vec<_> = census
        .objects_in(dates)
        .map(|object| (&object.source, object.bytes, &object.tag))
        .collect();
    let request = serde_json::json!({
        "dates": dates.to_string(),
        "settings": job.settings.digest,
        "tables": job.settings.page_tables().map(Table::name).collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
        "archive": job.archive.location.as_ref().map(ToString::to_string),
        "objects": objects,
    });
    md5_hex(request.to_string().as_bytes())
}

/// Returns the run of `request` over `dates` that can be resumed, if there is one. `census` is the archive
/// on these dates.
///
/// # Errors
/// [`EngineError`] if the table cannot be read.
pub(crate) async fn resumable_run(
    job: &Job,
    tables: &mut TablesSnapshot,
    dates: DateRange,
    census: &Census,
    request: &str,
) -> Result<Option<ResumableRun>, EngineError> {
    let with_input: Vec<_> = census.dates_with_input(dates).into_iter().collect();
    let runs = tables.runs(dates).await?;
    if resumable(&runs, &with_input, request).is_none() {
        return Ok(None);
    }
    let runs = tables.runs(DateRange::between(NaiveDate::MIN, dates.last()));
    let runs = runs.await?;
    let run = resumable(&runs, &with_input, request);
    Ok(run.map(|(run, done)| {
        let last = job.output.partitioning().dates(with_input[done - 1]);
        ResumableRun {
            run_id: run.run_id.clone(),
            started_micros: run.started_micros,
            done: match done == with_input.len() {
                true => dates,
                false => DateRange::between(dates.first(), last.last()),
            },
        }
    }))
}

/// Pure part of [`resumable_run`]: takes the rows of `runs` in date order, and the dates of the run that have
/// input. Returns the first row of the run and how many of its dates are done, at least one, or `None` if
/// another run has since rewritten a date that the run started from or has left to do.
///
/// If all dates are there, the rows do not tell a run that stopped after its last commit
/// from a run that ended well.
fn resumable<'a>(
    runs: &'a [RunDate],
    with_input: &[NaiveDate],
    request: &str,
) -> Option<(&'a RunDate, usize)> {
    let first = with_input.first()?;
    let first = runs.iter().find(|run| run.date == *first)?;
    let belongs = |run: &RunDate| {
        (run.request.as_str(), run.started_micros) == (request, first.started_micros)
    };
    let mut others_are_older = true;
    let mut done = 0;
    for run in runs {
        if belongs(run) && with_input.get(done) == Some(&run.date) {
            done += 1;
        } else {
            others_are_older &= run.started_micros < first.started_micros;
        }
    }
    (done > 0 && others_are_older).then_some((first, done))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of dates that are done, of a run over all dates of `runs` but the
    /// first `earlier`. `runs` has one letter per date with input, each a week after the one before: the run that
    /// wrote it, in order of time. `.` is a date that was not run, capitals are another request.
    fn done(runs: &str, earlier: usize) -> Option<usize> {
        let first: NaiveDate = "2011-10-01".parse().unwrap();
        let dates: Vec<_> = first.iter_weeks().take(runs.len()).collect();
        let runs: Vec<_> = (dates.iter().zip(runs.chars()))
            .filter(|(_, run)| *run != '.')
            .map(|(date, run)| RunDate {
                date: *date,
                run_id: run.to_string(),
                request: if run.is_lowercase() { "this" } else { "other" }.to_owned(),
                started_micros: i64::from(u32::from(run.to_ascii_lowercase())),
                ..RunDate::default()
            })
            .collect();
        let (first, done) = resumable(&runs, &dates[earlier..], "this")?;
        assert_eq!(first.date, dates[earlier]);
        Some(done)
    }

    #[test]
    fn a_run_that_stopped_is_resumed_after_its_last_date() {
        for (runs, dates) in [
            ("bb..", 2),
            // It replaces an earlier run of the same request, or of another.
            ("bbaa", 2),
            ("bbA.", 2),
            ("b.aa", 1),
            ("bbbb", 4),
        ] {
            assert_eq!(done(runs, 0), Some(dates), "{runs}");
        }
        assert_eq!(done("Abb..", 1), Some(2));
    }

    #[test]
    fn a_run_starts_again_if_another_run_came_after_it() {
        for runs in [
            // It committed no date, or its dates were replaced.
            "....", ".bbb", "BB..", // Another run wrote its last dates, or some of them.
            "aaBB", "aaB.", "aa.B", "aa.a", // Another run wrote dates in the middle.
            "aBaa",
        ] {
            assert_eq!(done(runs, 0), None, "{runs}");
        }
        // The date that it started from was run again.
        assert_eq!(done("Caa..", 1), None);
    }
}
