//! `urltree import pages`: lists of pages in each format, with files and with pages in their rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use crate::import::{gzip, objects};
use crate::support::{Finished, Job, Site, can_watch, skip, watched, write_batch};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-05";
const HEADER: &str = "url,time,title,path\n";

/// A job with the files of five articles and the list `saved/pages.csv`, whose last row is first.
fn saved() -> Job {
    let job = Job::new().with("archive.layout=hive");
    std::fs::create_dir_all(job.path("saved/a")).expect("folders");
    let mut list = HEADER.to_owned();
    for (position, page) in SITE.daily_articles(5).iter().enumerate().rev() {
        let (url, html) = (page.url.as_deref(), page.html.as_deref());
        let time = page.fetched_at.expect("a time");
        let path = format!("a/{position}.html");
        put(&job, &format!("saved/{path}"), html.expect("HTML"));
        list += &format!("{},{time},,{path}\n", url.expect("a URL"));
    }
    put(&job, "saved/pages.csv", list);
    job
}

fn put(job: &Job, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(job.path(name), bytes).expect("a file");
}

fn import(job: &Job, words: &[&str]) -> Finished {
    let words = [&["import", "pages"], words, &["--output", "archive"]].concat();
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    job.type_in(&words)
}

/// Imports the list, which must succeed. Returns the report.
fn report(job: &Job, list: &str, words: &[&str]) -> Value {
    let words = [words, &["--manifest", list, "--format", "json", "-q"]].concat();
    let finished = import(job, &words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("a JSON object")
}

/// Row, path and reason of the rows that cannot be used, by row.
fn quarantined(job: &Job) -> Vec<(i64, String, String)> {
    let rows = job.rows_of(&job.path("archive/_quarantine"));
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    (rows.iter())
        .map(|row| {
            let number = row["manifest_row"].as_i64().expect("a row");
            (number, text(row, "path"), text(row, "reason"))
        })
        .collect()
}

impl Job {
    /// The rows of the Parquet files of a folder, as JSON without binary columns.
    fn rows_of(&self, folder: &Path) -> Vec<Value> {
        let mut rows = Vec::new();
        for name in objects(folder).keys() {
            let file = File::open(folder.join(name)).expect("a file");
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
            for batch in reader.build().expect("Parquet") {
                rows.extend(as_json(&batch.expect("rows")));
            }
        }
        rows
    }
}

fn as_json(batch: &RecordBatch) -> Vec<Value> {
    let schema = batch.schema();
    let row = |row: usize| {
        let mut values = BTreeMap::new();
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            let value = if column.is_null(row) {
                Value::Null
            } else if let Some(texts) = column.as_any().downcast_ref::<StringArray>() {
                json!(texts.value(row))
            } else if let Some(numbers) = column.as_any().downcast_ref::<Int64Array>() {
                json!(numbers.value(row))
            } else if let Some(bytes) = column.as_any().downcast_ref::<BinaryArray>() {
                json!(String::from_utf8_lossy(bytes.value(row)))
            } else {
                continue;
            };
            values.insert(field.name().clone(), value);
        }
        json!(values)
    };
    (0..batch.num_rows()).map(row).collect()
}

/// The pages of all dates, in the order of dates and files.
fn pages(job: &Job) -> Vec<Value> {
    let mut rows = Vec::new();
    let archive = job.path("archive");
    let mut folders: Vec<_> = (std::fs::read_dir(&archive).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.display().to_string().contains("date="))
        .collect();
    folders.sort();
    for folder in folders {
        rows.extend(job.rows_of(&folder));
    }
    rows
}

#[test]
fn files_of_a_list_are_text_after_a_backfill() {
    let job = saved();
    let counts = report(&job, "saved/pages.csv", &["saved"]);
    assert_eq!(
        (&counts["pages"], &counts["objects"]),
        (&5.into(), &5.into())
    );
    assert_eq!(counts["dates"], DATES);
    job.backfill(DATES);
    let expected = Job::of(&SITE.daily_articles(5));
    expected.backfill(DATES);
    let query = "SELECT url, title, text FROM documents ORDER BY url";
    let documents = job.rows(query);
    assert_eq!(documents.len(), 5);
    assert_eq!(documents, expected.rows(query));
}

#[test]
fn every_format_gives_the_same_pages() {
    let url = "http://a.example/1";
    let (title, html) = ("\"Storm\", of the year", "<p>Trees fell. é");
    let job = Job::new();
    put(&job, "1.html", html);
    let quoted = title.replace('"', "\"\"");
    let csv = format!(
        "\u{feff}url,time,path,title\r\n{url},2011-10-24T12:00:00Z,1.html,\"{quoted}\"\r\n"
    );
    // A quote of TSV is a letter.
    let tsv = format!("url\ttime\tpath\ttitle\n{url}\t2011-10-24T12:00:00Z\t1.html\t{title}\n");
    let row = json!({"url": url, "time": 1_319_457_600, "path": "1.html", "title": title});
    let inline = json!({"meta": {"url": url}, "time": 1_319_457_600, "body": html, "title": title});
    put(&job, "a.csv", &csv);
    put(&job, "a.tsv.gz", gzip(tsv.as_bytes()));
    put(&job, "a.jsonl", format!("{row}\r\n\r\n"));
    put(&job, "inline.ndjson", inline.to_string());
    let texts = |value: &str| -> ArrayRef { Arc::new(StringArray::from(vec![value])) };
    let table = RecordBatch::try_from_iter([
        (
            "when",
            Arc::new(Int64Array::from(vec![1_319_457_600_000])) as ArrayRef,
        ),
        ("address", texts(url)),
        ("title", texts(title)),
        ("body", texts(html)),
    ]);
    write_batch(&job.path("a.parquet"), &table.expect("a batch"), 10);
    let parquet = "fetched_at=when,url=address,html=body";
    for (list, columns) in [
        ("a.csv", ""),
        ("a.tsv.gz", ""),
        ("a.jsonl", ""),
        ("inline.ndjson", "html=body,url=meta.url"),
        ("a.parquet", parquet),
    ] {
        let options = ["--columns", columns];
        report(&job, list, if columns.is_empty() { &[] } else { &options });
        let found = pages(&job);
        assert_eq!(found.len(), 1, "{list}: {found:?}");
        for (column, value) in [("url", url), ("title", title), ("html", html)] {
            assert_eq!(found[0][column], value, "{list}: {column}");
        }
        let is_text = !columns.is_empty();
        assert_eq!(found[0]["http_charset"] == "utf-8", is_text, "{list}");
        let digest = &found[0]["payload_digest"];
        assert_eq!(digest, "sha1:RSZ33DGBKMRZORU4KSJECLDEQSCC77CS", "{list}");
        assert!(job.path("archive/date=2011-10-24").exists(), "{list}");
        std::fs::remove_dir_all(job.path("archive")).expect("a folder");
    }
}

#[test]
fn rows_that_are_not_pages_are_quarantined_with_row_path_and_reason() {
    let job = Job::new();
    for folder in ["saved/folder.html", "other"] {
        std::fs::create_dir_all(job.path(folder)).expect("folders");
    }
    put(&job, "secret.html", "<p>Secret");
    put(&job, "saved/1.html", "<p>One");
    put(&job, "saved/large.html", vec![b'x'; 2000]);
    put(&job, "other/2.html", "<p>Two");
    std::os::unix::fs::symlink(job.path("secret.html"), job.path("saved/link.html"))
        .expect("a link");
    let mut list = HEADER.as_bytes().to_vec();
    for row in [
        "http://a.example/1,2011-10-24,,1.html",
        "http://a.example/2,2011-10-24,,2.html",
        "http://a.example/3,2011-10-24,,3.html",
        "http://a.example/4,yesterday,,1.html",
        "http://a.example/5,,,1.html",
        "a.example/6,2011-10-24,,1.html",
        ",2011-10-24,,1.html",
        "http://a.example/8,2011-10-24,,../secret.html",
        "http://a.example/9,2011-10-24,,/etc/hostname",
        "http://a.example/10,2011-10-24,,a/../../secret.html",
        "http://a.example/11,2011-10-24,,link.html",
        "http://a.example/12,2011-10-24,,large.html",
        "http://a.example/13,2011-10-24,,folder.html",
        "http://a.example/14,2011-10-24,,1.html/2.html",
        "http://a.example/15,2011-10-24,,",
        "http://a.example/16,2011-10-24",
        "http://a.example/17,2011-10-24,,./x/../1.html",
        "http://a.example/1,2011-10-24T00:00:00Z,,1.html",
    ] {
        list.extend(row.as_bytes());
        list.extend(b"\r\n");
    }
    list.extend(b"http://a.example/\xe9,2011-10-24,,1.html\n");
    put(&job, "pages.csv", list);
    let counts = report(&job, "pages.csv", &["saved", "other", "--max-page", "1kB"]);
    assert_eq!(
        (&counts["pages"], &counts["quarantined"]),
        (&3.into(), &15.into())
    );
    assert_eq!(counts["records"]["repeated"], 1);
    let found = quarantined(&job);
    for (row, path, reason) in [
        (3, "3.html", "the file is missing"),
        (4, "1.html", "fetched_at `yesterday` is not a time"),
        (5, "1.html", "fetched_at is missing"),
        (6, "1.html", "url `a.example/6` is not a web address"),
        (7, "1.html", "url is missing"),
        (8, "../secret.html", "the path leads out of the folder"),
        (9, "/etc/hostname", "the path leads out of the folder"),
        (
            10,
            "a/../../secret.html",
            "the path leads out of the folder",
        ),
        (11, "link.html", "the path leads out of the folder"),
        (
            12,
            "large.html",
            "the page has 2000 bytes, and the limit is 1000",
        ),
        (13, "folder.html", "the file is missing"),
        (
            14,
            "1.html/2.html",
            "the file cannot be read: not a directory",
        ),
        (15, "", "path is missing"),
        (16, "", "line 17 has 2 fields, and the first line has 4"),
        (19, "", "url is not UTF-8"),
    ] {
        let row = (row, path.to_owned(), reason.to_owned());
        assert!(found.contains(&row), "{row:?}: {found:?}");
    }
}

#[test]
fn names_of_files_may_have_any_letters() {
    let job = Job::new();
    std::fs::create_dir(job.path("saved")).expect("a folder");
    let names = [
        "a b.html",
        "a%20b.html",
        "page?id=1&x=2",
        "ü.html",
        "a+b#c.html",
        "~.html",
    ];
    let mut list = HEADER.to_owned();
    for (position, name) in names.iter().enumerate() {
        put(&job, &format!("saved/{name}"), format!("<p>{position}"));
        list += &format!("http://a.example/{position},2011-10-24,,{name}\n");
    }
    put(&job, "saved/pages.csv", list);
    let counts = report(&job, "saved/pages.csv", &[]);
    assert_eq!(counts["pages"], names.len(), "{:?}", quarantined(&job));
    for (position, page) in pages(&job).iter().enumerate() {
        assert_eq!(page["html"], format!("<p>{position}"));
        assert_eq!(page["path"], names[position]);
    }
}

#[test]
fn a_second_import_changes_nothing_and_changed_files_are_read_again() {
    let job = saved();
    let list = "saved/pages.csv";
    report(&job, list, &[]);
    let first = objects(&job.path("archive"));
    let again = report(&job, list, &[]);
    assert_eq!(
        (&again["files"], &again["already_imported"]),
        (&0.into(), &1.into())
    );
    assert_eq!(objects(&job.path("archive")), first);

    put(&job, "saved/a/0.html", "<p>Corrected, and longer.");
    assert_eq!(report(&job, list, &[])["files"], 1);
    assert!(objects(&job.path("archive")) != first);

    let text = std::fs::read_to_string(job.path(list)).expect("the list");
    let shorter: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("a/4.html"))
        .collect();
    put(&job, list, shorter.join("\n"));
    assert_eq!(report(&job, list, &[])["pages"], 4);
    let last = |name: &std::path::PathBuf| name.starts_with("date=2011-10-05");
    assert!(first.keys().any(last));
    assert!(!objects(&job.path("archive")).keys().any(last));
}

#[test]
fn the_archive_may_be_in_the_folder_of_the_pages() {
    let job = saved();
    let words = [
        "--manifest",
        "pages.csv",
        "--output",
        "archive",
        "--format",
        "json",
    ];
    for already in [0, 1] {
        let mut command = job.urltree(&[&["import", "pages", "."], &words[..]].concat());
        let output = command
            .current_dir(job.path("saved"))
            .output()
            .expect("it runs");
        let counts: Value = serde_json::from_slice(&output.stdout).expect("a JSON object");
        assert_eq!(counts["already_imported"], already, "{counts}");
    }
}

#[test]
fn a_killed_import_gives_the_bytes_of_an_undisturbed_one() {
    let job = saved();
    report(&job, "saved/pages.csv", &[]);
    let expected = objects(&job.path("archive"));
    for point in ["import.object#1", "import.object#4", "import.manifest#1"] {
        std::fs::remove_dir_all(job.path("archive")).expect("a folder");
        let words = [
            "import",
            "pages",
            "--manifest",
            "saved/pages.csv",
            "--output",
            "archive",
        ];
        let mut command = job.urltree(&words);
        command.env("URLTREE_FAIL_POINT", format!("KILL@{point}"));
        let killed = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert_eq!(killed.expect("it starts").code(), None, "{point}");
        report(&job, "saved/pages.csv", &["--files", "1"]);
        assert!(objects(&job.path("archive")) == expected, "{point}");
    }
}

#[test]
fn lists_that_cannot_be_read_are_errors_that_say_why() {
    let job = Job::new();
    put(&job, "other.csv", "address;when\n");
    put(&job, "utf16.csv", b"\xff\xfeu\0r\0l\0");
    put(&job, "pages.txt", HEADER);
    put(&job, "a.parquet", "not Parquet");
    put(
        &job,
        "cut.csv.gz",
        &gzip(HEADER.repeat(100).as_bytes())[..40],
    );
    put(&job, "a.csv", HEADER);
    for (list, words, code, said) in [
        ("other.csv", &[][..], 3, "no column fetched_at or time"),
        ("utf16.csv", &[], 3, "UTF-16"),
        ("pages.txt", &[], 3, ".csv"),
        ("a.parquet", &[], 3, "arquet"),
        ("cut.csv.gz", &[], 3, "cut.csv.gz"),
        ("none.csv", &[], 3, "none.csv"),
        (
            "a.csv",
            &["--columns", "url=address"],
            3,
            "no column address",
        ),
        ("a.csv", &["--columns", "when=time"], 2, "COLUMN=NAME"),
        ("a.csv", &["saved", "--columns", "html=url"], 2, "no folder"),
    ] {
        let finished = import(&job, &[words, &["--manifest", list]].concat());
        assert_eq!(finished.code, Some(code), "{list}: {finished:?}");
        assert!(
            finished.stderr.contains(said),
            "{list}: {}",
            finished.stderr
        );
    }
    assert!(objects(&job.path("archive")).is_empty());
}

/// A page by its path, one by HTTrack's comment, an image, and a page that says no host.
#[test]
fn a_mirror_needs_no_list() {
    let job = Job::new();
    std::fs::create_dir_all(job.path("mirror/a.example/b")).expect("folders");
    put(&job, "mirror/a.example/b/index.html", "<p>Trees fell.");
    let comment = "<html><!-- Mirrored from b.example/c?d=1 by HTTrack Website Copier/3.x \
        [XR&CO'2014], Mon, 24 Oct 2011 12:00:00 GMT -->";
    put(&job, "mirror/a.example/c4f2a.html", comment);
    put(&job, "mirror/a.example/d.png", "\u{89}PNG");
    put(&job, "mirror/index.html", "<p>Index");
    let words = ["mirror", "--format", "json", "-q"];
    let imported = |more: &[&str]| -> Value {
        let finished = import(&job, &[&words[..], more].concat());
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        serde_json::from_str(&finished.stdout).expect("a JSON object")
    };
    let counts = imported(&[]);
    assert_eq!(counts["pages"], 2);
    assert_eq!(counts["not_pages"], json!({ "file that is not HTML": 1 }));
    let reasons = quarantined(&job);
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert_eq!(reasons[0].1, "index.html");
    let mut urls: Vec<Value> = pages(&job).iter().map(|row| row["url"].clone()).collect();
    urls.sort_by_key(Value::to_string);
    assert_eq!(urls, ["http://a.example/b/", "http://b.example/c?d=1"]);
    assert!(job.path("archive/date=2011-10-24").is_dir());
    assert_eq!(imported(&[])["already_imported"], 1);
    assert_eq!(
        imported(&["--time", "2011-10-25"])["dates"],
        "2011-10-25..2011-10-25"
    );
}

/// 200 pages of 2 MB are read eight at a time, and a file of 1 GB is not read.
#[test]
fn large_files_are_imported_in_bounded_memory() {
    if !can_watch() {
        return skip("peak memory of a process");
    }
    let job = Job::new();
    let huge = File::create(job.path("huge.html")).expect("a file");
    huge.set_len(1 << 30).expect("a sparse file");
    put(&job, "large.html", vec![b'x'; 2 << 20]);
    let mut list = format!("{HEADER}http://a.example/huge,2011-10-24,,huge.html\n");
    for page in 0..200 {
        list += &format!("http://a.example/{page},2011-10-24,,large.html\n");
    }
    put(&job, "pages.csv", list);
    let words = [
        "import",
        "pages",
        "--manifest",
        "pages.csv",
        "--output",
        "archive",
        "--format",
        "json",
    ];
    let run = watched(&mut job.urltree(&words));
    assert_eq!(run.finished.code, Some(0), "{:?}", run.finished);
    let counts: Value = serde_json::from_str(&run.finished.stdout).expect("a JSON object");
    assert_eq!(
        (&counts["pages"], &counts["quarantined"]),
        (&200.into(), &1.into())
    );
    let peak = run.peak_bytes >> 20;
    assert!(peak < 250, "{peak} MiB");
}
