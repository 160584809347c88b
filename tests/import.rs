//! `urltree import warc`: real files against Python's `warcio`, and files that the tests write.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use arrow::array::{RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use warc::{Limits, Records};

use crate::support::{
    Finished, Job, Site, can_watch, python, repository, shared, skip, text, watched,
};

const SITE: Site = Site {
    host: "www.gazette.example",
};

/// A record of WARC.
pub(crate) fn record(kind: &str, url: &str, time: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}Z\r\n\
         WARC-Record-ID: <urn:test:{url}>\r\nContent-Type: application/http;msgtype={kind}\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

pub(crate) fn response(url: &str, time: &str, html: &[u8]) -> Vec<u8> {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
    record("response", url, time, &[head, html].concat())
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A file with articles of so many days, a request for each, and a broken record at its end. Later
/// days come first.
pub(crate) fn crawl(days: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for page in SITE.daily_articles(days as u64).iter().rev() {
        let url = page.url.as_deref().expect("a URL");
        let micros = page.fetched_at.expect("a time");
        let time = chrono::DateTime::from_timestamp_micros(micros).expect("a time");
        let time = time.format("%Y-%m-%dT%H:%M:%S").to_string();
        let html = page.html.as_deref().expect("HTML");
        file.extend(gzip(&record(
            "request",
            url,
            &time,
            b"GET / HTTP/1.1\r\n\r\n",
        )));
        file.extend(gzip(&response(url, &time, html)));
    }
    let cut = response(
        "http://www.gazette.example/cut",
        "2011-10-01T00:00:00",
        b"<p>",
    );
    file.extend(gzip(&cut[..cut.len() - 8]));
    file
}

fn write(path: PathBuf, bytes: &[u8]) -> String {
    std::fs::write(&path, bytes).expect("a file");
    path.display().to_string()
}

fn import(job: &Job, inputs: &[&str], options: &[&str]) -> Finished {
    let words = [
        &["import", "warc"],
        inputs,
        &["--output", "archive"],
        options,
    ]
    .concat();
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    job.type_in(&words)
}

fn report(job: &Job, inputs: &[&str]) -> Value {
    let finished = import(job, inputs, &["--format", "json", "-q"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("a JSON object")
}

/// Names and bytes of all objects below a folder. A file that a killed write left beside its object is
/// none: stores list no name with a `#`.
pub(crate) fn objects(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().contains('#'))
            {
                let bytes = std::fs::read(&path).expect("a file");
                let path = path.strip_prefix(folder).expect("a path below");
                found.insert(path.to_owned(), bytes);
            }
        }
    }
    found
}

/// Type of each record, and the payload digest of each response of HTTP.
type ReadRecords = Vec<(String, Option<String>)>;

fn read_by_warcio(python: &str, path: &Path) -> ReadRecords {
    let script = repository().join("tests/elsewhere/records.py");
    let output = Command::new(python).arg(script).arg(path).output();
    let output = output.expect("the interpreter can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let record = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("a JSON array");
        let digest = record[2].as_str().map(str::to_owned);
        (record[1].as_str().expect("a type").to_owned(), digest)
    };
    lines.lines().map(record).collect()
}

fn read_by_us(path: &Path) -> ReadRecords {
    let records = Records::new(File::open(path).expect("a file"), Limits::default());
    let record = |record| match record {
        Ok(warc::Entry {
            record_type,
            capture,
            ..
        }) => {
            // warcio finds digests of responses only.
            let digest = capture.filter(|capture: &warc::Capture| {
                record_type == warc::RecordType::Response && capture.repeats.is_none()
            });
            let digest = digest.map(|capture| capture.payload_digest);
            (record_type.name().to_owned(), digest)
        }
        Err(warc::RecordError { record_type, .. }) => {
            let record_type = record_type.expect("a record with a type");
            (record_type.name().to_owned(), None)
        }
    };
    records.map(record).collect()
}

#[test]
fn real_files_have_the_records_and_digests_that_warcio_finds() {
    let Some(folder) = shared("data/warc") else {
        return;
    };
    let Some(python) = python("warcio") else {
        return;
    };
    let mut read = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let (ours, theirs) = (read_by_us(&path), read_by_warcio(&python, &path));
        assert!(!theirs.is_empty(), "{path:?}");
        assert_eq!(ours.len(), theirs.len(), "{path:?}");
        for (position, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(ours, theirs, "{path:?}: record {position}");
        }
        read += 1;
    }
    assert!(read >= 14, "{read} files");
}

#[test]
fn an_imported_file_is_text_after_a_backfill() {
    let job = Job::new().with("archive.layout=hive");
    write(job.path("a.warc.gz"), &crawl(5));
    let counts = report(&job, &["a.warc.gz"]);
    assert_eq!(counts["pages"], 5);
    assert_eq!(counts["objects"], 5);
    assert_eq!(counts["records"]["request"], 5);
    assert_eq!(counts["quarantined"], 1);
    job.backfill("2011-10-01..2011-10-05");
    let documents = job.rows("SELECT url, text FROM documents ORDER BY url");
    let expected = Job::of(&SITE.daily_articles(5));
    expected.backfill("2011-10-01..2011-10-05");
    assert_eq!(documents.len(), 5);
    assert_eq!(
        documents,
        expected.rows("SELECT url, text FROM documents ORDER BY url")
    );
    let quarantined = objects(&job.path("archive/_quarantine"));
    assert_eq!(quarantined.len(), 1);
}

/// Every record is a page, a revisit, quarantined, or counted by its type and content.
#[test]
fn every_record_is_in_a_count() {
    let job = Job::new();
    let time = "2011-10-24T12:00:00";
    let png = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG";
    let octets = b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\n<html><p>Trees fell.";
    let old = b"HTTP 200 Document follows\r\nContent-Type: text/html\r\n\r\n<p>Trees fell.";
    let file = [
        record(
            "request",
            "http://a.example/1",
            time,
            b"GET / HTTP/1.1\r\n\r\n",
        ),
        response("http://a.example/1", time, b"<p>Trees fell."),
        record("response", "http://a.example/2", time, png),
        record("response", "http://a.example/3", time, octets),
        record("response", "http://a.example/4", time, old),
        record(
            "revisit",
            "http://a.example/5",
            time,
            b"HTTP/1.1 200 OK\r\n\r\n",
        ),
        record("response", "http://a.example/6", time, b"Trees fell."),
    ];
    write(job.path("a.warc"), &file.concat());
    let counts = report(&job, &["a.warc"]);
    for (name, expected) in [("pages", 3), ("revisits", 1), ("quarantined", 1)] {
        assert_eq!(counts[name], expected, "{name}");
    }
    let others = serde_json::json!({
        "request application/http": 1,
        "response image/png": 1,
    });
    assert_eq!(counts["not_pages"], others);
    let warnings = serde_json::json!({ "status line in another form": 1 });
    assert_eq!(counts["warnings"], warnings);
}

#[test]
fn a_second_import_changes_nothing_and_a_changed_input_is_replaced() {
    let job = Job::new();
    write(job.path("a.warc.gz"), &crawl(3));
    report(&job, &["a.warc.gz"]);
    let first = objects(&job.path("archive"));
    let again = report(&job, &["a.warc.gz"]);
    assert_eq!(
        (&again["files"], &again["already_imported"]),
        (&0.into(), &1.into())
    );
    assert_eq!(objects(&job.path("archive")), first);

    write(job.path("a.warc.gz"), &crawl(2));
    let changed = report(&job, &["a.warc.gz"]);
    assert_eq!(changed["pages"], 2);
    let dates = |name: &PathBuf| name.starts_with("date=2011-10-03");
    assert!(first.keys().any(dates), "{:?}", first.keys());
    assert!(!objects(&job.path("archive")).keys().any(dates));
}

#[test]
fn a_killed_import_continues_and_gives_the_bytes_of_an_undisturbed_one() {
    let job = Job::new();
    std::fs::create_dir(job.path("crawl")).expect("a folder");
    for name in ["a", "b", "c"] {
        write(job.path(&format!("crawl/{name}.warc.gz")), &crawl(4));
    }
    report(&job, &["crawl"]);
    let expected = objects(&job.path("archive"));
    for point in [
        "import.object#1",
        "import.object#6",
        "import.manifest#1",
        "import.manifest#3",
    ] {
        std::fs::remove_dir_all(job.path("archive")).expect("a folder");
        std::fs::create_dir(job.path("archive")).expect("a folder");
        let arguments = [
            "import", "warc", "crawl", "--output", "archive", "--files", "2",
        ];
        let mut command = job.urltree(&arguments);
        command.env("URLTREE_FAIL_POINT", format!("KILL@{point}"));
        let killed = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert_eq!(
            killed.expect("the binary can be started").code(),
            None,
            "{point}"
        );
        let left = objects(&job.path("archive")).len();
        assert!(left < expected.len(), "{point}: {left}");
        report(&job, &["crawl"]);
        let found = objects(&job.path("archive"));
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>()
        );
        assert!(found == expected, "{point}");
    }
}

/// A revisit of a page of another file is joined with it by its digest.
#[test]
fn a_revisit_of_another_file_is_a_row_with_the_digest_of_its_page() {
    let job = Job::new();
    let time = "2011-10-24T12:00:00";
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Trees fell.";
    let digest = "sha1:3ARANNJHHSTOFKZT54UL7CFKM3ALYGAM";
    let with_digest = |kind, url, block| {
        let record = String::from_utf8(record(kind, url, time, block)).expect("ASCII");
        let header = format!("Z\r\nWARC-Payload-Digest: {digest}\r\n");
        record.replacen("Z\r\n", &header, 1)
    };
    let page = with_digest("response", "http://a.example/1", block);
    let image = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";
    let again = [
        with_digest("revisit", "http://a.example/2", b"HTTP/1.1 200 OK\r\n\r\n"),
        with_digest("revisit", "http://a.example/3.png", image),
    ];
    write(job.path("a.warc"), page.as_bytes());
    write(job.path("b.warc"), again.concat().as_bytes());
    let counts = report(&job, &["a.warc", "b.warc"]);
    assert_eq!(
        (&counts["pages"], &counts["revisits"]),
        (&1.into(), &1.into())
    );
    assert_eq!(counts["quarantined"], 0);
    let folder = job.path("archive/_revisits");
    let found = objects(&folder);
    let file = found.keys().next().expect("a file of revisits");
    let rows = parquet_rows(&folder.join(file));
    assert_eq!(rows, [("http://a.example/2".to_owned(), digest.to_owned())]);
}

/// URL and payload digest of the rows of a file.
fn parquet_rows(path: &Path) -> Vec<(String, String)> {
    let file = File::open(path).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let batches = reader
        .build()
        .expect("Parquet")
        .map(|rows| rows.expect("rows"));
    let column = |rows: &RecordBatch, name: &str| -> Vec<String> {
        let column = rows.column_by_name(name).expect("the column");
        let column: &StringArray = column.as_any().downcast_ref().expect("texts");
        column
            .iter()
            .map(|value| value.expect("a value").to_owned())
            .collect()
    };
    let rows = batches.map(|rows| {
        column(&rows, "url")
            .into_iter()
            .zip(column(&rows, "payload_digest"))
            .collect::<Vec<_>>()
    });
    rows.flatten().collect()
}

#[test]
fn temporary_files_are_in_the_folder_that_is_given() {
    let job = Job::new();
    write(job.path("a.warc.gz"), &crawl(2));
    let finished = import(&job, &["a.warc.gz"], &["--spill-dir", "none"]);
    assert_eq!(finished.code, Some(4), "{finished:?}");
    assert!(
        finished.stderr.contains("--spill-dir"),
        "{}",
        finished.stderr
    );
    std::fs::create_dir(job.path("spill")).expect("a folder");
    let finished = import(&job, &["a.warc.gz"], &["--spill-dir", "spill"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

#[test]
fn lists_patterns_and_standard_input_name_the_same_pages() {
    let job = Job::new();
    std::fs::create_dir(job.path("crawl")).expect("a folder");
    let file = crawl(2);
    write(job.path("crawl/a.warc.gz"), &file);
    write(job.path("crawl/warc.paths.gz"), &gzip(b"a.warc.gz\n"));
    write(job.path("warc.paths"), b"a.warc.gz\n");
    let inputs = [
        "crawl",
        "crawl/*.warc.gz",
        "crawl/warc.paths.gz",
        "warc.paths",
    ];
    assert_eq!(import(&job, &inputs[3..], &[]).code, Some(3));
    let counts = report(&job, &inputs[..3]);
    assert_eq!((&counts["files"], &counts["pages"]), (&1.into(), &2.into()));
    let based = import(&job, &inputs, &["--base", "crawl", "--format", "json"]);
    assert_eq!(based.code, Some(0), "{}", based.stderr);
    assert!(based.stdout.contains("\"already_imported\":1"), "{based:?}");
    let mut child = job
        .urltree(&[
            "import", "warc", "-", "--output", "other", "--format", "json",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be started");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&file).expect("it is read");
    drop(stdin);
    let finished = Finished::wait(child);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished.stdout.contains("\"pages\":2"),
        "{}",
        finished.stdout
    );
}

#[test]
fn names_with_letters_that_urls_escape_are_found() {
    let job = Job::new();
    std::fs::create_dir_all(job.path("crawl ö/新聞")).expect("a folder");
    write(job.path("crawl ö/b ü.warc.gz"), &crawl(1));
    write(job.path("crawl ö/新聞/a#1%20?.warc.gz"), &crawl(1));
    write(
        job.path("crawl ö/list.paths"),
        "b ü.warc.gz\n新聞/a#1%20?.warc.gz\n".as_bytes(),
    );
    for (input, files) in [("crawl ö", 2), ("crawl ö/b ü*", 1), ("crawl ö/*/a#*", 1)] {
        let output = format!("out {files} {}", input.len());
        let arguments = [
            "import", "warc", input, "--output", &output, "--format", "json",
        ];
        let words = arguments.map(str::to_owned);
        let finished = job.type_in(&words);
        assert_eq!(finished.code, Some(0), "{input}: {}", finished.stderr);
        let counts: Value = serde_json::from_str(&finished.stdout).expect("JSON");
        let expected = (&files.into(), &files.into());
        assert_eq!((&counts["files"], &counts["pages"]), expected, "{input}");
    }
    let counts = report(&job, &["crawl ö/list.paths"]);
    assert_eq!((&counts["files"], &counts["pages"]), (&2.into(), &2.into()));
}

#[test]
fn inputs_that_are_not_there_are_named() {
    let job = Job::new();
    for (input, code) in [
        ("none.warc.gz", 3),
        ("archive", 3),
        ("archive/*.warc", 3),
        ("ftp://host/a.warc", 2),
        ("http://127.0.0.1:9/a.warc", 4),
    ] {
        let finished = import(&job, &[input], &[]);
        assert_eq!(finished.code, Some(code), "{input}: {finished:?}");
        let named = input.trim_end_matches("/*.warc");
        assert!(finished.stderr.contains(named), "{}", finished.stderr);
    }
}

/// A record of 100 MB and a bomb: neither is in memory as a whole.
#[test]
fn huge_records_are_imported_in_bounded_memory() {
    if !can_watch() {
        return skip("peak memory of a process");
    }
    let job = Job::new();
    let mut file = response("http://a.example/1", "2011-10-24T12:00:00", b"<p>One");
    let large = vec![b'x'; 100 << 20];
    file.extend(response(
        "http://a.example/large",
        "2011-10-24T12:00:00",
        &large,
    ));
    file.extend(record(
        "metadata",
        "http://a.example/m",
        "2011-10-24T12:00:00",
        &large,
    ));
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n";
    let bomb = [&head[..], &gzip(&vec![0; 200 << 20])].concat();
    file.extend(record(
        "response",
        "http://a.example/bomb",
        "2011-10-24T12:00:00",
        &bomb,
    ));
    file.extend(response(
        "http://a.example/2",
        "2011-10-24T13:00:00",
        b"<p>Two",
    ));
    write(job.path("a.warc"), &file);
    let arguments = [
        "import", "warc", "a.warc", "--output", "archive", "--format", "json",
    ];
    let run = watched(&mut job.urltree(&arguments));
    assert_eq!(run.finished.code, Some(0), "{:?}", run.finished);
    let counts: Value = serde_json::from_str(&run.finished.stdout).expect("a JSON object");
    assert_eq!(
        (&counts["pages"], &counts["quarantined"]),
        (&2.into(), &2.into())
    );
    assert_eq!(text(&counts["records"], "metadata"), "1");
    let peak = run.peak_bytes >> 20;
    assert!(peak < 250, "{peak} MiB");
}

/// A zip file. Contents are not compressed, whatever their method says.
fn zip(files: &[(&str, &[u8], u16)]) -> Vec<u8> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    for (name, content, method) in files {
        let sizes = [(content.len() as u32).to_le_bytes(); 2].concat();
        // Version, flags, method, time and checksum, sizes, lengths of the name and of the extension.
        let common = [
            &[20, 0, 0, 0][..],
            &method.to_le_bytes(),
            &[0; 8],
            &sizes,
            &(name.len() as u16).to_le_bytes(),
            &[0, 0],
        ]
        .concat();
        let offset = (zip.len() as u32).to_le_bytes();
        zip.extend([b"PK\x03\x04", &common[..], name.as_bytes(), content].concat());
        directory.extend([b"PK\x01\x02\x14\0", &common[..], &[0; 10], &offset].concat());
        directory.extend(name.as_bytes());
    }
    let (offset, bytes) = (zip.len() as u32, directory.len() as u32);
    let count = (files.len() as u16).to_le_bytes();
    let end = [
        &b"PK\x05\x06\0\0\0\0"[..],
        &count,
        &count,
        &bytes.to_le_bytes(),
        &offset.to_le_bytes(),
        &[7, 0],
        b"comment",
    ];
    [zip, directory, end.concat()].concat()
}

#[test]
fn warc_files_in_wacz_give_the_pages_of_these_files() {
    let job = Job::new();
    std::fs::create_dir(job.path("crawl")).expect("a folder");
    let (one, two) = (
        crawl(3),
        response("http://a.example/", "2011-10-24T12:00:00", b"<p>A"),
    );
    let files = [
        ("datapackage.json", &b"{}"[..], 0),
        ("archive/two.warc", &two, 0),
        ("archive/one.warc.gz", &one, 0),
        ("indexes/index.cdx.gz", b"", 0),
    ];
    write(job.path("crawl/a.wacz"), &zip(&files));
    let counts = report(&job, &["crawl"]);
    assert_eq!((&counts["files"], &counts["pages"]), (&2.into(), &4.into()));
    assert_eq!(counts["quarantined"], 1);
    assert_eq!(report(&job, &["crawl/a.wacz"])["already_imported"], 2);
    let packed = zip(&[("archive/one.warc.gz", &one, 8)]);
    let cut = zip(&files);
    for (bytes, said) in [
        (&packed[..], "compressed by zip"),
        (&cut[..cut.len() - 40], "directory"),
        (&zip(&files[..1]), "no WARC file"),
        (b"", "directory"),
    ] {
        let path = write(job.path("b.wacz"), bytes);
        let finished = import(&job, &["b.wacz"], &[]);
        assert_eq!(finished.code, Some(3), "{said}: {finished:?}");
        assert!(
            finished.stderr.contains(said),
            "{path}: {}",
            finished.stderr
        );
    }
}
