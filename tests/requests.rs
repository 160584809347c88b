//! Requests to a store: the number that a command sends is most of its time where an
//! answer takes tens of milliseconds.

use crate::support::{Job, Site, Store, write};

const SITE: Site = Site {
    host: "www.gazette.example",
};

/// Delivers three articles of `day` of October.
fn deliver(store: &Store, day: u64) {
    let date = format!("2011-10-{day:02}");
    let rows: Vec<_> = (0..3)
        .map(|article| SITE.article(10 * day + article, &format!("{date}T1{article}:00:00")))
        .collect();
    write(&store.archive(&format!("date={date}/pages.parquet")), &rows);
}

/// Runs a command to its end and returns its requests for the tables.
fn requests(store: &Store, job: &Job, command: &str, arguments: &[&str]) -> Vec<String> {
    let before = store.server.requests().len();
    let finished = job.command(command, arguments);
    assert_eq!(finished.code, Some(0), "{command}: {}", finished.stderr);
    let mut requests = store.server.requests().split_off(before);
    requests.retain(|request| request.contains("/text"));
    requests
}

/// Requests up to the one that takes the lease.
fn before_lease(requests: &[String]) -> usize {
    let lease = |request: &String| request.starts_with("PUT /text/tables/_leases/");
    requests.iter().position(lease).expect("a lease")
}

/// Requests for data files of `runs`.
fn for_runs(requests: &[String]) -> usize {
    let of_runs = |request: &&String| request.starts_with("GET /text/tables/runs/date");
    requests.iter().filter(of_runs).count()
}

/// Limits the requests to a store with a history of 30 nights. The measured numbers, where
/// each check opened its tables and where all checks share one snapshot:
///
/// | command | each its own | one snapshot |
/// |---|---|---|
/// | first backfill | 176 | 166 |
/// | of which before the lease | 22 | 16 |
/// | update | 795 | 503 |
/// | of which before the lease | 321 | 77 |
/// | of which for data files of `runs` | 96 | 3 |
/// | status | 152 | 134 |
///
/// In both, 240 requests of the update are for data files of `url_keys` and
/// `window_entries`, and 93 requests of the status are for data files of `runs`.
#[test]
fn a_command_opens_each_table_once_before_its_work() {
    let store = Store::new(&[]);
    std::fs::remove_file(store.archive("a.parquet")).expect("the other file");
    // A chunk is a date, as in a history of nightly runs. No heartbeat is in the count.
    let job = store
        .job()
        .with("archive.layout=hive")
        .with("run.chunk_bytes=1B")
        .with("run.heartbeat=60s");
    deliver(&store, 1);
    let first = requests(&store, &job, "backfill", &["--dates", "2011-10-01"]);
    for day in 2..=30 {
        deliver(&store, day);
    }
    job.run("2011-10-02..2011-10-30");
    deliver(&store, 31);
    let night = requests(&store, &job, "update", &[]);
    let status = requests(&store, &job, "status", &[]);
    for (name, count, most) in [
        ("first backfill", first.len(), 170),
        ("first backfill, before the lease", before_lease(&first), 18),
        ("update", night.len(), 550),
        ("update, before the lease", before_lease(&night), 90),
        ("update, for runs", for_runs(&night), 6),
        ("status", status.len(), 140),
    ] {
        assert!(count <= most, "{name}: {count} requests, more than {most}");
    }
}
