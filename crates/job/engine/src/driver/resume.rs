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
    /// The committed dates: the first ones of the range.
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
        "blocks": job.settings.writes(Table::Blocks),
        "version": env!("CARGO_PKG_VERSION"),
        "archive": job.archive.location.to_string(),
        "objects": objects,
    });
    md5_hex(request.to_string().as_bytes())
}

/// Returns the run of `request` over `dates` that can be resumed, if there is one.
///
/// # Errors
/// [`EngineError`] if the table cannot be read.
pub(crate) async fn resumable_run(
    tables: &mut TablesSnapshot,
    dates: DateRange,
    request: &str,
) -> Result<Option<ResumableRun>, EngineError> {
    let runs = tables.runs(dates).await?;
    if resumable(&runs, dates, request).is_none() {
        return Ok(None);
    }
    let until = DateRange::between(NaiveDate::MIN, dates.last());
    Ok(resumable(&tables.runs(until).await?, dates, request))
}

/// Pure part of [`resumable_run`]: takes the rows of `runs` in date order. Returns `None` if
/// another run has since rewritten a date that the run started from or has left to do.
///
/// If all dates are there, the rows do not tell a run that stopped after its last commit
/// from a run that ended well.
fn resumable(runs: &[RunDate], dates: DateRange, request: &str) -> Option<ResumableRun> {
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
    others_are_older.then(|| ResumableRun {
        run_id: first.run_id.clone(),
        started_micros: first.started_micros,
        done,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of dates that are done, of a run over all dates of `runs` but the
    /// first `earlier`. `runs` has one letter per date from 2011-10-01 on: the run that wrote
    /// it, in order of time. `.` is a date that was not run, capitals are another request.
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
        let requested = DateRange::between(dates[earlier], dates[dates.len() - 1]);
        let done = resumable(&runs, requested, "this")?.done;
        assert_eq!(done.first(), requested.first());
        Some((done.last() - done.first()).num_days() as usize + 1)
    }

    #[test]
    fn a_run_that_stopped_is_resumed_after_its_last_date() {
        for (runs, days) in [
            ("bb..", 2),
            // It replaces an earlier run of the same request, or of another.
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
