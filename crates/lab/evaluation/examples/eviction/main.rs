//! Compares strategies of eviction on streams: what a site's counters may forget, and what it costs
//! [P 6].
//!
//! ```sh
//! cargo run --release -p urltree-evaluation --example eviction -- FOLDER
//! ```
//!
//! `FOLDER` has gold sets with HTML and times, one site or more each. Prints a table in Markdown. The
//! pages of all sites are one stream. A page is inserted and then labelled by the domain node alone
//! (`strict-at-domain`), so that strategies differ in what they forget and in nothing else.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod strategy;
mod stream;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use scoring::{MacroSummary, Outcome, lcs};
use strategy::{Memory, Strategy};
use stream::StreamPage;

const STRATEGIES: [Strategy; 20] = [
    Strategy::Nothing,
    Strategy::Age { days: 1, least: 0 },
    Strategy::Age { days: 14, least: 0 },
    Strategy::Age { days: 90, least: 0 },
    Strategy::Age {
        days: 14,
        least: 100,
    },
    Strategy::Size(10),
    Strategy::Size(30),
    Strategy::Size(100),
    Strategy::Size(1_000),
    Strategy::AllSites(170),
    Strategy::AllSites(510),
    Strategy::AllSites(1_700),
    Strategy::LeastRecentlyUsed(300),
    Strategy::LeastRecentlyUsed(1_000),
    Strategy::LeastRecentlyUsed(3_000),
    Strategy::LeastRecentlyUsed(10_000),
    Strategy::Once { blocks: 300 },
    Strategy::Once { blocks: 1_000 },
    Strategy::Once { blocks: 3_000 },
    Strategy::Once { blocks: 10_000 },
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("eviction: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: eviction FOLDER")?;
    let pages = stream::read(&PathBuf::from(folder))?;
    let sites: BTreeMap<&str, usize> = pages.iter().fold(BTreeMap::new(), |mut sites, page| {
        *sites.entry(page.site.as_str()).or_default() += 1;
        sites
    });
    let (first, last) = (pages.first(), pages.last());
    let days = first
        .zip(last)
        .map_or(0, |(first, last)| last.day() - first.day());
    println!(
        "{} pages of {} sites in {days} days.\n",
        pages.len(),
        sites.len()
    );
    println!("| strategy | F1 | precision | recall | worst site | most blocks | most pages |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for strategy in STRATEGIES {
        println!("{}", row(strategy, &pages));
    }
    Ok(())
}

/// Replays all pages under a strategy.
fn row(strategy: Strategy, pages: &[StreamPage]) -> String {
    let mut memory = Memory::new(strategy);
    let (mut most_blocks, mut most_pages) = (0, 0);
    let mut outcomes: Vec<(&str, Outcome)> = Vec::new();
    for page in pages {
        memory.insert(page);
        outcomes.push((&page.site, outcome(page, &memory)));
        memory.evict(page);
        (most_blocks, most_pages) = (
            most_blocks.max(memory.blocks()),
            most_pages.max(memory.pages()),
        );
    }
    let summary = MacroSummary::from_pages(outcomes);
    let mean = summary.spread.map(|spread| spread.mean);
    let worst = (summary.domains.values())
        .filter_map(|domain| Some(domain.spread?.mean.f1))
        .min_by(f64::total_cmp);
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.3}"));
    format!(
        "| {strategy} | {} | {} | {} | {} | {most_blocks} | {most_pages} |",
        number(mean.map(|mean| mean.f1)),
        number(mean.map(|mean| mean.precision)),
        number(mean.map(|mean| mean.recall)),
        number(worst),
    )
}

/// Compares the blocks that no other page is known to have with the gold text.
fn outcome(page: &StreamPage, memory: &Memory) -> Outcome {
    let content = page
        .blocks
        .iter()
        .filter(|block| !memory.is_repeated(page, block.hash));
    let words: Vec<_> = content
        .flat_map(|block| block.words.iter().copied())
        .collect();
    lcs(&page.gold, &words).outcome()
}
