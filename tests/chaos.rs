//! Runs that are killed: the tables that readers see, and the next run of the same
//! command.
//!
//! `URLTREE_CHAOS_KILLS` is the number of kills at random moments; `make chaos` sets
//! it to a thousand, and a workflow runs it every night.

mod expected;
mod reader;
mod victim;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tables::Table;

use crate::support::{Finished, GAMMA, Job, mix, text, write};
use expected::{CHANGED, DATES, DAYS};
pub(crate) use expected::{Expected, SETTINGS, job, pages, run_with};
use reader::Reader;
use victim::{SIGKILL, Tally, Victim};

#[test]
fn both_settings_differ_on_every_date_of_every_table() {
    let Expected([merged, separate]) = Expected::new();
    for table in CHANGED {
        assert_eq!(merged[&table].len(), DAYS, "{}", table.name());
        for (date, rows) in &merged[&table] {
            assert!(!rows.is_empty());
            assert_ne!(separate[&table].get(date), Some(rows), "{}", table.name());
        }
    }
    assert_eq!(merged[&Table::Quarantine].len(), 1);
}

/// Fail points of a run, each with the number of the pass at which the run is killed.
/// A run passes `close` once per table and chunk, the others once per chunk or run.
const POINTS: [&str; 15] = [
    "claimed#1",
    "close#1",
    "begin#1",
    "begun#1",
    "close#8",
    "staged#2",
    "begun#2",
    "commit.url_keys#2",
    "commit.documents#2",
    "commit.blocks#2",
    "commit.quarantine#2",
    "commit.window_entries#2",
    "commit.runs#2",
    "commit.runs#3",
    "finish#1",
];

#[test]
fn a_run_killed_at_any_point_leaves_whole_dates_and_resumes() {
    let expected = Expected::new();
    let kills = thread::scope(|scope| {
        let (first, second) = POINTS.split_at(POINTS.len() / 2);
        let halves = [first, second].map(|points| {
            let expected = &expected;
            scope.spawn(move || kill_at_points(expected, points))
        });
        halves.map(|half| half.join().expect("no mixture"))
    });
    assert_eq!(kills.iter().sum::<usize>(), POINTS.len() + 6);
}

/// Kills a run at each of `points`. After every third point it also kills the next
/// run, which takes over. Returns the number of kills.
fn kill_at_points(expected: &Expected, points: &[&str]) -> usize {
    let mut victim = Victim::new(expected);
    let mut kills = 0;
    for (index, point) in points.iter().enumerate() {
        victim.kill_at(point);
        kills += 1;
        if index % 3 == 0 {
            victim.kill_at(["fenced#1", "fence.documents#1"][index % 2]);
            kills += 1;
        }
        victim.finish();
    }
    kills
}

#[test]
fn a_run_killed_at_any_time_leaves_whole_dates_and_resumes() {
    let asked = std::env::var("URLTREE_CHAOS_KILLS").ok();
    // A run takes half a second, and the kills of a job hit it at 20 random moments: forty hit every
    // stage of a chunk some times. The test above hits each point between two stages.
    let kills: usize = asked.map_or(40, |asked| asked.parse().expect("a number of kills"));
    let expected = Expected::new();
    let begun = Instant::now();
    let halves = thread::scope(|scope| {
        let halves = [1, 2].map(|seed| {
            let expected = &expected;
            scope.spawn(move || kill_at_random(expected, kills / 2, seed))
        });
        halves.map(|half| half.join().expect("no mixture"))
    });
    let sum = |of: fn(&Tally) -> usize| halves.iter().map(of).sum::<usize>();
    // `make chaos` shows this line.
    let _ = writeln!(
        std::io::stderr(),
        "{} kills, {} of them with dates done and left; {} runs that ended; {} tables read \
         meanwhile; {:.0} s",
        sum(|half| half.kills),
        sum(|half| half.in_the_middle),
        sum(|half| half.ended),
        sum(|half| half.reads),
        begun.elapsed().as_secs_f64()
    );
    assert_eq!(sum(|half| half.kills), kills / 2 * 2);
    assert!(sum(|half| half.ended) > kills / 20);
    assert!(sum(|half| half.in_the_middle) > kills / 20);
    assert!(sum(|half| half.reads) > kills);
}

/// Kills of one command before it may finish.
const IN_A_ROW: usize = 10;
/// Kills of one job. A new job starts after them, because the Delta logs grow.
const OF_A_JOB: usize = 20;

fn kill_at_random(expected: &Expected, kills: usize, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut random = mix(seed);
    while tally.kills < kills {
        let mut victim = Victim::new(expected);
        let reader = Reader::of(&victim.job);
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let reads = scope.spawn(|| read_until(&over, expected, reader));
            let stop = StopAtEnd(&over);
            let job_ends = (tally.kills + OF_A_JOB).min(kills);
            while tally.kills < job_ends {
                let row_ends = (tally.kills + IN_A_ROW).min(job_ends);
                while tally.kills < row_ends {
                    random = mix(random.wrapping_add(GAMMA));
                    victim.kill_after((random % 1000) as f64 / 1000.0, &mut tally);
                }
                victim.finish();
                tally.ended += 1;
            }
            drop(stop);
            tally.reads += reads.join().expect("no mixture");
        });
    }
    tally
}

/// Reads one table after the other until `over` is set. Returns the number of reads.
fn read_until(over: &AtomicBool, expected: &Expected, mut reader: Reader) -> usize {
    let mut reads = 0;
    while !over.load(Ordering::Relaxed) {
        let table = CHANGED[reads % CHANGED.len()];
        expected.assert_either(table, &reader.dates(table));
        reads += 1;
        thread::sleep(Duration::from_millis(200));
    }
    reads
}

/// Stops the reader when dropped, so also after a failed assertion.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn run_ids(job: &Job) -> Vec<String> {
    let rows = job.rows("SELECT run_id FROM runs ORDER BY date");
    rows.iter().map(|row| text(row, "run_id")).collect()
}

fn kill(job: &Job, arguments: &[&str], point: &str) {
    let child = job.start("backfill", arguments, Some(&format!("KILL@{point}")));
    let finished = Finished::wait(child);
    assert_eq!(finished.signal, Some(SIGKILL), "{finished:?}");
}

#[test]
fn the_same_command_resumes_and_a_later_one_starts_over() {
    let job = job();
    kill(&job, &["--dates", DATES], "commit.documents#3");
    let killed = run_ids(&job);
    assert_eq!(killed.len(), 2);
    let done = json!({ "first_date": "2011-10-01", "last_date": "2011-10-02" });

    let finished = job.command("backfill", &["--dates", DATES, "--format", "json"]);
    assert!(finished.stderr.contains("resuming a run"), "{finished:?}");
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    assert_eq!(
        (&report["already_done"], &report["chunks"]),
        (&done, &json!(1))
    );
    let finished = run_ids(&job);
    assert_eq!(finished[..2], killed);
    assert_eq!(finished[2], killed[0]);
    job.assert_accounts();

    let again = job.backfill(DATES);
    assert!(!again.stderr.contains("resuming"), "{again:?}");
    assert!(!run_ids(&job).contains(&finished[0]));
}

#[test]
fn a_changed_archive_or_other_settings_or_dates_start_over() {
    let changes: [fn(&Job); 3] = [
        |job| write(&job.archive("pages.parquet"), &pages()[1..]),
        |job| write(&job.archive("more.parquet"), &pages()[2..3]),
        // A date that the killed run depends on is run again.
        |job| {
            job.run("2011-10-01");
        },
    ];
    let dates = "2011-10-02..2011-10-03";
    for change in changes {
        let job = job();
        job.run("2011-10-01");
        kill(&job, &["--dates", dates], "begin#2");
        change(&job);
        let finished = job.run(dates);
        assert!(!finished.stderr.contains("resuming"), "{finished:?}");
    }
    let job = job();
    kill(&job, &["--dates", DATES], "begin#2");
    for arguments in [
        &["--dates", "2011-10-01..2011-10-02"][..],
        &["--dates", DATES, "--set", "output.write="],
        &run_with(SETTINGS[1]),
    ] {
        let finished = job.command("backfill", arguments);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(!finished.stderr.contains("resuming"), "{finished:?}");
    }
}

#[test]
fn status_names_unfinished_dates_and_an_update_repairs_them() {
    // The unfinished date is the second, the last, or the first of the range.
    for (dates, point, before) in [
        ("2011-10-02", "committed.url_keys#1", Some(DATES)),
        (DATES, "committed.url_keys#3", None),
        (DATES, "commit.url_keys#1", Some(DATES)),
    ] {
        let job = job();
        if let Some(before) = before {
            job.run(before);
        }
        kill(&job, &["--dates", dates], point);
        let printed = job.command("status", &["--format", "json"]).stdout;
        let status: Value = serde_json::from_str(&printed).expect("one JSON object");
        assert_eq!(status["done"], 2, "{point}: {status}");
        assert_eq!(status["missing"].as_array().map(Vec::len), Some(1));
        assert_ne!(status["repair"], Value::Null);

        let night = job.command("update", &[]);
        assert_eq!(night.code, Some(0), "{}", night.stderr);
        let printed = job
            .command("status", &["--archive", "--format", "json"])
            .stdout;
        let status: Value = serde_json::from_str(&printed).expect("one JSON object");
        assert_eq!(
            (&status["done"], &status["repair"]),
            (&json!(3), &Value::Null)
        );
        job.assert_accounts();
        let expected = self::job();
        expected.run(DATES);
        let (expected, found) = (&mut Reader::of(&expected), &mut Reader::of(&job));
        for table in CHANGED {
            assert_eq!(
                expected.dates(table),
                found.dates(table),
                "{}",
                table.name()
            );
        }
    }
}
