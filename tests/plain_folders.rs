//! `output.format = "parquet"`: the folders of the tables, read as Parquet files without the Delta log.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use arrow::array::AsArray;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use crate::claims::start_with;
use crate::support::{
    Finished, Job, Row, Site, Store, files, python, repository, signal, text, write,
};

const SITES: [Site; 2] = [
    Site {
        host: "www.gazette.example",
    },
    Site {
        host: "www.courier.example",
    },
];
const DATES: &str = "2011-10-20..2011-11-03";
const TABLES: [&str; 6] = [
    "blocks",
    "documents",
    "quarantine",
    "runs",
    "url_keys",
    "window_entries",
];

fn pages() -> Vec<Row> {
    let of = |site: &Site| site.daily_articles(34);
    let mut rows: Vec<Row> = SITES.iter().flat_map(of).skip(19).collect();
    let day = rows[3].clone();
    rows.push(Row {
        html: None,
        url: Some(SITES[0].url(800)),
        ..day
    });
    rows
}

fn job() -> Job {
    Job::of(&pages())
        .with("output.format=parquet")
        .with("output.write=blocks")
        .with("run.heartbeat=100ms")
}

/// Rows by partition, in all Parquet files of a table, as a reader sees them that lists files.
pub(crate) fn listed(tables: &Path, table: &str) -> BTreeMap<String, usize> {
    let mut rows = BTreeMap::new();
    for (partition, file) in data_files(tables, table) {
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a whole file");
        let count = reader.metadata().file_metadata().num_rows() as usize;
        *rows.entry(partition).or_insert(0) += count;
    }
    rows
}

fn data_files(tables: &Path, table: &str) -> Vec<(String, File)> {
    let mut found = Vec::new();
    if !tables.join(table).exists() {
        return found;
    }
    for path in files(&tables.join(table)) {
        let below = path.strip_prefix(tables.join(table)).expect("a path below");
        let partition = below.iter().next().expect("a folder").to_string_lossy();
        let Some((_, value)) = partition.split_once('=') else {
            continue;
        };
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(
            name.starts_with("part-") && name.ends_with(".parquet"),
            "{name}"
        );
        found.push((value.to_owned(), File::open(&path).expect("a file")));
    }
    found
}

/// Ids and texts of documents in all files.
fn listed_documents(tables: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (_, file) in data_files(tables, "documents") {
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a whole file");
        for batch in reader.build().expect("Parquet") {
            let batch = batch.expect("rows");
            let column = |name: &str| batch[name].as_string::<i32>().clone();
            let (ids, texts) = (column("document_id"), column("text"));
            let pairs = ids.iter().flatten().zip(texts.iter().flatten());
            found.extend(pairs.map(|(id, text)| (id.to_owned(), text.to_owned())));
        }
    }
    found.sort();
    found
}

/// Asserts that the files of each table have the rows of the table, once.
fn assert_plain(job: &Job, what: &str) {
    for table in TABLES {
        let counts = job.rows(&format!(
            "SELECT CAST(date AS VARCHAR) AS date, count(*) AS n FROM {table} GROUP BY date"
        ));
        let count = |row: &Value| {
            (
                text(row, "date"),
                row["n"].as_u64().expect("a number") as usize,
            )
        };
        let expected: BTreeMap<String, usize> = counts.iter().map(count).collect();
        assert!(!expected.is_empty(), "{what}: {table}");
        assert_eq!(listed(job.tables(), table), expected, "{what}: {table}");
    }
    let rows = job.rows("SELECT document_id, text FROM documents ORDER BY 1");
    let pair = |row: &Value| (text(row, "document_id"), text(row, "text"));
    let expected: Vec<_> = rows.iter().map(pair).collect();
    assert_eq!(listed_documents(job.tables()), expected, "{what}");
    // The monthly roll-ups have no other copies either.
    for table in ["first_pages", "windows", "parameters"] {
        let months = data_files(job.tables(), table);
        let months: Vec<&String> = months.iter().map(|(month, _)| month).collect();
        assert!(
            months.is_empty() || months == ["2011-10"],
            "{what}: {table} {months:?}"
        );
    }
}

#[test]
fn files_have_each_row_once_after_any_runs() {
    let mut job = job();
    job.backfill("2011-10-20..2011-10-31");
    assert_plain(&job, "a first run");
    job.backfill("2011-10-20..2011-10-31");
    assert_plain(&job, "the same dates again");
    let update = job.command("update", &[]);
    assert_eq!(update.code, Some(0), "{}", update.stderr);
    assert!(
        job.tables().join("windows/month=2011-10").exists(),
        "no roll-up"
    );
    assert_plain(&job, "an update");

    let mut fewer = pages();
    fewer.retain(|page| page.url.as_deref() != Some(&SITES[1].url(25)));
    write(&job.archive("pages.parquet"), &fewer);
    let before = listed_documents(job.tables()).len();
    job.backfill("2011-10-25..2011-10-27");
    assert_plain(&job, "fewer pages");
    assert_eq!(listed_documents(job.tables()).len(), before - 1);

    job.set("tree.relabel_days=2");
    let words = ["--dates", "2011-11-01..2011-11-03", "--change-settings"];
    let relabelled = job.command("backfill", &words);
    assert_eq!(relabelled.code, Some(0), "{}", relabelled.stderr);
    assert_plain(&job, "relabelled dates");
    job.set("run.chunk_bytes=1kB");
    job.set("tree.relabel_days=0");
    let words = ["--dates", DATES, "--change-settings"];
    let chunks = job.command("backfill", &words);
    assert_eq!(chunks.code, Some(0), "{}", chunks.stderr);
    assert_plain(&job, "many chunks");
    job.assert_accounts();
}

#[test]
fn files_of_a_killed_run_are_hidden_or_removed_by_the_next() {
    let expected = job();
    expected.backfill(DATES);
    let expected = listed_documents(expected.tables());
    for (point, both) in [
        ("staged#1", false),
        ("published.url_keys#1", false),
        ("published.documents#1", true),
        ("committed.window_entries#1", false),
        ("published.runs#1", false),
        ("removed.runs#1", false),
        ("commit.runs#1", false),
    ] {
        let job = job();
        job.backfill(DATES);
        let words = ["--dates", DATES];
        let child = job.start("backfill", &words, Some(&format!("KILL@{point}")));
        let killed = Finished::wait(child);
        assert_eq!(killed.signal, Some(9), "{point}: {killed:?}");
        let seen = listed_documents(job.tables());
        // Tables are committed together, so others may be between their two steps as well.
        if point.ends_with("documents#1") {
            assert_eq!(seen.len() == 2 * expected.len(), both, "{point}");
        } else if point.starts_with("staged") {
            assert!(seen == expected, "{point}");
            assert!(!files(&job.tables().join("_staged")).is_empty());
        }
        job.backfill(DATES);
        assert_plain(&job, point);
        assert!(listed_documents(job.tables()) == expected, "{point}");
        let staged = job.tables().join("_staged");
        assert!(!staged.exists() || files(&staged).is_empty(), "{point}");
    }
}

#[test]
fn vacuum_removes_the_files_of_a_killed_run_too() {
    let job = job();
    job.backfill(DATES);
    let words = ["--dates", DATES];
    let child = job.start("backfill", &words, Some("KILL@published.documents#1"));
    assert_eq!(Finished::wait(child).signal, Some(9));
    let vacuum = job.command("vacuum", &["--delete"]);
    assert_eq!(vacuum.code, Some(0), "{}", vacuum.stderr);
    // The dates are not complete, but no row of `documents` is there twice.
    let rows = job.row("SELECT count(*) AS n FROM documents");
    assert_eq!(rows, json!({"n": listed_documents(job.tables()).len()}));
    assert!(!job.tables().join("_staged").exists());
}

#[test]
fn a_run_that_was_taken_over_leaves_no_file() {
    for point in ["checked.documents#1", "published.documents#1", "staged#1"] {
        let job = job();
        job.backfill(DATES);
        let mut asleep = start_with(&job, &["--dates", DATES], &format!("STOP@{point}"));
        job.backfill(DATES);
        signal(&asleep, "CONT");
        drop(asleep.stdin.take());
        let awake = Finished::wait(asleep);
        assert_eq!(awake.code, Some(4), "{point}: {}", awake.stderr);
        assert_plain(&job, point);
    }
}

#[test]
fn tables_become_plain_folders_with_their_next_run_and_back() {
    let mut job = job().with("output.format=delta");
    job.backfill(DATES);
    job.backfill("2011-10-21");
    let doubled = listed(job.tables(), "documents");
    assert_eq!(doubled["2011-10-21"], 4, "Delta keeps replaced files");
    job.set("output.format=parquet");
    job.backfill("2011-10-22");
    assert_plain(&job, "after Delta");
    job.set("output.format=delta");
    job.backfill("2011-10-22");
    assert_eq!(listed(job.tables(), "documents")["2011-10-22"], 4);
    let unknown = job.with("output.format=csv").refused(DATES, 2);
    assert!(unknown.contains("expected delta or parquet"), "{unknown}");
}

#[test]
fn folders_in_s3_have_each_row_once() {
    let store = Store::new(&pages());
    let job = store
        .job()
        .with("output.format=parquet")
        .with("output.write=blocks");
    job.backfill(DATES);
    job.backfill(DATES);
    assert_plain(&job, "in S3");
    assert!(store.asked("PUT", ["/text/tables/_staged/documents/", ".parquet"]) > 0);
    assert!(
        files(&store.tables())
            .iter()
            .all(|path| !path.to_string_lossy().contains("_staged"))
    );
}

#[test]
fn duckdb_pyarrow_and_hugging_face_read_the_folders_without_the_log() {
    let Some(python) = python("datasets, duckdb, pyarrow") else {
        return;
    };
    let job = job();
    job.backfill("2011-10-20..2011-10-31");
    let update = job.command("update", &[]);
    assert_eq!(update.code, Some(0), "{}", update.stderr);
    // After ten commits the log has a checkpoint, which is a Parquet file too.
    for _ in 0..5 {
        job.run("2011-10-21");
        let words = ["--dates", "2011-10-21..2011-10-22"];
        let child = job.start("backfill", &words, Some("KILL@removed.documents#1"));
        assert_eq!(Finished::wait(child).signal, Some(9));
    }
    job.backfill("2011-10-21..2011-10-22");
    let output = Command::new(python)
        .arg(repository().join("tests/elsewhere/folders.py"))
        .arg(job.tables().join("documents"))
        .env("HF_HUB_OFFLINE", "1")
        .env("HF_HOME", job.path("hugging-face"))
        .output()
        .expect("the interpreter can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let read: Value = serde_json::from_slice(&output.stdout).expect("a JSON object");
    let rows = job.rows(
        "SELECT document_id, CAST(date AS VARCHAR) AS date, domain, text FROM documents \
         ORDER BY document_id",
    );
    assert_eq!(read["duckdb"], json!(rows));
    assert_eq!(read["pyarrow"], json!(rows));
    assert_eq!(read["hugging face"], json!(rows));
    assert_eq!(
        read["type of date"],
        json!({"duckdb": "DATE", "pyarrow": "date32[day]"})
    );
}
