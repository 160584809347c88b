//! Writes the invented sites of `urltree-sample` as a gold set, without a job:
//!
//! ```sh
//! cargo build --release -p urltree-evaluation --example sample_set --example accuracy
//! target/release/examples/sample_set FOLDER/pages/sample.parquet
//! target/release/examples/accuracy FOLDER
//! ```
//!
//! The pages are those of `quality_on_invented_sites_is_not_below_its_thresholds`.

#![allow(clippy::print_stderr)]

use std::error::Error;
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, RecordBatch, StringArray, TimestampMicrosecondArray};
use chrono::NaiveDate;
use parquet::arrow::ArrowWriter;
use sample::{Page, SampleOptions, pages};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sample_set: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: sample_set FILE")?;
    let path = PathBuf::from(path);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let date = |day| NaiveDate::from_ymd_opt(2011, 10, day).ok_or("no date");
    let options = SampleOptions {
        first: date(1)?,
        last: date(31)?,
        pages: 2000,
        seed: 1,
    };
    let pages: Vec<Page> = pages(&options)
        .filter(|page| page.gold.is_some() && page.url.is_some())
        .collect();
    let texts = |text: fn(&Page) -> Option<&str>| -> ArrayRef {
        Arc::new(StringArray::from_iter(pages.iter().map(text)))
    };
    let times = pages.iter().map(|page| page.fetched_at);
    let html = pages.iter().map(|page| &page.html);
    let columns: [(&str, ArrayRef); 6] = [
        ("url", texts(|page| page.url.as_deref())),
        (
            "gold_text",
            texts(|page| page.gold.as_ref().map(|gold| gold.text.as_str())),
        ),
        ("title", texts(|page| page.title.as_deref())),
        ("http_charset", texts(|page| page.http_charset.as_deref())),
        (
            "fetched_at",
            Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
        ),
        ("html", Arc::new(BinaryArray::from_iter_values(html))),
    ];
    let batch = RecordBatch::try_from_iter(columns)?;
    let mut writer = ArrowWriter::try_new(File::create(&path)?, batch.schema(), None)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}
