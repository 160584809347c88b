//! Archives of every layout: locations, names of files and columns, and dated
//! folders.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::{Job, Site, assert_same, batch, changed, contents, text, write, write_batch};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-31";

#[test]
fn columns_of_other_names_are_mapped() {
    let rows = SITE.daily_articles(4);
    let expected = Job::of(&rows);
    expected.backfill(DATES);

    let names = [
        ("fetched_at", "ts"),
        ("url", "address"),
        ("html", "body"),
        ("title", "headline"),
    ];
    let good = batch(&rows);
    let renamed = changed(&good, |name, array| {
        let other = names.iter().find(|(usual, _)| *usual == name);
        (other.map_or(name, |(_, other)| *other), Arc::clone(array))
    });
    let reading_renamed = || {
        let job = Job::new();
        write_batch(&job.archive("pages.parquet"), &renamed, 100);
        names.iter().fold(job, |job, (usual, other)| {
            job.with(&format!("archive.columns.{usual}={other}"))
        })
    };
    let job = reading_renamed();
    job.backfill(DATES);
    assert_same(&contents(&expected), &contents(&job), "renamed columns");

    let error = reading_renamed()
        .with("archive.columns.http_status=status")
        .refused(DATES, 3);
    assert!(
        error.contains("`status`") && error.contains("pages.parquet"),
        "{error}"
    );
}

#[test]
fn only_dated_folders_of_the_range_are_opened() {
    let rows = SITE.daily_articles(4);
    let job = Job::new().with("archive.layout=hive");
    for (row, day) in rows.iter().zip(1..) {
        let file = job.archive(&format!("date=2011-10-{day:02}/part-0.parquet"));
        write(&file, std::slice::from_ref(row));
    }
    // Outside the range: opening it would fail.
    std::fs::create_dir(job.archive("date=2011-10-09")).expect("a folder");
    std::fs::write(job.archive("date=2011-10-09/part-0.parquet"), "no Parquet").expect("a file");

    job.backfill("2011-10-02..2011-10-03");
    let found = job.rows("SELECT date, source FROM url_keys ORDER BY date");
    let expected = ["2011-10-02", "2011-10-03"]
        .map(|date| json!({"date": date, "source": format!("date={date}/part-0.parquet")}));
    assert_eq!(found, expected);
    assert_eq!(job.rows("SELECT * FROM quarantine"), Vec::<Value>::new());

    let refused = job.refused("2011-10-09", 3);
    assert!(refused.contains("--allow-missing"), "{refused}");
    job.backfill_with_losses("2011-10-09");
    let named = job.row("SELECT date, source, reason FROM quarantine");
    assert_eq!(named["date"], "2011-10-09");
    assert_eq!(named["reason"], "unreadable_object");

    std::fs::remove_dir_all(job.archive("date=2011-10-09")).expect("the folder is there");
    let pages = "SELECT count(*) AS pages FROM archive WHERE date = DATE '2011-10-01'";
    assert_eq!(
        job.row(pages),
        json!({"pages": 1}),
        "the folder is a column"
    );
}

#[test]
fn a_row_in_the_folder_of_another_date_is_quarantined() {
    let rows = SITE.daily_articles(3);
    let job = Job::new().with("archive.layout=hive");
    write(&job.archive("date=2011-10-01/part-0.parquet"), &rows[..2]);
    write(&job.archive("date=2011-10-03/part-0.parquet"), &rows[2..]);
    job.backfill("2011-10-01..2011-10-03");
    let named = job.row("SELECT date, source, row, reason, detail FROM quarantine");
    let expected = json!({
        "date": "2011-10-01",
        "source": "date=2011-10-01/part-0.parquet",
        "row": 1,
        "reason": "wrong_date",
        "detail": "fetched_at is on 2011-10-02, the folder is for 2011-10-01",
    });
    assert_eq!(named, expected);
    assert_eq!(job.rows("SELECT url FROM documents").len(), 2);

    write(&job.archive("stray.parquet"), &rows);
    let error = job.refused("2011-10-01..2011-10-03", 3);
    assert!(
        error.contains("stray.parquet") && error.contains("archive.layout"),
        "{error}"
    );
}

/// Asserts that the archive gives the same tables from each location.
fn assert_same_archive(job: &Job, locations: &[String]) {
    job.backfill(DATES);
    let expected = contents(job);
    assert_eq!(expected["documents"].len(), 3);
    for location in locations {
        let tables = tempfile::tempdir().expect("a folder for the tables");
        let read = [
            format!("archive.location={location}"),
            format!("output.location={}", tables.path().display()),
        ];
        let set = ["--set", &read[0], "--set", &read[1]];
        let run = job.command("backfill", &[&set[..], &["--dates", DATES]].concat());
        assert_eq!(run.code, Some(0), "{location}: {}", run.stderr);
        for (table, rows) in &expected {
            let sql = format!("SELECT * FROM {table}");
            let mut found = job.lines_with(&set, &sql);
            found.sort_unstable();
            assert_eq!(*rows, found, "{location}: {table}");
        }
        let rows = job.lines_with(&set, "SELECT count(*) AS rows FROM archive");
        assert_eq!(rows, ["{\"rows\":3}"], "{location}");
    }
}

#[test]
fn an_archive_may_be_a_file_or_folder_path_or_url() {
    let job = Job::of(&SITE.daily_articles(3));
    let folder = job.path("archive").display().to_string();
    assert_same_archive(
        &job,
        &[
            "archive/".to_owned(),
            "./archive".to_owned(),
            folder.clone(),
            format!("file://{folder}"),
            "archive/pages.parquet".to_owned(),
            format!("{folder}/pages.parquet"),
        ],
    );
}

#[test]
fn a_path_may_contain_dot_dot() {
    let job = Job::of(&SITE.daily_articles(3));
    let folder = job.path("archive").display().to_string();
    assert_same_archive(
        &job,
        &[
            "archive/../archive".to_owned(),
            format!("{folder}/../archive/pages.parquet"),
        ],
    );
}

/// Asserts that files with these names, one page each, are read, and that hidden and
/// other files are not.
fn assert_names_are_read(names: &[&str]) {
    let rows = SITE.daily_articles(names.len() as u64);
    let job = Job::new();
    for (row, name) in rows.iter().zip(names) {
        write(&job.archive(name), std::slice::from_ref(row));
    }
    for hidden in ["_temporary/x.parquet", ".part.parquet", "notes.txt"] {
        let path = job.archive(hidden);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).expect("a folder");
        std::fs::write(path, "no Parquet").expect("a file");
    }
    job.backfill(DATES);
    let sources = job.rows("SELECT source FROM url_keys ORDER BY fetched_at");
    let sources: Vec<_> = sources.iter().map(|row| text(row, "source")).collect();
    assert_eq!(sources, names);
    assert_eq!(job.rows("SELECT * FROM quarantine"), Vec::<Value>::new());
}

#[test]
fn nested_files_are_read_and_hidden_files_are_skipped() {
    assert_names_are_read(&[
        "a.parquet",
        "b/c/d.parquet",
        "e.pq",
        "year=2011/part 1 (2).parquet",
    ]);
}

#[test]
fn non_ascii_file_names_are_read() {
    assert_names_are_read(&["données/été.parquet", "新聞.parquet"]);
}

#[test]
fn non_ascii_folders_are_read_and_written() {
    let job = Job::of(&SITE.daily_articles(3));
    job.backfill(DATES);
    let expected = contents(&job);
    std::fs::rename(job.path("archive"), job.path("données 1")).expect("the folder is there");
    let mut job = job.reading(Path::new("données 1"));
    job.set("output.location=新聞");
    // The second run reads the tables of the first.
    for dates in ["2011-10-01", "2011-10-02..2011-10-31"] {
        job.run(dates);
    }
    for (table, rows) in &expected {
        let mut found = job.lines(&format!("SELECT * FROM {table}"));
        found.sort_unstable();
        assert_eq!(*rows, found, "{table}");
    }
    assert!(job.path("新聞/documents/_delta_log").is_dir());
}

#[test]
fn file_names_that_stores_escape_are_read() {
    assert_names_are_read(&[
        "100%.parquet",
        "a%20b.parquet",
        "c#d?e&f+g.parquet",
        "~h[i].parquet",
    ]);
}
