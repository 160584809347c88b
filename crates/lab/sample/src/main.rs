//! `urltree-sample`: writes an archive of invented sites, to try urltree on.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use sample::{SampleCounts, SampleError, SampleOptions, write_sample, write_sample_warc};
use tables::{Classified, DateRange, ErrorClass, Location};

/// Write an archive of invented sites, and the text of every article as gold.
#[derive(Debug, Parser)]
#[command(
    name = "urltree-sample",
    version,
    after_help = "Examples:\n  \
        urltree-sample --output data/sample --dates 2011-10-24..2011-12-19\n  \
        urltree-sample --output data/crawl --dates 2011-10-24..2011-10-25 --pages 100 --warc\n  \
        urltree-sample --output s3://bucket/sample --dates 2011-10-24 --pages 500 --seed 7"
)]
struct Args {
    /// Folder or URL to write to: pages/date=YYYY-MM-DD/*.parquet and
    /// gold/date=YYYY-MM-DD/*.parquet.
    #[arg(long, value_name = "DIR", value_parser = Location::parse)]
    output: Location,
    /// UTC days on which pages are fetched, both ends inclusive.
    #[arg(long, value_name = "A..B")]
    dates: DateRange,
    /// Approximate number of pages.
    #[arg(long, value_name = "N", default_value_t = 6_000)]
    pages: u64,
    /// Seed of the random generator. Equal seeds give equal bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Also write the pages as warc/YYYY-MM-DD.warc.gz, to try `urltree import warc`.
    #[arg(long)]
    warc: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed stderr must not change the exit code.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            let class = error.downcast_ref::<SampleError>().map(Classified::class);
            ExitCode::from(match class {
                Some(ErrorClass::Usage) => 2,
                Some(ErrorClass::Input) => 3,
                Some(ErrorClass::Storage) => 4,
                Some(ErrorClass::Internal) | None => 5,
            })
        }
    }
}

fn run(args: &Args) -> Result<()> {
    let options = SampleOptions {
        first: args.dates.first(),
        last: args.dates.last(),
        pages: args.pages,
        seed: args.seed,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    let written = runtime.block_on(write_sample(&options, &args.output))?;
    let files = match args.warc {
        true => Some(runtime.block_on(write_sample_warc(&options, &args.output))?),
        false => None,
    };
    let text = report(&written, files, &args.output);
    match std::io::stdout().write_all(text.as_bytes()) {
        // A reader such as `head` has closed the pipe.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write the report"),
    }
}

fn report(written: &SampleCounts, warc_files: Option<u64>, output: &Location) -> String {
    let SampleCounts {
        pages,
        html_bytes,
        gold,
        objects,
        ..
    } = written;
    let megabytes = *html_bytes as f64 / 1e6;
    let mut text = format!(
        "pages      {pages:>8}\nwith gold  {gold:>8}\nHTML MB    {megabytes:>8.1}\nobjects    {objects:>8}\n"
    );
    if let Some(files) = warc_files {
        text += &format!("WARC files {files:>8}\nWARC: {}\n", output.child("warc"));
    }
    text += &format!("archive: {}\n", output.child("pages"));
    text
}
