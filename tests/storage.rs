//! Archives and tables in S3 and over HTTP, with servers in this process, and the
//! protection of credentials.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use servers::{Server, StatusCode};

use crate::support::{
    Job, KEYS, Row, Site, Store, TOKEN, assert_no_secret, assert_same, assert_silent, contents,
    files, signing, text, write,
};

const SITES: [Site; 2] = [
    Site {
        host: "www.gazette.example",
    },
    Site {
        host: "www.courier.example",
    },
];
const DATES: &str = "2011-10-01..2011-10-31";

fn pages() -> Vec<Row> {
    SITES
        .iter()
        .flat_map(|site| site.daily_articles(12))
        .collect()
}

/// A job on the local disk, with one archive file `a.parquet`.
fn on_files() -> Job {
    let job = Job::new();
    write(&job.archive("a.parquet"), &pages());
    job
}

#[test]
fn tables_of_a_job_in_s3_equal_those_on_disk() {
    let files = on_files().with("output.write=blocks");
    files.backfill(DATES);
    let expected = contents(&files);
    assert_eq!(expected["documents"].len(), 24);

    let store = Store::new(&pages());
    let job = store.job().with("output.write=blocks");
    job.backfill(DATES);
    assert_same(&expected, &contents(&job), "in S3");
    assert_eq!(
        job.row("SELECT count(*) AS pages FROM archive"),
        json!({"pages": 24})
    );
    assert!(store.asked("GET", ["/pages/crawl/", "a.parquet"]) > 0);
    for table in expected.keys().copied().chain(["runs"]) {
        let table = format!("/text/tables/{table}/");
        let commits = store.asked("PUT", [&table, "_delta_log/"]);
        assert!(commits > 0, "{table}: {:?}", store.server.requests());
    }

    let run = |job: &Job| text(&job.row("SELECT DISTINCT run_id AS run FROM runs"), "run");
    let first = run(&job);
    job.backfill(DATES);
    assert_same(&expected, &contents(&job), "in S3, replaced");
    assert_ne!(run(&job), first);
    assert!(
        !job.path("tables").exists(),
        "something was written to a disk"
    );
}

/// Dates of `month` whose data files of `table` were requested.
fn days_read(requests: &[String], table: &str, month: &str) -> BTreeSet<String> {
    let folder = format!("GET /text/tables/{table}/date=");
    let decoded = requests.iter().map(|path| path.replace("%3D", "="));
    decoded
        .filter_map(|path| Some(path.strip_prefix(&folder)?.get(..10)?.to_owned()))
        .filter(|date| date.starts_with(month))
        .collect()
}

#[test]
fn an_update_reads_few_files_of_closed_months() {
    let store = Store::new(&[]);
    let job = (store.job())
        .with("archive.layout=hive")
        .with("window.max_age=4d")
        .with("window.min_pages=5");
    let [site, _] = SITES;
    let deliver = |date: &str, articles: &[u64]| {
        let hours = articles.iter().zip(10..);
        let rows: Vec<_> = hours
            .map(|(article, hour)| site.article(*article, &format!("{date}T{hour}:00:00")))
            .collect();
        let file = format!("date={date}/pages.parquet");
        write(&store.archive(&file), &rows);
    };
    std::fs::remove_file(store.archive("a.parquet")).expect("the other file");
    for day in 1..=30 {
        deliver(
            &format!("2011-09-{day:02}"),
            &[day * 10, day * 10 + 1, day * 10 + 2],
        );
    }
    deliver("2011-10-01", &[400]);
    job.backfill("2011-09-01..2011-10-01");

    // On each date one page is new, and one was first fetched on 2011-09-07.
    let september_read_on = |date: &str, articles: &[u64]| {
        deliver(date, articles);
        let before = store.server.requests().len();
        let finished = job.command("update", &[]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let requests = store.server.requests().split_off(before);
        ["url_keys", "window_entries"].map(|table| days_read(&requests, table, "2011-09"))
    };
    // The first update of a month closes the month before, once.
    let [keys, window_entries] = september_read_on("2011-10-02", &[500, 70]);
    assert_eq!((keys.len(), window_entries.len()), (30, 30));
    let [keys, window_entries] = september_read_on("2011-10-03", &[501, 70]);
    assert_eq!((keys, window_entries), (BTreeSet::new(), BTreeSet::new()));
    // The window of the site and the first copy come from the roll-ups.
    assert_eq!(
        job.row("SELECT max(support) > 5 AS remembered FROM documents WHERE date = '2011-10-03'"),
        json!({"remembered": true})
    );
    assert_eq!(
        job.row("SELECT count(*) AS found FROM url_keys WHERE date > DATE '2011-10-01' AND status = 'duplicate'"),
        json!({"found": 2})
    );
}

#[test]
fn an_archive_on_a_web_server_is_read_in_ranges() {
    let files = on_files();
    files.backfill(DATES);
    let server = Server::web(&files.path("archive")).expect("a server");
    let url = format!("http://{}/a.parquet", server.address());
    let job = Job::new().reading(Path::new(&url));
    job.backfill(DATES);
    assert_same(&contents(&files), &contents(&job), "over HTTP");
    assert_eq!(
        job.row("SELECT count(*) AS pages FROM archive"),
        json!({"pages": 24})
    );
    let requests = server.requests();
    let reads = requests
        .iter()
        .filter(|request| *request == "GET /a.parquet");
    // The footer takes one read.
    assert!(reads.count() > 2, "{requests:?}");
}

#[test]
fn a_store_that_denies_access_is_named() {
    let store = Store::new(&pages());
    let denied = || signing(Job::new(), &store.server, "another");
    let error = denied()
        .with("archive.location=s3://pages/crawl")
        .refused(DATES, 4);
    assert!(
        error.contains("s3://pages/crawl") && error.contains("403"),
        "{error}"
    );

    let job = denied().writing("s3://text/tables", store.tables());
    write(&job.archive("a.parquet"), &pages());
    let error = job.refused(DATES, 4);
    assert!(
        error.contains("s3://text/tables/") && error.contains("403"),
        "{error}"
    );
    assert!(!job.has_tables());

    let error = store
        .job()
        .with("archive.location=s3://no-such-bucket/a")
        .refused(DATES, 4);
    assert!(error.contains("s3://no-such-bucket/a"), "{error}");
}

#[test]
fn credentials_are_in_no_output_log_or_table() {
    let store = Store::new(&pages());
    let job = store.job().with_variable("URLTREE_LOG", "trace");
    let finished = job.run(DATES);
    assert!(finished.stderr.contains("committed"), "{}", finished.stderr);
    assert_silent("a run", &finished);
    assert_silent(
        "a query",
        &job.command("sql", &["SELECT * FROM archive, runs"]),
    );
    let written = files(&store.tables());
    assert!(written.len() > 30, "{written:?}");
    for file in written {
        let bytes = std::fs::read(&file).expect("a file");
        assert_no_secret(&file.to_string_lossy(), &bytes);
    }

    let job = signing(store.job(), &store.server, "another").with_variable("URLTREE_LOG", "trace");
    let denied = job.command("backfill", &["--dates", DATES]);
    assert_eq!(denied.code, Some(4), "{}", denied.stderr);
    assert_silent("a run that fails", &denied);
}

/// Error responses of Amazon S3 repeat parts of the request.
#[test]
fn credentials_echoed_by_a_store_are_not_printed() {
    for (code, details) in [
        ("ExpiredToken", format!("<Token-0>{TOKEN}</Token-0>")),
        (
            "InvalidAccessKeyId",
            format!("<AWSAccessKeyId>{}</AWSAccessKeyId>", KEYS.id),
        ),
        (
            "SignatureDoesNotMatch",
            format!("<CanonicalRequest>x-amz-security-token:{TOKEN}</CanonicalRequest>"),
        ),
    ] {
        let message = format!("No, {code}.");
        let body =
            format!("<Error><Code>{code}</Code><Message>{message}</Message>{details}</Error>");
        let server = Server::answering(StatusCode::FORBIDDEN, &body).expect("a server");
        let job = signing(Job::new(), &server, KEYS.secret)
            .with_variable("URLTREE_LOG", "trace")
            .with("archive.location=s3://pages/crawl");
        let denied = job.command("backfill", &["--dates", DATES]);
        assert_eq!(denied.code, Some(4), "{}", denied.stderr);
        assert!(denied.stderr.contains(&message), "{}", denied.stderr);
        assert_silent(code, &denied);
        assert!(!server.requests().is_empty());
    }
}

#[test]
fn a_url_with_a_secret_is_refused_without_printing_it() {
    for location in [
        format!("https://user:{TOKEN}@host.example/pages.parquet"),
        format!("s3://{}:{TOKEN}@pages/crawl", KEYS.id),
        format!("az://pages/crawl?sv=2024&sig={TOKEN}"),
    ] {
        for key in ["archive.location", "output.location"] {
            let job = on_files()
                .with(&format!("{key}={location}"))
                .with_variable("URLTREE_LOG", "trace");
            let refused = job.command("backfill", &["--dates", DATES]);
            assert_eq!(refused.code, Some(2), "{}", refused.stderr);
            assert!(refused.stderr.contains(key), "{}", refused.stderr);
            assert_silent(key, &refused);
        }
    }
}
