//! The disk to which runs spill: its folder, its limit, and a disk that is full.

use std::path::Path;

use serde_json::Value;

use crate::support::{Finished, Job, Row, Site, assert_same, contents, small_disk};

const DAYS: u64 = 40;
const DATES: &str = "2012-01-01..2012-02-09";

fn site() -> Site<'static> {
    Site {
        host: "www.gazette.example",
    }
}

/// Pages of one day, which the sorts do not have memory for.
fn one_large_day() -> Job {
    let rows: Vec<Row> = (0..4000)
        .map(|number| site().article(number, "2012-01-01T12:00:00"))
        .collect();
    Job::of(&rows).with("run.memory_limit=17MB")
}

/// Pages of many days, which the sorts have memory for, and of which one has an open file.
fn many_days() -> Job {
    let first = site().article(0, "2012-01-01T12:00:00");
    let rows: Vec<Row> = (0..1600)
        .map(|number| Row {
            fetched_at: first
                .after((number % DAYS) as i64, number as i64)
                .fetched_at,
            ..site().article(number, "2012-01-01T12:00:00")
        })
        .collect();
    Job::of(&rows).with("run.memory_limit=64MB")
}

fn spill_folder(job: Job) -> Job {
    let folder = job.path("spilled");
    std::fs::create_dir(&folder).expect("a folder");
    job.with(&format!("run.spill_dir={}", folder.display()))
        .with("run.threads=2")
}

fn backfill(job: &Job) -> Finished {
    job.command("backfill", &["--dates", DATES, "--format", "json"])
}

/// Bytes that the operators of a run spilled, by the operator's name.
fn spilled(finished: &Finished, operator: &str) -> u64 {
    let report: Value = serde_json::from_str(&finished.stdout).expect("a report in JSON");
    let bytes = &report["operators"][operator]["spilled_bytes"];
    bytes.as_u64().expect("a number of bytes")
}

fn assert_empty(folder: &Path) {
    let left = folder.read_dir().expect("a folder").count();
    assert_eq!(left, 0, "{} has files", folder.display());
}

#[test]
fn rows_are_spilled_to_the_folder_of_the_job() {
    for (job, operator) in [(one_large_day(), "SortExec"), (many_days(), "Write")] {
        let job = spill_folder(job).with_variable("TMPDIR", "/nowhere");
        let finished = backfill(&job);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(spilled(&finished, operator) > 0, "{}", finished.stdout);
        job.assert_accounts();
        assert_empty(&job.path("spilled"));
    }
}

#[test]
fn a_run_over_its_spill_limit_names_limit_folder_and_step() {
    for (job, step) in [(one_large_day(), None), (many_days(), Some("Write"))] {
        let job = spill_folder(job).with("run.spill_limit=20KiB");
        let finished = backfill(&job);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        let folder = job.path("spilled").display().to_string();
        let step = step.map_or_else(String::new, |step| format!("stage {step},"));
        for expected in [
            &*folder,
            "exceeds run.spill_limit = \"20.0 KiB\"",
            "--set 'run.spill_limit=MORE'",
            &step,
        ] {
            assert!(finished.stderr.contains(expected), "{}", finished.stderr);
        }
        assert_eq!(job.lines("SELECT * FROM documents").len(), 0);
        assert_empty(&job.path("spilled"));
    }
}

#[test]
fn a_run_names_the_disk_that_is_full() {
    for (job, step) in [(one_large_day(), None), (many_days(), Some("Write"))] {
        let job = spill_folder(job);
        let Some(finished) = on_small_disk(&job, "size=64k") else {
            return;
        };
        assert_eq!(finished.code, Some(4), "{finished:?}");
        let folder = job.path("spilled").display().to_string();
        let step = step.map_or_else(String::new, |step| format!("stage {step},"));
        for expected in [
            &*format!("the disk of {folder} is full"),
            "No space left on device",
            "--set 'run.spill_dir=FOLDER'",
            &step,
        ] {
            assert!(finished.stderr.contains(expected), "{}", finished.stderr);
        }
        assert_eq!(job.lines("SELECT * FROM documents").len(), 0);
    }
}

/// A site whose bucket of two is the first or the second.
fn host(bucket: u64) -> String {
    let names = (0..).map(|number| format!("site-{number}.example"));
    let mut names = names.filter(|name| url_key::hash(name) >> 63 == bucket);
    names.next().expect("one in two names")
}

#[test]
fn a_unit_for_which_the_disk_is_full_runs_again_alone() {
    let (small, large) = (host(0), host(1));
    let page = |host: &str, number| Site { host }.article(number, "2012-01-01T12:00:00");
    let rows = (0..10).map(|number| page(&small, number));
    let rows: Vec<Row> = rows
        .chain((0..4000).map(|number| page(&large, number)))
        .collect();
    let with = |buckets| {
        let job = Job::of(&rows).with("run.memory_limit=17MB");
        spill_folder(job.with(&format!("run.buckets={buckets}")))
    };
    let job = with(2);
    let Some(finished) = on_small_disk(&job, "size=64k") else {
        return;
    };
    assert_eq!(finished.code, Some(4), "{finished:?}");
    assert!(finished.stderr.contains("unit 1/2 is done"), "{finished:?}");
    assert_eq!(job.lines("SELECT * FROM documents").len(), 0);
    let rest = job.backfill(DATES);
    assert!(!rest.stderr.contains("unit 1/2 is done"), "{}", rest.stderr);
    assert!(rest.stderr.contains("unit 2/2 is done"), "{}", rest.stderr);
    job.assert_accounts();
    let one = with(1);
    one.run(DATES);
    assert_same(&contents(&one), &contents(&job), "a full disk");
}

#[test]
fn a_full_disk_of_the_tables_is_one_line() {
    let rows: Vec<Row> = (0..2000)
        .map(|number| site().article(number, "2012-01-01T12:00:00"))
        .collect();
    let job = spill_folder(Job::of(&rows)).with("output.location=spilled/tables");
    let Some(finished) = on_small_disk(&job, "size=200k") else {
        return;
    };
    assert_eq!(finished.code, Some(4), "{finished:?}");
    assert!(
        finished.stderr.contains("no space is left at"),
        "{}",
        finished.stderr
    );
    assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
    assert!(finished.stderr.lines().count() < 8, "{}", finished.stderr);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_any_work() {
    let job = spill_folder(one_large_day());
    if let Some(finished) = on_small_disk(&job, "ro") {
        let folder = job.path("spilled").display().to_string();
        let expected = format!(
            "error: run.spill_dir: cannot spill to {folder}: Read-only file system (os error 30)"
        );
        assert!(finished.stderr.starts_with(&expected), "{finished:?}");
        assert_eq!(finished.code, Some(2));
        assert!(!job.has_tables());
    }
    let job = one_large_day().with("run.spill_dir=job.toml");
    let error = job.refused(DATES, 2);
    let expected = "error: run.spill_dir: cannot spill to job.toml: ";
    assert!(error.starts_with(expected), "{error}");
    assert!(!job.has_tables());
}

/// Runs the dates with a small file system in the spill folder.
fn on_small_disk(job: &Job, options: &str) -> Option<Finished> {
    let wrapper = small_disk(&job.path("spilled"), options)?;
    Some(job.command_in(&wrapper, "backfill", &["--dates", DATES]))
}
