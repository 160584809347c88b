//! Learns the prior of the template, and measures it on hosts that it did not see.
//!
//! ```sh
//! cargo run --release -p urltree-evaluation --example prior -- \
//!     --gold wcxb-dev.parquet CC-BY-4.0 --site streams/lgkblog.parquet none article --folds 4 \
//!     --write crates/core/template
//! ```
//!
//! `--gold SET LICENCE` learns from the gold texts of a set. `--site SET LICENCE KIND` learns from the labels that the rules
//! give to the pages of a set with all pages of their sites: no gold is needed, and what a site's history says is
//! learned for pages without one. KIND is that of all its pages, or `any`. Each page is seen alone, and with one and four
//! others of its site, and its labels are softened by nets of other hosts. `--folds N` prints F1 by the nets of the
//! hosts of other folds, with up to 50 pages of a site. `--write FOLDER` writes `prior.bin` and its card, `prior.md`.
//! Equal sets give equal bytes.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod dice;
mod example;
mod in_gold;
mod learn;
mod pages;
mod tape;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use template::prior::{Nets, PageKind};

use crate::example::Example;
use crate::learn::learn_nets;
use crate::pages::{Labels, Page, pages};
use crate::targets::{number_of, softened};

const USAGE: &str = "usage: prior [--gold SET LICENCE]... [--site SET LICENCE KIND]... [--folds N] [--write FOLDER]";

/// Blocks of the largest page that is learned from. A few pages have more, and a third of all blocks.
const LEARNED_BLOCKS: usize = 2000;

/// The first random numbers of each net. One net alone is up to .005 better or worse on the hosts of other folds than
/// the next.
const SEEDS: [u64; 2] = [1, 2];

/// A set and what is learned from it.
struct Set {
    name: String,
    labels: Labels,
    licence: String,
    pages: Vec<Page>,
}

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
    let (mut sets, mut folds, mut write) = (Vec::new(), 0_usize, None);
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or(USAGE);
        match argument.as_str() {
            "--gold" => sets.push(read(value()?, Labels::Gold, value()?)?),
            "--site" => {
                let (path, licence) = (value()?, value()?);
                sets.push(read(path, Labels::Site(kind(&value()?)?), licence)?);
            }
            "--folds" => folds = value()?.parse().map_err(|_| USAGE)?,
            "--write" => write = Some(PathBuf::from(value()?)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    if sets.is_empty() {
        return Err(USAGE.to_owned());
    }
    if folds > 1 {
        let nets = of_folds(&sets, folds);
        print!("{}\n{}", measured(&sets, &nets), kinds(&sets, &nets));
    }
    if let Some(folder) = write {
        let bytes = nets(&sets, |_| true).to_bytes();
        for (name, bytes) in [
            ("prior.bin", &bytes[..]),
            ("prior.md", card(&sets, &bytes).as_bytes()),
        ] {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Reads the kind of all pages of a set; `None` for `any`.
fn kind(name: &str) -> Result<Option<PageKind>, &'static str> {
    let known = PageKind::ALL.into_iter();
    let known = known.map(|kind| (kind.as_str(), Some(kind)));
    let found = known.chain([("any", None)]).find(|(of, _)| *of == name);
    found.map(|(_, kind)| kind).ok_or(USAGE)
}

fn read(path: String, labels: Labels, licence: String) -> Result<Set, String> {
    let path = Path::new(&path);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Set {
        name: name.into_owned(),
        labels,
        licence,
        pages: pages(path, labels)?,
    })
}

/// Learns from the pages whose hosts are taken.
fn nets(sets: &[Set], takes: impl Fn(&str) -> bool) -> Nets {
    let fits = |page: &&Page| {
        let example = &page.example;
        takes(&page.host)
            && example.weight > 0.0
            && example.words.len() <= LEARNED_BLOCKS
            && example.labels.meant > 0.0
    };
    let pages = sets.iter().flat_map(|set| &set.pages).filter(fits);
    let pages: Vec<&Page> = pages.collect();
    let examples: Vec<&Example> = pages.iter().map(|page| &page.example).collect();
    learn_nets(&examples, &softened(&pages), SEEDS)
}

/// Returns the fold of a host.
fn fold_of(host: &str, folds: usize) -> usize {
    number_of(host) % folds
}

/// Learns nets for each fold, from the hosts of the others.
fn of_folds(sets: &[Set], folds: usize) -> Vec<Nets> {
    let learn = |fold| nets(sets, |host| fold_of(host, folds) != fold);
    (0..folds).map(learn).collect()
}

/// Measures each page with the nets of the hosts of other folds. Returns F1 of the rules alone and with the nets, by
/// set, kind of page and pages of the site that are known, beside that of the same pages alone with the nets.
fn measured(sets: &[Set], nets: &[Nets]) -> String {
    let mut rows: BTreeMap<(&str, &str, usize), Vec<[f64; 3]>> = BTreeMap::new();
    for set in sets {
        let mut alone = 0.0;
        for page in set.pages.iter().filter(|page| page.context == page.asked) {
            let Some([rules, judged]) = page.f1(&nets[fold_of(&page.host, nets.len())]) else {
                continue;
            };
            // The contexts of a page follow each other, and it is alone in the first.
            if page.context == 1 {
                alone = judged;
            }
            let kinds: BTreeSet<&str> = ["", &page.kind].into_iter().collect();
            for kind in kinds {
                rows.entry((&set.name, kind, page.context))
                    .or_default()
                    .push([rules, judged, alone]);
            }
        }
    }
    let mut table = String::from(
        "| set | kind | pages of the site | pages | rules | with the prior | the same pages alone |\n\
         |---|---|--:|--:|--:|--:|--:|\n",
    );
    for ((set, kind, context), scores) in rows {
        let mean =
            |at: usize| scores.iter().map(|score| score[at]).sum::<f64>() / scores.len() as f64;
        let (rules, prior, alone) = (mean(0), mean(1), mean(2));
        let _ = writeln!(
            table,
            "| {set} | {kind} | {context} | {} | {rules:.4} | {prior:.4} | {alone:.4} |",
            scores.len()
        );
    }
    table
}

/// Returns how many pages of each kind have it by the nets of the hosts of other folds, each page alone.
fn kinds(sets: &[Set], nets: &[Nets]) -> String {
    let mut rows: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let pages = sets.iter().flat_map(|set| &set.pages);
    for page in pages.filter(|page| page.context == 1) {
        let nets = &nets[fold_of(&page.host, nets.len())];
        let Some(likely) = nets.say(&page.example.inputs).kind() else {
            continue;
        };
        let Some(kind) = page.example.kind else {
            continue;
        };
        rows.entry(kind.as_str()).or_default()[0] += 1;
        rows.entry(likely.kind.as_str()).or_default()[1] += 1;
        rows.entry(kind.as_str()).or_default()[2] += usize::from(likely.kind == kind);
    }
    let mut table = String::from("| kind | pages | said | right |\n|---|--:|--:|--:|\n");
    for (kind, [pages, said, right]) in rows {
        let _ = writeln!(table, "| {kind} | {pages} | {said} | {right} |");
    }
    table
}

/// Returns the card of the weights.
fn card(sets: &[Set], bytes: &[u8]) -> String {
    let mut card = format!(
        "# What `prior.bin` knows\n\nMade by the example `prior` of `urltree-evaluation`; not edited. {} bytes: the weights \
         of the nets of `src/prior/net.rs`,\nwith eight bits a weight. No text of a page is in it.\n\n\
         | set | pages | sites | learned from | licence of the labels |\n|---|--:|--:|---|---|\n",
        bytes.len(),
    );
    for set in sets {
        let alone = || set.pages.iter().filter(|page| page.context == 1);
        let hosts: BTreeSet<&str> = alone().map(|page| page.host.as_str()).collect();
        let labels = match set.labels {
            Labels::Gold => "its gold texts",
            Labels::Site(_) => "the rules, with all pages of a site",
        };
        let (name, licence) = (&set.name, &set.licence);
        let _ = writeln!(
            card,
            "| {name} | {} | {} | {labels} | {licence} |",
            alone().count(),
            hosts.len()
        );
    }
    card
}
