//! The protocol in many interleavings.
//!
//! `URLTREE_SEEDS` is the number of seeds, and `URLTREE_SEED` one of them, which is repeated with its events.

use std::collections::BTreeMap;
use std::io::Write;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crate::simulation::{Mutation, Outcome, simulate};

const SEEDS: u64 = 10_000;

/// Runs a seed, and panics with the command that repeats it if an invariant breaks.
fn run(seed: u64) -> Outcome {
    let outcome = catch_unwind(|| simulate(seed, Mutation::None, false));
    let violation = match &outcome {
        Ok(outcome) => outcome.violation.clone(),
        Err(_) => Some("it panicked".to_owned()),
    };
    if let Some(violation) = violation {
        panic!(
            "seed {seed}: {violation}\nrepeat it with its events: URLTREE_SEED={seed} cargo test \
             -p urltree-lease --test tests -- --nocapture a_seed_is_repeated"
        );
    }
    outcome.expect("it did not panic")
}

fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().expect("a number"))
}

/// Runs `seeds` on all cores, and counts the ends of processes.
fn run_all(seeds: u64) -> BTreeMap<String, usize> {
    let next = AtomicU64::new(0);
    let worker = || {
        let mut ends = BTreeMap::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                return ends;
            }
            for end in run(seed).ends {
                let (_, end) = end.split_once(": ").expect("a name and an end");
                *ends.entry(end.to_owned()).or_insert(0) += 1;
            }
        }
    };
    let cores = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let mut all = BTreeMap::new();
        for worker in workers {
            for (end, count) in worker.join().expect("no invariant breaks") {
                *all.entry(end).or_insert(0) += count;
            }
        }
        all
    })
}

#[test]
fn no_interleaving_breaks_an_invariant() {
    let seeds = variable("URLTREE_SEEDS").unwrap_or(SEEDS);
    let begun = Instant::now();
    let ends = run_all(seeds);
    let seconds = begun.elapsed().as_secs_f64();
    let _ = writeln!(
        std::io::stderr(),
        "{seeds} seeds in {seconds:.1} s: {ends:?}"
    );
    if seeds >= SEEDS {
        for (end, least) in [
            ("ok", 10_000),
            ("busy", 1_000),
            ("taken over", 300),
            ("killed", 500),
            ("interrupted", 100),
            ("the store failed", 300),
        ] {
            let found = ends.get(end).copied().unwrap_or(0);
            assert!(found >= least, "{end}: {found} times, less than {least}");
        }
    }
}

#[test]
fn equal_seeds_have_equal_events() {
    for seed in 0..100 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
    assert_ne!(run(1).digest, run(2).digest);
}

/// Does nothing without `URLTREE_SEED`.
#[test]
fn a_seed_is_repeated() {
    if let Some(seed) = variable("URLTREE_SEED") {
        let outcome = simulate(seed, Mutation::None, true);
        assert_eq!(outcome.violation, None, "seed {seed}: {:?}", outcome.ends);
    }
}
