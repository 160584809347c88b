//! The command line: reports, status, failure messages, help and manual.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use serde_json::Value;

use crate::support::{
    Job, Row, Site, copy_jobs, run_in, type_examples, urltree, write_batch, write_texts,
};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-05";

fn job() -> Job {
    Job::of(&SITE.daily_articles(5))
}

/// Runs the dates, which must fail with this exit code. Returns the last line of stderr.
fn last_line(job: &Job, dates: &str, code: i32) -> String {
    let said = job.refused(dates, code);
    let last = said.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("stopped at "), "{said}");
    last
}

/// The arguments of the next command that a message suggests.
fn next(said: &str) -> Vec<String> {
    let (_, command) = said.split_once("next: ").expect("a next command");
    let words = shlex::split(command.trim()).expect("words of a shell");
    assert_eq!(words[0], "urltree", "{said}");
    words[1..].to_vec()
}

#[test]
fn a_failure_names_dates_stage_object_retry_and_next_command() {
    let job = job();
    job.run(DATES);
    let archive = job.archive("pages.parquet").display().to_string();
    let tables = job.path("tables").display().to_string();
    for (setting, code, stage, object, retryable) in [
        ("window.max_age=never", 2, "job", "job.toml", "no"),
        ("output.partition=year", 2, "job", "job.toml", "no"),
        (
            "archive.columns.html=body",
            3,
            "census",
            archive.as_str(),
            "no",
        ),
        ("archive.layout=hive", 3, "census", "pages.parquet", "no"),
        ("archive.location=empty", 3, "census", "empty", "no"),
        (
            "archive.location=http://127.0.0.1:9/a.parquet",
            4,
            "census",
            "127.0.0.1:9",
            "yes",
        ),
        ("output.location=job.toml", 4, "tables", "job.toml", "no"),
    ] {
        let failing = Job::of(&SITE.daily_articles(5)).with(setting);
        let said = last_line(&failing, DATES, code);
        let start = format!("stopped at {DATES}, stage {stage}, object ");
        assert!(said.starts_with(&start), "{setting}: {said}");
        let named = object.rsplit('/').next().expect("a name");
        assert!(said.contains(named), "{setting}: {said}");
        let retryable = format!(", retryable {retryable}");
        assert!(said.contains(&retryable), "{setting}: {said}");
        // The same command would fail again.
        match setting {
            "window.max_age=never" => assert!(!said.contains("next: "), "{said}"),
            _ => assert_eq!(next(&said)[0], "backfill", "{said}"),
        }
    }
    let other = job.with("output.partition=month");
    let said = last_line(&other, "2011-10-01..2011-10-31", 3);
    assert!(said.contains("stage tables"), "{said}");
    assert!(said.contains(&tables), "{said}");
}

#[test]
fn the_suggested_next_command_succeeds() {
    let job = job().with("output.partition=month");
    let said = last_line(&job, DATES, 2);
    let words = next(&said);
    assert!(
        words.contains(&"2011-10-01..2011-10-31".to_owned()),
        "{said}"
    );
    let finished = job.type_in(&words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

#[test]
fn a_password_in_a_setting_is_not_printed() {
    let job = job().with("archive.location=http://me:hunter2@127.0.0.1:9/a.parquet?sig=hunter2");
    let said = job.refused(DATES, 2);
    assert!(said.contains("127.0.0.1:9/a.parquet"), "{said}");
    assert!(!said.contains("hunter2"), "{said}");
}

#[test]
fn quiet_runs_print_only_failures() {
    let job = job();
    let finished = job.command("backfill", &["--quiet", "--dates", DATES]);
    assert_eq!(finished.code, Some(0));
    assert_eq!(
        (finished.stdout.as_str(), finished.stderr.as_str()),
        ("", "")
    );

    let job = job.with("archive.location=empty");
    let finished = job.command("backfill", &["-q", "--dates", DATES]);
    assert_eq!(finished.code, Some(3));
    assert!(finished.stderr.starts_with("error: "), "{finished:?}");
}

#[test]
fn without_a_terminal_progress_is_printed_as_lines() {
    let finished = job().command("backfill", &["-v", "--dates", DATES]);
    let said = &finished.stderr;
    assert!(said.contains("5 rows with "), "{said}");
    for stage in ["tables", "census", "plan", "accounting", "commit"] {
        assert!(
            said.contains(&format!("{DATES}: {stage}\n")),
            "{stage}: {said}"
        );
    }
    assert!(!said.contains('\x1b'), "colours or a bar: {said}");
    let plain = job().command("backfill", &["--dates", DATES]);
    assert!(plain.stderr.len() < said.len(), "{}", plain.stderr);
}

#[test]
fn the_json_report_has_the_counts_of_the_runs_table() {
    let mut rows = SITE.daily_articles(5);
    rows.push(SITE.article(0, "2011-10-05T13:00:00"));
    rows.push(Row {
        html: None,
        ..SITE.article(9, "2011-10-05T14:00:00")
    });
    let job = Job::of(&rows);
    let finished = job.command("backfill", &["--dates", DATES, "--format", "json", "-q"]);
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let statuses = &report["statuses"];
    assert_eq!(report["archive_rows"], 7);
    assert_eq!(statuses["unique"]["rows"], 5);
    assert_eq!(statuses["duplicate"]["causes"]["identical_url"], 1);
    assert_eq!(statuses["quarantined"]["causes"]["missing_html"], 1);
    let runs = job.row(
        "SELECT sum(archive_rows) AS archive_rows, sum(html_bytes) AS html_bytes, \
         sum(text_bytes) AS text_bytes FROM runs",
    );
    for column in ["archive_rows", "html_bytes", "text_bytes"] {
        assert_eq!(report[column], runs[column], "{column}");
    }
}

fn status(job: &Job) -> Value {
    let finished = job.command("status", &["--format", "json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("one JSON object")
}

fn range(first: &str, last: &str) -> Value {
    serde_json::json!({ "first_date": first, "last_date": last })
}

#[test]
fn status_lists_dates_from_the_tables_alone() {
    let job = job();
    assert_eq!(status(&job)["dates"], Value::Null);

    job.run("2011-10-01..2011-10-02");
    job.run("2011-10-05");
    let compared = job.command("status", &["--archive", "--format", "json"]);
    let compared: Value = serde_json::from_str(&compared.stdout).expect("JSON");
    assert_eq!(compared["missing"][0], range("2011-10-03", "2011-10-04"));
    assert_eq!(compared["repair"], range("2011-10-03", "2011-10-05"));

    std::fs::remove_dir_all(job.path("archive")).expect("the archive can go");
    let found = status(&job.with("archive.location="));
    assert_eq!(found["dates"], range("2011-10-01", "2011-10-05"));
    assert_eq!(found["done"], 3);
    assert_eq!(found["archive_rows"], 3);
    assert_eq!(found["stale"], serde_json::json!([]));
    assert_eq!(found["repair"], Value::Null);
}

#[test]
fn the_command_that_status_names_repairs_stale_dates() {
    let job = job();
    job.run(DATES);
    job.run("2011-10-02");
    let stale = status(&job);
    assert_eq!(stale["stale"][0], range("2011-10-03", "2011-10-05"));

    let printed = job.command("status", &[]).stdout;
    let finished = job.type_in(&next(&printed));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mended = status(&job);
    assert_eq!(mended["repair"], Value::Null, "{mended}");
}

#[test]
fn status_lists_dates_with_other_settings() {
    let job = job();
    job.run(DATES);
    let changed = job.with("paper.heuristic=vote-slow");
    let found = status(&changed);
    assert_eq!(
        found["other_settings"][0],
        range("2011-10-01", "2011-10-05")
    );
}

const COMMANDS: [&str; 17] = [
    "import",
    "extract",
    "run",
    "init",
    "fetch",
    "backfill",
    "update",
    "status",
    "vacuum",
    "worker",
    "sql",
    "explain",
    "report",
    "serve",
    "export",
    "near-duplicates",
    "rules",
];

#[test]
fn every_command_has_help_examples_and_a_page_of_the_manual() {
    let manual = urltree(&["--generate", "man"]).stdout;
    let pages: Vec<&str> = manual.split("\n.TH ").collect();
    let overview = urltree(&["--help"]).stdout;
    for command in COMMANDS {
        let help = urltree(&[command, "--help"]).stdout;
        assert!(help.contains(&format!("urltree {command} ")), "{help}");
        assert!(help.contains("Example"), "{help}");
        assert!(overview.contains(&format!("\n  {command} ")), "{overview}");
        let start = format!("urltree-{command} 1");
        let page = pages.iter().find(|page| page.starts_with(&start));
        let page = page.unwrap_or_else(|| panic!("{start}: {manual}"));
        assert!(
            page.contains(".SH SYNOPSIS") && page.contains("Example"),
            "{page}"
        );
    }
}

#[test]
fn completions_contain_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = urltree(&["--generate", shell]).stdout;
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
}

/// A WARC file of one page.
const WARC: &str = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n\
    WARC-Date: 2011-10-24T12:00:00Z\r\nContent-Type: application/http\r\nContent-Length: 49\r\n\r\n\
    HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hi\r\n\r\n";

/// Writes the files that the examples of `import` and `fetch` name: WARC files, lists of pages and of feeds.
fn inputs(folder: &Path) {
    let rows = [
        ("warc_date", "2011-10-24T12:00:00Z"),
        ("url", "http://a.example/1"),
        ("content", "<p>Trees fell."),
    ];
    let rows = rows.map(|(name, value)| {
        let column: ArrayRef = Arc::new(StringArray::from(vec![value]));
        (name, column)
    });
    let rows = RecordBatch::try_from_iter(rows).expect("columns of one length");
    write_batch(&folder.join("crawl.parquet"), &rows, 10);
    let index = format!(
        "example,a)/ 20111024120000 {{\"url\": \"http://a.example/\", \"mime\": \"text/html\", \"status\": \"200\", \
         \"filename\": \"a.warc\", \"offset\": \"0\", \"length\": \"{}\"}}\n",
        WARC.len()
    );
    write_texts(
        folder,
        &[
            ("crawl/index.cdxj", &index),
            ("crawl/a.warc", WARC),
            ("more.warc", WARC),
            (
                "mirror/www.gazette.example/index.html",
                "<h1>Storm</h1><p>Trees fell.</p>",
            ),
            ("saved/1.html", "<h1>Storm</h1><p>Trees fell.</p>"),
            ("page.html", "<h1>Storm</h1><p>Trees fell.</p>"),
            ("site/1.html", "<h1>Storm</h1><p>Trees fell.</p>"),
            ("site/2.html", "<h1>Calm</h1><p>The sea was flat.</p>"),
            (
                "saved/pages.csv",
                "url,time,title,path\nhttp://a.example/1,2011-10-24,Storm,1.html\n",
            ),
            (
                "saved/pages.jsonl",
                r#"{"url": "http://a.example/1", "time": 1319457600, "path": "1.html"}"#,
            ),
        ],
    );
}

#[test]
fn the_examples_of_the_help_work_as_typed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    copy_jobs(folder);
    inputs(folder);
    let words = [
        "--output",
        "data/sample",
        "--dates",
        "2011-10-24..2011-12-19",
    ];
    let made = run_in(folder, "urltree-sample", &words);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let archive = "data/sample/pages/date=2011-10-24/pages.parquet";
    std::fs::copy(folder.join(archive), folder.join("pages.parquet")).expect("an archive");
    let commands = [
        "extract",
        "run",
        "init",
        "backfill",
        "update",
        "status",
        "vacuum",
        "sql",
        "near-duplicates",
        "export",
        "explain",
        "report",
        "serve",
        "rules",
        "rules learn",
        "rules check",
        "import",
        "import warc",
        "import pages",
        "import index",
        "fetch",
    ];
    let (ran, read) = type_examples(folder, "urltree", &commands, |line| {
        line.contains("://bucket")
            || line.contains("https://")
            || line.contains(" serve ")
            || line.contains(" fetch ")
    });
    assert!(ran >= 20 && read >= 3, "{ran} ran, {read} read");
}
