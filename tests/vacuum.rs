//! `urltree vacuum`: removal of data files that no table references.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::chaos::{Expected, SETTINGS, job, run_with};
use crate::support::{Finished, Job, assert_same, contents};

const DATES: &str = "2011-10-01..2011-10-03";

/// All Parquet files of the tables.
fn data_files(job: &Job) -> BTreeSet<PathBuf> {
    fn walk(folder: &Path, found: &mut BTreeSet<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("_delta_log") {
                walk(&path, found);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "parquet")
            {
                found.insert(path);
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(job.tables(), &mut found);
    found
}

fn vacuum(job: &Job, arguments: &[&str]) -> Value {
    let finished = job.command("vacuum", &[arguments, &["--format", "json"]].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("one JSON object")
}

/// Files that the report lists with this cause, of all tables.
fn files(report: &Value, cause: &str) -> BTreeSet<String> {
    let tables = report["tables"].as_object().expect("tables");
    let mut paths = BTreeSet::new();
    for (table, causes) in tables {
        let found = causes[cause]["paths"].as_array().expect("paths");
        assert_eq!(causes[cause]["files"], found.len());
        paths.extend(
            (found.iter()).map(|path| format!("{table}/{}", path.as_str().expect("a path"))),
        );
    }
    paths
}

/// Paths, relative to the tables, that are in `before` and not in `after`.
fn gone(job: &Job, before: &BTreeSet<PathBuf>, after: &BTreeSet<PathBuf>) -> BTreeSet<String> {
    let below = |path: &PathBuf| {
        let path = path
            .strip_prefix(job.tables())
            .expect("a path below the tables");
        path.to_string_lossy().into_owned()
    };
    before.difference(after).map(below).collect()
}

fn kill(job: &Job, command: &str, arguments: &[&str], point: &str) {
    let child = job.start(command, arguments, Some(&format!("KILL@{point}")));
    let finished = Finished::wait(child);
    assert_eq!(finished.signal, Some(9), "{finished:?}");
}

#[test]
fn uncommitted_and_replaced_files_are_reported_apart_and_deleted() {
    let job = job();
    job.run(DATES);
    let needed = data_files(&job);
    let nothing = vacuum(&job, &["--retention", "0s"]);
    assert!(
        files(&nothing, "never_committed").is_empty() && files(&nothing, "replaced").is_empty()
    );

    kill(&job, "backfill", &["--dates", "2011-10-02"], "begin#1");
    let staged = gone(&job, &data_files(&job), &needed);
    assert!(staged.len() >= 5, "{staged:?}");
    let found = vacuum(&job, &["--retention", "0s"]);
    assert_eq!(files(&found, "never_committed"), staged);
    assert!(files(&found, "replaced").is_empty());

    job.run(DATES);
    let before = data_files(&job);
    let tables = contents(&job);
    let found = vacuum(&job, &["--retention", "0s"]);
    assert_eq!(found["deleted"], false);
    assert_eq!(data_files(&job), before, "a report deletes nothing");
    let replaced = files(&found, "replaced");
    assert_eq!(replaced.len(), needed.len());

    let deleted = vacuum(&job, &["--retention", "0s", "--delete"]);
    assert_eq!(deleted["deleted"], true);
    let after = data_files(&job);
    let found: BTreeSet<_> = staged.union(&replaced).cloned().collect();
    assert_eq!(gone(&job, &before, &after), found);
    assert_eq!(after.len(), needed.len());
    assert_same(&tables, &contents(&job), "after vacuum");
    job.assert_accounts();
    let nothing = job.command("vacuum", &["--retention", "0s"]);
    assert!(nothing.stdout.contains("to delete  0 files"), "{nothing:?}");
}

#[test]
fn files_of_others_are_neither_deleted_nor_mixed_with_tables() {
    let job = job();
    let foreign = job.tables().join("documents/date=2011-10-01/mine.parquet");
    std::fs::create_dir_all(foreign.parent().expect("a folder")).expect("a folder");
    std::fs::write(&foreign, "mine").expect("a file");
    let refused = job.refused(DATES, 3);
    assert!(
        refused.contains("date=2011-10-01/mine.parquet, a file that is not of urltree"),
        "{refused}"
    );

    std::fs::remove_file(&foreign).expect("a file");
    job.run(DATES);
    std::fs::write(&foreign, "mine").expect("a file");
    let deleted = vacuum(&job, &["--retention", "0s", "--delete"]);
    assert_eq!(files(&deleted, "never_committed"), BTreeSet::new());
    assert!(foreign.exists());
}

#[test]
fn files_younger_than_the_retention_are_kept() {
    let job = job();
    job.run(DATES);
    job.run(DATES);
    kill(&job, "backfill", &["--dates", "2011-10-02"], "begin#1");
    let before = data_files(&job);
    for arguments in [&["--delete"][..], &["--delete", "--retention", "1h"]] {
        let report = vacuum(&job, arguments);
        assert!(files(&report, "never_committed").is_empty());
        assert!(files(&report, "replaced").is_empty());
    }
    assert_eq!(data_files(&job), before);

    // Now the staged files are old. The replaced files are old too, but were replaced just
    // now, so a reader may still use them.
    let old = SystemTime::now() - Duration::from_secs(7200);
    for path in &before {
        let file = std::fs::File::options().write(true).open(path);
        file.and_then(|file| file.set_modified(old))
            .expect("a file");
    }
    let report = vacuum(&job, &["--delete", "--retention", "1h"]);
    assert!(files(&report, "replaced").is_empty());
    let staged = files(&report, "never_committed");
    assert!(staged.len() >= 5, "{staged:?}");
    assert_eq!(gone(&job, &before, &data_files(&job)), staged);

    let refused = job.command("vacuum", &["--retention", "8d"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("--retention"), "{refused:?}");
}

/// A killed run leaves a temporary file for each file that it was writing on a disk.
#[test]
fn partly_written_files_are_found_on_disk() {
    let job = job();
    job.run("2011-10-01");
    let part =
        "date=2011-10-02/part-00000-2b0a4e3c-5d0f-4a3c-9f57-0c4c7e0b7a11-c000.zstd.parquet#1";
    let path = job.tables().join("documents").join(part);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, [0; 1000]).expect("a file");
    assert!(
        files(
            &vacuum(&job, &["--delete", "--retention", "1h"]),
            "never_committed"
        )
        .is_empty()
    );
    assert!(path.exists());
    let found = files(
        &vacuum(&job, &["--delete", "--retention", "0s"]),
        "never_committed",
    );
    assert_eq!(found, BTreeSet::from([format!("documents/{part}")]));
    assert!(!path.exists());
    job.assert_accounts();
}

#[test]
fn a_killed_vacuum_leaves_the_tables_unchanged() {
    let expected = Expected::new();
    let job = job();
    for settings in SETTINGS {
        let finished = job.command("backfill", &run_with(settings));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    }
    let mut fired = 0;
    for point in ["claimed#1", "deleted#1", "deleted#7", "finish#1"] {
        kill(&job, "vacuum", &["--delete", "--retention", "0s"], point);
        fired += 1;
        expected.assert_tables(1, &job);
    }
    assert_eq!(fired, 4);
    assert!(files(&vacuum(&job, &["--retention", "0s"]), "replaced").is_empty());
    assert_eq!(
        job.command("backfill", &run_with(SETTINGS[0])).code,
        Some(0)
    );
}

#[test]
fn vacuum_without_tables_finds_nothing() {
    let job = job();
    let finished = job.command("vacuum", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(!job.has_tables());
}
