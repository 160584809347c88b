//! Reads whole tables and compares them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Job;

/// The rows of every table but `runs`, as sorted lines of JSON.
pub(crate) type Snapshot = BTreeMap<&'static str, Vec<String>>;

const TABLES: [&str; 8] = [
    "documents",
    "url_keys",
    "window_entries",
    "quarantine",
    "blocks",
    "links",
    "site_blocks",
    "url_parameters",
];

/// Everything a job wrote. `blocks`, `links` and `site_blocks` are included if the job writes them.
pub(crate) fn contents(job: &Job) -> Snapshot {
    snapshot(job, |_| "*")
}

/// Everything a job wrote, without the columns that name an archive position.
pub(crate) fn contents_anywhere(job: &Job) -> Snapshot {
    snapshot(job, |table| match table {
        "url_keys" => "* EXCEPT (source, row, duplicate_of)",
        "quarantine" => "* EXCEPT (source, row_group, row)",
        _ => "*",
    })
}

/// Writes the rows to a file, for [`load`].
pub(crate) fn save(tables: &Snapshot, file: &Path) {
    let text = serde_json::to_vec(tables).expect("JSON");
    std::fs::write(file, text).expect("a file");
}

/// Reads the rows that [`save`] wrote.
pub(crate) fn load(file: &Path) -> Snapshot {
    let text = std::fs::read(file).expect("a file");
    let tables: BTreeMap<String, _> = serde_json::from_slice(&text).expect("JSON");
    let named = tables
        .into_iter()
        .map(|(table, rows)| (&*table.leak(), rows));
    named.collect()
}

fn snapshot(job: &Job, columns: impl Fn(&str) -> &'static str) -> Snapshot {
    let there = TABLES
        .into_iter()
        .filter(|table| job.tables().join(table).exists());
    there
        .map(|table| {
            let mut lines = job.lines(&format!("SELECT {} FROM {table}", columns(table)));
            lines.sort_unstable();
            (table, lines)
        })
        .collect()
}

/// Fails with the first rows that only one of the two snapshots has.
pub(crate) fn assert_same(expected: &Snapshot, found: &Snapshot, what: &str) {
    if let Some(difference) = difference(expected, found) {
        panic!("{what}: {difference}");
    }
}

/// Describes how the tables differ, with some rows that only one side has. Returns
/// `None` if the tables are equal.
pub(crate) fn difference(expected: &Snapshot, found: &Snapshot) -> Option<String> {
    let tables = |snapshot: &Snapshot| snapshot.keys().copied().collect::<Vec<_>>();
    if tables(expected) != tables(found) {
        return Some(format!(
            "tables {:?} and {:?}",
            tables(expected),
            tables(found)
        ));
    }
    let differ = expected
        .iter()
        .filter(|(table, rows)| found[*table] != **rows);
    let lines: Vec<String> = differ
        .map(|(table, rows)| {
            let others = &found[table];
            format!(
                "`{table}` has {} rows and {}\nonly expected: {}\nonly found: {}",
                rows.len(),
                others.len(),
                only_in(rows, others),
                only_in(others, rows),
            )
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn only_in(rows: &[String], others: &[String]) -> String {
    let others: BTreeSet<_> = others.iter().collect();
    let rows: Vec<_> = rows.iter().filter(|row| !others.contains(row)).collect();
    let shown = rows.iter().take(2).map(|row| {
        let cut: String = row.chars().take(400).collect();
        format!("\n  {cut}")
    });
    format!("{}{}", rows.len(), shown.collect::<String>())
}
