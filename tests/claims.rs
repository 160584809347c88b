//! Two processes that write the same tables.

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::Value;
use servers::{KeyPair, Server};

use crate::chaos::{Expected, SETTINGS, job, pages, run_with};
use crate::support::{Finished, Job, signal, write};

/// Starts a run that waits or halts at a fail point. Returns when it is there.
fn start_until(job: &Job, settings: &str, point: &str) -> Child {
    start_with(job, &run_with(settings), point)
}

/// Starts a run with these arguments, and returns when it is at the fail point.
pub(crate) fn start_with(job: &Job, arguments: &[&str], point: &str) -> Child {
    let mut child = job.start("backfill", arguments, Some(point));
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.starts_with("fail point ") {
        line.clear();
        let bytes = said.read_line(&mut line).expect("lines on stderr");
        assert!(bytes > 0, "{point} was not passed");
    }
    child.stderr = Some(said.into_inner());
    child
}

fn run(job: &Job, settings: &str) -> Finished {
    job.command("backfill", &run_with(settings))
}

fn assert_tables(expected: &Expected, settings: usize, job: &Job) {
    job.assert_accounts();
    expected.assert_tables(settings, job);
}

/// Reads the leases, in order of their tokens.
fn claims(job: &Job) -> Vec<Value> {
    let entries = std::fs::read_dir(job.tables().join("_leases")).expect("leases");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a lease").path())
        .collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    let read = |path| std::fs::read(path).expect("a lease");
    (paths.iter().map(read))
        .map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
        .collect()
}

#[test]
fn a_second_run_is_refused_and_names_the_first() {
    let expected = Expected::new();
    // With a heartbeat below 1s, the first run could be declared dead on a busy machine.
    let job = job().with("run.heartbeat=1s");
    let mut first = start_until(&job, SETTINGS[0], "WAIT@commit.documents#2");
    for (command, arguments) in [
        ("backfill", &run_with(SETTINGS[1])[..]),
        ("update", &["--set", SETTINGS[1], "--change-settings"]),
        ("vacuum", &["--delete", "--retention", "0s"]),
    ] {
        let second = job.command(command, arguments);
        assert_eq!(second.code, Some(4), "{second:?}");
        for named in [
            "the run of 2011-10-01..2011-10-03".to_owned(),
            format!("process {} on ", first.id()),
            "wait until it ends".to_owned(),
        ] {
            assert!(second.stderr.contains(&named), "{named}: {second:?}");
        }
    }
    // Commands that only read are not refused.
    assert_eq!(job.command("vacuum", &["--retention", "0s"]).code, Some(0));
    assert_eq!(job.command("status", &[]).code, Some(0));
    drop(first.stdin.take());
    let first = Finished::wait(first);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert_tables(&expected, 0, &job);
    assert_eq!(run(&job, SETTINGS[1]).code, Some(0));
    assert_tables(&expected, 1, &job);
}

/// The first run is stopped in the middle of a commit, after it checked that the lease
/// is still its own.
#[test]
fn a_run_declared_dead_commits_nothing_when_it_wakes() {
    let expected = Expected::new();
    for point in [
        "staged#1",
        "checked.runs#1",
        "checked.url_keys#2",
        "checked.documents#2",
        "checked.window_entries#2",
        "checked.runs#4",
    ] {
        let job = job();
        let finished = run(&job, SETTINGS[0]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let asleep = start_until(&job, SETTINGS[1], &format!("STOP@{point}"));
        let finished = run(&job, SETTINGS[0]);
        assert_eq!(finished.code, Some(0), "{point}: {}", finished.stderr);
        assert!(
            finished.stderr.contains("for a heartbeat of the run"),
            "{finished:?}"
        );
        assert_tables(&expected, 0, &job);

        signal(&asleep, "CONT");
        let awake = Finished::wait(asleep);
        assert_eq!(awake.code, Some(4), "{point}: {}", awake.stderr);
        assert!(awake.stderr.contains("taken over by the run"), "{awake:?}");
        assert_tables(&expected, 0, &job);
    }
}

/// The stopped run continues while its successor is active.
#[test]
fn a_run_that_wakes_during_its_successor_stops() {
    let expected = Expected::new();
    for (asleep_at, until) in [
        ("checked.documents#2", "staged#1"),
        ("checked.url_keys#2", "fenced#1"),
        ("checked.runs#2", "commit.window_entries#2"),
    ] {
        let job = job();
        let asleep = start_until(&job, SETTINGS[1], &format!("STOP@{asleep_at}"));
        let mut other = start_until(&job, SETTINGS[0], &format!("WAIT@{until}"));
        signal(&asleep, "CONT");
        let awake = Finished::wait(asleep);
        assert_eq!(awake.code, Some(4), "{asleep_at}: {}", awake.stderr);
        drop(other.stdin.take());
        let other = Finished::wait(other);
        assert_eq!(other.code, Some(0), "{asleep_at}: {}", other.stderr);
        assert_tables(&expected, 0, &job);
    }
}

#[test]
fn of_two_simultaneous_runs_one_writes_the_tables() {
    let expected = Expected::new();
    let job = job();
    let (mut refused, mut alone) = (0, 0);
    for _ in 0..10 {
        let children = SETTINGS.map(|settings| job.start("backfill", &run_with(settings), None));
        let [first, second] = children.map(Finished::wait);
        let settings = match (first.code, second.code) {
            (Some(0), Some(4)) => Some(0),
            (Some(4), Some(0)) => Some(1),
            // The second run started after the first had ended.
            (Some(0), Some(0)) => None,
            _ => panic!("{first:?} {second:?}"),
        };
        match settings {
            Some(settings) => {
                refused += 1;
                assert_tables(&expected, settings, &job);
            }
            None => {
                alone += 1;
                let claims = claims(&job);
                assert_eq!(claims[claims.len() - 1]["state"], "finished");
                job.assert_accounts();
            }
        }
    }
    assert!(
        refused >= 8,
        "{refused} refused, {alone} one after the other"
    );
}

#[test]
fn an_interrupted_run_releases_the_lease() {
    let job = job();
    for (name, point) in [("INT", "commit.documents#2"), ("TERM", "staged#1")] {
        let mut child = start_until(&job, SETTINGS[0], &format!("WAIT@{point}"));
        signal(&child, name);
        std::thread::sleep(Duration::from_millis(300));
        drop(child.stdin.take());
        let interrupted = Finished::wait(child);
        assert_eq!(interrupted.code, Some(130), "{interrupted:?}");
        assert!(
            interrupted.stderr.contains("interrupted"),
            "{interrupted:?}"
        );
        let claims = claims(&job);
        assert_eq!(claims[claims.len() - 1]["state"], "stopped");
    }
    let slow = job.with("run.heartbeat=60s");
    let started = Instant::now();
    let next = run(&slow, SETTINGS[0]);
    assert_eq!(next.code, Some(0), "{}", next.stderr);
    assert!(next.stderr.contains("resuming a run"), "{next:?}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

/// A thread that computes without a pause hears nothing.
#[test]
fn a_signal_ends_a_run_whose_threads_are_busy() {
    let job = job();
    for name in ["INT", "TERM"] {
        let mut child = start_until(&job, SETTINGS[0], "WAIT@commit.documents#1");
        let busy = child.stdin.take();
        signal(&child, name);
        let interrupted = Finished::wait(child);
        assert_eq!(interrupted.code, Some(130), "{interrupted:?}");
        drop(busy);
    }
    let next = run(&job, SETTINGS[0]);
    assert_eq!(next.code, Some(0), "{}", next.stderr);
    assert_tables(&Expected::new(), 0, &job);
}

#[test]
fn runs_work_after_the_leases_were_deleted() {
    let expected = Expected::new();
    let job = job();
    for settings in [0, 1, 0] {
        let finished = run(&job, SETTINGS[settings]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_tables(&expected, settings, &job);
        std::fs::remove_dir_all(job.tables().join("_leases")).expect("leases");
    }
}

#[test]
fn an_invalid_heartbeat_is_refused_by_its_key() {
    for heartbeat in ["0s", "soon", "-1s"] {
        let job = job().with(&format!("run.heartbeat={heartbeat}"));
        let said = job.refused("2011-10-01", 2);
        assert!(said.contains("run.heartbeat"), "{said}");
    }
}

#[test]
fn claims_work_in_s3() {
    const KEYS: KeyPair<'_> = KeyPair {
        id: "key",
        secret: "secret",
    };
    let root = tempfile::tempdir().expect("a folder for the buckets");
    let tables = root.path().join("text/tables");
    std::fs::create_dir(root.path().join("text")).expect("a bucket");
    let server = Server::s3(root.path(), KEYS).expect("a server");
    let job = job()
        .with_variable("AWS_ENDPOINT_URL", format!("http://{}", server.address()))
        .with_variable("AWS_ACCESS_KEY_ID", KEYS.id)
        .with_variable("AWS_SECRET_ACCESS_KEY", KEYS.secret)
        .with("run.heartbeat=1s")
        .writing("s3://text/tables", tables);
    write(&job.archive("pages.parquet"), &pages());

    let mut first = start_until(&job, SETTINGS[0], "WAIT@commit.documents#2");
    let second = run(&job, SETTINGS[1]);
    assert_eq!(second.code, Some(4), "{second:?}");
    first.kill().expect("a child to kill");
    Finished::wait(first);
    let second = run(&job, SETTINGS[0]);
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    assert!(second.stderr.contains("resuming a run"), "{second:?}");
    job.assert_accounts();
    assert_eq!(claims(&job).len(), 2);
}
