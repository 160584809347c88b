//! Poison pages: each ends as a document or as a row of `quarantine`, and the pages
//! around it have the same rows as without the poison page.
//! `print_the_cost_of_each_poison_page` measures the cost.

mod broken;
mod corpus;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::{Job, Row, Site, text, write_rows};
use corpus::{Outcome, corpus};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-31";
/// Size in bytes of a poison page without a fixed size.
const BYTES: usize = 1 << 20;

/// A good page, in the archive beside a poison page.
fn good(number: u64) -> Row {
    let date = 1 + number % 30;
    SITE.article(number, &format!("2011-10-{date:02}T12:00:00"))
}

/// An ordinary page of the poison site, before it is changed.
fn ordinary(number: u64) -> Row {
    let date = 1 + number % 30;
    let url = format!("http://poison.example/pages/{number}.html");
    Row::page(
        &format!("2011-10-{date:02}T12:00:00"),
        url,
        SITE.html(number),
    )
}

/// A job with these rows in its archive.
fn job(rows: impl Iterator<Item = Row>) -> Job {
    let job = Job::new().with("output.write=blocks");
    write_rows(&job.archive("pages.parquet"), rows, 1000);
    job
}

/// Rows of the good pages by table, without their positions in the archive.
fn neighbours(job: &Job) -> BTreeMap<&'static str, BTreeSet<String>> {
    let tables = [
        ("documents", "*"),
        ("window_entries", "*"),
        ("blocks", "*"),
        ("url_keys", "* EXCEPT (row)"),
    ];
    let rows = |columns| format!("SELECT {columns} FROM ");
    tables
        .map(|(table, columns)| {
            let query = rows(columns) + table + " WHERE domain = 'gazette.example'";
            (table, job.lines(&query).into_iter().collect())
        })
        .into()
}

/// Outcomes of the poison rows by their positions in the archive.
fn outcomes(job: &Job) -> BTreeMap<i64, String> {
    let documents = job.rows(
        "SELECT k.row, d.warnings FROM url_keys k \
         JOIN documents d ON k.domain = d.domain AND k.url_key = d.url_key \
         WHERE k.status = 'unique' AND k.domain <> 'gazette.example'",
    );
    let quarantined = job.rows("SELECT row, reason FROM quarantine");
    let place = |row: &Value| row["row"].as_i64().expect("a number");
    let documents = documents.iter().map(|row| {
        let warnings = row["warnings"].as_array().expect("a list");
        let codes: Vec<&str> = (warnings.iter())
            .filter_map(|warning| warning.as_str()?.split(':').next())
            .collect();
        (place(row), format!("document {codes:?}"))
    });
    let quarantined = quarantined
        .iter()
        .map(|row| (place(row), format!("quarantine {}", text(row, "reason"))));
    documents.chain(quarantined).collect()
}

fn expected(outcome: Outcome) -> String {
    match outcome {
        Outcome::Document(warnings) => format!("document {warnings:?}"),
        Outcome::Quarantine(reason) => format!("quarantine {reason}"),
    }
}

#[test]
fn poison_pages_get_their_outcome_and_neighbours_are_unchanged() {
    let cases = corpus().count() as u64;
    assert!(cases >= 60, "{cases} cases");
    let undisturbed = job((0..cases).map(good));
    undisturbed.backfill(DATES);
    let poisoned = job((0..cases)
        .zip(corpus())
        .flat_map(|(number, poison)| [good(number), poison.of(ordinary(number), BYTES)]));
    poisoned.backfill(DATES);

    let found = outcomes(&poisoned);
    let wrong: Vec<String> = (0..)
        .zip(corpus())
        .filter_map(|(number, poison)| {
            let (expected, found) = (expected(poison.outcome), found.get(&(2 * number + 1)));
            (found != Some(&expected)).then(|| format!("{}: {expected}, {found:?}", poison.name))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "expected and found:\n{}\n{:?}",
        wrong.join("\n"),
        poisoned.lines("SELECT DISTINCT reason, left(detail, 80) AS detail FROM quarantine")
    );
    assert_eq!(found.len() as u64, cases, "one outcome each");

    let blocks = poisoned.row(
        "SELECT (SELECT sum(blocks) FROM documents) AS counted, \
         (SELECT count(*) FROM blocks) AS written",
    );
    assert_eq!(blocks["counted"], blocks["written"], "{blocks}");

    let expected = neighbours(&undisturbed);
    assert_eq!(expected["documents"].len() as u64, cases);
    for (table, rows) in neighbours(&poisoned) {
        assert!(rows == expected[table], "`{table}` of the neighbours");
    }
}

/// Prints the CPU time and the peak memory of each poison page of 10 MB.
#[test]
#[ignore = "a measurement, to be read"]
fn print_the_cost_of_each_poison_page() {
    let cost = |row: Row| {
        let run = job(std::iter::once(row))
            .with("run.threads=1")
            .watched(DATES);
        assert_eq!(run.finished.code, Some(0), "{}", run.finished.stderr);
        run
    };
    let baseline = cost(ordinary(0));
    println!("  CPU s   peak MB  page");
    for (number, poison) in (0..).zip(corpus()) {
        let run = cost(poison.of(ordinary(number), 10 << 20));
        println!(
            "{:7.2}  {:8}  {}",
            run.cpu_seconds - baseline.cpu_seconds,
            run.peak_bytes / 1_000_000,
            poison.name
        );
    }
}
