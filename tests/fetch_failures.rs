//! `urltree fetch` under attack and under SIGKILL.

use std::io::{self, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use feeds::FeedList;
use fetch::{Options, TimeFrom};
use servers::{Get, Scripted, respond};
use tables::Location;

use crate::fetch::{Row, command, fetch, files, html, missing, report, rows, rss, site, urls};
use crate::support::{Finished, Job, finished};

/// Answers of hosts that are broken or hostile. The secret is a service of the own network.
fn hostile(get: &Get, stream: &mut TcpStream, own: &str) -> io::Result<()> {
    let to = |stream: &mut TcpStream, location: &str| {
        respond(stream, 302, &[("location", location)], b"")
    };
    let bomb = || {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let zeros = vec![b' '; 1 << 20];
        (0..40).try_for_each(|_| encoder.write_all(&zeros))?;
        encoder.finish()
    };
    let endless =
        |stream: &mut TcpStream, head: &str, piece: &[u8], pause: u64| -> io::Result<()> {
            stream.write_all(head.as_bytes())?;
            loop {
                stream.write_all(piece)?;
                stream.flush()?;
                std::thread::sleep(Duration::from_millis(pause));
            }
        };
    let ok = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n";
    match get.path.as_str() {
        "/robots.txt" => missing(stream),
        "/page/slow" => endless(stream, &format!("{ok}\r\n<p>"), b"x", 100),
        "/page/silent" => endless(stream, "", b"", 1000),
        "/page/endless" => endless(stream, &format!("{ok}\r\n<p>"), &[b'x'; 65536], 0),
        "/page/headers" => endless(
            stream,
            ok,
            format!("x-{}: y\r\n", "a".repeat(1000)).as_bytes(),
            0,
        ),
        "/page/huge" => {
            stream.write_all(format!("{ok}content-length: 99999999999\r\n\r\n<p>").as_bytes())
        }
        "/page/cut" => {
            stream.write_all(format!("{ok}content-length: 1000\r\n\r\n<p>cut").as_bytes())
        }
        "/page/bomb" => respond(
            stream,
            200,
            &[("content-type", "text/html"), ("content-encoding", "gzip")],
            &bomb()?,
        ),
        "/page/encoding" => respond(
            stream,
            200,
            &[
                ("content-type", "text/html"),
                ("content-encoding", "compress"),
            ],
            b"x",
        ),
        "/page/no-http" => stream.write_all(b"SSH-2.0-x\r\n\r\n"),
        "/page/closed" => Ok(()),
        "/page/loop" => to(stream, "/page/loop"),
        path if path.starts_with("/page/chain") => to(stream, &format!("{path}x")),
        "/page/nowhere" => respond(stream, 301, &[], b""),
        "/page/loopback" => to(stream, &format!("http://{own}/secret")),
        "/page/mapped" => to(
            stream,
            &format!(
                "http://[::ffff:127.0.0.1]:{}/secret",
                own.rsplit(':').next().unwrap_or_default()
            ),
        ),
        "/page/number" => to(stream, "http://2130706433/secret"),
        "/page/name" => to(
            stream,
            &format!(
                "http://localhost:{}/secret",
                own.rsplit(':').next().unwrap_or_default()
            ),
        ),
        "/page/cloud" => to(stream, "http://169.254.169.254/latest/meta-data"),
        "/page/file" => to(stream, "file:///etc/passwd"),
        "/page/image" => respond(stream, 200, &[("content-type", "image/png")], b"\x89PNG"),
        "/page/nothing" => respond(stream, 200, &[], b"plain"),
        "/page/good" => html(stream, "<p>good</p>"),
        "/secret" => html(stream, "<p>secret</p>"),
        path => {
            let name = path.trim_start_matches("/feed/");
            match name {
                "not-xml" => respond(stream, 200, &[], b"<html><p>Welcome"),
                name => respond(stream, 200, &[], &rss(&[(name, &format!("/page/{name}"))])),
            }
        }
    }
}

const HOSTILE: [(&str, &str); 23] = [
    ("slow", "time"),
    ("silent", "time"),
    ("endless", "too_large"),
    ("headers", "connection"),
    ("huge", "too_large"),
    ("cut", "connection"),
    ("bomb", "too_large"),
    ("encoding", "content_encoding"),
    ("no-http", "connection"),
    ("closed", "connection"),
    ("loop", "redirects"),
    ("chain", "redirects"),
    ("nowhere", "redirects"),
    ("loopback", "address"),
    ("mapped", "address"),
    ("number", "address"),
    ("name", "address"),
    ("cloud", "address"),
    ("file", "scheme"),
    ("image", "content_type"),
    ("nothing", "content_type"),
    ("not-xml", "not_a_feed"),
    ("good", ""),
];

#[test]
fn hostile_servers_cost_only_their_own_pages() {
    let own = Arc::new(Mutex::new(String::new()));
    let address = Arc::clone(&own);
    let server = Scripted::start(move |get, stream| {
        let own = address.lock().expect("an address").clone();
        hostile(get, stream, &own)
    });
    let server = server.expect("a server");
    *own.lock().expect("an address") = server.address().to_string();
    let job = Job::new();
    // A host for each, because a slow one holds its own.
    let hosts: Vec<String> = HOSTILE
        .iter()
        .map(|(name, _)| format!("{name}.example"))
        .collect();
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let list = HOSTILE
        .map(|(name, _)| format!("http://{name}.example/feed/{name}\n"))
        .concat();
    let options = ["--timeout", "3s", "--max-page", "1MiB"];
    let report = report(&finished(&mut command(
        &job, &server, &hosts, &list, &options,
    )));
    assert_eq!(urls(&job), ["http://good.example/page/good"], "{report}");

    let failures = rows(&job, "_feeds/failures");
    let paths = server.paths();
    for (name, reason) in HOSTILE {
        let feed = format!("http://{name}.example/feed/{name}");
        let found: Vec<_> = failures
            .iter()
            .filter(|row| row["feed_url"] == feed)
            .map(|row| row["reason"].as_str())
            .collect();
        let expected = if reason.is_empty() {
            vec![]
        } else {
            vec![reason]
        };
        assert_eq!(found, expected, "{name}: {failures:?}");
        // The fault fired.
        let page = if name == "not-xml" {
            format!("/feed/{name}")
        } else {
            format!("/page/{name}")
        };
        assert!(paths.contains(&page), "{name}: {paths:?}");
    }
    assert!(!paths.iter().any(|path| path == "/secret"), "{paths:?}");

    // The secret can be reached where it is allowed, so the refusal is what kept it.
    let job = Job::new();
    let list = "http://loopback.example/feed/loopback\nhttp://name.example/feed/name\n";
    let options = ["--allow-private", "--timeout", "3s"];
    let allowed = finished(&mut command(&job, &server, &hosts, list, &options));
    assert_eq!(allowed.code, Some(0), "{}", allowed.stderr);
    let pages: Vec<String> = rows(&job, "date=")
        .into_iter()
        .map(|row| row["html"].clone())
        .collect();
    assert_eq!(pages, ["<p>secret</p>"; 2]);
}

/// Rows without times, which differ between runs.
fn contents(job: &Job) -> Vec<Row> {
    let mut rows = rows(job, "date=");
    rows.iter_mut().for_each(|row| _ = row.remove("fetched_at"));
    rows.sort();
    rows
}

#[test]
fn a_killed_poll_loses_and_repeats_nothing_that_was_committed() {
    let list = "http://site.example/rss\n";
    let whole = Job::new();
    fetch(&whole, &site(), &[]);
    let expected = contents(&whole);
    assert_eq!(expected.len(), 4);
    let later = ["--now", "2011-10-25T00:10:00Z"];
    for (point, is_committed) in [
        ("fetch.staged#1", false),
        ("fetch.staged#2", false),
        ("fetch.state#1", false),
        ("fetch.committed#1", true),
        ("fetch.published#1", true),
        ("fetch.published#2", true),
    ] {
        let (job, server) = (Job::new(), site());
        let mut killed = command(&job, &server, &["site.example"], list, &[]);
        killed.env("URLTREE_FAIL_POINT", format!("KILL@{point}"));
        let killed = finished(&mut killed);
        assert_eq!(killed.signal, Some(9), "{point}: {}", killed.stderr);
        assert!(rows(&job, "date=").is_empty() || is_committed, "{point}");
        let before = server.paths().len();

        // A commit is published even where no feed is due.
        if is_committed {
            let report = fetch(&job, &server, &[]);
            assert_eq!(
                (&report["polled"], server.paths().len()),
                (&0.into(), before),
                "{point}: {report}"
            );
            assert_eq!(contents(&job), expected, "{point}");
        }
        // The next day, so that rows of the killed poll have another date than those of its repetition.
        fetch(&job, &server, &later);
        assert_eq!(
            contents(&job),
            expected,
            "{point}: {:?}",
            files(&job.path("archive"))
        );
        let asked = |path: &str| server.paths().iter().filter(|asked| *asked == path).count();
        assert_eq!(asked("/1"), if is_committed { 1 } else { 2 }, "{point}");
        // Rows that were never committed are deleted once their version is committed.
        fetch(&job, &server, &["--now", "2011-10-26T00:10:00Z"]);
        let left: Vec<_> = files(&job.path("archive"))
            .into_iter()
            .filter(|file| file.display().to_string().contains("staged"))
            .collect();
        assert!(left.is_empty(), "{point}: {left:?}");
    }
}

#[test]
fn of_two_fetches_one_stops_and_rows_are_written_once() {
    let (job, server) = (Job::new(), site());
    let mut waiting = command(
        &job,
        &server,
        &["site.example"],
        "http://site.example/rss\n",
        &[],
    );
    waiting.env("URLTREE_FAIL_POINT", "WAIT@fetch.state#1");
    waiting
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let waiting = waiting.spawn().expect("the binary can be started");
    // It has asked for all pages before it commits.
    while !server.paths().iter().any(|path| path == "/5") {
        std::thread::sleep(Duration::from_millis(20));
    }
    fetch(&job, &server, &[]);
    fetch(&job, &server, &["--now", "2011-10-25T00:10:00Z"]);
    let stopped = Finished::wait(waiting);
    assert_eq!(stopped.code, Some(4), "{}", stopped.stderr);
    assert!(
        stopped.stderr.contains("another fetch has written"),
        "{}",
        stopped.stderr
    );
    assert_eq!(urls(&job).len(), 4);
}

#[test]
fn a_slow_host_holds_a_poll_for_a_bounded_time_and_the_next_poll_continues() {
    let server = Scripted::start(|get, stream| match get.path.as_str() {
        "/rss" => respond(
            stream,
            200,
            &[("etag", "\"v1\"")],
            &rss(&[("A", "/a"), ("B", "/b"), ("C", "/c")]),
        ),
        "/robots.txt" => missing(stream),
        path => {
            std::thread::sleep(Duration::from_millis(700));
            html(stream, path)
        }
    });
    let server = server.expect("a server");
    let job = Job::new();
    let list = FeedList::parse("http://site.example/rss").expect("a list");
    let output = Location::parse(&job.path("archive").display().to_string()).expect("a location");
    let mut options = Options::new("a@b.example").expect("a contact");
    options.addresses = [("site.example".to_owned(), server.address())].into();
    (options.delay, options.limits.poll_time) = (Duration::ZERO, Duration::from_millis(1000));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let pages = [
        "2011-10-24T08:00:00Z",
        "2011-10-24T09:00:00Z",
        "2011-10-24T10:00:00Z",
    ]
    .map(|now| {
        let clock = TimeFrom::new(now.parse().expect("a time"));
        let report = runtime.block_on(fetch::fetch(&list, &output, &options, &clock));
        report.expect("a fetch").pages
    });
    assert_eq!(pages, [2, 1, 0]);
    assert_eq!(urls(&job).len(), 3);
}
