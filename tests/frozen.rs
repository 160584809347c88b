//! Tables of earlier versions, in `tests/data/tables-VERSION`: today's binary reads them,
//! continues them and replaces their dates.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Finished, Job, Row, repository, text, write};

/// The folders of tables, each with the name of its version.
fn versions() -> Vec<PathBuf> {
    let folder = repository().join("tests/data");
    let entries = std::fs::read_dir(folder).expect("test data");
    let mut versions: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    versions.sort();
    assert!(versions[0].ends_with("tables-0.1.0"), "{versions:?}");
    versions
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::copy(from, to).expect("a copy");
        return;
    }
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// A job over a copy of the tables. Its rule files are in its folder.
fn job_of(version: &Path) -> Job {
    let job = Job::new();
    for name in [
        "tables",
        "archive",
        "job.toml",
        "rules.tsv",
        "blocklist.txt",
    ] {
        copy(&version.join(name), &job.path(name));
    }
    job
}

#[test]
fn a_command_that_needs_a_newer_column_says_so() {
    for version in versions() {
        let finished = job_of(&version).command("near-duplicates", &[]);
        assert_eq!(finished.code, Some(2), "{version:?}: {finished:?}");
        let said = "minhash";
        assert!(finished.stderr.contains(said), "{}", finished.stderr);
    }
}

/// Asserts that the queries over the dates of the old version give its rows.
fn assert_old_rows(version: &Path, job: &Job) {
    let mut queries = 0;
    for entry in std::fs::read_dir(version.join("expected")).expect("queries") {
        let path = entry.expect("a query").path();
        if path.extension().is_some_and(|ending| ending == "sql") {
            let query = std::fs::read_to_string(&path).expect("a query");
            let expected = std::fs::read_to_string(path.with_extension("jsonl"));
            let expected = json_rows(expected.expect("rows").lines());
            let found = job.lines(&query);
            let found = json_rows(found.iter().map(String::as_str));
            assert_eq!(found.len(), expected.len(), "{}", path.display());
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{}", path.display());
            }
            queries += 1;
        }
    }
    assert!(queries >= 7, "{queries} queries");
}

fn json_rows<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Value> {
    let row = |line| serde_json::from_str(line).expect("a JSON object per line");
    lines.map(row).collect()
}

fn status(job: &Job) -> Value {
    let finished = job.command("status", &["--archive", "--format", "json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("one JSON object")
}

fn succeeded(finished: &Finished) {
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

#[test]
fn old_tables_are_read() {
    for version in versions() {
        let job = job_of(&version);
        assert_old_rows(&version, &job);
        job.assert_accounts();
        let status = status(&job);
        let dates = json!({ "first_date": "2011-10-30", "last_date": "2011-11-01" });
        assert_eq!(status["dates"], dates, "{status}");
        assert_eq!(status["done"], 3, "{status}");
        assert_eq!(status["other_settings"], json!([]), "{status}");
        assert_eq!(status["stale"], json!([]), "{status}");
    }
}

#[test]
fn old_tables_are_continued() {
    for version in versions() {
        let job = job_of(&version);
        let old =
            job.row("SELECT url FROM documents WHERE date = '2011-10-30' ORDER BY url LIMIT 1");
        let again = Row::page(
            "2011-11-02T23:00:00",
            text(&old, "url"),
            "<p>Fetched again.</p>",
        );
        write(&job.archive("date=2011-11-02/again.parquet"), &[again]);
        succeeded(&job.command("update", &[]));
        assert_old_rows(&version, &job);
        job.assert_accounts();
        assert_eq!(status(&job)["done"], 4);
        // Columns of a later version are null in old rows.
        let with_peak = job.rows("SELECT date FROM runs WHERE peak_memory_bytes > 0");
        assert_eq!(with_peak, [json!({ "date": "2011-11-02" })]);
        assert!(status(&job)["peak_memory_bytes"].as_u64() > Some(1 << 20));
        // Its state is that of the old tables: keys, windows and learned parameters.
        let row = job.row(
            "SELECT count(*) AS pages, \
             count(*) FILTER (WHERE duplicate_of LIKE 'date=2011-10-%') AS of_october, \
             count(*) FILTER (WHERE duplicate_of LIKE 'date=2011-11-01/%') AS of_the_day_before \
             FROM url_keys WHERE date = '2011-11-02' AND status <> 'quarantined'",
        );
        assert!(row["pages"].as_u64() > Some(50), "{row}");
        assert_eq!(row["of_october"], 1, "{row}");
        assert!(row["of_the_day_before"].as_u64() > Some(0), "{row}");
        // A label counts the pages of a site, and no site has so many on one date.
        let row = job.row(
            "SELECT max(support) AS support, \
             (SELECT max(pages) FROM (SELECT count(*) AS pages FROM documents \
              WHERE date = '2011-11-02' GROUP BY domain)) AS of_the_date \
             FROM documents WHERE date = '2011-11-02'",
        );
        let support = row["support"].as_u64();
        assert!(support > row["of_the_date"].as_u64(), "{row}");
        let digests = job.rows("SELECT DISTINCT settings_digest FROM runs");
        assert_eq!(digests.len(), 1, "{digests:?}");
    }
}

#[test]
fn dates_of_old_tables_are_replaced() {
    for version in versions() {
        let job = job_of(&version);
        succeeded(&job.command("backfill", &["--dates", "2011-11-01..2011-11-02"]));
        job.assert_accounts();
        let runs = job.rows("SELECT date, archive_rows FROM runs ORDER BY date");
        assert_eq!(runs.len(), 4, "{runs:?}");
        let run_ids = job.rows("SELECT DISTINCT run_id FROM runs WHERE date >= '2011-11-01'");
        assert_eq!(run_ids.len(), 1, "{run_ids:?}");
        let found = job.command("vacuum", &["--retention", "0s", "--delete"]);
        succeeded(&found);
        assert!(found.stdout.contains("url_keys replaced"), "{found:?}");
        job.assert_accounts();
    }
}

#[test]
fn old_tables_have_the_settings_of_their_job_and_no_others() {
    for version in versions() {
        let job = job_of(&version);
        let rules = std::fs::read_to_string(job.path("rules.tsv")).expect("rules");
        let commented = rules.replace("# Pages", "# Another comment.\n\n# Pages");
        assert_ne!(rules, commented);
        std::fs::write(job.path("rules.tsv"), commented).expect("rules");
        assert_eq!(status(&job)["other_settings"], json!([]));

        std::fs::write(job.path("rules.tsv"), format!("{rules}^http://x/\tid\n")).expect("rules");
        let refused = job.command("update", &[]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("other settings"), "{refused:?}");
        assert_old_rows(&version, &job);
    }
}
