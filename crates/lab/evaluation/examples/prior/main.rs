//! Learns the prior of the template, and measures it on hosts and sets that it did not see.
//!
//! ```sh
//! cargo build --release -p urltree-evaluation --example prior
//! target/release/examples/prior WCXB --folds 4 --write crates/core/template/prior.txt --test OTHER
//! ```
//!
//! `WCXB` is a gold set whose pages have kinds. `--folds N` measures each page with a model of the
//! hosts of other folds, both stages. `--test` measures the model of all pages on another set. Each page is a site
//! of one page. The same pages give the same model.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod boost;
mod in_gold;
mod pages;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use evaluation::timed;
use template::prior::{Prior, Trees, feature_name};

use crate::boost::{Rows, Settings, train};
use crate::pages::{Page, pages};

const USAGE: &str = "usage: prior SET [--folds N] [--write FILE] [--test SET]...";

/// The trees over the numbers of blocks. Twice as many gain .003 on WCXB and take twice the time.
const OF_BLOCKS: Settings = Settings {
    trees: 60,
    depth: 6,
    rate: 0.15,
    pages: 2,
    ridge: 0.5,
};

/// The trees of the second stage, over the numbers of blocks and the probabilities of the first.
const OF_SECOND: Settings = Settings {
    trees: 60,
    depth: 6,
    rate: 0.15,
    pages: 2,
    ridge: 0.5,
};

/// The trees over the numbers of pages. There are some hundred pages of a kind, so the trees are small.
const OF_PAGES: Settings = Settings {
    trees: 60,
    depth: 3,
    rate: 0.15,
    pages: 4,
    ridge: 3.0,
};

/// Parts of the hosts. The second stage learns from the probabilities that a first stage of the other
/// parts gives to the pages of a part: those of pages that it knows are too sure. Higher: slower.
const PARTS: usize = 3;

/// Kinds of pages that are no articles, and on which blocks are kept that the rules drop. With
/// services and documentation among them, `scrapinghub` loses .016.
const NO_ARTICLES: [&str; 4] = ["collection", "forum", "listing", "product"];

/// Pages of a set of `--test`.
const TESTED: usize = 400;

const HEAD: &str = "\
# Trees of the prior: see src/prior. Made by `crates/lab/evaluation/examples/prior`; not edited.
# Learned from the development set of the Web Content Extraction Benchmark (WCXB), M. Foley 2026,
# CC-BY-4.0: 1,338 pages with gold texts. No text of the pages is in this file.
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("prior: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (mut set, mut write, mut tests) = (None, None, Vec::new());
    let mut folds: usize = 0;
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or(USAGE);
        match argument.as_str() {
            "--write" => write = Some(PathBuf::from(value()?)),
            "--test" => tests.push(PathBuf::from(value()?)),
            "--folds" => folds = value()?.parse().map_err(|_| USAGE)?,
            _ => set = Some(PathBuf::from(argument)),
        }
    }
    let known = pages(&set.ok_or(USAGE)?, usize::MAX)?;
    if folds > 1 {
        let model = |fold: usize| {
            let others = known.iter().filter(|page| fold_of(page, folds) != fold);
            learn(&others.collect::<Vec<_>>())
        };
        let models: Vec<Prior> = (0..folds).map(model).collect();
        println!(
            "folds of hosts\n\n{}",
            table(&known, |page| &models[fold_of(page, folds)])
        );
    }
    let prior = learn(&known.iter().collect::<Vec<_>>());
    println!("numbers by the trees that test them: {}", uses(&prior));
    if let Some(path) = write {
        let text = HEAD.to_owned() + &prior.to_text();
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    for (name, prior) in [("the rules", &Prior::default()), ("the prior", &prior)] {
        let ((), seconds) = timed(|| known.iter().for_each(|page| drop(page.reasons(prior))));
        let micros = seconds * 1e6 / known.len() as f64;
        println!("labels of a page with {name}: {micros:.0} microseconds");
    }
    for test in tests {
        println!(
            "\n{}\n\n{}",
            test.display(),
            table(&pages(&test, TESTED)?, |_| &prior)
        );
    }
    Ok(())
}

/// Returns the fold of a page: pages of one host are in one.
fn fold_of(page: &Page, folds: usize) -> usize {
    host_hash(page) % 1009 % folds
}

fn host_hash(page: &Page) -> usize {
    let hash = |hash: usize, byte: u8| hash.wrapping_mul(31) ^ usize::from(byte);
    page.host.bytes().fold(7, hash)
}

/// Learns both stages.
fn learn(pages: &[&Page]) -> Prior {
    let mut prior = learn_first(pages);
    let of_others = |part: usize| {
        let others = pages.iter().filter(|page| part_of(page) != part);
        learn_first(&others.copied().collect::<Vec<_>>())
    };
    let parts: Vec<Prior> = (0..PARTS).map(of_others).collect();
    let mut rows = Rows::default();
    for (number, page) in pages.iter().enumerate() {
        let numbers = page.second_numbers(&parts[part_of(page)]);
        push(&mut rows, page, number, |at| &numbers[at]);
    }
    prior.second = train(&rows, OF_SECOND);
    prior
}

/// Returns the part of a page, which does not depend on its fold.
fn part_of(page: &Page) -> usize {
    host_hash(page) % 1013 % PARTS
}

/// Adds the blocks of a page. Its words weigh together 1.
fn push<'n>(rows: &mut Rows, page: &Page, number: usize, numbers: impl Fn(usize) -> &'n [i16]) {
    let all: usize = page.words.iter().map(Vec::len).sum();
    for (at, words) in page.words.iter().enumerate() {
        if !words.is_empty() {
            let weight = words.len() as f32 / all as f32;
            rows.push(numbers(at), page.is_content[at], weight, number);
        }
    }
}

/// Learns the first stage, and the trees over the numbers of pages.
fn learn_first(pages: &[&Page]) -> Prior {
    let (mut blocks, mut of_pages) = (Rows::default(), Rows::default());
    for (number, page) in pages.iter().enumerate() {
        push(&mut blocks, page, number, |at| &page.numbers.blocks[at]);
        let is_no_article = NO_ARTICLES.contains(&page.kind.as_str());
        of_pages.push(&page.numbers.page, is_no_article, 1.0, number);
    }
    Prior {
        blocks: train(&blocks, OF_BLOCKS),
        second: Trees::default(),
        pages: train(&of_pages, OF_PAGES),
    }
}

/// Returns the names of the numbers of blocks, those of most trees first.
fn uses(prior: &Prior) -> String {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    let trees = prior.blocks.trees.iter().chain(&prior.second.trees);
    for (number, _) in trees.flat_map(|tree| &tree.tests) {
        *uses.entry(feature_name(usize::from(*number))).or_default() += 1;
    }
    let mut uses: Vec<(String, usize)> = uses.into_iter().collect();
    uses.sort_by_key(|(_, trees)| std::cmp::Reverse(*trees));
    let names = uses.iter().map(|(name, trees)| format!("{name} {trees}"));
    names.collect::<Vec<_>>().join(", ")
}

/// Prints F1 by kind: of the rules alone, with the prior, and of the best labels of blocks.
fn table<'p>(pages: &'p [Page], prior: impl Fn(&'p Page) -> &'p Prior) -> String {
    let none = Prior::default();
    let mut kinds: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    for page in pages {
        let scores = (page.f1(&none), page.f1(prior(page)), page.best_f1());
        if let (Some(rules), Some(with), Some(best)) = scores {
            kinds
                .entry(&page.kind)
                .or_default()
                .push([rules, with, best]);
        }
    }
    let all: Vec<[f64; 3]> = kinds.values().flatten().copied().collect();
    let mut table = String::from(
        "| kind | pages | rules | with the prior | best labels |\n|---|--:|--:|--:|--:|\n",
    );
    let kinds = kinds.iter().map(|(kind, scores)| (*kind, scores));
    for (kind, scores) in kinds.chain([("**all**", &all)]) {
        let mean =
            |of: usize| scores.iter().map(|score| score[of]).sum::<f64>() / scores.len() as f64;
        let [rules, with, best] = [0, 1, 2].map(mean);
        let _ = writeln!(
            table,
            "| {kind} | {} | {rules:.4} | {with:.4} | {best:.4} |",
            scores.len()
        );
    }
    table
}
