//! An archive of WARC files: a job reads them without an import.

use std::path::PathBuf;

use crate::import::{crawl, gzip, record, response};
use crate::support::{Job, Site, shared, text};

const DATES: &str = "2011-10-01..2011-10-05";
const SITE: Site = Site {
    host: "www.gazette.example",
};
const TEXTS: &str = "SELECT url, fetched_at, url_key, text FROM documents ORDER BY fetched_at, url";

/// A job over a file with five pages, and one record that is cut off.
fn of_a_crawl() -> Job {
    let job = Job::new();
    std::fs::write(job.archive("crawl.warc.gz"), crawl(5)).expect("a file");
    job
}

#[test]
fn a_warc_file_gives_the_texts_of_its_import() {
    let job = of_a_crawl();
    job.backfill(DATES);
    let imported = Job::of(&SITE.daily_articles(5));
    imported.backfill(DATES);
    let texts = job.rows(TEXTS);
    assert_eq!(texts.len(), 5);
    assert_eq!(texts, imported.rows(TEXTS));
    let sources = job.rows("SELECT DISTINCT source FROM url_keys");
    assert_eq!(text(&sources[0], "source"), "crawl.warc.gz");
}

#[test]
fn a_record_that_is_broken_is_a_row_of_quarantine() {
    let job = of_a_crawl();
    job.backfill(DATES);
    let row = job.row("SELECT date, source, reason, detail FROM quarantine");
    assert_eq!(text(&row, "date"), "2011-10-01");
    assert_eq!(text(&row, "reason"), "unreadable_row");
    let detail = text(&row, "detail");
    assert!(detail.starts_with("record at byte "), "{detail}");
    let counts = job.row("SELECT sum(archive_rows) AS rows FROM runs");
    assert_eq!(counts["rows"], 6);
}

/// The page of the first file is known to the second one only by its digest.
#[test]
fn a_revisit_of_a_page_in_another_file_is_a_row() {
    let job = Job::new();
    let page = response(
        "http://a.example/page",
        "2011-10-01T00:00:00",
        b"<p>One page.",
    );
    let of = |url| {
        let head = b"HTTP/1.1 304 Not Modified\r\nContent-Type: text/html\r\n\r\n";
        record("revisit", url, "2011-10-02T00:00:00", head)
    };
    let revisits = [of("http://a.example/page"), of("http://a.example/other")].concat();
    std::fs::write(job.archive("one.warc"), page).expect("a file");
    std::fs::write(job.archive("two.warc.gz"), gzip(&revisits)).expect("a file");
    job.backfill(DATES);
    let known = job.row("SELECT url, text FROM documents");
    assert_eq!(text(&known, "url"), "http://a.example/page");
    let unknown = job.row("SELECT url, reason FROM quarantine");
    assert_eq!(text(&unknown, "url"), "http://a.example/other");
    assert_eq!(text(&unknown, "reason"), "missing_html");
    let keys = job.row("SELECT count(*) AS rows FROM url_keys WHERE duplicate_of IS NOT NULL");
    assert_eq!(keys["rows"], 1);
}

/// With `run.spill_limit` below the pages of a file, only one of them is on disk, and the others are read again.
#[test]
fn files_whose_pages_do_not_fit_on_disk_are_read_again() {
    let rows = |settings: &[&str]| {
        let mut job = Job::new();
        for (position, page) in SITE.daily_articles(5).into_iter().enumerate() {
            let url = page.url.expect("a URL");
            let time = format!("2011-10-0{}T12:00:00", position + 1);
            let record = response(&url, &time, &page.html.expect("HTML"));
            let name = format!("{position}.warc.gz");
            std::fs::write(job.archive(&name), gzip(&record)).expect("a file");
        }
        for setting in settings {
            job.set(setting);
        }
        job.backfill(DATES);
        job.rows(TEXTS)
    };
    let expected = rows(&[]);
    assert_eq!(expected.len(), 5);
    assert_eq!(rows(&["run.spill_limit=1kB", "run.threads=1"]), expected);
}

#[test]
fn columns_of_records_pass_through() {
    let job = of_a_crawl().with("output.archive_columns=['warc_offset', 'warc_record_id']");
    job.backfill(DATES);
    let rows = job.rows("SELECT archive FROM documents ORDER BY url");
    assert_eq!(rows.len(), 5);
    let first = rows[0]["archive"].to_string();
    assert!(
        first.contains("warc_offset") && first.contains("<urn:test:http"),
        "{first}"
    );
}

/// Files with truncated records, revisits and missing lines give the rows that their import has.
#[test]
fn real_files_have_the_pages_of_their_import() {
    let Some(folder) = shared("data/warc") else {
        return;
    };
    let settings = |job: Job| job.with("archive.dates=1990-01-01..2030-12-31");
    let all = "1990-01-01..2030-12-31";
    let imported = settings(Job::new());
    let files: Vec<PathBuf> = (std::fs::read_dir(&folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let files: Vec<String> = files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let words = ["import", "warc", "--output", "archive"].map(str::to_owned);
    let finished = imported.type_in(&[words.to_vec(), files].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    imported.backfill(all);
    let direct = settings(Job::new().reading(&folder));
    direct.backfill(all);
    let texts = direct.rows(TEXTS);
    assert!(texts.len() > 50, "{}", texts.len());
    assert_eq!(texts, imported.rows(TEXTS));
}
