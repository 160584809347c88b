//! The sample archive: a job reads the archive that `urltree-sample` writes.

use std::collections::BTreeSet;

use crate::support::{Job, run_in, text};

const DATES: &str = "2011-10-24..2011-12-19";

/// A job with a sample of eight weeks as its archive.
fn sampled() -> Job {
    let job = Job::new()
        .with("archive.location=sample/pages")
        .with("archive.layout=hive");
    let words = ["--output", "sample", "--dates", DATES, "--pages", "2000"];
    let finished = run_in(&job.path(""), "urltree-sample", &words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("archive: "), "{}", finished.stdout);
    job
}

/// The distinct values of a column of `table`.
fn values(job: &Job, column: &str, table: &str) -> BTreeSet<String> {
    let sql = format!("SELECT DISTINCT {column} AS value FROM {table} WHERE {column} IS NOT NULL");
    job.rows(&sql)
        .iter()
        .map(|row| text(row, "value"))
        .collect()
}

#[test]
fn the_sample_has_duplicates_bad_rows_and_many_charsets() {
    let job = sampled();
    job.backfill(DATES);
    for (column, table, expected) in [
        (
            "merged_by",
            "url_keys",
            &[
                "dropped_query",
                "encoding",
                "identical_url",
                "redirect",
                "rule",
            ][..],
        ),
        (
            "reason",
            "quarantine",
            &["empty_html", "http_status", "invalid_url", "missing_url"],
        ),
        (
            "charset_source",
            "documents",
            &["http", "meta", "utf8", "detected"],
        ),
        (
            "charset",
            "documents",
            &["UTF-8", "windows-1252", "windows-1251", "ISO-8859-2", "GBK"],
        ),
    ] {
        let found = values(&job, column, table);
        for value in expected {
            assert!(
                found.contains(*value),
                "{table}.{column}: no {value} in {found:?}"
            );
        }
    }
    let domains = values(&job, "domain", "documents");
    assert!(domains.len() >= 25, "{domains:?}");
    let counts = job.row(
        "SELECT count(*) AS pages, sum(CASE WHEN d.url IS NULL THEN 0 ELSE 1 END) AS found, \
         sum(CASE WHEN d.content_blocks > 0 THEN 1 ELSE 0 END) AS with_text \
         FROM archive a JOIN url_keys k ON k.url = a.url AND k.fetched_at = a.fetched_at \
         LEFT JOIN documents d ON d.url = a.url AND d.fetched_at = a.fetched_at \
         WHERE k.status = 'unique'",
    );
    let count = |column: &str| counts[column].as_i64().unwrap_or(0);
    assert_eq!(count("pages"), count("found"), "{counts}");
    assert!(count("with_text") * 100 >= count("pages") * 95, "{counts}");
}

#[test]
fn a_sample_does_not_overwrite_another() {
    let job = sampled();
    let other = ["--output", "sample", "--dates", "2011-12-19..2011-12-20"];
    let finished = run_in(&job.path(""), "urltree-sample", &other);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    let said = finished.stderr;
    assert!(
        said.contains("sample/pages") && said.contains("date=2011-1"),
        "{said}"
    );
}

#[test]
fn the_warc_files_of_the_sample_become_the_rows_of_its_archive() {
    let job = Job::new().with("archive.layout=hive");
    for words in [
        "urltree-sample --output sample --dates 2011-10-24..2011-10-25 --pages 200 --warc",
        "urltree import warc sample/warc --output imported",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let finished = run_in(&job.path(""), words[0], &words[1..]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    }
    let columns = "fetched_at, coalesce(url, request_url) AS url, http_status, md5(html) AS html";
    let wanted = "coalesce(url, request_url) IS NOT NULL AND content_type LIKE '%html%'";
    let sql = format!("SELECT {columns} FROM archive WHERE {wanted} ORDER BY fetched_at, url");
    let job = job.with("archive.location=sample/pages");
    let expected = job.rows(&sql);
    assert!(expected.len() > 150, "{}", expected.len());
    let job = job.with("archive.location=imported");
    assert_eq!(job.rows(&sql), expected);
}
