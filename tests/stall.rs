//! Runs in which nothing moves are stopped, and slow runs are not.

use std::time::{Duration, Instant};

use servers::{Faults, Server};

use crate::support::{Finished, Job, Site, contents};

const DATES: &str = "2011-10-01..2011-10-03";

fn job() -> Job {
    let site = Site {
        host: "www.gazette.example",
    };
    Job::of(&site.daily_articles(3))
}

#[test]
fn a_run_that_stalls_is_stopped_with_its_operators_and_runs_again() {
    let job = job().with("run.stall_timeout=2s");
    let mut stalled = job.start("backfill", &["--dates", DATES], Some("WAIT@close#2"));
    // While it is open, the thread at the fail point waits.
    let stdin = stalled.stdin.take();
    let stalled = Finished::wait(stalled);
    drop(stdin);
    assert!(
        stalled.stderr.contains("fail point close: WAIT"),
        "{stalled:?}"
    );
    assert_eq!(stalled.code, Some(5), "{stalled:?}");
    for expected in [
        "no operator moved a row or a byte for 2s (run.stall_timeout); waiting: Write after 0 rows. ",
        &format!("stopped at {DATES}, stage plan,"),
        "next: urltree backfill",
    ] {
        assert!(stalled.stderr.contains(expected), "{}", stalled.stderr);
    }
    assert_eq!(job.lines("SELECT * FROM documents").len(), 0);
    // The lease was released, so that the next run does not wait.
    let again = job.backfill(DATES);
    assert!(!again.stderr.contains("heartbeat"), "{again:?}");
}

#[test]
fn a_run_that_waits_for_a_lease_is_not_stopped() {
    let job = job().with("run.heartbeat=1s");
    let killed = job.start("backfill", &["--dates", DATES], Some("KILL@begin#1"));
    assert_eq!(Finished::wait(killed).signal, Some(9));
    let started = Instant::now();
    let waited = job.command(
        "backfill",
        &["--dates", DATES, "--set", "run.stall_timeout=1s"],
    );
    assert_eq!(waited.code, Some(0), "{waited:?}");
    let seconds = started.elapsed().as_secs_f64();
    assert!(seconds > 2.0, "it did not wait: {seconds} s");
}

#[test]
fn a_run_on_a_slow_store_is_not_stopped() {
    let expected = job();
    expected.backfill(DATES);
    let faults = Faults::new(|_| None).after(Duration::from_millis(150));
    let server = Server::failing_web(&expected.path("archive"), faults).expect("a server");
    let slow = Job::new()
        .with(&format!(
            "archive.location=http://{}/pages.parquet",
            server.address()
        ))
        .with("store.timeout=1s")
        .with("run.stall_timeout=1100ms");
    slow.backfill(DATES);
    assert!(server.requests().len() > 3, "{:?}", server.requests());
    assert_eq!(contents(&slow).len(), contents(&expected).len());
}

#[test]
fn a_stall_timeout_within_the_time_of_a_request_is_refused() {
    let error = Job::new()
        .with("archive.location=s3://bucket/pages")
        .with("run.stall_timeout=30s")
        .refused(DATES, 2);
    let expected = "error: run.stall_timeout: 30s; expected more than 30s, the time of one request \
                    (store.timeout)";
    assert!(error.starts_with(expected), "{error}");
    let error = job().with("run.stall_timeout=0s").refused(DATES, 2);
    let expected = "error: run.stall_timeout: 0s; expected more than 0s";
    assert!(error.starts_with(expected), "{error}");
}
