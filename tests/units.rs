//! Work that is cut by site: buckets, and shares of several processes.

use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use crate::support::busy::{FIRST, HALF, busy_archive};
use crate::support::{Finished, Job, Snapshot, assert_same, contents, files};

/// A small window, so that pages are evicted on most days.
const SETTINGS: [&str; 5] = [
    "window.max_pages=30",
    "window.max_age=5d",
    "window.min_pages=10",
    "output.write=blocks",
    "run.threads=1",
];

const SIGKILL: i32 = 9;

fn job(archive: &Path) -> Job {
    let job = Job::new().reading(archive);
    SETTINGS.iter().fold(job, |job, setting| job.with(setting))
}

fn archive() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(folder.path());
    folder
}

fn range() -> String {
    format!("{FIRST}..{HALF}")
}

fn expected(archive: &Path) -> Snapshot {
    let job = job(archive);
    job.run(&range());
    contents(&job)
}

/// Starts a share of the backfill, which dies at a fail point if one is given.
fn start(job: &Job, share: &str, dies_at: Option<&str>) -> std::process::Child {
    let dates = range();
    let words = ["--dates", &dates, "--units", share];
    let point = dies_at.map(|point| format!("KILL@{point}"));
    job.start("backfill", &words, point.as_deref())
}

fn share(job: &Job, share: &str) -> Finished {
    let done = Finished::wait(start(job, share, None));
    assert_eq!(done.code, Some(0), "{share}: {}", done.stderr);
    done
}

/// The objects of units that are done.
fn manifests(job: &Job) -> Vec<PathBuf> {
    let folder = job.tables().join("_units");
    if !folder.exists() {
        return Vec::new();
    }
    let all = files(&folder).into_iter().map(|file| folder.join(file));
    all.filter(|file| !file.ends_with("units.json")).collect()
}

/// Asserts that nothing waits for a commit.
fn assert_nothing_staged(job: &Job) {
    for folder in ["_units", "_staged"] {
        let folder = job.tables().join(folder);
        if folder.exists() {
            assert_eq!(files(&folder), Vec::<PathBuf>::new());
        }
    }
}

#[test]
fn buckets_change_no_row() {
    let archive = archive();
    let chunks = &["run.buckets=2", "run.chunk_bytes=300KB"][..];
    let many = &["run.buckets=16", "run.threads=2"];
    for (settings, cuts) in [
        (&[][..], &[&["run.buckets=3"][..], many, chunks][..]),
        (&["dedup.revisions=true"], &[chunks]),
        (&["paper.batching=run"], &[chunks]),
    ] {
        let with = |more: &[&str]| {
            let all = settings.iter().chain(more);
            all.fold(job(archive.path()), |job, setting| job.with(setting))
        };
        let one = with(&[]);
        one.run(&range());
        let one = contents(&one);
        for more in cuts {
            let cut = with(more);
            cut.run(&range());
            cut.assert_accounts();
            assert_same(&one, &contents(&cut), &format!("{settings:?} {more:?}"));
            assert_nothing_staged(&cut);
        }
    }
}

#[test]
fn nights_with_buckets_are_a_backfill() {
    let archive = archive();
    let nights = job(archive.path());
    for (dates, buckets) in [
        (format!("{FIRST}..2011-10-13"), 3),
        ("2011-10-14".to_owned(), 1),
        ("2011-10-15".to_owned(), 5),
        (format!("2011-10-16..{HALF}"), 2),
    ] {
        let setting = format!("run.buckets={buckets}");
        let words = ["--dates", &dates, "--set", &setting];
        let night = nights.command("backfill", &words);
        assert_eq!(night.code, Some(0), "{}", night.stderr);
    }
    nights.assert_accounts();
    assert_same(&expected(archive.path()), &contents(&nights), "nights");
}

#[test]
fn three_processes_of_which_one_is_killed_are_one_backfill() {
    let archive = archive();
    let expected = expected(archive.path());
    for format in ["delta", "parquet"] {
        let job = job(archive.path())
            .with(&format!("output.format={format}"))
            .with("run.buckets=6");
        let shares = [
            start(&job, "1/3", None),
            start(&job, "2/3", Some("unit#2")),
            start(&job, "3/3", None),
        ];
        let [one, two, three] = shares.map(Finished::wait);
        assert_eq!(one.code, Some(0), "{}", one.stderr);
        assert_eq!(two.signal, Some(SIGKILL), "{two:?}");
        assert_eq!(three.code, Some(0), "{}", three.stderr);
        assert_eq!(manifests(&job).len(), 5, "{format}");
        assert!(
            !job.tables().join("documents/_delta_log").exists(),
            "a share makes no table"
        );
        let rest = job.backfill(&range());
        assert!(rest.stderr.contains("unit 5/6 is done"), "{}", rest.stderr);
        assert_eq!(rest.stderr.matches("is done").count(), 1, "{}", rest.stderr);
        job.assert_accounts();
        assert_same(&expected, &contents(&job), format);
        if format == "delta" {
            assert_nothing_staged(&job);
        } else {
            // The file of the killed process may be that of one that lives.
            assert!(manifests(&job).is_empty());
        }
    }
}

#[test]
fn a_share_that_runs_again_does_what_is_left() {
    let archive = archive();
    let job = job(archive.path());
    let killed = Finished::wait(start(&job, "1/1", Some("unit.staged#1")));
    assert_eq!(killed.signal, Some(SIGKILL), "{killed:?}");
    let report = |words: &[&str]| -> Value {
        let done = job.command("backfill", words);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        serde_json::from_str(&done.stdout).expect("JSON")
    };
    let dates = range();
    let words = ["--dates", &dates, "--units", "2/2", "--format", "json"];
    // The number of units is that of the first process, whatever later ones want.
    let second = report(&words);
    assert_eq!(
        (&second["units"], &second["units_done"]),
        (&1.into(), &0.into())
    );
    let first = report(&["--dates", &dates, "--units", "1/2", "--format", "json"]);
    assert_eq!(first["units_done_before"], 1);
    job.run(&range());
    assert_same(&expected(archive.path()), &contents(&job), "one unit");
}

#[test]
fn a_run_that_was_killed_continues_with_its_units() {
    let archive = archive();
    let expected = expected(archive.path());
    for (point, units_left) in [
        ("unit#3", 3), // The third unit is written, and has no manifest.
        ("unit.staged#3", 2),
        ("staged#1", 0),
        ("committed.documents#1", 0),
        ("commit.runs#1", 0),
    ] {
        let job = job(archive.path()).with("run.buckets=5");
        let job = job.with("run.heartbeat=200ms");
        let dates = range();
        let point_of = format!("KILL@{point}");
        let killed = job.start("backfill", &["--dates", &dates], Some(&point_of));
        let killed = Finished::wait(killed);
        assert_eq!(killed.signal, Some(SIGKILL), "{point}: {killed:?}");
        let rest = job.backfill(&dates);
        let done = rest.stderr.matches("is done").count();
        assert_eq!(done, units_left, "{point}: {}", rest.stderr);
        job.assert_accounts();
        assert_same(&expected, &contents(&job), point);
        assert_nothing_staged(&job);
    }
}

/// The files of units are moved into the folders of the tables when they are committed.
#[test]
fn units_of_plain_folders_survive_kills_of_a_commit() {
    let archive = archive();
    let expected = expected(archive.path());
    for point in [
        "unit.staged#1",
        "published.url_keys#1",
        "committed.url_keys#1",
        "published.runs#1",
        "commit.runs#1",
    ] {
        let job = job(archive.path())
            .with("output.format=parquet")
            .with("run.buckets=2")
            .with("run.heartbeat=200ms");
        let dates = range();
        let point_of = format!("KILL@{point}");
        let killed = job.start("backfill", &["--dates", &dates], Some(&point_of));
        let killed = Finished::wait(killed);
        assert_eq!(killed.signal, Some(SIGKILL), "{point}: {killed:?}");
        job.run(&dates);
        assert_same(&expected, &contents(&job), point);
        for table in ["documents", "url_keys", "runs"] {
            let found = parquet_files(&job.tables().join(table));
            let listed = job.lines(&format!("SELECT count(*) AS files FROM {table}"));
            assert_eq!(rows_of(&found), number(&listed), "{table} at {point}");
        }
    }
}

/// The data files of a plain folder.
fn parquet_files(folder: &Path) -> Vec<PathBuf> {
    let all = files(folder).into_iter().map(|file| folder.join(file));
    let is_data = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "parquet");
    let data = all.filter(is_data);
    data.filter(|file| !file.to_string_lossy().contains("_delta_log"))
        .collect()
}

fn rows_of(files: &[PathBuf]) -> i64 {
    let rows = files.iter().map(|file| {
        let file = std::fs::File::open(file).expect("a data file");
        let reader = SerializedFileReader::new(file).expect("a Parquet file");
        reader.metadata().file_metadata().num_rows()
    });
    rows.sum()
}

fn number(lines: &[String]) -> i64 {
    let line: Value = serde_json::from_str(&lines[0]).expect("JSON");
    line["files"].as_i64().expect("a number")
}

#[test]
fn units_of_other_tables_or_pages_are_not_used() {
    let archive = archive();
    let mut job = job(archive.path()).with("run.buckets=2");
    share(&job, "1/1");
    assert_eq!(manifests(&job).len(), 2);
    // Other settings are another request.
    job.set("dedup.revisions=true");
    let other = job.backfill(&range());
    assert_eq!(
        other.stderr.matches("is done").count(),
        2,
        "{}",
        other.stderr
    );
    assert_eq!(manifests(&job).len(), 2, "the units of the other request");
    // These dates, from tables that have changed meanwhile.
    let words = ["--dates", "2011-10-20..2011-10-22", "--units", "1/1"];
    let done = job.command("backfill", &words);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    job.run("2011-10-19");
    let words = ["--dates", "2011-10-20..2011-10-22"];
    let run = job.command("backfill", &words);
    assert_eq!(run.stderr.matches("is done").count(), 2, "{}", run.stderr);
}

/// Changes the counts of a manifest.
fn lie(manifest: &Path) {
    let bytes = std::fs::read(manifest).expect("a manifest");
    let mut manifest_of: Value = serde_json::from_slice(&bytes).expect("JSON");
    manifest_of["counts"][0][3]["rows"] = 100_000.into();
    std::fs::write(manifest, manifest_of.to_string()).expect("a manifest");
}

/// Removes a data file of a manifest.
fn lose_file(job: &Job, manifest: &Path) {
    let bytes = std::fs::read(manifest).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&bytes).expect("JSON");
    let add = manifest["files"]["documents"][0].as_str().expect("a file");
    let add: Value = serde_json::from_str(add).expect("JSON");
    let path = add["path"].as_str().expect("a path");
    std::fs::remove_file(job.tables().join("documents").join(path)).expect("the file is there");
}

/// Changes a manifest, or a file that it names.
type Lie = fn(&Job, &Path);

#[test]
fn a_manifest_that_lies_is_no_unit() {
    let archive = archive();
    let expected = expected(archive.path());
    let lies: [(&str, Lie, usize); 3] = [
        ("counts", |_, manifest| lie(manifest), 3),
        ("a file", |job, manifest| lose_file(job, manifest), 1),
        (
            "no JSON",
            |_, manifest| std::fs::write(manifest, "{").expect("a file"),
            1,
        ),
    ];
    for (what, lie, again) in lies {
        let job = job(archive.path()).with("run.buckets=3");
        share(&job, "1/1");
        let manifest = manifests(&job).pop().expect("a manifest");
        lie(&job, &manifest);
        let run = job.backfill(&range());
        assert_eq!(
            run.stderr.matches("is done").count(),
            again,
            "{what}: {}",
            run.stderr
        );
        assert!(run.stderr.contains("again"), "{what}: {}", run.stderr);
        assert_same(&expected, &contents(&job), what);
    }
}

#[test]
fn a_vacuum_keeps_the_files_of_units() {
    let archive = archive();
    for format in ["delta", "parquet"] {
        let job = job(archive.path())
            .with(&format!("output.format={format}"))
            .with("run.buckets=2");
        job.run("2011-10-01");
        let dates = "2011-10-02..2011-10-10";
        let done = job.command("backfill", &["--dates", dates, "--units", "1/1"]);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let words = ["--delete", "--retention", "0s"];
        let vacuum = job.command("vacuum", &words);
        assert_eq!(vacuum.code, Some(0), "{}", vacuum.stderr);
        let run = job.backfill(dates);
        assert_eq!(
            run.stderr.matches("is done").count(),
            0,
            "{format}: {}",
            run.stderr
        );
        job.assert_accounts();
    }
}

#[test]
fn shares_need_as_many_buckets() {
    let archive = archive();
    let job = job(archive.path()).with("run.buckets=2");
    let dates = range();
    let refused = job.command("backfill", &["--dates", &dates, "--units", "1/4"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("run.buckets"), "{}", refused.stderr);
    let refused = job.command("backfill", &["--dates", &dates, "--units", "5/4"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("17/64"), "{}", refused.stderr);
}
