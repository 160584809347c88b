//! A parser that panics costs its own input: each becomes a row with a reason, the next is read, and nothing
//! is printed. Only debug builds have the panics.

use serde_json::Value;

use crate::fetch::{command, html, missing, rows, rss};
use crate::import::{gzip, record, response};
use crate::support::{Finished, Job, Row, Site, finished, repository, text};
use servers::{Scripted, respond};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-31";
/// The bytes in which an injected panic strikes.
const MARK: &str = "panic in the parser";

fn panics_in(parser: &str, rows: &[Row]) -> Job {
    Job::of(rows).with_variable("URLTREE_PANIC_IN", parser)
}

fn assert_silent(finished: &Finished) {
    assert!(
        !finished.stderr.contains("panicked at"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_page_or_url_on_which_its_parser_panics_is_a_row_of_quarantine() {
    let page = SITE.article(7, "2011-10-05T12:00:00");
    let html = Row {
        html: Some(format!("<p>{MARK}</p>").into_bytes()),
        ..page.clone()
    };
    let url = Row {
        url: Some(format!("http://www.gazette.example/{MARK}")),
        ..page
    };
    for (parser, row) in [("HTML", html), ("URLs", url)] {
        let mut rows = SITE.daily_articles(5);
        rows.push(row);
        let job = panics_in(parser, &rows);
        assert_silent(&job.backfill(DATES));
        let named = job.row("SELECT reason, detail, source, row FROM quarantine");
        assert_eq!(text(&named, "reason"), "parser", "{named}");
        let detail = text(&named, "detail");
        assert_eq!(detail, format!("the parser of {parser} panicked: injected"));
        assert_eq!(
            (&named["source"], &named["row"]),
            (&"pages.parquet".into(), &5.into())
        );
        assert_eq!(job.rows("SELECT url FROM documents").len(), 5, "{parser}");
        job.assert_accounts();
    }
}

#[test]
fn an_object_on_which_the_parser_panics_is_unreadable() {
    let job = panics_in("Parquet", &SITE.daily_articles(5));
    let refused = job.refused(DATES, 3);
    assert!(
        refused.contains("the parser of Parquet panicked: injected"),
        "{refused}"
    );
    assert!(refused.contains("--allow-missing"), "{refused}");
    let options = ["--dates", DATES, "--allow-missing"];
    let run = job.command("backfill", &options);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_silent(&run);
    let job = job.with_variable("URLTREE_PANIC_IN", "");
    let named = job.row("SELECT reason, source FROM quarantine");
    assert_eq!(text(&named, "reason"), "unreadable_object", "{named}");
}

#[test]
fn a_record_on_which_a_decoder_panics_is_quarantined_with_its_place() {
    let encoded = |encoding: &str, magic: &[u8]| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {encoding}\r\n\r\n"
        );
        let block = [head.as_bytes(), magic, MARK.as_bytes()].concat();
        record(
            "response",
            "http://a.example/1",
            "2011-10-24T10:00:00",
            &block,
        )
    };
    let good = response(
        "http://a.example/2",
        "2011-10-24T10:00:01",
        b"<p>Trees fell.</p>",
    );
    for (parser, encoding, magic) in [
        ("brotli", "br", [].as_slice()),
        ("zstd", "zstd", &[0x28, 0xb5, 0x2f, 0xfd]),
        ("gzip", "gzip", &[0x1f, 0x8b]),
        ("deflate", "deflate", &[0x78]),
    ] {
        let job = Job::new();
        let file = [encoded(encoding, magic), good.clone()].concat();
        std::fs::write(job.path("a.warc"), file).expect("a file");
        let words = [
            "import", "warc", "a.warc", "--output", "archive", "--format", "json",
        ];
        let imported = finished(job.urltree(&words).env("URLTREE_PANIC_IN", parser));
        assert_eq!(imported.code, Some(0), "{parser}: {}", imported.stderr);
        assert_silent(&imported);
        let counts: Value = serde_json::from_str(&imported.stdout).expect("JSON");
        assert_eq!(counts["pages"], 1, "{counts}");
        assert_eq!(
            counts["reasons"],
            serde_json::json!({"parser": 1}),
            "{counts}"
        );
    }
    // The file itself: each member is lost, and nothing else ends the command.
    let job = Job::new();
    std::fs::write(job.path("a.warc.gz"), gzip(&good)).expect("a file");
    let words = ["import", "warc", "a.warc.gz", "--output", "archive"];
    let imported = finished(job.urltree(&words).env("URLTREE_PANIC_IN", "gzip"));
    assert_eq!(imported.code, Some(3), "{}", imported.stderr);
    assert!(
        imported.stderr.contains("no page was imported: 1 parser"),
        "{}",
        imported.stderr
    );
    assert_silent(&imported);
}

#[test]
fn a_feed_or_robots_file_on_which_its_parser_panics_costs_only_itself() {
    let server = Scripted::start(|get, stream| match get.path.as_str() {
        "/bad" => respond(stream, 200, &[], &rss(&[(MARK, "/1")])),
        "/good" => respond(stream, 200, &[], &rss(&[("One", "/1")])),
        "/robots.txt" if get.host.starts_with("b.") => {
            respond(stream, 200, &[], format!("# {MARK}").as_bytes())
        }
        "/robots.txt" => missing(stream),
        _ => html(stream, "<p>Trees fell.</p>"),
    });
    let server = server.expect("a server");
    for (parser, bad) in [
        ("feeds", "http://a.example/bad"),
        ("robots.txt", "http://b.example/good"),
    ] {
        let job = Job::new();
        let list = format!("{bad}\nhttp://a.example/good\n");
        let mut fetch = command(&job, &server, &["a.example", "b.example"], &list, &[]);
        let fetched = finished(fetch.env("URLTREE_PANIC_IN", parser));
        assert_eq!(fetched.code, Some(0), "{}", fetched.stderr);
        assert_silent(&fetched);
        assert_eq!(rows(&job, "date=").len(), 1, "{parser}");
        let failures = rows(&job, "_feeds/failures");
        let failures: Vec<_> = failures.iter().map(|row| row["reason"].as_str()).collect();
        assert_eq!(failures, ["parser"], "{parser}");
    }
}

/// Inputs of a fuzz target: its seeds, and at most `most` that it found if it has run.
fn fuzzed(target: &str, most: usize) -> Vec<Vec<u8>> {
    let found =
        std::env::var_os("CARGO_TARGET_DIR").map_or(repository().join("target"), Into::into);
    let folders = [
        repository().join("fuzz/seeds").join(target),
        found.join("fuzz/corpus").join(target),
    ];
    let mut inputs = Vec::new();
    for (folder, most) in folders.iter().zip([usize::MAX, most]) {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let mut paths: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        let files = paths.iter().take(most);
        inputs.extend(files.map(|path| std::fs::read(path).expect("a file")));
    }
    assert!(inputs.len() >= 6, "{target}: {} inputs", inputs.len());
    inputs
}

#[test]
fn inputs_of_the_fuzzers_end_no_command() {
    let pages = fuzzed("blocks", 2_000);
    let page = |(index, html): (usize, Vec<u8>)| {
        Row::page(
            "2011-10-05T12:00:00",
            format!("http://a.example/{index}"),
            html,
        )
    };
    let urls = fuzzed("url_key", 2_000);
    let url = |bytes: &Vec<u8>| {
        Row::page(
            "2011-10-06T12:00:00",
            String::from_utf8_lossy(bytes),
            "<p>Trees fell.",
        )
    };
    let rows: Vec<Row> = (pages.into_iter().enumerate().map(page))
        .chain(urls.iter().map(url))
        .collect();
    let job = Job::of(&rows);
    // A WARC file is an object of an archive, and the input of an import.
    let files: Vec<String> = (fuzzed("warc", 300).into_iter().enumerate())
        .map(|(index, bytes)| {
            let name = format!("{index}.warc");
            std::fs::write(job.archive(&name), bytes).expect("a file");
            format!("archive/{name}")
        })
        .collect();
    assert_silent(&job.backfill("1990-01-01..2029-12-31"));
    let runs = job.row("SELECT sum(archive_rows) AS rows FROM runs");
    assert!(runs["rows"].as_u64() >= Some(rows.len() as u64), "{runs}");
    let words = ["import", "warc", "--output", "imported"].map(str::to_owned);
    let imported = job.type_in(&[words.to_vec(), files].concat());
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    assert_silent(&imported);
}

#[test]
fn feeds_of_the_fuzzers_end_no_fetch() {
    let feeds = fuzzed("feed", 100);
    let count = feeds.len();
    let server = Scripted::start(move |get, stream| match get.path.trim_start_matches('/') {
        "robots.txt" => missing(stream),
        path => match path.parse::<usize>() {
            Ok(index) => respond(stream, 200, &[], &feeds[index]),
            Err(_) => html(stream, "<p>Trees fell.</p>"),
        },
    });
    let server = server.expect("a server");
    let job = Job::new();
    let list: String = (0..count)
        .map(|index| format!("http://a.example/{index}\n"))
        .collect();
    let fetched = finished(&mut command(&job, &server, &["a.example"], &list, &[]));
    assert!(matches!(fetched.code, Some(0 | 3)), "{}", fetched.stderr);
    assert_silent(&fetched);
}
