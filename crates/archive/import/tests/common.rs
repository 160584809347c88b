//! A crawl, its index, and the rows of an archive.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::util::display::array_value_to_string;
use crawl_index::Backoff;
use flate2::Compression;
use flate2::write::GzEncoder;
use import::{
    IndexOptions, IndexPlan, IndexReport, Options, Quiet, Selection, Target, import, import_index,
    plan_index,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tables::Location;
use url_key::Keyer;

/// A record of a crawl, as its index has it.
#[derive(Debug, Clone)]
pub(crate) struct Captured {
    pub(crate) url: String,
    /// 14 digits.
    pub(crate) time: String,
    pub(crate) mime: String,
    pub(crate) digest: String,
    pub(crate) file: String,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

impl Captured {
    /// A line of CDXJ.
    pub(crate) fn line(&self) -> String {
        let Self {
            url,
            time,
            mime,
            digest,
            file,
            offset,
            length,
        } = self;
        let host = url.split('/').nth(2).unwrap_or_default();
        let key: Vec<&str> = host.rsplit('.').collect();
        format!(
            "{})/ {time} {{\"url\": \"{url}\", \"mime\": \"{mime}\", \"status\": \"200\", \"digest\": \"{digest}\", \
             \"length\": \"{length}\", \"offset\": \"{offset}\", \"filename\": \"{file}\"}}\n",
            key.join(",")
        )
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A compressed response, with a payload digest that is returned too.
pub(crate) fn response(url: &str, time: &str, mime: &str, body: &str) -> (Vec<u8>, String) {
    let digest = warc::payload_digest(body.as_bytes());
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n\r\n{body}");
    let record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n\
         WARC-Record-ID: <urn:test:{url}>\r\nWARC-Payload-Digest: {digest}\r\n\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    (gzip(record.as_bytes()), digest)
}

/// Writes `files` files below `folder`, each with a page of each of so many domains. Requests are between the pages, and every
/// seventh response is an image.
pub(crate) fn crawl(folder: &Path, files: usize, domains: usize) -> Vec<Captured> {
    let mut captured = Vec::new();
    for file in 0..files {
        let name = format!("segments/{:02}/crawl-{file:05}.warc.gz", file % 3);
        let mut bytes = Vec::new();
        for domain in 0..domains {
            let url = format!("http://www.site{domain}.com/{file}");
            let (day, hour) = (1 + file % 2, domain % 24);
            let time = format!("2011-10-0{day}T{hour:02}:00:00Z");
            let mime = match (file + domain) % 7 {
                0 => "image/png",
                _ => "text/html",
            };
            let request = format!(
                "WARC/1.1\r\nWARC-Type: request\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n\
                 Content-Type: application/http\r\nContent-Length: 4\r\n\r\nGET \r\n\r\n"
            );
            bytes.extend(gzip(request.as_bytes()));
            let start = if mime == "text/html" { "<html>" } else { "PNG" };
            let body = format!("{start}<p>Trees {file} of {domain}.</p>");
            let (record, digest) = response(&url, &time, mime, &body);
            captured.push(Captured {
                time: format!("2011100{day}{hour:02}0000"),
                mime: mime.to_owned(),
                digest: digest.replace("sha1:", ""),
                file: name.clone(),
                offset: bytes.len() as u64,
                length: record.len() as u64,
                url,
            });
            bytes.extend(record);
        }
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }
    captured
}

/// Writes the index of `captured` as `index.cdxj` in `folder`.
pub(crate) fn write_index(folder: &Path, captured: &[Captured]) -> PathBuf {
    let path = folder.join("index.cdxj");
    let lines: String = captured.iter().map(Captured::line).collect();
    std::fs::write(&path, lines).expect("a file");
    path
}

/// The pages of the first `domains` domains, with waits that a test can bear.
pub(crate) fn options(domains: usize) -> IndexOptions {
    let keyer = Keyer::default();
    let targets: Vec<Target> = (0..domains)
        .map(|domain| Target::domain(&format!("site{domain}.com"), &keyer).expect("a domain"))
        .collect();
    with_short_waits(IndexOptions::new(Selection::new(keyer, targets)))
}

pub(crate) fn with_short_waits(mut options: IndexOptions) -> IndexOptions {
    options.manners.backoff = Backoff {
        first: Duration::from_millis(10),
        longest: Duration::from_millis(20),
    };
    options
}

pub(crate) fn location(path: &Path) -> Location {
    Location::parse(path.to_str().expect("UTF-8")).expect("a location")
}

pub(crate) async fn plan(index: &str, options: &IndexOptions) -> IndexPlan {
    let plan = plan_index(&[index.to_owned()], options).await;
    plan.unwrap_or_else(|error| panic!("{error}"))
}

/// Plans and imports.
pub(crate) async fn run(index: &str, output: &Path, options: &IndexOptions) -> IndexReport {
    let plan = plan(index, options).await;
    let report = import_index(&plan, &location(output), options, &Quiet).await;
    report.unwrap_or_else(|error| panic!("{error}"))
}

/// Imports whole files.
pub(crate) async fn import_whole(inputs: &[String], output: &Path) {
    let options = Options::default();
    let report = import(inputs, &location(output), &options, &Quiet).await;
    report.unwrap_or_else(|error| panic!("{error}"));
}

/// The names of all objects below a folder.
pub(crate) fn objects(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(objects(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// The rows of the Parquet files below `folder` as texts, with their columns, sorted.
pub(crate) fn rows(folder: &Path) -> Vec<String> {
    let mut rows = Vec::new();
    for path in objects(folder) {
        if path.extension().is_some_and(|end| end == "parquet") {
            for batch in batches(&path) {
                rows.extend(texts(&batch));
            }
        }
    }
    rows.sort();
    rows
}

/// The rows of pages.
pub(crate) fn pages(archive: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(archive).expect("an archive") {
        let path = entry.expect("an entry").path();
        if path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("date="))
        {
            found.extend(rows(&path));
        }
    }
    found.sort();
    found
}

pub(crate) fn batches(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let reader = reader.build().expect("Parquet");
    reader.map(|batch| batch.expect("rows")).collect()
}

fn texts(batch: &RecordBatch) -> Vec<String> {
    let schema = batch.schema();
    (0..batch.num_rows())
        .map(|row| {
            let mut text = String::new();
            for (field, column) in schema.fields().iter().zip(batch.columns()) {
                let value = array_value_to_string(column, row).expect("a value");
                let _ = write!(text, "{}={value} ", field.name());
            }
            text
        })
        .collect()
}

/// The reasons of the rows of `_quarantine`, with their numbers.
pub(crate) fn quarantined(archive: &Path) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for row in rows(&archive.join("_quarantine")) {
        let (_, reason) = row.split_once(" reason=").expect("a reason");
        *reasons.entry(reason.trim().to_owned()).or_default() += 1;
    }
    reasons
}
