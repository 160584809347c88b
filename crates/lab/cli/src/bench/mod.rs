//! `urltree-lab bench`: the cost of a job beside parsers and other extractors.
//!
//! Machines differ, and the speed of one machine varies. Every result is therefore a ratio
//! within one invocation, over the same pages, and the median of several alternating
//! rounds. Times are CPU times, user and system together. The pages are those of an
//! archive, or of a generated sample.
//!
//! The program asserts nothing, because an assertion about time fails at random.

mod duplicates;
mod heavy;
mod imports;
mod job;
mod nights;
mod pages;
mod parsers;
mod peers;
mod runs;
mod scale;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use evaluation::place;

use job::Jobs;
use pages::Archive;
use parsers::Parsers;
use runs::Program;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The program `urltree` to measure.
    #[arg(long, value_name = "FILE")]
    urltree: PathBuf,
    /// An archive of Parquet files with url, html and fetched_at. The default is a sample that is generated.
    #[arg(long, value_name = "FOLDER")]
    archive: Option<PathBuf>,
    /// Other extractors to measure, as in eval --peers.
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "lol-html,resiliparse,trafilatura-fast,dom-smoothie"
    )]
    peers: String,
    /// The Markdown page whose sections are replaced.
    #[arg(long, value_name = "FILE")]
    report: PathBuf,
    /// Number of runs of each measurement, of which the median counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Measure only the growth of cost, up to this number of generated pages.
    #[arg(long, value_name = "PAGES")]
    scale: Option<u64>,
}

/// Measures, and writes the sections of the report.
pub(crate) fn bench(args: &BenchArgs) -> Result<()> {
    let urltree = Program::at(&args.urltree)?;
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let sections = match args.scale {
        Some(pages) => vec![(
            "scale".to_owned(),
            scale::measure(&urltree, folder.path(), pages)?,
        )],
        None => costs(args, &urltree, folder.path())?,
    };
    let mut page = std::fs::read_to_string(&args.report).unwrap_or_default();
    for (name, text) in sections {
        page = place(&page, &name, &text);
    }
    std::fs::write(&args.report, page).with_context(|| args.report.display().to_string())
}

/// Measures a job, parsers and other extractors. Returns sections by name.
fn costs(args: &BenchArgs, urltree: &Program, folder: &Path) -> Result<Vec<(String, String)>> {
    let mut sections = Vec::new();
    let sample = Archive::sample(&folder.join("sample"))?;
    let archive = match &args.archive {
        Some(path) => Archive::open(path)?,
        None => sample.clone(),
    };
    let heavy = heavy::archive(&sample, folder)?;
    whole_runs(args, urltree, &heavy, &mut sections)?;
    let jobs = whole_runs(args, urltree, &archive, &mut sections)?;
    tracing::info!("{} on {archive}", args.peers);
    let peers = peers::measure(&archive, &args.peers);
    sections.push((
        format!("{}-peers", archive.name),
        peers::markdown(&peers, &archive, &jobs),
    ));
    tracing::info!("imports of WARC files");
    let imports = imports::measure(urltree, folder, args.rounds)?;
    sections.push(("imports".to_owned(), imports));
    tracing::info!("nights and duplicates of the sample");
    sections.push(("nights".to_owned(), nights::measure(urltree, folder)?));
    let duplicates = duplicates::measure(urltree, &sample, folder, args.rounds)?;
    sections.push(("duplicates".to_owned(), duplicates));
    Ok(sections)
}

/// Measures parsers and the job over `archive`, and adds their tables to `sections`.
fn whole_runs(
    args: &BenchArgs,
    urltree: &Program,
    archive: &Archive,
    sections: &mut Vec<(String, String)>,
) -> Result<Jobs> {
    let (mut parsers, mut jobs) = (Parsers::new(archive), Jobs::new());
    // Alternating rounds: a minute in which the machine is slow affects both.
    for round in 1..=args.rounds {
        tracing::info!(
            "parsers and the job on {archive}: {round} of {}",
            args.rounds
        );
        parsers.round(archive)?;
        jobs.round(urltree, archive)?;
    }
    sections.extend([
        (format!("{}-parsers", archive.name), parsers.table()),
        (
            format!("{}-job", archive.name),
            jobs.table(archive, &parsers),
        ),
        (format!("{}-stages", archive.name), jobs.stages(&parsers)),
    ]);
    Ok(jobs)
}
