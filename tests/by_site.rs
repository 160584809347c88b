//! Archives that are ordered by site, of which a unit reads its part, and what is kept of an archive.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::json;
use tempfile::TempDir;

use crate::objects::damage;
use crate::support::busy::{FIRST, HALF, LAST, busy_archive, busy_rows};
use crate::support::{
    Job, Row, Site, Store, assert_same, contents, files, micros, paragraph, write,
};

const DATES: &str = "2011-10-01";

/// `count` pages of 300 sites on one date, and five pages without a site.
fn rows(count: u64) -> Vec<Row> {
    let page = |number: u64| {
        let host = format!("www.site-{}.example", number % 300);
        let site = Site { host: &host };
        let page = Row::page("2011-10-01T00:00:00", site.url(number / 300), "");
        let html = site.page(&format!("Page {number}"), &[paragraph(number)]);
        Row {
            html: Some(html.into_bytes()),
            ..page.after(0, number as i64)
        }
    };
    let mut rows: Vec<Row> = (0..count).map(page).collect();
    for number in 0..5 {
        let url = format!("http://co.uk/{number}");
        rows.push(Row::page(
            "2011-10-01T10:00:00",
            url,
            "<p>A page of no site.",
        ));
    }
    rows
}

/// Imports `rows`. Returns the folder, and the file with the pages of the date.
fn imported(rows: &[Row]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let job = Job::new();
    let list = folder.path().join("list.parquet");
    write(&list, rows);
    let output = folder.path().join("archive");
    let words = [
        "import",
        "pages",
        "--manifest",
        text(&list),
        "--output",
        text(&output),
    ];
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let import = job.type_in(&words);
    assert_eq!(import.code, Some(0), "{}", import.stderr);
    let date = output.join(format!("date={DATES}"));
    let [file] = &files(&date)[..] else {
        panic!("one file of the date")
    };
    (folder, date.join(file))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Requests of a command for objects of the archive.
fn for_archive(store: &Store, job: &Job, command: &str, words: &[&str]) -> Vec<String> {
    let before = store.server.requests().len();
    let finished = job.command(command, words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut requests = store.server.requests().split_off(before);
    requests.retain(|request| request.starts_with("GET /pages/crawl/"));
    requests
}

#[test]
fn a_unit_of_an_import_reads_the_row_groups_of_its_sites() {
    let (_folder, file) = imported(&rows(17_000));
    let store = Store::new(&[]);
    std::fs::copy(&file, store.archive("a.parquet")).expect("the archive");
    let job = store.job().with("run.threads=1").with("run.buckets=6");
    let footer = ParquetRecordBatchReaderBuilder::try_new(File::open(&file).expect("the file"));
    let groups = footer.expect("Parquet").metadata().num_row_groups();
    assert_eq!(groups, 18);

    let whole = store.job().with("run.threads=1").with("run.buckets=1");
    let whole = for_archive(&store, &whole, "backfill", &["--dates", DATES]).len();
    std::fs::remove_dir_all(store.tables()).expect("tables");
    for share in ["1/6", "3/6", "6/6"] {
        let words = ["--dates", DATES, "--units", share];
        let requests = for_archive(&store, &job, "backfill", &words).len();
        assert!(requests * 2 <= whole, "{share}: {requests} of {whole}");
    }
    std::fs::remove_dir_all(store.tables()).expect("tables");
    // By itself, a run takes buckets if an archive is ordered by site.
    let job = store
        .job()
        .with("run.threads=1")
        .with("run.chunk_bytes=1MB");
    let run = job.backfill(DATES);
    assert!(run.stderr.contains("unit 1/"), "{}", run.stderr);
    job.assert_accounts();
}

#[test]
fn buckets_of_an_import_change_no_row() {
    let (_folder, file) = imported(&rows(6_000));
    let run = |settings: &[&str]| {
        let job = Job::new().reading(file.parent().expect("a folder"));
        let job = settings.iter().fold(job, |job, setting| job.with(setting));
        job.backfill(DATES);
        job.assert_accounts();
        contents(&job)
    };
    for (one, cut) in [
        (&[][..], &["run.buckets=3"][..]),
        (&[], &["run.buckets=16", "run.threads=2"]),
        // The hashes of the archive are of other sites.
        (
            &["domain.grouping=host"],
            &["domain.grouping=host", "run.buckets=5"],
        ),
    ] {
        assert_same(&run(one), &run(cut), &format!("{cut:?}"));
    }
    // Rows of a damaged row group have no site, and several units read them.
    let whole = std::fs::read(&file).expect("the file");
    for column in ["url", "fetched_at", "html"] {
        damage(&file, 3, column);
        assert_same(&run(&[]), &run(&["run.buckets=6"]), column);
        std::fs::write(&file, &whole).expect("the file");
    }
}

/// An archive of 70 objects, seven on each of ten dates.
fn many_objects(store: &Store) {
    std::fs::remove_file(store.archive("a.parquet")).expect("the other file");
    for number in 0..70 {
        write(
            &store.archive(&format!("{number:02}.parquet")),
            &[page(number)],
        );
    }
}

fn page(number: u64) -> Row {
    let site = Site {
        host: "www.gazette.example",
    };
    site.article(number, &format!("2011-10-{:02}T12:00:00", 1 + number / 7))
}

fn objects(requests: &[String]) -> BTreeSet<&str> {
    let names = requests
        .iter()
        .filter_map(|request| request.rsplit('/').next());
    names.map(|name| &name[..2]).collect()
}

#[test]
fn objects_of_other_dates_are_read_once() {
    let store = Store::new(&[]);
    many_objects(&store);
    let job = store.job().with("run.heartbeat=60s");
    let first = for_archive(&store, &job, "backfill", &["--dates", "2011-10-01"]);
    assert_eq!(objects(&first).len(), 70);
    let second = for_archive(&store, &job, "backfill", &["--dates", "2011-10-02"]);
    let expected: BTreeSet<&str> = ["07", "08", "09", "10", "11", "12", "13"].into();
    assert_eq!(objects(&second), expected);
    job.assert_accounts();

    // Objects that have changed are read again.
    let changed: Vec<Row> = (0..3).map(|more| page(14 + more)).collect();
    write(&store.archive("69.parquet"), &changed);
    let third = for_archive(&store, &job, "backfill", &["--dates", "2011-10-03"]);
    assert!(objects(&third).contains("69"), "{third:?}");
    assert_eq!(objects(&third).len(), 8);
    job.assert_accounts();
    let rows = job.row("SELECT count(*) AS rows FROM url_keys WHERE date = '2011-10-03'");
    assert_eq!(rows, json!({"rows": 10}));
}

#[test]
fn what_is_kept_of_an_archive_can_be_lost_or_broken() {
    let store = Store::new(&[]);
    many_objects(&store);
    let job = store.job();
    job.run("2011-10-01");
    let kept = files(&store.tables().join("_census"));
    let [kept] = &kept[..] else {
        panic!("one file: {kept:?}")
    };
    let kept = store.tables().join("_census").join(kept);
    for (date, content) in [("2011-10-02", Some("[{")), ("2011-10-03", None)] {
        match content {
            Some(content) => std::fs::write(&kept, content).expect("a file"),
            None => std::fs::remove_file(&kept).expect("a file"),
        }
        let run = job.backfill(date);
        assert_eq!(
            run.stderr.contains("_census"),
            content.is_some(),
            "{}",
            run.stderr
        );
        let rows = job.row(&format!(
            "SELECT count(*) AS rows FROM url_keys WHERE date = '{date}'"
        ));
        assert_eq!(rows, json!({"rows": 7}), "{date}");
    }
    let all = store
        .job()
        .writing("s3://text/other", store.tables().with_file_name("other"));
    all.run("2011-10-01..2011-10-03");
    assert_same(&contents(&all), &contents(&job), "kept");
}

#[test]
fn a_crawl_that_is_labelled_at_its_end_is_read_once() {
    let archive = tempfile::tempdir().expect("a folder");
    busy_archive(archive.path());
    let dates = format!("{FIRST}..{HALF}");
    let run = |settings: &[&str]| {
        let job = Job::new().reading(archive.path());
        let job = job
            .with("run.chunk_bytes=300KB")
            .with("window.max_pages=30");
        let job = settings.iter().fold(job, |job, setting| job.with(setting));
        (job.backfill(&dates).stderr, job)
    };
    let (log, by_date) = run(&["tree.relabel_days=3"]);
    assert!(!log.contains("chunk 1 of 1 "), "{log}");
    drop(by_date);
    let (log, one) = run(&["tree.relabel_days=60"]);
    assert!(log.contains("chunk 1 of 1 committed"), "{log}");
    let (_, cut) = run(&["tree.relabel_days=60", "run.buckets=4"]);
    cut.assert_accounts();
    assert_same(&contents(&one), &contents(&cut), "relabelled");
}

/// The end of the busy archive: some days of one month, and of the next.
fn around_a_month() -> Store {
    let mut rows = busy_rows();
    let first = micros("2011-10-22T00:00:00");
    rows.retain(|row| row.fetched_at.is_some_and(|time| time >= first));
    Store::new(&rows)
}

#[test]
fn a_unit_reads_the_state_of_its_sites() {
    let store = around_a_month();
    // No file is smaller, so none are merged.
    let job = store
        .job()
        .with("run.buckets=4")
        .with("output.file_bytes=1B");
    let job = job.with("run.heartbeat=60s");
    job.run(&format!("{FIRST}..2011-10-31"));
    // The first run of a month rolls up the months before it.
    job.run("2011-11-01");
    let before = store.server.requests().len();
    let dates = format!("2011-11-02..{LAST}");
    let words = ["--dates", &dates, "--units", "2/4"];
    let share = job.command("backfill", &words);
    assert_eq!(share.code, Some(0), "{}", share.stderr);
    let requests = store.server.requests().split_off(before);
    for table in ["window_entries", "url_keys", "first_pages", "windows"] {
        let files = format!("GET /text/tables/{table}/");
        let is_file =
            |request: &&String| request.starts_with(&files) && request.contains(".parquet");
        let read: Vec<_> = requests.iter().filter(is_file).collect();
        assert!(!read.is_empty(), "{table}");
        let is_own = |request: &&String| request.contains("/2-of-4/");
        assert!(read.iter().all(is_own), "{read:?}");
    }
    // With another number of buckets, a unit reads each file that has some of its sites.
    let words = ["--dates", &dates, "--set", "run.buckets=3"];
    let rest = job.command("backfill", &words);
    assert_eq!(rest.code, Some(0), "{}", rest.stderr);
    let whole = store
        .job()
        .writing("s3://text/other", store.tables().with_file_name("other"));
    whole.run(&format!("{FIRST}..{LAST}"));
    assert_same(&contents(&whole), &contents(&job), "state by bucket");
}

#[test]
fn a_night_after_many_units_reads_few_files() {
    let store = around_a_month();
    let job = store.job().with("run.buckets=32");
    job.run(&format!("{FIRST}..2011-11-01"));
    let before = store.server.requests().len();
    let night = job.command("update", &["--set", "run.buckets=1"]);
    assert_eq!(night.code, Some(0), "{}", night.stderr);
    let requests = store.server.requests().split_off(before);
    for table in ["window_entries", "url_keys", "first_pages", "windows"] {
        let files = format!("GET /text/tables/{table}/");
        let data = requests
            .iter()
            .filter(|request| request.starts_with(&files) && request.contains(".parquet"));
        let data: BTreeSet<&str> = data
            .filter_map(|request| request.split(['?', ' ']).nth(1))
            .collect();
        // One of each date.
        assert!((1..=11).contains(&data.len()), "{table}: {data:?}");
    }
    let whole = store
        .job()
        .writing("s3://text/other", store.tables().with_file_name("other"));
    whole.run(&format!("{FIRST}..{LAST}"));
    assert_same(&contents(&whole), &contents(&job), "merged files");
}
