//! What a domain takes, counted by the allocator.

mod domain;

use std::alloc::System;

use domain::Paths;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use url_tree::{DomainReplay, Heuristic};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A tenth of the 6.5 MB that the paper reports [P 6].
const BYTES_PER_DOCUMENT: usize = 650;

const WINDOW: u64 = 10_000;

/// A full window takes at most 0.65 MB per 1,000 documents, under every
/// heuristic and however the site names its pages, and no more after ten windows
/// have passed. (This test is alone in its binary, so that all memory is its own.)
#[test]
fn a_full_window_takes_650_bytes_per_document() {
    let mut measured = 0;
    for paths in Paths::ALL {
        for heuristic in [
            Heuristic::Strict,
            Heuristic::StrictSupport(100),
            Heuristic::StrictAtDomain,
            Heuristic::RelaxedAtDomain(500),
            Heuristic::VoteSlow,
            Heuristic::VoteFast,
        ] {
            // What comes and goes is the same under all of them.
            let windows = if heuristic == Heuristic::Strict {
                10
            } else {
                1
            };
            let before = Region::new(ALLOCATOR);
            let mut replay = domain::replay(heuristic);
            let held = |replay: &DomainReplay| {
                let now = before.change();
                let bytes = now.bytes_allocated - now.bytes_deallocated;
                let parts = replay.heap_bytes();
                let place = format!("{heuristic}, {paths:?}: {bytes}, {parts:?}");
                assert_eq!(replay.window_len() as u64, WINDOW, "{place}");
                assert_eq!(parts.total(), bytes, "{place}");
                assert!(bytes <= BYTES_PER_DOCUMENT * WINDOW as usize, "{place}");
                bytes
            };
            for at in 0..WINDOW {
                domain::pass(&mut replay, &domain::page(paths, at));
            }
            let full = held(&replay);
            for at in WINDOW..windows * WINDOW {
                domain::pass(&mut replay, &domain::page(paths, at));
            }
            let later = held(&replay);
            assert!(later <= full + full / 25, "{heuristic}, {paths:?}: {later}");
            measured += 1;
        }
    }
    assert_eq!(measured, 24);
}
