//! A site in memory gives the texts that a job writes, page by page.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type, TimeUnit, TimestampMicrosecondType};
use chrono::DateTime;
use engine::{JobSpec, PaperSpec, Settings};
use markdown::MarkdownOptions;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use site_replay::{http_charset, response_problem};
use site_text::{Fetched, PageText, Site, SiteSettings, Status};

use crate::support::{Job, Row, run_in, shared};

/// The columns of `documents` that a site in memory gives too.
const COLUMNS: &str = "url, fetched_at, status, url_key, title, text, markdown, language, \
     language_score, author, published_at, blocks, content_blocks, support, node, charset, warnings";

const WRITTEN: &str = "output.write=markdown,language,metadata";

/// Reads the rows of all Parquet files below a folder.
fn rows_below(folder: &Path) -> Vec<Row> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::<PathBuf>::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "parquet") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().flat_map(|file| rows_of(file)).collect()
}

fn rows_of(file: &Path) -> Vec<Row> {
    let file = File::open(file).expect("the file is there");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let batches = reader.build().expect("a reader");
    batches
        .flat_map(|batch| rows_in(&batch.expect("rows")))
        .collect()
}

fn rows_in(batch: &RecordBatch) -> Vec<Row> {
    let column = |name: &str, kind: DataType| {
        let column = batch.column_by_name(name)?;
        Some(cast(column, &kind).expect("the column has its type"))
    };
    let texts = |name: &str| -> Vec<Option<String>> {
        let Some(column) = column(name, DataType::Utf8) else {
            return vec![None; batch.num_rows()];
        };
        let texts = column.as_string::<i32>().iter();
        texts.map(|text| text.map(str::to_owned)).collect()
    };
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let times = column("fetched_at", time).expect("a time");
    let pages = column("html", DataType::Binary).expect("HTML");
    let statuses = column("http_status", DataType::Int32);
    let statuses: Vec<Option<i32>> = match &statuses {
        Some(column) => column.as_primitive::<Int32Type>().iter().collect(),
        None => vec![None; batch.num_rows()],
    };
    let (urls, request_urls, titles) = (texts("url"), texts("request_url"), texts("title"));
    let (content_types, charsets) = (texts("content_type"), texts("http_charset"));
    (times.as_primitive::<TimestampMicrosecondType>().iter())
        .zip(pages.as_binary::<i32>().iter())
        .enumerate()
        .map(|(row, (fetched_at, html))| Row {
            fetched_at,
            url: urls[row].clone(),
            html: html.map(<[u8]>::to_vec),
            request_url: request_urls[row].clone(),
            title: titles[row].clone(),
            content_type: content_types[row].clone(),
            http_charset: charsets[row].clone(),
            http_status: statuses[row],
        })
        .collect()
}

/// The settings of a job with `overrides`.
fn settings(overrides: &[&str]) -> SiteSettings {
    let overrides =
        PaperSpec::beside_template(overrides.iter().map(|text| (*text).to_owned()).collect());
    let spec = JobSpec::defaults(&overrides).expect("the settings are known");
    Settings::new(&spec).expect("the settings are right").site
}

/// How a site gets its pages.
#[derive(Clone, Copy)]
enum Order {
    /// In batches, as a job.
    Pushed,
    /// One after the other.
    Extracted,
}

/// The documents that sites in memory make of an archive's rows.
fn documents(rows: &[Row], settings: &SiteSettings, order: Order) -> Vec<Value> {
    let settings = Arc::new(settings.clone());
    let mut domains: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let is_page = response_problem(row.http_status, row.content_type.as_deref()).is_none();
        let url = row.url.as_ref().or(row.request_url.as_ref());
        let parsed = url.and_then(|url| settings.keyer.parse(url).ok());
        if let (Some(url), Some(_), true) = (parsed, row.fetched_at, is_page) {
            let domain = url.domain().as_str().to_owned();
            domains.entry(domain).or_default().push(row);
        }
    }
    let mut documents = Vec::new();
    for mut rows in domains.into_values() {
        rows.sort_by_key(|row| (row.fetched_at, row.url.clone()));
        let mut site = Site::new(Arc::clone(&settings));
        let mut pages = Vec::new();
        for row in rows {
            let charset = row.http_charset.as_deref();
            let fetched = Fetched {
                url: (row.url.as_deref().or(row.request_url.as_deref())).expect("a URL"),
                html: row.html.as_deref(),
                charset: http_charset(charset, row.content_type.as_deref()),
                title: row.title.as_deref(),
                fetched_at: row.fetched_at,
            };
            match order {
                Order::Pushed => pages.extend(site.push(&fetched).expect("pages are in order")),
                Order::Extracted => pages.push(site.extract(&fetched).expect("pages are in order")),
            }
        }
        pages.extend(site.finish());
        let has_document =
            |page: &PageText| [Status::Unique, Status::Revision].contains(&page.status);
        documents.extend(pages.into_iter().filter(has_document).map(document));
    }
    documents.sort_by_key(|row| (row["url"].to_string(), row["fetched_at"].to_string()));
    documents
}

/// The row of `documents` that a page would have.
fn document(page: PageText) -> Value {
    let written = page.markdown(&MarkdownOptions::default());
    let language = page.language();
    let metadata = page.metadata.as_ref().expect("a page that is observed");
    let time = |micros: i64| DateTime::from_timestamp_micros(micros).expect("a time");
    let published = metadata.published_at.as_ref();
    let row = json!({
        "url": page.id.url,
        "fetched_at": page.id.fetched_at.map(|micros| time(micros).to_rfc3339()),
        "status": page.status.as_str(),
        "url_key": page.url_key,
        "title": page.title,
        "text": page.text(),
        "markdown": written.ok(),
        "language": language.map(|language| language.code),
        "language_score": language.map(|language| f64::from(language.score)),
        "author": metadata.author.as_ref().map(|found| &found.value),
        "published_at": published.map(|found| found.value.utc().and_utc().to_rfc3339()),
        "blocks": page.blocks.len(),
        "content_blocks": page.blocks.iter().filter(|block| block.reason.is_content()).count(),
        "support": page.support,
        "node": page.node,
        "charset": page.charset,
        "warnings": page.warnings,
    });
    comparable(without_nulls(row))
}

/// A row as `urltree sql` prints it: a null is left out.
fn without_nulls(row: Value) -> Value {
    let Value::Object(row) = row else { return row };
    Value::Object(
        row.into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect(),
    )
}

/// A row with its numbers and times in one notation: a score is read from JSON without its last bit.
fn comparable(mut row: Value) -> Value {
    if let Some(score) = row["language_score"].as_f64() {
        row["language_score"] = format!("{score:.9}").into();
    } else if let Value::Object(row) = &mut row {
        row.remove("language_score");
    }
    for name in ["fetched_at", "published_at"] {
        if let Some(text) = row[name].as_str() {
            let time = DateTime::parse_from_rfc3339(text).expect("a time of a table");
            row[name] = time.to_utc().to_rfc3339().into();
        } else if let Value::Object(row) = &mut row {
            row.remove(name);
        }
    }
    row
}

/// Asserts that sites in memory make the documents that the job has written. Returns their number.
fn assert_same(job: &Job, rows: &[Row], overrides: &[&str], order: Order) -> usize {
    let of_job = job.rows(&format!("SELECT {COLUMNS} FROM documents"));
    let mut of_job: Vec<Value> = of_job.into_iter().map(comparable).collect();
    of_job.sort_by_key(|row| (row["url"].to_string(), row["fetched_at"].to_string()));
    let of_sites = documents(rows, &settings(overrides), order);
    for (of_site, of_job) in of_sites.iter().zip(&of_job) {
        assert_eq!(of_site, of_job, "{overrides:?}");
    }
    assert_eq!(of_sites.len(), of_job.len(), "{overrides:?}");
    of_job.len()
}

/// A job over an archive with `overrides`, which has run.
fn run(archive: &Path, dates: &str, overrides: &[&str]) -> Job {
    let overrides = std::iter::once(&WRITTEN).chain(overrides);
    let job = overrides.fold(Job::new().reading(archive), |job, setting| {
        job.with(setting)
    });
    job.backfill(dates);
    job
}

#[test]
fn a_site_in_memory_gives_the_texts_of_a_job() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = folder.path().join("sample");
    let dates = "2011-10-24..2011-11-02";
    let output = sample.display().to_string();
    let words = ["--output", &output, "--dates", dates, "--pages", "1500"];
    let made = run_in(folder.path(), "urltree-sample", &words);
    assert_eq!(made.code, Some(0), "{made:?}");
    let pages = sample.join("pages");
    let rows = rows_below(&pages);
    let hive = "archive.layout=hive";
    // Settings of which a job carries out a part itself: batches, revisions, known keys.
    for overrides in [
        &[hive, "dedup.revisions=true"][..],
        &[hive, "paper.batching=run", "paper.lookback=2d"],
        &[
            hive,
            "paper.batching=page",
            "paper.lookback=window",
            "window.max_pages=20",
            "window.min_pages=5",
        ],
    ] {
        let job = run(&pages, dates, overrides);
        let count = assert_same(&job, &rows, overrides, Order::Pushed);
        assert!(count > 1000, "{count} documents");
        if overrides.contains(&"paper.batching=page") {
            assert_same(&job, &rows, overrides, Order::Extracted);
        }
    }
}

#[test]
fn a_site_in_memory_gives_the_texts_of_a_job_on_real_sites() {
    let Some(streams) = shared("data/streams") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    for site in ["lerosua", "melmelboo", "nimbupani", "ultrasaurus"] {
        let name = format!("{site}.parquet");
        std::fs::copy(streams.join(&name), folder.path().join(&name)).expect("a site");
    }
    let overrides = ["output.partition=year"];
    let job = run(folder.path(), "1997-01-01..2023-12-31", &overrides);
    let rows = rows_below(folder.path());
    let count = assert_same(&job, &rows, &overrides, Order::Pushed);
    assert!(count > 2000, "{count} documents");
}
