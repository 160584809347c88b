//! Bad rows and bad pages: each has a row in `quarantine` or a warning in `documents`,
//! none is lost, and the pages around it are unchanged.

use serde_json::{Value, json};

use crate::support::{Job, Row, Site, text};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-31";
/// Index of the bad row among the good ones.
const POSITION: usize = 6;
const BAD_URL: &str = "http://www.gazette.example/news/bad.html";

/// A bad row, the reason of its quarantine, and a word of the detail.
struct Case {
    row: Row,
    reason: &'static str,
    detail: &'static str,
}

impl Case {
    fn url(url: impl Into<String>, reason: &'static str, detail: &'static str) -> Self {
        let url = Some(url.into());
        let row = Row { url, ..good() };
        Self {
            row,
            reason,
            detail,
        }
    }

    /// A row whose time cannot be.
    fn time(time: &str, detail: &'static str) -> Self {
        Self {
            row: Row::page(time, BAD_URL, SITE.html(1000)),
            reason: "impossible_time",
            detail,
        }
    }

    fn html(html: &[u8], reason: &'static str, detail: &'static str) -> Self {
        let html = Some(html.to_vec());
        let row = Row { html, ..good() };
        Self {
            row,
            reason,
            detail,
        }
    }
}

fn cases() -> Vec<Case> {
    let long = format!("http://www.gazette.example/news/{}", "x".repeat(9000));
    let deep = format!("http://www.gazette.example{}", "/x".repeat(300));
    vec![
        Case {
            row: Row {
                url: None,
                ..good()
            },
            reason: "missing_url",
            detail: "neither",
        },
        Case::url("news/bad.html", "invalid_url", "relative URL"),
        Case::url("http://www.gazette.example:port/", "invalid_url", "port"),
        Case::url("mailto:editor@gazette.example", "invalid_url", "mailto"),
        Case::url("http://co.uk/news/bad.html", "no_domain", "co.uk"),
        Case::url(long, "url_limit", "8192"),
        Case::url(deep, "url_limit", "256"),
        Case {
            row: Row {
                fetched_at: None,
                ..good()
            },
            reason: "missing_time",
            detail: "fetched_at is null",
        },
        Case::time("0001-01-01T00:00:00", "0001-01-01"),
        Case::time("1970-01-01T00:00:00", "archive.dates is 1990-01-01.."),
        Case::time("9999-12-31T23:59:59", "9999-12-31"),
        Case {
            row: Row {
                html: None,
                ..good()
            },
            reason: "missing_html",
            detail: "null",
        },
        Case::html(b"", "empty_html", "0 bytes"),
        Case::html(b" \r\n\t\n", "empty_html", "whitespace"),
        Case::html(
            b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj",
            "binary_html",
            "PDF",
        ),
        Case::html(&b"\x01\x00\x00\x02".repeat(99), "binary_html", "NUL"),
        Case {
            row: Row {
                http_status: Some(404),
                ..good()
            },
            reason: "http_status",
            detail: "404",
        },
        Case {
            row: Row {
                content_type: Some("application/pdf".to_owned()),
                ..good()
            },
            reason: "content_type",
            detail: "application/pdf",
        },
    ]
}

/// An ordinary page of the site.
fn good() -> Row {
    Row::page("2011-10-06T13:00:00", BAD_URL, SITE.html(1000))
}

fn neighbours() -> Vec<Row> {
    SITE.daily_articles(12)
}

fn among_neighbours(row: Row) -> Vec<Row> {
    let mut rows = neighbours();
    rows.insert(POSITION, row);
    rows
}

/// The rows of `documents` and `window_entries`.
fn pages(job: &Job) -> [Vec<String>; 2] {
    ["documents", "window_entries"].map(|table| {
        let mut lines = job.lines(&format!("SELECT * FROM {table}"));
        lines.sort_unstable();
        lines
    })
}

#[test]
fn a_bad_row_is_quarantined_and_its_neighbours_are_unchanged() {
    let undisturbed = Job::of(&neighbours());
    undisturbed.backfill(DATES);
    let expected = pages(&undisturbed);
    assert_eq!(expected[0].len(), 12);

    for case in cases() {
        let url = case.row.url.clone();
        let dated = !["missing_time", "impossible_time"].contains(&case.reason);
        let job = Job::of(&among_neighbours(case.row));
        job.backfill(DATES);
        let named = job.row("SELECT * FROM quarantine");
        assert_eq!(named["reason"], case.reason, "{named}");
        let detail = text(&named, "detail");
        assert!(detail.contains(case.detail), "{}: {detail}", case.reason);
        assert_eq!(named["source"], "pages.parquet", "{named}");
        assert_eq!(named["row_group"], 0, "{named}");
        assert_eq!(named["row"], POSITION, "{named}");
        assert_eq!(named["url"], json!(url), "{named}");
        // A row without a time that can be is counted on the earliest date of its file.
        let date = if dated { "2011-10-06" } else { "2011-10-01" };
        assert_eq!(named["date"], date, "{named}");
        let keys = job.rows("SELECT url_key FROM url_keys WHERE status = 'quarantined'");
        // Errors of the page itself are found after it has a URL key.
        let keyed = ["missing_html", "empty_html", "binary_html"].contains(&case.reason);
        assert_eq!(keys.len(), usize::from(keyed), "{}: {keys:?}", case.reason);
        assert_eq!(expected, pages(&job), "{}: the neighbours", case.reason);
    }
}

#[test]
fn a_time_that_cannot_be_does_not_stretch_an_update() {
    for time in ["0001-01-01T00:00:00", "9999-12-31T23:59:59"] {
        let job = Job::of(&among_neighbours(Case::time(time, "").row));
        let updated = job.command("update", &[]);
        assert_eq!(updated.code, Some(0), "{}", updated.stderr);
        let run = job.row(
            "SELECT CAST(min(date) AS VARCHAR) AS first, CAST(max(date) AS VARCHAR) AS last, \
             sum(quarantined) AS bad FROM runs",
        );
        let dates = json!({"first": "2011-10-01", "last": "2011-10-12", "bad": 1});
        assert_eq!(run, dates, "{time}");
    }
}

#[test]
fn an_archive_of_only_bad_rows_is_accounted_for() {
    let rows: Vec<Row> = (0..)
        .zip(cases())
        .map(|(number, case)| match case.row.url.as_deref() {
            Some(BAD_URL) => Row {
                url: Some(SITE.url(number)),
                ..case.row
            },
            _ => case.row,
        })
        .collect();
    let job = Job::of(&rows);
    job.backfill(DATES);
    let run = job.row("SELECT sum(archive_rows) AS rows, sum(quarantined) AS bad FROM runs");
    assert_eq!(run, json!({"rows": rows.len(), "bad": rows.len()}));
    assert_eq!(job.rows("SELECT * FROM documents"), Vec::<Value>::new());
}

#[test]
fn the_request_url_replaces_a_missing_response_url() {
    let row = Row {
        url: None,
        request_url: Some(BAD_URL.to_owned()),
        ..good()
    };
    let job = Job::of(&among_neighbours(row));
    job.backfill(DATES);
    let stood_in = job.row("SELECT url, url_key FROM url_keys WHERE url_from_request");
    assert_eq!(stood_in, json!({"url": BAD_URL, "url_key": BAD_URL}));
    let document = job.row(&format!(
        "SELECT status FROM documents WHERE url = '{BAD_URL}'"
    ));
    assert_eq!(document["status"], "unique");
    assert_eq!(job.rows("SELECT * FROM quarantine"), Vec::<Value>::new());
}

/// Runs the job and returns the row of the page in `documents`.
fn document(job: &Job) -> Value {
    job.backfill(DATES);
    assert_eq!(job.rows("SELECT * FROM quarantine"), Vec::<Value>::new());
    assert_eq!(job.rows("SELECT * FROM documents").len(), 13);
    job.row(&format!("SELECT * FROM documents WHERE url = '{BAD_URL}'"))
}

const FRENCH: &str = "Les élèves français découvrent à Noël une forêt où l'été s'achève déjà.";

fn french(encode: fn(&str) -> Vec<u8>) -> Vec<u8> {
    let page = SITE.page("Forêt", &[FRENCH.to_owned()]);
    encode(&page.replace("<meta charset=\"utf-8\">", ""))
}

fn utf_8(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn latin_1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|character| u8::try_from(character).expect("a character of Latin-1"))
        .collect()
}

#[test]
fn a_charset_that_contradicts_the_bytes_is_ignored() {
    for (encode, declared, charset, source, warning) in [
        (
            utf_8 as fn(&str) -> Vec<u8>,
            "ISO-8859-1",
            "UTF-8",
            "utf8",
            "charset_mismatch: declared windows-1252, decoded UTF-8",
        ),
        (
            latin_1,
            "utf-8",
            "windows-1252",
            "detected",
            "charset_mismatch: declared UTF-8, decoded windows-1252",
        ),
    ] {
        let page = Row {
            html: Some(french(encode)),
            ..good()
        };
        let apart = Row {
            http_charset: Some(declared.to_owned()),
            ..page.clone()
        };
        let in_header = Row {
            content_type: Some(format!("text/html; charset={declared}")),
            ..page
        };
        for row in [apart, in_header] {
            let document = document(&Job::of(&among_neighbours(row)));
            assert_eq!(document["charset"], charset, "{document}");
            assert_eq!(document["charset_source"], source, "{document}");
            assert_eq!(document["warnings"], json!([warning]), "{document}");
            assert!(text(&document, "text").contains(FRENCH), "{document}");
        }
    }
}

#[test]
fn a_correct_charset_is_used_and_recorded() {
    for (declared, charset, source) in [
        (Some("ISO-8859-1"), "windows-1252", "http"),
        (None, "windows-1252", "detected"),
    ] {
        let row = Row {
            html: Some(french(latin_1)),
            http_charset: declared.map(str::to_owned),
            ..good()
        };
        let document = document(&Job::of(&among_neighbours(row)));
        assert_eq!(document["charset"], charset, "{document}");
        assert_eq!(document["charset_source"], source, "{document}");
        assert_eq!(document["warnings"], json!([]), "{document}");
        assert!(text(&document, "text").contains(FRENCH), "{document}");
    }
}

#[test]
fn a_truncated_page_keeps_the_text_before_the_cut() {
    let whole = SITE.page("Cut short", &[FRENCH.to_owned()]);
    let end = whole.find("<footer>").expect("the template has a footer");
    let row = Row {
        html: Some(format!("{}<a class=\"pa", &whole[..end]).into_bytes()),
        ..good()
    };
    let document = document(&Job::of(&among_neighbours(row)));
    assert_eq!(
        document["warnings"],
        json!(["truncated: in tag"]),
        "{document}"
    );
    assert!(text(&document, "text").contains(FRENCH), "{document}");
}

#[test]
fn a_page_over_the_template_limit_is_labelled_by_repetition() {
    let html = "<div class=a><p>first</div><div class=b><p>second</div>".repeat(20_000);
    let row = Row {
        html: Some(html.into_bytes()),
        ..good()
    };
    let job = Job::of(&among_neighbours(row)).with("output.write=blocks");
    let document = document(&job);
    let warning = text(&json!({"first": document["warnings"][0]}), "first");
    assert!(warning.starts_with("no_template: 262144 of "), "{document}");
    let reasons = format!("SELECT DISTINCT reason FROM blocks WHERE url_key = '{BAD_URL}'");
    let reasons = job.rows(&reasons);
    assert_eq!(reasons, [json!({"reason": "unique"})]);
}

#[test]
fn a_page_over_a_limit_is_cut_and_gets_a_warning() {
    let before = "<p>What came before the limit stays in the text of the page.</p>";
    let spread = |piece: &str, count: usize| format!("{before}{}<p>lost", piece.repeat(count));
    for (limit, html, warning) in [
        (
            "limits.page_bytes=4KiB",
            spread("<p>words </p>", 999),
            "page_bytes_limit: cut at 4096 of",
        ),
        ("", spread("<p>words </p>", 100_001), "blocks_limit: "),
        ("", spread("words ", 200_000), "block_chars_limit: "),
        (
            "",
            format!("{before}<b {}>bold</b><p>lost", "x".repeat(70_000)),
            "tag_bytes_limit: ",
        ),
        (
            "",
            format!(
                "{before}<b {}>bold</b><p>lost",
                (0..1100)
                    .map(|number| format!("a{number} "))
                    .collect::<String>()
            ),
            "attributes_per_tag_limit: ",
        ),
        (
            "",
            format!("{before}{}<p>deep", "<div>".repeat(600)),
            "depth_limit: 512 of ",
        ),
    ] {
        let row = Row {
            html: Some(html.into_bytes()),
            ..good()
        };
        let mut job = Job::of(&among_neighbours(row));
        if !limit.is_empty() {
            job.set(limit);
        }
        let document = document(&job);
        let warnings = document["warnings"].as_array().expect("a list");
        let is_said = |found: &Value| {
            found
                .as_str()
                .is_some_and(|found| found.starts_with(warning))
        };
        assert!(warnings.iter().any(is_said), "{warning}: {warnings:?}");
        let kept = text(&document, "text");
        assert!(
            kept.contains("What came before the limit"),
            "{warning}: {document}"
        );
        assert!(!kept.contains("lost"), "{warning}: {document}");
    }
}
