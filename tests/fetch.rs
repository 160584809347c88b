//! `urltree fetch` against servers of this process: items, polls, hosts, and arguments.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow::array::{Array, AsArray, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use servers::{Scripted, respond};

use crate::support::{Finished, Job, finished, text};

pub(crate) const NOW: &str = "2011-10-24T08:00:00Z";

/// The text columns of a row by name. Columns that are null are missing.
pub(crate) type Row = BTreeMap<String, String>;

/// A feed of items: title and link.
pub(crate) fn rss(items: &[(&str, &str)]) -> Vec<u8> {
    let items = items.iter().map(|(title, link)| {
        format!(
            "<item><title>{title}</title><link>{link}</link><description>About {title}.</description>\
             <pubDate>Mon, 24 Oct 2011 07:00:00 GMT</pubDate></item>"
        )
    });
    let items: String = items.collect();
    format!("<rss version=\"2.0\"><channel><title>G</title>{items}</channel></rss>").into_bytes()
}

pub(crate) fn html(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    respond(
        stream,
        200,
        &[("content-type", "text/html")],
        body.as_bytes(),
    )
}

pub(crate) fn missing(stream: &mut TcpStream) -> io::Result<()> {
    respond(stream, 404, &[], b"")
}

/// The command for a list of feeds, with a server behind `hosts`.
pub(crate) fn command(
    job: &Job,
    server: &Scripted,
    hosts: &[&str],
    list: &str,
    options: &[&str],
) -> Command {
    std::fs::write(job.path("feeds.tsv"), list).expect("a file");
    let mut words = vec![
        "fetch",
        "--feeds",
        "feeds.tsv",
        "--output",
        "archive",
        "--contact",
        "a@b.example",
    ];
    words.extend(["--format", "json", "-q"]);
    let defaults = [("--delay", "0s"), ("--now", NOW)];
    for (name, value) in defaults {
        if !options.contains(&name) {
            words.extend([name, value]);
        }
    }
    let resolved: Vec<String> = (hosts.iter())
        .map(|host| format!("--resolve={host}={}", server.address()))
        .collect();
    words.extend(resolved.iter().map(String::as_str));
    words.extend(options);
    job.urltree(&words)
}

pub(crate) fn report(finished: &Finished) -> Value {
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    printed(finished)
}

/// The report of a fetch, which may have failed for every feed.
pub(crate) fn printed(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", finished.stdout))
}

/// Fetches the feed `http://site.example/rss`.
pub(crate) fn fetch(job: &Job, server: &Scripted, options: &[&str]) -> Value {
    let list = "http://site.example/rss\n";
    report(&finished(&mut command(
        job,
        server,
        &["site.example"],
        list,
        options,
    )))
}

pub(crate) fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found: Vec<_> = crate::import::objects(folder).into_keys().collect();
    found.sort();
    found.into_iter().map(|path| folder.join(path)).collect()
}

/// The rows of all Parquet files of the folders that begin with `prefix`.
pub(crate) fn rows(job: &Job, prefix: &str) -> Vec<Row> {
    let archive = job.path("archive");
    let mut rows = Vec::new();
    for file in files(&archive) {
        let name = file
            .strip_prefix(&archive)
            .expect("below")
            .display()
            .to_string();
        if !name.starts_with(prefix) {
            continue;
        }
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&file).expect("a file"));
        let reader = reader.expect("Parquet").build().expect("a reader");
        for batch in reader {
            let batch: RecordBatch = batch.expect("rows");
            for row in 0..batch.num_rows() {
                rows.push(cells(&batch, row));
            }
        }
    }
    rows
}

fn cells(batch: &RecordBatch, row: usize) -> Row {
    let fields = batch.schema();
    let cell = |(index, name): (usize, &str)| {
        let column = batch.column(index);
        let text = match column.data_type() {
            _ if column.is_null(row) => return None,
            arrow::datatypes::DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
            arrow::datatypes::DataType::Binary => {
                String::from_utf8_lossy(column.as_binary::<i32>().value(row)).into_owned()
            }
            arrow::datatypes::DataType::Timestamp(..) => {
                let times = column.as_primitive::<arrow::datatypes::TimestampMicrosecondType>();
                times.value(row).to_string()
            }
            _ => return None,
        };
        Some((name.to_owned(), text))
    };
    let names = fields.fields().iter().map(|field| field.name().as_str());
    names.enumerate().filter_map(cell).collect()
}

pub(crate) fn urls(job: &Job) -> Vec<String> {
    let mut urls: Vec<String> = rows(job, "date=")
        .into_iter()
        .map(|row| row["url"].clone())
        .collect();
    urls.sort();
    urls
}

#[test]
fn new_items_become_rows_once() {
    let items = Arc::new(Mutex::new(vec![("One", "/1"), ("Two", "/old/2")]));
    let served = Arc::clone(&items);
    let server = Scripted::start(move |get, stream| match get.path.as_str() {
        "/rss" => respond(stream, 200, &[], &rss(&served.lock().expect("items"))),
        "/old/2" => respond(stream, 302, &[("location", "/2?a=b")], b""),
        "/robots.txt" => missing(stream),
        path => html(stream, &format!("<p>page {path}</p>")),
    });
    let server = server.expect("a server");
    let job = Job::new();
    let first = fetch(&job, &server, &[]);
    let counts = |report: &Value| {
        ["polled", "new_items", "pages", "feeds"].map(|key| report[key].as_u64().expect("a count"))
    };
    assert_eq!(counts(&first), [1, 2, 2, 1], "{first}");
    assert_eq!(text(&first, "dates"), "2011-10-24..2011-10-24");

    let not_due = fetch(&job, &server, &["--now", "2011-10-24T08:10:00Z"]);
    assert_eq!(counts(&not_due), [0, 0, 0, 1], "{not_due}");
    items.lock().expect("items").insert(0, ("Three", "/3"));
    let second = fetch(&job, &server, &["--now", "2011-10-25T00:01:00Z"]);
    assert_eq!(counts(&second), [1, 1, 1, 1], "{second}");

    let rows = rows(&job, "date=");
    assert_eq!(
        urls(&job),
        [
            "http://site.example/1",
            "http://site.example/2?a=b",
            "http://site.example/3"
        ]
    );
    let two = rows
        .iter()
        .find(|row| row["title"] == "Two")
        .expect("a row");
    for (column, value) in [
        ("request_url", "http://site.example/old/2"),
        ("description", "About Two."),
        ("published_at", "1319439600000000"),
        ("feed_url", "http://site.example/rss"),
        ("content_type", "text/html"),
        ("html", "<p>page /2?a=b</p>"),
    ] {
        assert_eq!(two[column], value, "{column}");
    }
    assert!(
        !rows
            .iter()
            .any(|row| row["title"] == "One" && row.contains_key("request_url"))
    );
    let agent = &server.requests()[0].headers["user-agent"];
    assert!(
        agent.starts_with("urltree/") && agent.contains("(+a@b.example)"),
        "{agent}"
    );
}

#[test]
fn a_feed_that_is_not_modified_costs_one_request() {
    let server = Scripted::start(|get, stream| match get.path.as_str() {
        "/rss" => match get.headers.get("if-none-match").map(String::as_str) {
            Some("\"v1\"") => respond(stream, 304, &[], b""),
            _ => respond(
                stream,
                200,
                &[
                    ("etag", "\"v1\""),
                    ("last-modified", "Mon, 24 Oct 2011 07:00:00 GMT"),
                ],
                &rss(&[("One", "/1")]),
            ),
        },
        "/robots.txt" => missing(stream),
        _ => html(stream, "<p>page</p>"),
    });
    let server = server.expect("a server");
    let job = Job::new();
    fetch(&job, &server, &[]);
    let second = fetch(&job, &server, &["--now", "2011-10-24T09:00:00Z"]);
    assert_eq!(
        (&second["not_modified"], &second["pages"]),
        (&1.into(), &0.into()),
        "{second}"
    );
    let last = server.requests().pop().expect("a request");
    assert_eq!(
        last.headers["if-modified-since"],
        "Mon, 24 Oct 2011 07:00:00 GMT"
    );
}

#[test]
fn an_item_whose_page_fails_is_asked_for_in_three_polls() {
    let fails = Arc::new(AtomicUsize::new(0));
    let failed = Arc::clone(&fails);
    let server = Scripted::start(move |get, stream| match get.path.as_str() {
        // The validators must not hide the item whose page is open.
        "/rss" if get.headers.contains_key("if-none-match") => respond(stream, 304, &[], b""),
        "/rss" => respond(
            stream,
            200,
            &[("etag", "\"v1\"")],
            &rss(&[("Never", "/never"), ("Later", "/later"), ("Gone", "/gone")]),
        ),
        "/later" if failed.fetch_add(1, Ordering::SeqCst) > 0 => html(stream, "<p>now</p>"),
        "/gone" => respond(stream, 410, &[], b""),
        "/robots.txt" => missing(stream),
        _ => respond(stream, 500, &[], b""),
    });
    let server = server.expect("a server");
    let job = Job::new();
    for hour in 8..14 {
        fetch(
            &job,
            &server,
            &["--now", &format!("2011-10-24T{hour:02}:00:00Z")],
        );
    }
    assert_eq!(urls(&job), ["http://site.example/later"]);
    let asked = |path: &str| server.paths().iter().filter(|asked| *asked == path).count();
    assert_eq!(
        (asked("/never"), asked("/later"), asked("/gone")),
        (3, 2, 1)
    );
    assert_eq!(asked("/rss"), 6);
    let reasons: Vec<_> = rows(&job, "_feeds/failures")
        .into_iter()
        .map(|row| row["reason"].clone())
        .collect();
    assert_eq!(
        reasons.iter().filter(|reason| *reason == "status").count(),
        4,
        "{reasons:?}"
    );
}

#[test]
fn a_server_decides_when_a_feed_is_polled_again() {
    let server = Scripted::start(|get, stream| match (get.host.as_str(), get.path.as_str()) {
        (_, "/robots.txt") => missing(stream),
        ("busy.example", _) => respond(stream, 503, &[("retry-after", "7200")], b""),
        ("gone.example", _) => respond(stream, 410, &[], b""),
        ("moved.example", _) => {
            respond(stream, 301, &[("location", "http://new.example/rss")], b"")
        }
        _ => respond(stream, 200, &[], &rss(&[])),
    });
    let server = server.expect("a server");
    let job = Job::new();
    let hosts = [
        "busy.example",
        "gone.example",
        "moved.example",
        "new.example",
    ];
    let list: String = hosts[..3]
        .iter()
        .map(|host| format!("http://{host}/rss\n"))
        .collect();
    let poll = |now: &str| {
        report(&finished(&mut command(
            &job,
            &server,
            &hosts,
            &list,
            &["--now", now],
        )))
    };
    let first = poll("2011-10-24T08:00:00Z");
    assert_eq!(
        (&first["failures"]["status"], &first["failures"]["gone"]),
        (&1.into(), &1.into()),
        "{first}"
    );
    let second = poll("2011-10-24T09:00:00Z");
    assert_eq!(second["polled"], 1, "only the feed that moved: {second}");
    let third = poll("2011-10-24T10:00:01Z");
    assert_eq!(third["polled"], 2, "{third}");
    let asked = |host: &str| {
        server
            .requests()
            .iter()
            .filter(|get| get.host == host && get.path == "/rss")
            .count()
    };
    assert_eq!(hosts.map(asked), [2, 1, 1, 3]);
}

#[test]
fn a_host_gets_one_request_at_a_time_with_a_delay() {
    let server = Scripted::start(|get, stream| match get.path.as_str() {
        "/robots.txt" => respond(
            stream,
            200,
            &[],
            b"User-agent: urltree\nCrawl-delay: 0.4\nDisallow: /private",
        ),
        "/a" | "/b" => respond(
            stream,
            200,
            &[],
            &rss(&[
                (&get.path, &format!("{}/page", get.path)),
                ("P", &format!("/private{}", get.path)),
            ]),
        ),
        _ => html(stream, "<p>page</p>"),
    });
    let server = server.expect("a server");
    let job = Job::new();
    let list = "http://site.example/a\nhttp://site.example/b\n";
    let report = report(&finished(&mut command(
        &job,
        &server,
        &["site.example"],
        list,
        &["--delay", "200ms"],
    )));
    assert_eq!(
        (&report["pages"], &report["failures"]["robots"]),
        (&2.into(), &2.into()),
        "{report}"
    );
    let requests = server.requests();
    let paths: Vec<_> = requests.iter().map(|get| get.path.as_str()).collect();
    assert_eq!(paths, ["/robots.txt", "/a", "/a/page", "/b", "/b/page"]);
    let gaps: Vec<Duration> = requests
        .windows(2)
        .map(|pair| pair[1].at - pair[0].at)
        .collect();
    // The rules are not known when they are asked for.
    assert!(gaps[0] >= Duration::from_millis(200), "{gaps:?}");
    assert!(
        gaps[1..]
            .iter()
            .all(|gap| *gap >= Duration::from_millis(400)),
        "{gaps:?}"
    );
}

#[test]
fn robots_that_cannot_be_read_allow_nothing() {
    let server = Scripted::start(|get, stream| match get.path.as_str() {
        "/robots.txt" => respond(stream, 500, &[], b""),
        _ => respond(stream, 200, &[], &rss(&[])),
    });
    let server = server.expect("a server");
    let (job, list) = (Job::new(), "http://site.example/rss\n");
    let fetched = finished(&mut command(&job, &server, &["site.example"], list, &[]));
    assert_eq!(fetched.code, Some(3), "{}", fetched.stderr);
    assert!(
        fetched.stderr.contains("every feed failed: 1 robots"),
        "{}",
        fetched.stderr
    );
    assert_eq!(server.paths(), ["/robots.txt"]);
}

/// A site of five pages, the last of which fails.
pub(crate) fn site() -> Scripted {
    let server = Scripted::start(|get, stream| match get.path.as_str() {
        "/rss" => {
            let items = ["1", "2", "3", "4", "5"].map(|name| (name, format!("/{name}")));
            respond(
                stream,
                200,
                &[("etag", "\"v1\"")],
                &rss(&items
                    .each_ref()
                    .map(|(title, link)| (*title, link.as_str()))),
            )
        }
        "/robots.txt" => missing(stream),
        "/5" => respond(stream, 500, &[], b""),
        path => html(stream, &format!("<p>page {path}</p>")),
    });
    server.expect("a server")
}

#[test]
fn wrong_arguments_are_usage_errors_before_any_request() {
    let (job, server) = (Job::new(), site());
    for (list, options, message) in [
        ("", vec![], "--feeds: feeds.tsv has no feed"),
        (
            "ftp://site.example/rss",
            vec![],
            "line 1: ftp://site.example/rss is not an http or https URL",
        ),
        (
            "http://site.example/rss",
            vec!["--once", "--daemon"],
            "cannot be used with",
        ),
        (
            "http://site.example/rss",
            vec!["--delay", "soon"],
            "--delay",
        ),
    ] {
        let finished = finished(&mut command(
            &job,
            &server,
            &["site.example"],
            list,
            &options,
        ));
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        assert!(finished.stderr.contains(message), "{}", finished.stderr);
    }
    let words = [
        "fetch",
        "--feeds",
        "feeds.tsv",
        "--output",
        "archive",
        "--contact",
        "me",
    ];
    let finished = finished(&mut job.urltree(&words));
    assert_eq!(finished.code, Some(2));
    assert!(
        finished
            .stderr
            .contains("--contact: \"me\" is neither a mail address nor"),
        "{}",
        finished.stderr
    );
    assert!(server.paths().is_empty());
}

#[test]
fn a_daemon_stays_until_a_signal() {
    let (job, server) = (Job::new(), site());
    let list = "http://site.example/rss\n";
    let mut daemon = command(
        &job,
        &server,
        &["site.example"],
        list,
        &["--daemon", "--interval", "1s"],
    );
    daemon.stdout(Stdio::piped()).stderr(Stdio::piped());
    let daemon = daemon.spawn().expect("the binary can be started");
    while server.paths().iter().filter(|path| *path == "/rss").count() < 3 {
        std::thread::sleep(Duration::from_millis(50));
    }
    crate::support::signal(&daemon, "TERM");
    let stopped = Finished::wait(daemon);
    assert_eq!(stopped.code, Some(130), "{}", stopped.stderr);
    assert_eq!(urls(&job).len(), 4);
}
