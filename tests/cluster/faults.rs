//! Workers, stores and drivers that fail: each run ends with the right tables, or with an error after
//! which the same command continues it.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use servers::{Fault, Faults, Server};

use super::worker::{
    Worker, backfill, begin, days, end, job, job_on_workers, metric_of, on, rows_of, until,
    until_busy,
};
use crate::memory::{RANGE, Shape};
use crate::support::busy::{FIRST, busy_archive, busy_rows};
use crate::support::{
    Job, KEYS, Row, Site, Snapshot, Store, assert_same, can_watch, contents, credentials, kept,
    load, save, signal, skip, small_disk, wrapped,
};

/// An archive, and the tables that one process makes of it.
struct Trial {
    archive: PathBuf,
    expected: Snapshot,
}

impl Trial {
    fn new() -> Self {
        Self::over(&days())
    }

    fn over(dates: &str) -> Self {
        let folder = kept(&format!("busy-{dates}"), |folder| {
            let archive = folder.join("archive");
            busy_archive(&archive);
            let alone = job(&archive);
            alone.run(dates);
            save(&contents(&alone), &folder.join("tables"));
        });
        Self {
            expected: load(&folder.join("tables")),
            archive: folder.join("archive"),
        }
    }

    /// A job on workers.
    fn job(&self) -> Job {
        job_on_workers(&self.archive)
    }

    fn assert_tables(&self, job: &Job, what: &str) {
        job.assert_accounts();
        assert_same(&self.expected, &contents(job), what);
    }
}

#[test]
fn chunks_of_a_worker_that_is_killed_run_on_the_others() {
    let trial = Trial::new();
    let (one, two) = (Worker::start(), Worker::start());
    let together = trial.job();
    let (mut run, mut messages) = begin(&together, &days(), &on(&[&one, &two]));
    until(&mut messages, "committed");
    until_busy(&two);
    signal(&two.process, "KILL");
    let (code, rest) = end(&mut run, &mut messages);
    assert_eq!(code, Some(0), "{rest}");
    assert!(rest.contains(&two.address), "{rest}");
    assert!(rest.contains("runs again on the workers"), "{rest}");
    trial.assert_tables(&together, "one worker left");
}

/// A stopped process keeps its connections open, and wakes up when its chunk was run elsewhere.
#[test]
fn chunks_of_a_worker_that_is_stopped_run_on_the_others() {
    let trial = Trial::new();
    let (one, two, three) = (Worker::start(), Worker::start(), Worker::start());
    let together = trial.job();
    let workers = on(&[&one, &two, &three]);
    let (mut run, mut messages) = begin(&together, &days(), &workers);
    until(&mut messages, "committed");
    until_busy(&two);
    signal(&two.process, "STOP");
    until(&mut messages, "runs again on the workers");
    until(&mut messages, "committed");
    signal(&two.process, "CONT");
    let (code, rest) = end(&mut run, &mut messages);
    assert_eq!(code, Some(0), "{rest}");
    trial.assert_tables(&together, "a stopped worker");
}

#[test]
fn a_driver_that_is_killed_is_continued_by_the_same_command() {
    let trial = Trial::new();
    let (one, two) = (Worker::start(), Worker::start());
    // The lease of a killed process ends after some heartbeats.
    let together = trial.job().with("run.heartbeat=1s");
    let (mut run, mut messages) = begin(&together, &days(), &on(&[&one, &two]));
    until(&mut messages, "committed");
    signal(&run, "KILL");
    run.wait().expect("a child to wait for");
    let done = backfill(&together, &days(), &[&one, &two]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    trial.assert_tables(&together, "two drivers");
}

#[test]
fn a_run_without_any_worker_left_ends_and_the_same_command_continues_it() {
    let trial = Trial::new();
    let (one, two) = (Worker::start(), Worker::start());
    let together = trial.job();
    let (mut run, mut messages) = begin(&together, &days(), &on(&[&one, &two]));
    until(&mut messages, "committed");
    signal(&one.process, "KILL");
    signal(&two.process, "KILL");
    let (code, rest) = end(&mut run, &mut messages);
    assert!(matches!(code, Some(4 | 5)), "{code:?}: {rest}");
    assert!(rest.contains("error: "), "{rest}");
    let done = backfill(&together, &days(), &[&Worker::start(), &Worker::start()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    trial.assert_tables(&together, "new workers");
}

/// The worker dies when the step gives its first rows, while other steps of the chunk run on it and
/// on others.
#[test]
fn a_worker_may_be_killed_in_every_step() {
    let dates = format!("{FIRST}..2011-10-06");
    let trial = Trial::over(&dates);
    for step in ["Scan", "Key", "Dedupe", "Block", "Site", "Write"] {
        let (one, two) = (Worker::start(), Worker::start());
        let mut dying = Worker::command("256MB", &[]);
        dying.env("URLTREE_FAIL_POINT", format!("KILL@step.{step}#1"));
        let mut dying = Worker::spawn(&mut dying);
        let job = trial.job();
        let done = backfill(&job, &dates, &[&one, &two, &dying]);
        assert_eq!(done.code, Some(0), "{step}: {}", done.stderr);
        let status = dying.process.wait().expect("a child to wait for");
        assert_eq!(status.signal(), Some(9), "{step}");
        assert!(
            done.stderr.contains("runs again on the workers"),
            "{step}: {}",
            done.stderr
        );
        trial.assert_tables(&job, step);
    }
}

/// Another run takes over while the driver sleeps. When it wakes, it ends, and its workers are free.
#[test]
fn a_driver_that_lost_its_lease_commits_nothing_and_stops_its_workers() {
    let trial = Trial::new();
    let workers = [Worker::start(), Worker::start()];
    let job = trial.job().with("run.heartbeat=1s");
    let (mut run, mut messages) = begin(&job, &days(), &on(&workers.each_ref()));
    until(&mut messages, "committed");
    until_busy(&workers[0]);
    signal(&run, "STOP");
    let other = job.command("backfill", &["--dates", &days()]);
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    trial.assert_tables(&job, "the other run");
    signal(&run, "CONT");
    let (code, rest) = end(&mut run, &mut messages);
    assert_eq!(code, Some(4), "{rest}");
    assert!(rest.contains("taken over by the run"), "{rest}");
    trial.assert_tables(&job, "the driver that woke up");
    for worker in &workers {
        assert_still(worker);
    }
    let again = trial.job();
    let done = backfill(&again, &days(), &workers.each_ref());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    trial.assert_tables(&again, "the same workers");
}

/// Asserts that a worker ends what it does within seconds.
fn assert_still(worker: &Worker) {
    let begun = Instant::now();
    let steps = || ["Scan", "Block", "Site"].map(|step| rows_of(worker, step));
    let (mut before, mut still) = (steps(), 0);
    while still < 10 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{before:?}");
        std::thread::sleep(Duration::from_millis(100));
        let now = steps();
        still = if now == before { still + 1 } else { 0 };
        before = now;
    }
}

/// One worker reaches the store by a server that goes down in the middle of a chunk.
#[test]
fn a_run_with_a_worker_that_is_cut_off_from_the_store_ends_and_can_be_continued() {
    let store = Store::new(&busy_rows());
    let settings = |job: Job| {
        let job = job.with("run.threads=1").with("run.chunk_bytes=500KB");
        job.with("run.stall_timeout=4s")
            .with("store.timeout=3s")
            .with("store.retries=2")
    };
    let alone = settings(store.job().with("output.location=s3://text/alone"));
    alone.run(&days());
    let is_cut = Arc::new(AtomicBool::new(false));
    let cut = Arc::clone(&is_cut);
    let down = move || cut.load(Ordering::Relaxed).then_some(Fault::Down);
    let bridge = store.failing_server(Faults::new(move |_| down()));
    let worker = |server: &Server| {
        let mut command = Worker::command("256MB", &[]);
        command.envs(credentials(server, KEYS.secret));
        Worker::spawn(&mut command)
    };
    let (one, two) = (worker(&store.server), worker(&bridge));
    let job = settings(store.job());
    let (mut run, mut messages) = begin(&job, &days(), &on(&[&one, &two]));
    until(&mut messages, "committed");
    is_cut.store(true, Ordering::Relaxed);
    let (code, rest) = end(&mut run, &mut messages);
    assert_eq!(code, Some(4), "{rest}");
    // Two requests may arrive before the server is down.
    assert!(bridge.fired()[&Fault::Down] >= 1);
    assert!(rest.contains("(on a worker)"), "{rest}");
    let done = backfill(&job, &days(), &[&one, &worker(&store.server)]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    job.assert_accounts();
    assert_same(
        &contents(&alone),
        &contents(&job),
        "a worker without a store",
    );
}

#[test]
fn a_run_names_the_spill_disk_of_a_worker_that_is_full() {
    // Several sites, so that each worker replays some.
    let hosts: Vec<String> = (0..8)
        .map(|site| format!("www.site-{site}.example"))
        .collect();
    let rows: Vec<Row> = (0..8000)
        .map(|number| {
            let host = &hosts[number as usize % hosts.len()];
            Site { host }.article(number, "2012-01-01T12:00:00")
        })
        .collect();
    let alone = Job::of(&rows);
    alone.run("2012-01-01");
    let job = Job::of(&rows).with("run.threads=1");
    let folder = job.path("spilled");
    std::fs::create_dir(&folder).expect("a folder");
    let Some(wrapper) = small_disk(&folder, "size=64k") else {
        return;
    };
    let spilling = ["--spill-dir", &folder.display().to_string()];
    let roomy = Worker::start();
    let full = Worker::spawn(&mut wrapped(&Worker::command("17MB", &spilling), &wrapper));
    let done = backfill(&job, "2012-01-01", &[&roomy, &full]);
    assert_eq!(done.code, Some(4), "{}", done.stderr);
    let expected = format!("the disk of {} is full", folder.display());
    assert!(done.stderr.contains(&expected), "{}", done.stderr);
    assert!(done.stderr.contains("(on a worker)"), "{}", done.stderr);
    let large = Worker::with(&spilling);
    let done = backfill(&job, "2012-01-01", &[&roomy, &large]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    job.assert_accounts();
    assert_same(&contents(&alone), &contents(&job), "a larger disk");
}

/// All pages of a site are replayed on one worker.
#[test]
fn workers_limited_to_48_mb_stay_below_600_mb_with_half_of_the_pages_on_one_site() {
    if !can_watch() {
        return skip("/proc");
    }
    let job = Shape::GiantSite.archive(32_000).with("run.threads=1");
    let limited = || Worker::spawn(&mut Worker::command("48MB", &[]));
    let workers = [limited(), limited()];
    let done = backfill(&job, RANGE, &workers.each_ref());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    job.assert_accounts();
    for worker in &workers {
        let peak = metric_of(worker, "urltree_peak_memory_bytes");
        // As for one process: `memory::a_run_limited_to_48_mb_stays_below_600_mb`.
        assert!((1..600_000_000).contains(&peak), "{peak} bytes");
    }
}
