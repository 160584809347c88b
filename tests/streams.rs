//! Seventeen real sites, all their years in one run.

mod nights;
mod rearranged;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};

use crate::support::{Job, kept, shared, text};

const YEARS: &str = "1997-01-01..2023-12-31";
const SITES: usize = 17;

/// Tables by name as CSV: one line per row, for `blocks` one line per page.
type Tables = BTreeMap<&'static str, String>;

/// Sums per page over the 1.6 million blocks of the sites, instead of the blocks
/// themselves. The sums change if a block changes or two blocks swap places.
/// (`window_entries` has the hashes of the blocks, `documents` their text.)
const BLOCKS: &str = "SELECT domain, fetched_at, url_key, count(*) AS blocks, \
     sum(place * length(text)) AS text, sum(place * link_chars) AS link_chars, \
     sum(place * length(slot)) AS slot, sum(CASE WHEN chrome THEN place ELSE 0 END) AS chrome, \
     sum(CASE label WHEN 'content' THEN place ELSE 0 END) AS content, \
     sum(place * count) AS counts, sum(place * support) AS supports, \
     sum(place * length(node)) AS nodes, min(hash) AS least, max(hash) AS greatest \
     FROM (SELECT *, (ordinal + 7) * (ordinal + 7) AS place FROM blocks) \
     GROUP BY domain, fetched_at, url_key ORDER BY domain, fetched_at, url_key";

/// The sites and the job of the first run, whose tables several tests read. `None` if the sites are
/// missing.
pub(crate) fn first_run() -> Option<(PathBuf, Job)> {
    let streams = shared("data/streams")?;
    let tables = kept("streams", |folder| {
        into(job(&streams), folder.join("tables")).backfill(YEARS);
    });
    let job = into(job(&streams), tables.join("tables"));
    Some((streams, job))
}

fn into(job: Job, tables: PathBuf) -> Job {
    let location = tables.to_string_lossy().into_owned();
    job.writing(&location, tables)
}

fn job(archive: &Path) -> Job {
    Job::new()
        .reading(archive)
        .with("output.partition=year")
        .with("output.write=blocks")
}

/// The condition for all sites.
const ALL: &str = "true";

/// The site with two thirds of all pages.
const BIGGEST: &str = "angrybearblog";

/// Every table in a total order, without the columns that name an archive position. `sites` is a condition.
fn tables(job: &Job, sites: &str) -> Tables {
    let blocks = BLOCKS.replace(") GROUP BY", &format!(") WHERE {sites} GROUP BY"));
    [
        (
            "documents",
            format!(
                "SELECT * FROM documents WHERE {sites} ORDER BY domain, fetched_at, url, url_key"
            ),
        ),
        (
            "window_entries",
            format!("SELECT * FROM window_entries WHERE {sites} ORDER BY domain, ordinal"),
        ),
        (
            "url_keys",
            format!(
                "SELECT * EXCEPT (source, row, duplicate_of) FROM url_keys WHERE {sites} \
                 ORDER BY domain, fetched_at, url, status"
            ),
        ),
        (
            "quarantine",
            "SELECT * FROM quarantine ORDER BY source, row".to_owned(),
        ),
        ("blocks", blocks),
    ]
    .map(|(table, sql)| (table, job.sql("csv", &sql)))
    .into()
}

fn assert_same_tables(expected: &Tables, found: &Tables, what: &str) {
    for (table, rows) in expected {
        let others = &found[table];
        if rows == others {
            continue;
        }
        let mut pairs = rows.lines().zip(others.lines()).zip(1..);
        let first = pairs.find(|((row, other), _)| row != other);
        panic!(
            "{what}: `{table}` has {} lines and {}, the first that differ: {first:?}",
            rows.lines().count(),
            others.lines().count(),
        );
    }
}

/// The Parquet files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "parquet"));
    files.sort();
    files
}

fn rows_of(file: &Path) -> i64 {
    let file = File::open(file).expect("the file is there");
    let reader = SerializedFileReader::new(file).expect("the file is Parquet");
    reader.metadata().file_metadata().num_rows()
}

#[test]
fn every_row_of_real_sites_is_accounted_for() {
    let Some((streams, job)) = first_run() else {
        return;
    };
    let files = files(&streams);
    assert_eq!(files.len(), SITES);
    for file in &files {
        let name = file.file_name().expect("a name").to_string_lossy();
        let keyed = job.row(&format!(
            "SELECT count(*) AS rows FROM url_keys WHERE source = '{name}'"
        ));
        assert_eq!(keyed["rows"], rows_of(file), "{name}: one key per row");
    }
    let unique = "SELECT count(*) AS pages, count(DISTINCT domain || ' ' || url_key) AS keys";
    let documents = job.row(&format!("{unique} FROM documents"));
    let keys = job.row(&format!("{unique} FROM url_keys WHERE status = 'unique'"));
    assert_eq!(documents, keys, "one document per unique page");
    assert_eq!(documents["pages"], documents["keys"], "no key twice");
    assert_eq!(
        job.row("SELECT count(*) AS rows FROM quarantine"),
        json!({"rows": 0})
    );
    let dates = job.row("SELECT min(date) AS first, max(date) AS last, count(*) AS days FROM runs");
    let pages =
        "SELECT min(date) AS first, max(date) AS last, count(DISTINCT date) AS days FROM url_keys";
    assert_eq!(dates, job.row(pages), "a row for each date with pages");
    let pages = job.row("SELECT min(fetched_at) AS first, max(fetched_at) AS last FROM url_keys");
    assert!(text(&pages, "first").starts_with("1997-01-11"), "{pages}");
    assert!(text(&pages, "last").starts_with("2023-06-14"), "{pages}");
}

#[test]
fn real_pages_have_text() {
    let Some((_, job)) = first_run() else {
        return;
    };
    // An article that a site published at two URLs repeats all its blocks, so all of them
    // are boilerplate by definition. Equal title and number of blocks identify such pages.
    let sites = job.rows(
        "SELECT domain, count(*) AS pages, \
           sum(CASE WHEN text = '' THEN 1 ELSE 0 END) AS empty, \
           sum(CASE WHEN text = '' AND copies = 1 THEN 1 ELSE 0 END) AS empty_and_single \
         FROM (SELECT *, count(*) OVER (PARTITION BY domain, title, blocks) AS copies FROM documents) \
         GROUP BY domain ORDER BY domain",
    );
    assert_eq!(sites.len(), SITES);
    let number = |site: &Value, column: &str| site[column].as_u64().unwrap_or(u64::MAX);
    let poor: Vec<_> = (sites.iter())
        .filter(|site| 100 * number(site, "empty_and_single") > number(site, "pages"))
        .collect();
    assert!(
        poor.is_empty(),
        "more than 1 % without text: {poor:#?}\nof {sites:#?}"
    );
    let total = |column| sites.iter().map(|site| number(site, column)).sum::<u64>();
    let (empty, pages) = (total("empty"), total("pages"));
    assert!(
        500 * empty <= pages,
        "{empty} of {pages} pages without text: {sites:#?}"
    );
}

#[test]
fn threads_memory_chunks_and_row_order_change_no_row() {
    let Some((streams, first)) = first_run() else {
        return;
    };
    // Just above the least memory of two threads. All sorts spill to disk.
    let mut narrow = (job(&streams).with("run.threads=2")).with("run.memory_limit=17MB");
    assert!(chunks_of(&narrow) <= 10);
    // The queries of this test aggregate whole tables, and have the memory of the job too.
    narrow.set("run.memory_limit=1GiB");
    assert_same_tables(
        &tables(&first, ALL),
        &tables(&narrow, ALL),
        "17 MB of memory",
    );
    let folder = tempfile::tempdir().expect("a folder for the archive");
    let mut others = files(&streams);
    others.retain(|file| !file.ends_with("angrybear.parquet"));
    rearranged::rearrange(&others, folder.path());
    assert!(files(folder.path()).len() > 4);
    let backwards = (job(folder.path()).with("run.threads=1")).with("run.chunk_bytes=15MB");
    assert!(chunks_of(&backwards) > 10);
    let what = "rows in reverse in other files, one thread, chunks";
    let others = format!("domain NOT LIKE '%{BIGGEST}%'");
    let (expected, found) = (tables(&first, &others), tables(&backwards, &others));
    assert!(expected["documents"].lines().count() > 4000);
    assert_same_tables(&expected, &found, what);
}

/// Runs all years. Returns the number of chunks.
fn chunks_of(job: &Job) -> usize {
    let finished = job.backfill(YEARS);
    let lines = finished.stderr.lines();
    lines.filter(|line| line.contains(" committed, ")).count()
}

#[test]
fn a_second_run_writes_the_same_rows() {
    let Some(streams) = shared("data/streams") else {
        return;
    };
    // Two sites are enough.
    let folder = tempfile::tempdir().expect("a folder for the archive");
    for site in ["vlaamserap.parquet", "lerosua.parquet"] {
        std::fs::copy(streams.join(site), folder.path().join(site)).expect("the site is there");
    }
    let job = job(folder.path());
    job.backfill(YEARS);
    let (expected, before) = (tables(&job, ALL), versions(&job));
    job.backfill(YEARS);
    assert_same_tables(&expected, &tables(&job, ALL), "again");
    for ((table, before), (_, after)) in before.iter().zip(versions(&job)) {
        // `quarantine` is empty. A run removes its dates from `runs` first and adds them
        // again last.
        let commits = match *table {
            "quarantine" => 0,
            "runs" => 2,
            _ => 1,
        };
        assert_eq!(after, before + commits, "versions of `{table}`");
    }
}

/// Number of commits in the log of each table.
fn versions(job: &Job) -> Vec<(&'static str, usize)> {
    [
        "documents",
        "url_keys",
        "window_entries",
        "blocks",
        "runs",
        "quarantine",
    ]
    .map(|table| {
        let log = job.path("tables").join(table).join("_delta_log");
        let entries = std::fs::read_dir(log).expect("the log is there");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let commits = names.filter(|name| name.to_string_lossy().ends_with(".json"));
        (table, commits.count())
    })
    .into()
}
