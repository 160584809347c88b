//! What a job costs: `make bench`.
//!
//! ```text
//! urltree-bench --urltree target/dist/urltree --report docs/performance.md [--archive FOLDER]
//! ```
//!
//! Machines differ, and one machine from hour to hour: so everything is a ratio within
//! one run, over the same pages, and a median of some rounds that take turns. Times are
//! of the processor, user and system together. Pages are those of an archive, or of a
//! sample that is made for it.
//!
//! What this does not do: it asserts nothing. A test that depends on the clock fails on
//! the wrong day.

#![allow(clippy::print_stderr)]

mod duplicates;
mod job;
mod nights;
mod pages;
mod parsers;
mod peers;
mod scale;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use evaluation::place;

use crate::job::{Jobs, Urltree};
use crate::pages::Archive;
use crate::parsers::Parsers;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure what a job costs, and write it into a page of Markdown
#[derive(Parser)]
struct Args {
    /// The binary that is measured
    #[arg(long, value_name = "FILE")]
    urltree: PathBuf,
    /// An archive: Parquet files with url, html and fetched_at; a sample where it is left out
    #[arg(long, value_name = "FOLDER")]
    archive: Option<PathBuf>,
    /// Extractors to run beside it, as in `urltree eval --peers`
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "lol-html,resiliparse,trafilatura-fast,dom-smoothie"
    )]
    peers: String,
    /// The page with the sections that are replaced
    #[arg(long, value_name = "FILE")]
    report: PathBuf,
    /// How often everything is run; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Measure how cost grows up to so many made-up pages, and nothing else
    #[arg(long, value_name = "PAGES")]
    scale: Option<u64>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let urltree = Urltree::at(&args.urltree)?;
    let folder = tempfile::tempdir().context("a folder for what is written")?;
    let sections = match args.scale {
        Some(pages) => vec![(
            "scale".to_owned(),
            scale::measure(&urltree, folder.path(), pages)?,
        )],
        None => costs(&args, &urltree, folder.path())?,
    };
    let mut page = std::fs::read_to_string(&args.report).unwrap_or_default();
    for (name, text) in sections {
        page = place(&page, &name, &text);
    }
    std::fs::write(&args.report, page).with_context(|| args.report.display().to_string())
}

/// What a job costs beside other things, as sections by name.
fn costs(args: &Args, urltree: &Urltree, folder: &Path) -> Result<Vec<(String, String)>> {
    let mut sections = Vec::new();
    let sample = Archive::sample(urltree, &folder.join("sample"))?;
    let archive = match &args.archive {
        Some(path) => Archive::at(path)?,
        None => sample.clone(),
    };
    let (mut parsers, mut jobs) = (Parsers::of(&archive), Jobs::new());
    // By turns: a machine that is slow for a minute is slow for both.
    for round in 1..=args.rounds {
        eprintln!(
            "parsers and the job on {archive}: {round} of {}",
            args.rounds
        );
        parsers.round(&archive)?;
        jobs.round(urltree, &archive)?;
    }
    sections.push((format!("{}-parsers", archive.name), parsers.table()));
    sections.push((
        format!("{}-job", archive.name),
        jobs.table(&archive, &parsers),
    ));
    sections.push((format!("{}-stages", archive.name), jobs.stages(&parsers)));
    eprintln!("{} on {archive}", args.peers);
    let peers = peers::measure(urltree, &archive, &args.peers);
    sections.push((
        format!("{}-peers", archive.name),
        peers::markdown(&peers, &archive, &jobs),
    ));
    eprintln!("nights and duplicates of the sample");
    sections.push(("nights".to_owned(), nights::measure(urltree, folder)?));
    let duplicates = duplicates::measure(urltree, &sample, folder, args.rounds)?;
    sections.push(("duplicates".to_owned(), duplicates));
    Ok(sections)
}
