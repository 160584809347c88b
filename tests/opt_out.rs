//! `documents.opt_out` and `documents.archive`: uses that pages and responses forbid, and columns of
//! the archive that are passed through.

use arrow::array::AsArray;
use serde_json::{Value, json};

use crate::export::parquet_rows;
use crate::import::{gzip, record};
use crate::support::{Job, paragraph};

const DATES: &str = "2011-10-01..2011-10-02";
/// Pages by their path: headers of the response, and what is in the head of the page.
const PAGES: [(&str, &str, &str); 4] = [
    ("free", "", "<meta name=robots content='index, follow'>"),
    (
        "page",
        "",
        "<meta name=robots content=noai><meta name=GPTBot content=noindex>",
    ),
    (
        "response",
        "X-Robots-Tag: noindex\r\nX-Robots-Tag: googlebot: noarchive\r\nTDM-Reservation: 1\r\n",
        "",
    ),
    // The text of a page this long is read again when the row is written.
    (
        "long",
        "X-Robots-Tag: none\r\n",
        "<meta name=robots content=noai>",
    ),
];

fn expected(path: &str) -> Value {
    match path {
        "free" => json!([]),
        "page" => json!(["gptbot: noindex", "noai"]),
        "response" => json!(["googlebot: noarchive", "noindex", "tdm-reservation"]),
        _ => json!(["noai", "nofollow", "noindex"]),
    }
}

fn html(path: &str, head: &str) -> String {
    let repeats = if path == "long" { 3000 } else { 1 };
    let text: String = (0..repeats)
        .map(|number| format!("<p>{}", paragraph(number)))
        .collect();
    format!("<html><head><title>{path}</title>{head}</head><body>{text}")
}

/// A job whose archive is imported from a WARC file with [`PAGES`].
fn imported() -> Job {
    let job = Job::new().with("archive.layout=hive");
    let mut file = Vec::new();
    for (path, headers, head) in PAGES {
        let head_of_http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{headers}\r\n");
        let block = head_of_http + &html(path, head);
        let url = format!("http://www.tea.example/{path}");
        file.extend(gzip(&record(
            "response",
            &url,
            "2011-10-01T12:00:00",
            block.as_bytes(),
        )));
    }
    std::fs::write(job.path("tea.warc.gz"), file).expect("a file");
    let words = ["import", "warc", "tea.warc.gz", "--output", "archive"];
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let finished = job.type_in(&words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    job
}

fn assert_opt_outs(job: &Job) {
    for (path, ..) in PAGES {
        let row = job.row(&format!(
            "SELECT opt_out FROM documents WHERE url LIKE '%/{path}'"
        ));
        assert_eq!(row["opt_out"], expected(path), "{path}");
    }
}

#[test]
fn pages_and_responses_say_what_they_forbid() {
    let job = imported().with("output.write=opt_out");
    job.backfill(DATES);
    assert_opt_outs(&job);
    let usable =
        "SELECT url FROM documents WHERE NOT array_has_any(opt_out, ['noai', 'tdm-reservation'])";
    assert_eq!(
        job.rows(usable),
        [json!({"url": "http://www.tea.example/free"})]
    );
    // Metadata is another setting.
    let titles = "SELECT count(*) AS rows FROM documents WHERE published_at IS NOT NULL OR site_name IS NOT NULL";
    assert_eq!(job.row(titles)["rows"], 0);
}

#[test]
fn opt_outs_are_null_unless_they_are_written() {
    let job = imported().with("output.write=metadata");
    job.backfill(DATES);
    let row = job.row("SELECT count(*) AS documents, count(opt_out) AS written, count(archive) AS archives FROM documents");
    assert_eq!(row, json!({"documents": 4, "written": 0, "archives": 0}));
}

#[test]
fn lists_of_pages_have_headers_in_columns() {
    let job = Job::new().with("archive.layout=hive");
    let lines = PAGES.map(|(path, headers, head)| {
        let header = |wanted: &str| {
            let values = headers.lines().filter_map(|line| line.split_once(": "));
            let values = values
                .filter(|(name, _)| *name == wanted)
                .map(|(_, value)| value);
            values.collect::<Vec<_>>().join("\n")
        };
        let row = json!({
            "url": format!("http://www.tea.example/{path}"),
            "time": "2011-10-01T12:00:00Z",
            "html": html(path, head),
            "robots": header("X-Robots-Tag"),
            "tdm_reservation": header("TDM-Reservation"),
        });
        row.to_string()
    });
    std::fs::write(job.path("list.jsonl"), lines.join("\n")).expect("a file");
    let words = "import pages --manifest list.jsonl --output archive --columns html=html --columns x_robots_tag=robots";
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let finished = job.type_in(&words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let job = job.with("output.write=opt_out");
    job.backfill(DATES);
    assert_opt_outs(&job);
}

#[test]
fn columns_of_the_archive_are_passed_through() {
    let job = imported()
        .with("output.archive_columns=['warc_file', 'warc_offset', 'fetched_at', 'title', 'x_robots_tag']");
    let job = job.with("archive.columns.title=content_type");
    let error = job.refused(DATES, 3);
    assert!(error.contains("has no column `title`"), "{error}");
    assert!(
        error.contains("name the column in output.archive_columns"),
        "{error}"
    );
    let job = imported().with(
        "output.archive_columns=['warc_file', 'warc_offset', 'fetched_at', 'url', 'x_robots_tag']",
    );
    job.backfill(DATES);
    for path in ["free", "response", "long"] {
        let row = job.row(&format!(
            "SELECT archive FROM documents WHERE url LIKE '%/{path}'"
        ));
        let archive: Value =
            serde_json::from_str(row["archive"].as_str().expect("text")).expect("JSON");
        assert_eq!(archive["url"], format!("http://www.tea.example/{path}"));
        assert_eq!(archive["fetched_at"], "2011-10-01T12:00:00Z");
        assert!(
            archive["warc_file"]
                .as_str()
                .is_some_and(|file| file.ends_with("tea.warc.gz")),
            "{archive}"
        );
        assert_eq!(archive["warc_offset"] == 0, path == "free", "{archive}");
        let has_header = archive.get("x_robots_tag").is_some();
        assert_eq!(has_header, path != "free", "{archive}");
    }
    assert_file_paths(&job);
}

/// Asserts that an export for Hugging Face has the WARC file of each page.
fn assert_file_paths(job: &Job) {
    let words = ["--format", "fineweb", "--output", "text"];
    let finished = job.command("export", &words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut documents = 0;
    for batch in parquet_rows(&job.path("text")) {
        for file in batch["file_path"].as_string::<i32>() {
            assert!(
                file.is_some_and(|file| file.ends_with("tea.warc.gz")),
                "{file:?}"
            );
            documents += 1;
        }
    }
    assert_eq!(documents, PAGES.len());
}

#[test]
fn columns_that_cannot_be_passed_through_are_refused() {
    for (columns, reason) in [
        ("['html']", "`html` is the HTML of the pages"),
        ("['url', 'url']", "`url` is there twice"),
    ] {
        let job = Job::new().with(&format!("output.archive_columns={columns}"));
        let error = job.refused(DATES, 2);
        assert!(error.contains("output.archive_columns"), "{error}");
        assert!(error.contains(reason), "{error}");
    }
}

/// Writes robots.txt files as the table `robots.parquet`.
fn write_rules(job: &Job, columns: &str) {
    let query = format!("SELECT {columns}");
    let words = [
        "sql",
        "--job",
        "job.toml",
        "--output",
        "robots.parquet",
        &query,
    ];
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let finished = job.type_in(&words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

#[test]
fn rules_of_robots_txt_tell_which_documents_are_allowed() {
    let job = imported();
    job.backfill(DATES);
    let host = "'WWW.Tea.example' AS host";
    let rules = "'User-agent: *' || chr(10) || 'Disallow: /page' || chr(10) || \
                 'User-agent: tea-bot' || chr(10) || 'Disallow: /' || chr(10) || 'Allow: /free'";
    write_rules(&job, &format!("{host}, {rules} AS robots_txt"));
    let allowed = "SELECT url FROM documents WHERE allowed ORDER BY url";
    let urls = |paths: &[&str]| -> Vec<Value> {
        let urls = paths
            .iter()
            .map(|path| format!("http://www.tea.example/{path}"));
        urls.map(|url| json!({ "url": url })).collect()
    };
    let job = with_rules(job);
    assert_eq!(job.rows(allowed), urls(&["free", "long", "response"]));
    let job = job.with("robots.agent=Tea-Bot");
    assert_eq!(job.rows(allowed), urls(&["free"]));
    let of_other = "SELECT robots_allowed(robots_txt, 'x', 'http://www.tea.example/page/1') AS page, \
                    robots_allowed(robots_txt, 'x', 'no address') AS bad FROM robots";
    assert_eq!(job.row(of_other), json!({"page": false}));
}

#[test]
fn the_last_robots_txt_of_a_host_counts_and_a_host_without_one_is_not_known() {
    let job = imported();
    job.backfill(DATES);
    let row = |host: &str, day: u32, rules: &str| {
        format!(
            "SELECT '{host}' AS host, TIMESTAMP '2011-10-{day:02}T00:00:00' AS fetched_at, '{rules}' AS robots_txt"
        )
    };
    let all = [
        row("www.tea.example", 2, ""),
        row("www.tea.example", 1, "User-agent: *\nDisallow: /"),
        row("other.example", 1, ""),
    ]
    .join(" UNION ALL ");
    write_rules(&job, &format!("* FROM ({all}) AS files"));
    let job = with_rules(job);
    let counts =
        "SELECT count(*) AS documents, count(*) FILTER (WHERE allowed) AS allowed FROM documents";
    assert_eq!(job.row(counts), json!({"documents": 4, "allowed": 4}));
    write_rules(
        &job,
        "'other.example' AS host, 'User-agent: *' AS robots_txt",
    );
    let known = "SELECT count(*) AS documents, count(allowed) AS known FROM documents";
    assert_eq!(job.row(known), json!({"documents": 4, "known": 0}));
}

#[test]
fn rules_without_their_columns_are_refused() {
    let job = imported();
    job.backfill(DATES);
    write_rules(
        &job,
        "'www.tea.example' AS site, 'User-agent: *' AS robots_txt",
    );
    let job = with_rules(job);
    let error = job
        .command("sql", &["SELECT count(*) FROM documents"])
        .stderr;
    assert!(error.contains("robots.rules"), "{error}");
    assert!(
        error.contains("no column `host` of text, only site, robots_txt"),
        "{error}"
    );
}

fn with_rules(job: Job) -> Job {
    let rules = job.path("robots.parquet");
    job.with(&format!("robots.rules={}", rules.display()))
}
