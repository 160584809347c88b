//! `urltree near-duplicates`: clusters of near duplicates across sites.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Job, Row, Site, paragraph, text, urltree_in};

const DATES: &str = "2011-10-01..2011-10-08";
const HOSTS: [&str; 4] = [
    "www.gazette.example",
    "www.herald.example",
    "www.courier.example",
    "www.tribune.example",
];

/// Articles of four sites. All have one article in common: the first has it as it is, the second with
/// another paragraph, the third with a headline and a paragraph more, and the fourth translated.
fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let article: Vec<String> = (0..20).map(|seed| paragraph(90_000 + seed)).collect();
    for (position, host) in HOSTS.into_iter().enumerate() {
        let site = Site { host };
        rows.extend(site.daily_articles(8));
        let mut copy = article.clone();
        match position {
            0 => {}
            1 => copy[7] = paragraph(70_000),
            2 => copy.insert(0, paragraph(70_001)),
            // Other words at each place, as in another language.
            _ => copy = (0..20).map(|seed| paragraph(80_000 + seed)).collect(),
        }
        rows.push(Row::page(
            "2011-10-05T13:00:00",
            format!("http://{host}/news/agency.html"),
            site.page(&format!("From the agency to {host}"), &copy),
        ));
    }
    rows
}

fn job() -> Job {
    let job = Job::of(&rows()).with("output.write=minhash");
    job.backfill(DATES);
    job
}

fn clusters(job: &Job, words: &[&str]) -> Vec<Value> {
    let finished = job.command("near-duplicates", &[&["--format", "json"], words].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let row = |line: &str| serde_json::from_str(line).expect("a JSON object per line");
    finished.stdout.lines().map(row).collect()
}

#[test]
fn copies_with_changes_are_a_cluster_and_a_translation_is_not_in_it() {
    let job = job();
    let found = clusters(&job, &[]);
    let urls: BTreeSet<String> = found.iter().map(|row| text(row, "url")).collect();
    let expected = (HOSTS[..3].iter()).map(|host| format!("http://{host}/news/agency.html"));
    assert_eq!(urls, expected.collect::<BTreeSet<_>>(), "{found:?}");
    let ids: Vec<String> = found.iter().map(|row| text(row, "document_id")).collect();
    let least = ids.iter().min().expect("three");
    assert!(
        found.iter().all(|row| &text(row, "cluster_id") == least),
        "{found:?}"
    );
}

#[test]
fn clusters_are_equal_with_any_number_of_threads_and_any_order_of_dates() {
    let job = job();
    let found = clusters(&job, &["--set", "run.threads=1"]);
    assert_eq!(clusters(&job, &["--set", "run.threads=7"]), found);
    assert_eq!(clusters(&job, &["--set", "run.memory_limit=64MB"]), found);
    job.backfill("2011-10-05..2011-10-08");
    assert_eq!(clusters(&job, &[]), found);
}

#[test]
fn without_signatures_there_are_no_clusters_and_without_tables_an_error() {
    let job = Job::of(&rows());
    let finished = job.command("near-duplicates", &[]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stderr.contains("documents"), "{}", finished.stderr);
    job.backfill(DATES);
    assert_eq!(clusters(&job, &[]), Vec::<Value>::new());
}

#[test]
fn a_file_of_clusters_is_written_whole() {
    let job = job();
    let path = job.path("clusters.csv").display().to_string();
    let finished = job.command("near-duplicates", &["--output", &path]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let written = std::fs::read_to_string(path).expect("the file");
    assert_eq!(written.lines().count(), 4, "{written}");
    assert!(
        written.starts_with("cluster_id,document_id,domain,url,fetched_at"),
        "{written}"
    );
    let help = urltree_in(std::path::Path::new("."), &["near-duplicates", "--help"]);
    assert!(help.stdout.contains("minhash"), "{}", help.stdout);
}
