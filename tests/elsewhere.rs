//! Other readers of the tables: DuckDB and the Python package `deltalake` must read
//! the rows that `urltree sql` prints, and the columns that `schemas/` declares.
//!
//! `elsewhere/read.py` reads the tables. `URLTREE_PYTHON` names the interpreter, which
//! needs the packages of `elsewhere/requirements.txt`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::{Job, Row, Site, python, repository, text, write};

const SITES: [Site; 2] = [
    Site {
        host: "www.gazette.example",
    },
    Site {
        host: "www.courier.example",
    },
];
const TABLES: [&str; 6] = [
    "blocks",
    "documents",
    "window_entries",
    "quarantine",
    "runs",
    "url_keys",
];

/// Names of reader and table.
type Key = (String, String);

/// Rows and columns of the tables, as other readers see them.
#[derive(Default)]
struct ReadTables {
    /// Sorted rows, in the JSON form of `urltree sql`.
    rows: BTreeMap<Key, Vec<Value>>,
    /// Names and types of columns, as DuckDB describes them.
    columns: BTreeMap<Key, Vec<Value>>,
}

fn read(python: &str, tables: &Path) -> ReadTables {
    let repository = repository();
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(python)
        .arg(repository.join("tests/elsewhere/read.py"))
        .args([repository.join("schemas").as_path(), tables])
        .output()
        .expect("the interpreter can be started");
    let errors = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{errors}");
    let mut seen = ReadTables::default();
    for line in String::from_utf8(stdout).expect("it prints UTF-8").lines() {
        let said: Value = serde_json::from_str(line).expect("a JSON object per line");
        let key = (text(&said, "reader"), text(&said, "table"));
        match said["columns"].as_array() {
            Some(columns) => drop(seen.columns.insert(key, columns.clone())),
            None => seen.rows.entry(key).or_default().push(said["row"].clone()),
        }
    }
    seen.rows.values_mut().for_each(|rows| sort(rows));
    seen
}

fn sort(rows: &mut [Value]) {
    rows.sort_by_cached_key(Value::to_string);
}

/// Asserts that each reader finds the rows that `urltree sql` prints, in every table.
fn assert_seen_alike(python: &str, job: &Job, what: &str) {
    let seen = read(python, job.tables());
    for table in TABLES {
        let mut expected = job.rows(&format!("SELECT * FROM {table}"));
        assert!(!expected.is_empty(), "{what}: {table} is empty");
        sort(&mut expected);
        for reader in ["duckdb", "deltalake"] {
            let found = &seen.rows[&(reader.to_owned(), table.to_owned())];
            assert_eq!(found.len(), expected.len(), "{what}: {table} by {reader}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{what}: {table} by {reader}");
            }
        }
    }
}

/// Pages with values that readers can misread: nulls, fractions of seconds, letters
/// outside ASCII, line ends in text, lists with and without items.
fn pages() -> Vec<Row> {
    let mut pages: Vec<Row> = (SITES.iter())
        .flat_map(|site| site.daily_articles(12))
        .map(|page| Row {
            fetched_at: page.fetched_at.map(|time| time + 123_456),
            ..page
        })
        .collect();
    let last = pages[11].clone();
    let again = Row {
        request_url: Some("http://t.example/žluťoučký?\"x\"=1".to_owned()),
        ..last.after(1, 5)
    };
    let mislabelled = Row {
        url: Some(SITES[0].url(40)),
        html: Some("<p>Žluťoučký kůň úpěl — 日本語 👍</p>\r\n<p>a\tb</p>".into()),
        http_charset: Some("no-such-charset".to_owned()),
        ..last.after(1, 6)
    };
    let missing = Row {
        url: None,
        ..last.after(1, 7)
    };
    let not_found = Row {
        http_status: Some(404),
        url: Some(SITES[1].url(41)),
        ..last.after(1, 8)
    };
    pages.extend([again, mislabelled, missing, not_found]);
    pages
}

#[test]
fn duckdb_and_deltalake_read_the_rows_of_urltree_sql() {
    let Some(python) = python("deltalake, duckdb, duckdb_ext, pyarrow") else {
        return;
    };
    let mut job = Job::of(&pages()).with("output.write=blocks");
    job.backfill("2011-10-01..2011-10-31");
    assert_seen_alike(&python, &job, "a first run");
    let documents = job.rows("SELECT warnings FROM documents");
    assert!(
        documents.contains(&json!({"warnings": []})),
        "{documents:?}"
    );
    assert!(
        documents.iter().any(|row| row["warnings"] != json!([])),
        "{documents:?}"
    );

    // On some dates, one page is gone and another has changed.
    let mut fewer = pages();
    fewer.retain(|page| page.url.as_deref() != Some(&SITES[1].url(3)));
    fewer[2].html = Some("<p>It says something else now.</p>".into());
    write(&job.archive("pages.parquet"), &fewer);
    let before = job.row("SELECT count(*) AS n FROM documents");
    job.backfill("2011-10-03..2011-10-05");
    assert_ne!(job.row("SELECT count(*) AS n FROM documents"), before);
    assert_seen_alike(&python, &job, "partitions replaced");

    let by_year = job.path("by-year");
    job = job
        .writing("by-year", by_year)
        .with("output.partition=year");
    job.backfill("2011-01-01..2011-12-31");
    assert_seen_alike(&python, &job, "by year");
    job.backfill("2011-01-01..2011-12-31");
    assert_seen_alike(&python, &job, "by year, replaced");
}

#[test]
fn duckdb_columns_are_those_of_the_schemas() {
    let Some(python) = python("deltalake, duckdb, duckdb_ext, pyarrow") else {
        return;
    };
    for (partition, column, dates) in [
        ("day", None, "2011-10-01..2011-10-31"),
        ("month", Some("month"), "2011-10-01..2011-10-31"),
        ("year", Some("year"), "2011-01-01..2011-12-31"),
    ] {
        let job = Job::of(&pages())
            .with("output.write=blocks")
            .with(&format!("output.partition={partition}"));
        job.backfill(dates);
        let seen = read(&python, job.tables());
        for table in TABLES {
            let of = |reader: &str| &seen.columns[&(reader.to_owned(), table.to_owned())];
            let mut promised = of("schema").clone();
            promised.extend(column.map(|name| json!([name, "VARCHAR"])));
            assert_eq!(of("duckdb"), &promised, "{table} by {partition}");
        }
    }
}
