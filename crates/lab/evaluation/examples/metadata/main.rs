//! Measures dates and authors against a gold set, beside trafilatura and htmldate.
//!
//! ```sh
//! cargo build --release -p urltree-evaluation --example metadata
//! target/release/examples/metadata wcxb-dev.parquet --peers python3
//! ```
//!
//! The set is a Parquet file with the columns `url`, `html`, `fetched_at`, `publish_date` (`2012-03-01`) and
//! `author`. `--peers PYTHON` also asks trafilatura and htmldate, which must be installed there.
//! A date counts if it is the gold date; an author counts if it has the same words, in any case. `; ` between
//! authors, as trafilatura writes it, counts as `, `. A page without a gold value counts as *false* if it
//! gets one.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};

use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit, TimestampMicrosecondType};
use chrono::{DateTime, NaiveDate};
use evaluation::timed;
use html_blocks::{BlockOptions, decode, page, page_with};
use metadata::MetadataReader;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

const USAGE: &str = "usage: metadata SET [--peers PYTHON]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("metadata: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (mut set, mut python) = (None, None);
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--peers" => python = Some(given.next().ok_or(USAGE)?),
            _ => set = Some(PathBuf::from(argument)),
        }
    }
    let pages = pages(&set.ok_or(USAGE)?)?;
    let mut tallies = vec![ours(&pages)];
    if let Some(python) = python {
        tallies.extend(peers(&pages, &python)?);
    }
    println!("{} pages\n", pages.len());
    println!("| | dates | exact | false | authors | exact | false | ms a page |");
    println!("|---|---|---|---|---|---|---|---|");
    for tally in tallies {
        println!("{}", tally.row(pages.len()));
    }
    Ok(())
}

struct GoldPage {
    url: String,
    html: Vec<u8>,
    fetched_on: NaiveDate,
    date: Option<String>,
    author: Option<String>,
}

fn pages(path: &Path) -> Result<Vec<GoldPage>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| failed(&error))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|builder| builder.build());
    let mut pages = Vec::new();
    for batch in reader.map_err(|error| failed(&error))? {
        let batch = batch.map_err(|error| failed(&error))?;
        let column = |name: &str, to: DataType| {
            let column = batch.column_by_name(name);
            let column = column.ok_or_else(|| failed(&format!("there is no column {name}")))?;
            cast(column, &to).map_err(|error| failed(&error))
        };
        let [url, date, author] =
            ["url", "publish_date", "author"].map(|name| column(name, DataType::Utf8));
        let (url, date, author) = (url?, date?, author?);
        let html = column("html", DataType::Binary)?;
        let fetched_at = column(
            "fetched_at",
            DataType::Timestamp(TimeUnit::Microsecond, None),
        )?;
        let text = |column: &dyn Array, row: usize| {
            let texts = column.as_string::<i32>();
            let text = texts
                .is_valid(row)
                .then(|| texts.value(row).trim().to_owned());
            text.filter(|text| !text.is_empty())
        };
        for row in 0..batch.num_rows() {
            let micros = fetched_at
                .as_primitive::<TimestampMicrosecondType>()
                .value(row);
            let fetched =
                DateTime::from_timestamp_micros(micros).ok_or("a time is out of range")?;
            pages.push(GoldPage {
                url: text(&url, row).unwrap_or_default(),
                html: html.as_binary::<i32>().value(row).to_vec(),
                fetched_on: fetched.date_naive(),
                date: text(&date, row),
                author: text(&author, row),
            });
        }
    }
    Ok(pages)
}

/// Counts of one extractor.
struct Tally {
    name: &'static str,
    /// Pages with a gold value; exact values; values of pages without a gold value.
    dates: [usize; 3],
    authors: [usize; 3],
    seconds: f64,
}

impl Tally {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            dates: [0; 3],
            authors: [0; 3],
            seconds: 0.0,
        }
    }

    fn add(&mut self, page: &GoldPage, date: Option<&str>, author: Option<&str>) {
        count(&mut self.dates, page.date.as_deref(), date, |date| {
            date.to_owned()
        });
        count(&mut self.authors, page.author.as_deref(), author, words);
    }

    fn row(&self, pages: usize) -> String {
        let columns = |[gold, exact, wrong]: [usize; 3]| {
            let share = exact as f64 / gold.max(1) as f64;
            format!("{gold} | {exact} ({share:.3}) | {wrong}")
        };
        let (name, dates, authors) = (self.name, columns(self.dates), columns(self.authors));
        let milliseconds = self.seconds * 1e3 / pages.max(1) as f64;
        format!("| {name} | {dates} | {authors} | {milliseconds:.2} |")
    }
}

fn count(
    counts: &mut [usize; 3],
    gold: Option<&str>,
    found: Option<&str>,
    same: fn(&str) -> String,
) {
    match (gold, found) {
        (Some(gold), found) => {
            counts[0] += 1;
            counts[1] += usize::from(found.is_some_and(|found| same(found) == same(gold)));
        }
        (None, found) => counts[2] += usize::from(found.is_some()),
    }
}

/// The words of names in lower case.
fn words(names: &str) -> String {
    let names = names.to_lowercase().replace(';', ",");
    names.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Measures this project. The time is that of the metadata alone: pages with it, less pages without.
fn ours(pages: &[GoldPage]) -> Tally {
    let mut tally = Tally::new("urltree");
    let options = BlockOptions::default();
    let ((), alone) = timed(|| {
        for gold in pages {
            drop(page(&gold.html, None, &options));
        }
    });
    let (found, with) = timed(|| {
        let read = |gold: &GoldPage| {
            let reader = MetadataReader::default();
            let read = page_with(&gold.html, None, &options, reader);
            read.map(|(_, reader)| reader.finish(&gold.url, gold.fetched_on))
        };
        pages.iter().map(read).collect::<Vec<_>>()
    });
    tally.seconds = with - alone;
    for (gold, found) in pages.iter().zip(found) {
        let found = found.unwrap_or_default();
        let date = found.date().map(|date| date.to_string());
        let author = found.author.map(|author| author.value);
        tally.add(gold, date.as_deref(), author.as_deref());
    }
    tally
}

/// Measures the other tools, in their own process.
fn peers(pages: &[GoldPage], python: &str) -> Result<Vec<Tally>, String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/metadata/peers.py");
    let child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| format!("{python}: {error}"))?;
    let answers = child.stdout.take().map(BufReader::new);
    let mut answers = answers.ok_or("the peers have no output")?;
    let mut tallies = vec![Tally::new("trafilatura"), Tally::new("htmldate")];
    for gold in pages {
        let answer = ask(&mut child, &mut answers, gold)?;
        for tally in &mut tallies {
            let said = &answer[tally.name];
            tally.add(gold, said["date"].as_str(), said["author"].as_str());
            tally.seconds += said["seconds"].as_f64().unwrap_or_default();
        }
    }
    drop(child.stdin.take());
    child.wait().map_err(|error| error.to_string())?;
    Ok(tallies)
}

fn ask(
    child: &mut Child,
    answers: &mut BufReader<ChildStdout>,
    gold: &GoldPage,
) -> Result<Value, String> {
    let failed = |error: std::io::Error| format!("the peers: {error}");
    let page = json!({
        "url": gold.url,
        "html": decode(&gold.html, None).unwrap_or_default(),
        "fetched_on": gold.fetched_on.to_string(),
    });
    let stdin = child.stdin.as_mut().ok_or("the peers have no input")?;
    writeln!(stdin, "{page}").map_err(failed)?;
    let mut line = String::new();
    answers.read_line(&mut line).map_err(failed)?;
    serde_json::from_str(&line).map_err(|error| format!("the peers: {error}"))
}
