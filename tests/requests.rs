//! Requests to a store: the number that a command sends is most of its time where an
//! answer takes tens of milliseconds.

use std::time::Duration;

use servers::{Asked, Faults};

use crate::support::{Job, Site, Store, paragraph, write, write_groups};

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
/// each check opened its tables, where all checks share one snapshot, with a cache of small
/// objects that never change, where the owner of the lease opens each table once, and where a table is created
/// with one commit:
///
/// | command | each its own | one snapshot | small objects | opened once | created once |
/// |---|---|---|---|---|---|
/// | first backfill | 176 | 166 | 123 | 89 | 82 |
/// | of which before the lease | 22 | 16 | 17 | 17 | 20 |
/// | update | 795 | 503 | 155 | 126 | 130 |
/// | of which before the lease | 321 | 77 | 29 | 29 | 28 |
/// | of which for data files of `runs` | 96 | 3 | 1 | 1 | 1 |
/// | status | 152 | 134 | 48 | 48 | 48 |
///
/// The first lease asks each of twelve tables for its fencing token, at the same time: 20 requests are before it.
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
    let counts = [
        ("first backfill", first.len(), 88),
        ("first backfill, before the lease", before_lease(&first), 20),
        ("update", night.len(), 135),
        ("update, before the lease", before_lease(&night), 32),
        ("update, for runs", for_runs(&night), 2),
        ("status", status.len(), 52),
    ];
    let above: Vec<_> = counts
        .iter()
        .filter(|(_, count, most)| count > most)
        .collect();
    assert!(
        above.is_empty(),
        "requests, and the most that are allowed: {above:?}"
    );
}

/// Bytes of a `Range` header such as `bytes=0-9`.
fn bytes(asked: &Asked) -> u64 {
    let range = asked.range.strip_prefix("bytes=");
    let ends = range.and_then(|range| range.split_once('-'));
    let number = |text: &str| text.parse::<u64>().ok();
    ends.and_then(|(first, last)| Some(number(last)? + 1 - number(first)?))
        .unwrap_or(0)
}

/// An object with twelve row groups, each of one page of 24 KB.
#[test]
fn row_groups_are_read_before_their_turn_and_a_footer_once() {
    let store = Store::failing(Faults::new(|_| None).after(Duration::from_millis(100)));
    let rows: Vec<_> = SITE
        .daily_articles(12)
        .into_iter()
        .zip(0..)
        .map(|(mut row, number)| {
            let paragraphs: Vec<_> = (0..400).map(|n| paragraph(1000 * number + n)).collect();
            row.html = Some(SITE.page("A long page", &paragraphs).into_bytes());
            row
        })
        .collect();
    write_groups(&store.archive("a.parquet"), &rows, 1);
    let job = store.job().with("run.threads=1").with("paper.title=feed");
    job.run("2011-10-01..2011-10-31");

    let of_archive = |asked: &Asked| asked.method == "GET" && asked.path.ends_with("a.parquet");
    // Bytes of a row group. The HTML is compressed, and lies between the narrow columns, so that
    // these are read together with it.
    let row_group = |asked: &Asked| of_archive(asked) && (20_000..60_000).contains(&bytes(asked));
    let most = store.server.most_at_once(row_group);
    assert!((5..=8).contains(&most), "{most} row groups at once");
    // One request for the footer, and four for each row group: times, narrow columns to learn
    // parameters, narrow columns, HTML.
    let requests = store.asked("GET", ["/pages/crawl/", "a.parquet"]);
    assert!(requests <= 1 + 12 * 4, "{requests} requests");
}
