//! # The job in a Rust program
//!
//! Runs a job over a small invented archive and queries its tables:
//!
//! ```text
//! cargo run -p urltree-query --example embed_the_job
//! ```

#![allow(clippy::print_stderr, clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::DataType;
// ---
// Import the job, and the sample archive that it reads here.
use engine::{
    Accepted, ArchiveLayout, CancellationToken, Job, JobSpec, Progress, RowsAndBytes, Stage,
    backfill,
};
use query::query;
use sample::{SampleOptions, write_sample};
use tables::{DateRange, Location};

/// Prints the stages of a run. Every method of [`Progress`] has a default that does nothing.
#[derive(Debug)]
struct Stages;

impl Progress for Stages {
    fn planned(&self, total: RowsAndBytes) {
        eprintln!("{} rows, {} bytes of HTML", total.rows, total.html_bytes);
    }

    fn entered(&self, stage: Stage, dates: DateRange) {
        eprintln!("{dates}: {stage}");
    }
}

/// Writes an archive and tables below `folder`. Returns the number of pages in the archive, and
/// the URL and the text of a few pages.
///
/// # Errors
/// Returns an error if the archive cannot be written or the job fails.
pub(crate) async fn run(folder: &Path) -> Result<(u64, Vec<(String, String)>), Box<dyn Error>> {
    // # The archive
    //
    // An archive is a folder of Parquet files with one row per fetched page. `urltree-sample`
    // writes this one too: invented sites, with duplicates and broken pages.
    let sample = folder.join("sample").display().to_string();
    let dates: DateRange = "2011-10-24..2011-10-26".parse()?;
    let options = SampleOptions {
        first: dates.first(),
        last: dates.last(),
        pages: 300,
        seed: 7,
    };
    let written = write_sample(&options, &Location::parse(&sample)?).await?;

    // # The job
    //
    // A spec has the content of a job file. `JobSpec::new` takes the two locations, and every
    // other key has its default. Both locations may be URLs such as `s3://bucket/folder`.
    let tables = folder.join("tables").display().to_string();
    let mut spec = JobSpec::new(format!("{sample}/pages"), tables);
    spec.archive.layout = ArchiveLayout::Hive;
    spec.run.threads = Some(2);
    spec.window.max_pages = 1_000;

    // `Job::new` checks all keys. Its error names the key and the expected value.
    let job = Job::new(&spec)?;

    // # The run
    //
    // A run replaces its dates in the tables and accounts for every archive row. It refuses
    // dates that were run with other settings unless the change is requested. A run that was
    // killed is resumed by the same call.
    let stop = CancellationToken::new();
    let stages = Arc::new(Stages);
    let report = backfill(&job, dates, Accepted::default(), stages, &stop).await?;

    // # The report
    //
    // Every archive row has one status, and the counts add up to the rows of the archive.
    let unique: u64 = (report.accounting.total("unique").values())
        .map(|counts| counts.rows)
        .sum();
    assert_eq!(report.accounting.rows().rows, written.pages);
    assert!(unique > 0);

    // # The tables
    //
    // `documents` has the clean text of each unique page. The tables are Delta tables, so any
    // engine that reads Delta can query them. `query` returns Arrow record batches.
    let sql = "SELECT url, text FROM documents \
               WHERE content_chars > 500 ORDER BY url LIMIT 3";
    let mut pages = Vec::new();
    for batch in query(&job, sql).await? {
        let text = |column: usize| {
            let column = cast(batch.column(column), &DataType::Utf8);
            column.map(|column| column.as_string::<i32>().clone())
        };
        let (urls, texts) = (text(0)?, text(1)?);
        for row in 0..batch.num_rows() {
            pages.push((urls.value(row).to_owned(), texts.value(row).to_owned()));
        }
    }
    Ok((written.pages, pages))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (count, pages) = run(folder.path()).await?;
    println!("{count} pages in the archive, such as");
    for (url, text) in pages {
        println!("{url}\n    {}", text.lines().next().unwrap_or_default());
    }
    Ok(())
}
