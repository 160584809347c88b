//! Mistakes in job files, settings, dates and SQL are refused before the run starts, and
//! the message names the mistake.

use crate::support::{Job, Site};

const SITE: Site = Site {
    host: "www.gazette.example",
};

fn job() -> Job {
    Job::of(&SITE.daily_articles(3))
}

#[test]
fn a_wrong_setting_is_refused_with_key_and_expected_value() {
    for (setting, key, expected) in [
        ("paper.heuristics=strict", "paper.heuristics", "heuristic"),
        ("speed.fast=true", "speed", "archive"),
        ("archive.columns.body=html", "archive.columns.body", "html"),
        ("run.threads=many", "run.threads", "many"),
        ("run.threads=0", "run.threads", "1 or more"),
        (
            "run.memory_limit=lots",
            "run.memory_limit",
            "such as 64MB or 1GiB",
        ),
        ("output.write=pages", "output.write", "blocks"),
        (
            "output.partition=week",
            "output.partition",
            "day, month or year, or auto",
        ),
        (
            "paper.heuristic=stricter",
            "paper.heuristic",
            "strict-at-domain",
        ),
        ("paper.batching=week", "paper.batching", "page"),
        ("tree.relabel_days=-1", "tree.relabel_days", "-1"),
        ("paper.lookback=month", "paper.lookback", "30d"),
        ("window.max_age=-1", "window.max_age", "-1"),
        ("paper.title=rss", "paper.title", "feed"),
        ("url_key.rules=nowhere.tsv", "url_key.rules", "nowhere.tsv"),
        (
            "url_key.blocklist=nowhere.txt",
            "url_key.blocklist",
            "nowhere.txt",
        ),
        (
            "domain.extra_suffixes=['a b']",
            "domain.extra_suffixes",
            "a b",
        ),
        ("archive.location=ftp://host/x", "archive.location", "s3://"),
        ("output.location=ftp://host/x", "output.location", "s3://"),
        ("output.location=", "output.location", "--tables"),
    ] {
        let job = job().with(setting);
        let error = job.refused("2011-10-01..2011-10-31", 2);
        assert!(
            error.starts_with(&format!("error: {key}: ")),
            "{setting}: {error}"
        );
        assert!(error.contains(expected), "{setting}: {error}");
        assert!(!job.has_tables(), "{setting}: something was written");
    }
}

#[test]
fn relabelling_is_refused_with_conflicting_settings() {
    for (other, reason) in [
        ("paper.batching=page", "paper.batching=date"),
        ("paper.batching=date", "method = \"paper\""),
        ("dedup.revisions=true", "dedup.revisions is true"),
    ] {
        let job = job().with("tree.relabel_days=2").with(other);
        let error = job.refused("2011-10-01..2011-10-31", 2);
        assert!(error.starts_with("error: tree.relabel_days: "), "{error}");
        assert!(error.contains(reason), "{other}: {error}");
        assert!(!job.has_tables(), "{other}: something was written");
    }
}

#[test]
fn an_invalid_rule_is_refused_by_its_line() {
    let job = job().with("url_key.rules=rules.tsv");
    std::fs::write(
        job.path("rules.tsv"),
        "# ids\n^http://a/\tid\n(unclosed\tid\n",
    )
    .expect("a file");
    let error = job.refused("2011-10-01", 2);
    assert!(error.starts_with("error: url_key.rules: line 3"), "{error}");
}

#[test]
fn an_override_without_a_value_is_refused() {
    let error = job().with("window.max_age").refused("2011-10-01", 2);
    assert!(
        error.contains("--set window.max_age") && error.contains("KEY=VALUE"),
        "{error}"
    );
}

#[test]
fn a_missing_or_invalid_job_file_is_refused_by_name() {
    let job = job();
    std::fs::write(job.path("job.toml"), "[archive\nlocation = 'archive'\n").expect("a file");
    let error = job.refused("2011-10-01", 2);
    assert!(
        error.contains("job.toml") && error.contains("line 1"),
        "{error}"
    );

    std::fs::write(
        job.path("job.toml"),
        "[archive]\n[output]\nlocation = 'tables'\n",
    )
    .expect("a file");
    let error = job.refused("2011-10-01", 2);
    assert!(
        error.starts_with("error: archive.location: missing"),
        "{error}"
    );

    std::fs::remove_file(job.path("job.toml")).expect("the file is there");
    let error = job.refused("2011-10-01", 2);
    assert!(error.contains("job.toml"), "{error}");
}

#[test]
fn too_little_memory_for_the_threads_is_refused_before_any_work() {
    for (memory, threads, least) in [("16MB", 2, "16.0 MiB"), ("1GiB", 129, "1.0 GiB")] {
        let job = job()
            .with(&format!("run.memory_limit={memory}"))
            .with(&format!("run.threads={threads}"));
        let error = job.refused("2011-10-01..2011-10-31", 2);
        let expected = format!(
            "is too little for {threads} threads; expected at least {least}, or a lower run.threads"
        );
        assert!(error.starts_with("error: run.memory_limit: "), "{error}");
        assert!(error.contains(&expected), "{error}");
        assert!(!job.has_tables());
    }
}

#[test]
fn invalid_or_reversed_dates_are_refused() {
    let job = job();
    let error = job.refused("2011-10-31..2011-10-01", 2);
    assert!(
        error.contains("did you mean 2011-10-01..2011-10-31"),
        "{error}"
    );
    for dates in ["2011-02-30", "yesterday", "2011-10-01..", "..", ""] {
        let error = job.refused(dates, 2);
        assert!(error.contains("YYYY-MM-DD"), "{dates}: {error}");
    }
    assert!(!job.has_tables());
}

#[test]
fn a_range_that_cuts_a_partition_names_the_covering_range() {
    for (partition, dates, covering) in [
        ("month", "2011-10-01..2011-10-30", "2011-10-01..2011-10-31"),
        ("month", "2011-10-24..2011-12-19", "2011-10-01..2011-12-31"),
        ("month", "2012-02-29", "2012-02-01..2012-02-29"),
        ("year", "2011-10-24..2012-01-01", "2011-01-01..2012-12-31"),
    ] {
        let job = job().with(&format!("output.partition={partition}"));
        let error = job.refused(dates, 2);
        assert!(error.contains(&format!("use {covering}")), "{error}");
        assert!(error.contains(partition), "{error}");
        assert!(!job.has_tables());
    }
}

#[test]
fn tables_with_another_partitioning_are_left_alone() {
    let mut job = job();
    job.backfill("2011-10-01..2011-10-31");
    let documents = "SELECT * FROM documents ORDER BY url";
    let before = job.lines(documents);
    job.set("output.partition=month");
    let error = job.refused("2011-10-01..2011-10-31", 3);
    assert!(
        error.contains("by day") && error.contains("output.partition=month"),
        "{error}"
    );
    job.set("output.partition=day");
    assert_eq!(job.lines(documents), before);
}

#[test]
fn invalid_sql_is_refused() {
    let job = job();
    job.backfill("2011-10-01..2011-10-31");
    for sql in [
        "SELEC 1",
        "SELECT nothing FROM documents",
        "SELECT * FROM nowhere",
    ] {
        let finished = job.command("sql", &[sql]);
        assert_eq!(finished.code, Some(2), "{sql}: {finished:?}");
        assert_eq!(finished.stdout, "", "{sql}");
    }
}
