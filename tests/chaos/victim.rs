//! A job whose runs are killed.

use std::collections::BTreeMap;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tables::Table;

use super::expected::{DAYS, Expected, SETTINGS, job, run_with};
use super::reader::Reader;
use crate::support::{Finished, Job, text};

pub(crate) const SIGKILL: i32 = 9;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) kills: usize,
    /// Kills after which some dates, not all, were of the new run.
    pub(crate) in_the_middle: usize,
    pub(crate) ended: usize,
    /// Tables that were read while runs were active.
    pub(crate) reads: usize,
}

/// A job whose runs are killed, and the expected state of its tables.
pub(crate) struct Victim<'a> {
    pub(crate) job: Job,
    reader: Reader,
    expected: &'a Expected,
    /// Index of the setting that the tables are being changed to.
    settings: usize,
    /// Rows of `runs` by date, after the last kill.
    runs: BTreeMap<String, Value>,
    /// Id of the run that wrote all dates before.
    before: String,
    /// Duration of a run that is not killed.
    usual: Duration,
}

impl<'a> Victim<'a> {
    pub(crate) fn new(expected: &'a Expected) -> Self {
        let job = job();
        let started = Instant::now();
        let finished = job.command("backfill", &run_with(SETTINGS[0]));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let mut victim = Self {
            usual: started.elapsed(),
            reader: Reader::of(&job),
            job,
            expected,
            settings: 0,
            runs: BTreeMap::new(),
            before: String::new(),
        };
        victim.next();
        victim
    }

    /// Switches the next runs to the other setting.
    fn next(&mut self) {
        self.runs = self.read_runs();
        assert_eq!(self.runs.len(), DAYS);
        let run_ids: Vec<_> = self.runs.values().map(|run| text(run, "run_id")).collect();
        assert!(run_ids.iter().all(|id| *id == run_ids[0]), "{run_ids:?}");
        self.before = run_ids[0].clone();
        self.settings = 1 - self.settings;
    }

    fn read_runs(&mut self) -> BTreeMap<String, Value> {
        let dates = self.reader.dates(Table::Runs);
        (dates.into_iter())
            .map(|(date, rows)| {
                assert_eq!(rows.len(), 1, "{rows:?}");
                (date, serde_json::from_str(&rows[0]).expect("JSON"))
            })
            .collect()
    }

    fn start(&self, fail_point: Option<&str>) -> Child {
        let arguments = run_with(SETTINGS[self.settings]);
        self.job.start("backfill", &arguments, fail_point)
    }

    /// Asserts what holds after every run, killed or not: every date of every table has
    /// the rows of one setting, a date in `runs` has those of that run in all tables,
    /// and dates that the killed run had finished were not run again.
    fn assert_whole(&mut self) {
        let tables = self.reader.tables();
        for (table, found) in &tables {
            self.expected.assert_either(*table, found);
        }
        let runs = self.read_runs();
        for (date, run) in &runs {
            let settings = if text(run, "run_id") == self.before {
                1 - self.settings
            } else {
                self.settings
            };
            self.expected.assert_date(settings, &tables, date);
        }
        let is_new = |run: &Value| text(run, "run_id") != self.before;
        // A run that was killed between its last commit and its exit had ended: the command starts over.
        let had_ended = self.runs.len() == DAYS && self.runs.values().all(is_new);
        for (date, run) in &self.runs {
            if is_new(run) && !had_ended {
                assert_eq!(Some(run), runs.get(date), "{date} was run again");
            }
        }
        self.runs = runs;
    }

    /// Asserts that a run has succeeded: all dates in `runs` are its own.
    fn assert_done(&mut self) {
        self.assert_whole();
        assert_eq!(self.runs.len(), DAYS);
        for run in self.runs.values() {
            assert_ne!(text(run, "run_id"), self.before);
        }
    }

    /// Kills a run at a fail point.
    pub(crate) fn kill_at(&mut self, point: &str) {
        let finished = Finished::wait(self.start(Some(&format!("KILL@{point}"))));
        assert_eq!(finished.signal, Some(SIGKILL), "{point}: {finished:?}");
        let (name, _) = point.split_once('#').expect("a pass");
        let said = format!("fail point {name}: KILL");
        assert!(finished.stderr.contains(&said), "{point}: {finished:?}");
        self.assert_whole();
    }

    /// Kills a run after `part` of its usual duration. The run may end earlier.
    pub(crate) fn kill_after(&mut self, part: f64, tally: &mut Tally) {
        let mut child = self.start(None);
        let started = Instant::now();
        let delay = self.usual.mul_f64(part);
        while started.elapsed() < delay && child.try_wait().expect("a child").is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        // The run may have ended before the signal.
        child.kill().expect("a child to kill");
        let finished = Finished::wait(child);
        if finished.signal == Some(SIGKILL) {
            tally.kills += 1;
            self.assert_whole();
            let runs = self.runs.values();
            let new = runs
                .filter(|run| text(run, "run_id") != self.before)
                .count();
            tally.in_the_middle += usize::from(new > 0 && new < DAYS);
        } else {
            assert_eq!(finished.code, Some(0), "{}", finished.stderr);
            tally.ended += 1;
            self.assert_done();
            self.next();
        }
    }

    pub(crate) fn finish(&mut self) {
        let finished = Finished::wait(self.start(None));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        self.assert_done();
        self.next();
    }
}
