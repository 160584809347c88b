//! Going on with a run that stopped.
//!
//! The `runs` table says all that is needed: a chunk whose dates are there is
//! complete, and each date says which request it was run for. The same command
//! over the same archive is the same request.

use chrono::NaiveDate;
use tables::{DateRange, Table};

use crate::archive::Census;
use crate::error::EngineError;
use crate::job::{Job, md5_hex};
use crate::state::runs_table::RunDate;
use crate::state::tables_snapshot::TablesSnapshot;

/// A run that stopped before its end, or just at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stopped {
    /// Its name in the `runs` table.
    pub(crate) run_id: String,
    /// When it began.
    pub(crate) started_micros: i64,
    /// The dates that it finished: the first ones of its range.
    pub(crate) done: DateRange,
}

/// MD5 of everything that decides what a run over `dates` writes, but for what
/// earlier dates left.
pub(crate) fn request(job: &Job, dates: DateRange, census: &Census) -> String {
    let objects: Vec<_> = (census.objects_in(dates))
        .map(|object| (&object.source, object.bytes, &object.tag))
        .collect();
    let request = serde_json::json!({
        "dates": dates.to_string(),
        "settings": job.settings.digest,
        "blocks": job.settings.writes(Table::Blocks),
        "version": env!("CARGO_PKG_VERSION"),
        "archive": job.archive.location.to_string(),
        "objects": objects,
    });
    md5_hex(request.to_string().as_bytes())
}

/// The run of `request` over `dates` that stopped and can be gone on with, where
/// there is one.
///
/// # Errors
/// [`EngineError`] where the table cannot be read.
pub(crate) async fn stopped(
    tables: &mut TablesSnapshot,
    dates: DateRange,
    request: &str,
) -> Result<Option<Stopped>, EngineError> {
    let asked = tables.runs(dates).await?;
    if stopped_in(&asked, dates, request).is_none() {
        return Ok(None);
    }
    let until = DateRange::between(NaiveDate::MIN, dates.last());
    Ok(stopped_in(&tables.runs(until).await?, dates, request))
}

/// The same from the dates that were run, in order: nothing that it began with, or left to be done, was run since.
///
/// Whether a run whose dates are all there stopped, or ended well and is asked for
/// again, is not known here.
fn stopped_in(runs: &[RunDate], dates: DateRange, request: &str) -> Option<Stopped> {
    let first = runs.iter().find(|run| run.date == dates.first())?;
    let belongs = |run: &RunDate| {
        (run.request.as_str(), run.started_micros) == (request, first.started_micros)
    };
    let mut done = belongs(first).then(|| DateRange::between(first.date, first.date))?;
    let mut others_are_older = true;
    for run in runs.iter().filter(|run| run.date != first.date) {
        if belongs(run) && done.last().succ_opt() == Some(run.date) {
            done = done.through(DateRange::between(run.date, run.date));
        } else if run.date <= dates.last() {
            others_are_older &= run.started_micros < first.started_micros;
        }
    }
    others_are_older.then(|| Stopped {
        run_id: first.run_id.clone(),
        started_micros: first.started_micros,
        done,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter per date from 2011-10-01 on: the run that did it, in order of
    /// time; `.` for a date that was not run. Capitals are of another request.
    /// Gives how many dates a run of all but the first `earlier` has there.
    fn done(runs: &str, earlier: usize) -> Option<usize> {
        let first: NaiveDate = "2011-10-01".parse().unwrap();
        let dates: Vec<_> = first.iter_days().take(runs.len()).collect();
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
        let asked = DateRange::between(dates[earlier], dates[dates.len() - 1]);
        let stopped = stopped_in(&runs, asked, "this")?;
        assert_eq!(stopped.done.first(), asked.first());
        Some((stopped.done.last() - stopped.done.first()).num_days() as usize + 1)
    }

    #[test]
    fn a_run_that_stopped_is_gone_on_with() {
        for (runs, days) in [
            ("bb..", 2),
            // An earlier run of the same request, or of another, was replaced.
            ("bbaa", 2),
            ("bbA.", 2),
            ("b.aa", 1),
            ("bbbb", 4),
        ] {
            assert_eq!(done(runs, 0), Some(days), "{runs}");
        }
        assert_eq!(done("Abb..", 1), Some(2));
    }

    #[test]
    fn a_run_that_something_else_followed_begins_again() {
        for runs in [
            // Nothing of it is there, or nothing any more.
            "....", ".bbb", "BB..", // Its rest was run since, or some of it.
            "aaBB", "aaB.", "aa.B", "aa.a", // Dates in the middle are of another.
            "aBaa",
        ] {
            assert_eq!(done(runs, 0), None, "{runs}");
        }
        // What it went on from was run again.
        assert_eq!(done("Caa..", 1), None);
    }
}
