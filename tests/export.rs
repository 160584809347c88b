//! `urltree export`: files of documents for other tools.

mod failures;
mod hub;
mod readers;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use arrow::array::{AsArray, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use warc::{Limits, RecordType, Records};

use crate::import::objects;
use crate::support::{
    Finished, Job, Row, Site, Store, assert_silent, can_watch, paragraph, skip, text,
};

const DATES: &str = "2011-10-01..2011-10-12";
const SITES: [Site; 2] = [
    Site {
        host: "www.gazette.example",
    },
    Site {
        host: "www.courier.example",
    },
];
const FORMATS: [&str; 5] = ["jsonl", "jsonl.zst", "jsonl.gz", "parquet", "wet"];

/// Articles of two sites, one a day, each of 30 kB. The compressors give bytes after some 100 kB only.
fn pages() -> Vec<Row> {
    let mut rows = Vec::new();
    for (position, site) in SITES.iter().enumerate() {
        for (number, row) in site.daily_articles(12).into_iter().enumerate() {
            let seed = 10_000 * (1 + position as u64) + 200 * number as u64;
            let paragraphs: Vec<String> = (seed..seed + 150).map(paragraph).collect();
            let html = site.page(&format!("Number {number} of {}", site.host), &paragraphs);
            rows.push(Row {
                html: Some(html.into_bytes()),
                ..row
            });
        }
    }
    // A page with nothing but the template, a duplicate, and a page with characters that formats escape.
    rows.push(Row::page(
        "2011-10-12T20:00:00",
        SITES[0].url(900),
        "<title>None</title><p></p>",
    ));
    rows.push(rows[3].after(2, 30));
    rows.push(Row::page(
        "2011-10-12T21:00:00.123456",
        SITES[1].url(901),
        SITES[1].page(
            "Žluťoučký \"kůň\" \\ tab\tend",
            &[
                format!("日本語 👍 &lt;p&gt; {}", paragraph(3)),
                paragraph(4),
            ],
        ),
    ));
    rows
}

fn job() -> Job {
    let job = Job::of(&pages())
        .with("output.write=metadata,language,markdown")
        .with("paper.heuristic=strict");
    job.backfill(DATES);
    job
}

fn export(job: &Job, format: &str, output: &str, words: &[&str]) -> Finished {
    let fixed = ["--format", format, "--output", output];
    job.command("export", &[&fixed, words].concat())
}

/// Exports, which must succeed, and returns the folder.
fn exported(job: &Job, format: &str, output: &str, words: &[&str]) -> PathBuf {
    let finished = export(job, format, output, words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    job.path(output)
}

fn manifest(folder: &Path) -> Value {
    let bytes = std::fs::read(folder.join("manifest.json")).expect("a manifest");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// Paths of the shards, in order, checked against the manifest.
fn shards(folder: &Path) -> Vec<PathBuf> {
    use sha2::{Digest, Sha256};
    let manifest = manifest(folder);
    let entries = manifest["shards"].as_array().expect("shards");
    let mut paths = Vec::new();
    for shard in entries {
        let path = folder.join(text(shard, "path"));
        let bytes = std::fs::read(&path).expect("a shard");
        assert_eq!(shard["bytes"], bytes.len(), "{shard}");
        assert_eq!(
            shard["sha256"],
            hex::encode(Sha256::digest(&bytes)),
            "{shard}"
        );
        paths.push(path);
    }
    let listed = std::fs::read_dir(folder.join("documents")).map_or(0, Iterator::count);
    assert_eq!(listed, paths.len(), "other files are in the folder");
    assert!(!folder.join("_progress").exists());
    paths
}

/// The documents of JSON Lines, in order.
fn lines(folder: &Path) -> Vec<Value> {
    let mut documents = Vec::new();
    for path in shards(folder) {
        let file = File::open(&path).expect("a shard");
        let mut content = String::new();
        let read = match path.extension().and_then(|ending| ending.to_str()) {
            Some("zst") => {
                (zstd::stream::read::Decoder::new(file).expect("zstd")).read_to_string(&mut content)
            }
            Some("gz") => flate2::read::GzDecoder::new(file).read_to_string(&mut content),
            _ => { file }.read_to_string(&mut content),
        };
        read.expect("whole lines");
        let line = |line: &str| serde_json::from_str::<Value>(line).expect("a JSON object");
        documents.extend(content.lines().map(line));
    }
    documents
}

pub(crate) fn parquet_rows(folder: &Path) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    for path in shards(folder) {
        let file = File::open(path).expect("a shard");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
        let reader = reader.build().expect("Parquet");
        batches.extend(reader.map(|batch| batch.expect("rows")));
    }
    batches
}

/// Id and text of each document that an export has by default.
fn expected(job: &Job, text_column: &str) -> Vec<(String, String)> {
    let rows = job.rows(&format!(
        "SELECT document_id, {text_column} AS text FROM documents \
         WHERE status = 'unique' AND text <> '' ORDER BY date, domain, fetched_at, url"
    ));
    let pair = |row: &Value| (text(row, "document_id"), text(row, "text"));
    rows.iter().map(pair).collect()
}

fn ids_and_texts(documents: &[Value]) -> Vec<(String, String)> {
    let pair = |document: &Value| (text(document, "id"), text(document, "text"));
    documents.iter().map(pair).collect()
}

#[test]
fn lines_have_the_fields_that_datatrove_dolma_and_hugging_face_read() {
    let job = job();
    let expected = expected(&job, "text");
    assert_eq!(expected.len(), 25);
    for format in ["jsonl", "jsonl.zst", "jsonl.gz"] {
        let folder = exported(&job, format, format, &["--shard-size", "60KB"]);
        let documents = lines(&folder);
        assert_eq!(ids_and_texts(&documents), expected, "{format}");
        let files = shards(&folder);
        assert!(files.len() > 2, "{format}: {files:?}");
        assert!(
            files[1].ends_with(format!("documents/part-00001.{format}")),
            "{files:?}"
        );
    }
    let documents = lines(&job.path("jsonl"));
    let is_last = |document: &&Value| text(document, "url").ends_with("/901.html");
    let document = documents.iter().find(is_last).expect("the page");
    let row = job.row(
        "SELECT document_id, url, language, title, content_digest, words FROM documents \
         WHERE url LIKE '%/901.html'",
    );
    assert_eq!(document["id"], row["document_id"]);
    assert_eq!(document["url"], row["url"]);
    assert_eq!(document["source"], "urltree");
    for field in ["date", "added", "created"] {
        assert_eq!(document[field], "2011-10-12T21:00:00.123456Z", "{field}");
    }
    let metadata = document["metadata"].as_object().expect("an object");
    assert_eq!(metadata["title"], row["title"]);
    assert_eq!(metadata["domain"], "courier.example");
    assert_eq!(metadata["content_digest"], row["content_digest"]);
    assert_eq!(metadata["warnings"], json!([]));
    for left_out in [
        "text",
        "markdown",
        "url",
        "date",
        "fetched_at",
        "words",
        "author",
    ] {
        assert!(!metadata.contains_key(left_out), "{left_out}");
    }
}

#[test]
fn markdown_can_be_the_text_and_the_source_has_a_name() {
    let job = job();
    let words = ["--text", "markdown", "--source", "my-crawl"];
    let documents = lines(&exported(&job, "jsonl", "out", &words));
    assert_eq!(ids_and_texts(&documents), expected(&job, "markdown"));
    assert!(
        documents
            .iter()
            .all(|document| document["source"] == "my-crawl")
    );

    let plain = Job::of(&SITES[0].daily_articles(2));
    plain.backfill("2011-10-01..2011-10-02");
    let finished = export(&plain, "jsonl", "out", &["--text", "markdown"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("no document"),
        "{}",
        finished.stderr
    );
}

#[test]
fn parquet_has_typed_metadata_of_one_schema() {
    let job = job();
    let folder = exported(&job, "parquet", "out", &["--shard-size", "60KB"]);
    let batches = parquet_rows(&folder);
    let mut found = Vec::new();
    for batch in &batches {
        assert_eq!(batch.schema(), batches[0].schema());
        let column = |name: &str| batch[name].as_string::<i32>().clone();
        let (ids, texts) = (column("id"), column("text"));
        let pairs = ids.iter().flatten().zip(texts.iter().flatten());
        found.extend(pairs.map(|(id, text)| (id.to_owned(), text.to_owned())));
        let domains = batch["metadata"].as_struct().column_by_name("domain");
        assert_eq!(domains.expect("a field").null_count(), 0);
    }
    assert_eq!(found, expected(&job, "text"));
    assert!(shards(&folder).len() > 2);
}

#[test]
fn wet_files_have_a_conversion_record_per_document() {
    let job = job();
    let folder = exported(&job, "wet", "out", &["--shard-size", "60KB"]);
    let files = shards(&folder);
    assert!(files.len() > 2 && files[0].ends_with("documents/part-00000.warc.wet.gz"));
    let mut kinds = BTreeMap::new();
    let mut content = String::new();
    for path in &files {
        let records = Records::new(File::open(path).expect("a file"), Limits::default());
        for record in records {
            let record = record.expect("a whole record");
            *kinds.entry(record.record_type).or_insert(0) += 1;
        }
        let file = File::open(path).expect("a file");
        let read = flate2::read::MultiGzDecoder::new(file).read_to_string(&mut content);
        read.expect("members of gzip");
    }
    let expected = expected(&job, "text");
    let of_each = [
        (RecordType::Conversion, expected.len()),
        (RecordType::Warcinfo, files.len()),
    ];
    assert_eq!(kinds, BTreeMap::from(of_each));
    for (_, text) in &expected {
        let block = format!("Content-Length: {}\r\n\r\n{text}\r\n\r\n", text.len());
        assert!(content.contains(&block), "{text}");
    }
    let times = content
        .matches("WARC-Date: 2011-10-12T21:00:00Z\r\n")
        .count();
    assert_eq!(times, 1);
}

#[test]
fn the_same_documents_give_the_same_bytes_with_any_threads_and_memory() {
    let job = job();
    for format in FORMATS {
        let words = |threads: &'static str, memory: &'static str| {
            vec!["--shard-size", "60KB", "--set", threads, "--set", memory]
        };
        let one = format!("{format}-1");
        let two = format!("{format}-2");
        let one = exported(
            &job,
            format,
            &one,
            &words("run.threads=1", "run.memory_limit=32MB"),
        );
        let two = exported(
            &job,
            format,
            &two,
            &words("run.threads=2", "run.memory_limit=1GiB"),
        );
        let (one, two) = (objects(&one), objects(&two));
        assert!(one.len() > 3, "{format}: {:?}", one.keys());
        assert!(one == two, "{format}");
    }
}

#[test]
fn dates_and_domains_select_documents_and_a_domain_without_any_is_named() {
    let job = job();
    let words = [
        "--dates",
        "2011-10-03..2011-10-04",
        "--domains",
        "courier.example,www.courier.example",
    ];
    let finished = export(&job, "jsonl", "out", &words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished
            .stderr
            .contains("of the domain www.courier.example:"),
        "{}",
        finished.stderr
    );
    let urls: Vec<String> = lines(&job.path("out"))
        .iter()
        .map(|document| text(document, "url"))
        .collect();
    assert_eq!(urls, [SITES[1].url(2), SITES[1].url(3)]);

    for format in FORMATS {
        let words = ["--dates", "2012-01-01..2012-02-01"];
        let empty = format!("empty-{format}");
        let finished = export(&job, format, &empty, &words);
        assert_eq!(finished.code, Some(0), "{format}: {}", finished.stderr);
        assert!(finished.stderr.contains("no document was exported"));
        let manifest = manifest(&job.path(&empty));
        assert_eq!(manifest["documents"], 0);
        assert_eq!(manifest["shards"], json!([]));
    }
    let without = Job::new();
    let finished = export(&without, "jsonl", "out", &[]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(
        finished.stderr.contains("no table documents"),
        "{}",
        finished.stderr
    );
}

#[test]
fn months_are_exported_in_the_order_of_their_dates() {
    let job = Job::of(&pages())
        .with("output.partition=month")
        .with("paper.heuristic=strict");
    job.backfill("2011-10-01..2011-10-31");
    let words = ["--dates", "2011-10-02..2011-10-11"];
    let documents = lines(&exported(&job, "jsonl", "out", &words));
    let dates: Vec<String> = documents
        .iter()
        .map(|document| text(document, "date"))
        .collect();
    assert_eq!(dates.len(), 20);
    assert!(dates.is_sorted(), "{dates:?}");
    assert!(
        documents
            .iter()
            .all(|document| document["metadata"].get("month").is_none())
    );
}

#[test]
fn columns_of_a_query_are_fields_and_all_others_are_metadata() {
    let job = job();
    let query = "SELECT count(*) OVER (PARTITION BY d.domain) AS of_site, u.status, d.document_id AS id, \
                 d.text, d.url, d.date FROM documents d JOIN url_keys u ON d.url = u.url \
                 AND d.fetched_at = u.fetched_at WHERE d.text <> '' AND d.date < DATE '2011-10-03'";
    let documents = lines(&exported(&job, "jsonl", "out", &["--query", query]));
    assert_eq!(documents.len(), 4);
    for document in &documents {
        assert_eq!(
            document["metadata"],
            json!({"of_site": 2, "status": "unique"})
        );
    }
    let dates: Vec<String> = documents
        .iter()
        .map(|document| text(document, "date"))
        .collect();
    assert_eq!(
        dates,
        ["2011-10-01", "2011-10-01", "2011-10-02", "2011-10-02"]
            .map(|date| format!("{date}T00:00:00.000000Z"))
    );
    let tables = manifest(&job.path("out"))["tables"].clone();
    let tables: Vec<&String> = tables.as_object().expect("tables").keys().collect();
    assert_eq!(tables, ["documents", "url_keys"]);
    exported(&job, "wet", "wet", &["--query", query]);

    let ordered = format!("{query} ORDER BY d.url DESC");
    let documents = lines(&exported(&job, "jsonl", "ordered", &["--query", &ordered]));
    let urls: Vec<String> = documents
        .iter()
        .map(|document| text(document, "url"))
        .collect();
    assert!(urls.iter().rev().is_sorted(), "{urls:?}");
}

/// 340 MB of text that the query makes, without a sort.
#[test]
fn a_long_export_needs_little_memory() {
    if !can_watch() {
        return skip("/proc");
    }
    let job = Job::of(&SITES[0].daily_articles(2));
    let query = "SELECT value AS id, repeat(concat(value, random()), 200) AS text, \
                 'http://a.example/' AS url, DATE '2011-10-24' AS date \
                 FROM generate_series(1, 70000) ORDER BY value";
    for format in ["jsonl", "parquet"] {
        let words = ["--format", format, "--output", format, "--query", query];
        let run = job.watched_command("export", &words);
        assert_eq!(run.finished.code, Some(0), "{}", run.finished.stderr);
        assert_eq!(manifest(&job.path(format))["documents"], 70_000);
        // A row group of Parquet has 64 MiB.
        assert!(
            run.peak_bytes < 300_000_000,
            "{format}: {} bytes",
            run.peak_bytes
        );
    }
}

#[test]
fn an_export_to_s3_equals_one_on_a_disk() {
    let store = Store::new(&pages());
    let job = store.job().with("paper.heuristic=strict");
    job.backfill(DATES);
    for format in ["jsonl.zst", "parquet"] {
        let words = ["--shard-size", "60KB"];
        let on_disk = objects(&exported(&job, format, format, &words));
        let output = format!("s3://text/{format}");
        let finished = export(&job, format, &output, &words);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_silent("an export", &finished);
        let in_store = store.tables().with_file_name(format);
        let names: BTreeSet<&PathBuf> = on_disk.keys().collect();
        for name in &names {
            let found = std::fs::read(in_store.join(name)).expect("an object");
            assert!(found == on_disk[*name], "{}", name.display());
        }
        assert!(!in_store.join("_progress/request.json").exists());
        let again = export(&job, format, &output, &words);
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        assert!(
            again.stdout.contains("already exported"),
            "{}",
            again.stdout
        );
        let other = export(&job, format, &output, &["--shard-size", "1MB"]);
        assert_eq!(other.code, Some(2), "{other:?}");
    }
}
