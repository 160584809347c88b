//! What the tree of a large domain takes, and what a page costs, from the first
//! window to the last.
//!
//! ```sh
//! cargo run --package url-tree --example memory [DOCUMENTS [PATHS [HEURISTIC]]]
//! ```
//!
//! Prints a table in Markdown. The domain is one of `tests/domain`: it does not
//! exist, and is shaped like a real one. `PATHS` are flat, dated, sections or
//! folders; without them all are measured. Of a run under `valgrind
//! --tool=callgrind` for two numbers of documents, the difference is what so many
//! documents cost in instructions.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/domain/mod.rs"]
mod domain;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use domain::Paths;
use url_tree::Heuristic;

/// Where the table has a row.
const DOCUMENTS: [u64; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];

/// Pages that are made at a time, so that making them is not measured.
const CHUNK: u64 = 500;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((documents, paths, heuristics)) = asked(&arguments) else {
        eprintln!("usage: memory [DOCUMENTS [flat|dated|sections|folders [HEURISTIC]]]");
        return ExitCode::from(2);
    };
    println!(
        "| paths | heuristic | documents | window | MB per 1,000 documents | vocabulary | nodes | counters | window | microseconds per document |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for paths in paths {
        for &heuristic in &heuristics {
            print_rows(paths, heuristic, documents);
        }
    }
    ExitCode::SUCCESS
}

fn asked(arguments: &[String]) -> Option<(u64, Vec<Paths>, Vec<Heuristic>)> {
    let documents = match arguments.first() {
        Some(documents) => documents.parse().ok()?,
        None => DOCUMENTS[DOCUMENTS.len() - 1],
    };
    let paths = match arguments.get(1) {
        Some(name) => {
            let named = |paths: &Paths| format!("{paths:?}").to_lowercase() == *name;
            vec![Paths::ALL.into_iter().find(named)?]
        }
        None => Paths::ALL.to_vec(),
    };
    let heuristics = match arguments.get(2) {
        Some(name) => vec![name.parse().ok()?],
        None => vec![Heuristic::Strict, Heuristic::StrictAtDomain],
    };
    Some((documents, paths, heuristics))
}

/// Replays the domain and prints a row at every number of documents, and one at
/// the last. The time is that of the documents since the row before; memory is
/// what was allocated and not freed.
fn print_rows(paths: Paths, heuristic: Heuristic, documents: u64) {
    let mut pages = Vec::with_capacity(CHUNK as usize);
    let mut replay = None;
    let mut bytes = 0;
    let (mut spent, mut since) = (Duration::ZERO, 0);
    let mut passed = 0;
    while passed < documents {
        let next = documents.min(passed + CHUNK);
        pages.extend((passed..next).map(|at| domain::page(paths, at)));
        let began = Instant::now();
        let held = measure(|| {
            let replay = replay.get_or_insert_with(|| domain::replay(heuristic));
            for page in &pages {
                std::hint::black_box(domain::pass(replay, page));
            }
        });
        spent += began.elapsed();
        bytes += held.bytes_current;
        pages.clear();
        passed = next;
        if !DOCUMENTS.contains(&passed) && passed != documents {
            continue;
        }
        let Some(replay) = &replay else { return };
        let window = replay.window_len();
        // As many bytes per document are thousands per thousand of them.
        let per_thousand = |bytes: f64| format!("{:.3}", bytes / window as f64 / 1e3);
        let parts = replay.heap_bytes();
        println!(
            "| {} | `{heuristic}` | {passed} | {window} | {} | {} | {} | {} | {} | {:.1} |",
            format!("{paths:?}").to_lowercase(),
            per_thousand(bytes as f64),
            per_thousand(parts.vocabulary as f64),
            per_thousand(parts.nodes as f64),
            per_thousand(parts.counters as f64),
            per_thousand(parts.window as f64),
            spent.as_secs_f64() * 1e6 / (passed - since) as f64,
        );
        (spent, since) = (Duration::ZERO, passed);
    }
}
