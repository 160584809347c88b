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
    /// Kills that left some dates of the new run and some of the old, or none.
    pub(crate) in_the_middle: usize,
    pub(crate) ended: usize,
    /// Tables that were read while runs were at work.
    pub(crate) reads: usize,
}

/// A job whose runs are killed, and what is sure about its tables.
pub(crate) struct Victim<'a> {
    pub(crate) job: Job,
    reader: Reader,
    expected: &'a Expected,
    /// The settings the tables are being changed to.
    settings: usize,
    /// Rows of `runs` by date, as the last kill left them.
    runs: BTreeMap<String, Value>,
    /// The run that was there before.
    before: String,
    /// How long a run takes that nobody kills.
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

    /// The next runs are with the other settings.
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

    /// What must be true whenever no run is at work: every date of every table has
    /// the rows of one run, a date in `runs` has those of that run in all tables,
    /// and what the killed run had finished was not done again.
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
        for (date, run) in &self.runs {
            if text(run, "run_id") != self.before {
                assert_eq!(Some(run), runs.get(date), "{date} was run again");
            }
        }
        self.runs = runs;
    }

    /// What must be true when a run ended well.
    fn assert_done(&mut self) {
        self.assert_whole();
        assert_eq!(self.runs.len(), DAYS);
        for run in self.runs.values() {
            assert_ne!(text(run, "run_id"), self.before);
        }
    }

    /// Kills a run at a named point.
    pub(crate) fn kill_at(&mut self, point: &str) {
        let finished = Finished::wait(self.start(Some(&format!("KILL@{point}"))));
        assert_eq!(finished.signal, Some(SIGKILL), "{point}: {finished:?}");
        let (name, _) = point.split_once('#').expect("a pass");
        let said = format!("fail point {name}: KILL");
        assert!(finished.stderr.contains(&said), "{point}: {finished:?}");
        self.assert_whole();
    }

    /// Kills a run after this part of the time that one takes, if it did not end
    /// before.
    pub(crate) fn kill_after(&mut self, part: f64, tally: &mut Tally) {
        let mut child = self.start(None);
        let started = Instant::now();
        let delay = self.usual.mul_f64(part);
        while started.elapsed() < delay && child.try_wait().expect("a child").is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        // It may be faster than the signal, which is no error.
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
