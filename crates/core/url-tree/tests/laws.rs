//! Properties of the replay, tested with random streams.
//!
//! The windows are small, so that entries are evicted, ids reused and pages revised many
//! times.

use crate::model;
use crate::transitions;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use model::{Item, Kind, ModelTree};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestRunner};
use transitions::Transitions;
use url_tree::{
    BlockHash, Constants, DomainReplay, Entry, Heuristic, N_MIN, TreeLabels, WindowOptions,
    window_start,
};

const DOMAIN_LABELS: usize = 2;

/// A fixed seed, so that the streams are the same on every machine. A failing case becomes a
/// separate test.
fn fixed() -> ProptestConfig {
    ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(2013),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Few different branches: hosts, sections and some deep paths.
fn branch() -> impl Strategy<Value = Vec<String>> {
    vec(select(vec!["www", "a", "b", "2013"]), 0..5).prop_map(|below| {
        let branch = ["eu", "news"].into_iter().chain(below);
        branch.map(str::to_owned).collect()
    })
}

/// Blocks of a template, some of them repeated, and rarely a unique block.
fn hashes() -> impl Strategy<Value = Vec<BlockHash>> {
    let block = prop_oneof![10 => 0..30_u128, 1 => any::<u128>()];
    vec(block.prop_map(u128::to_be_bytes), 0..14)
}

fn stream() -> impl Strategy<Value = Vec<Item>> {
    let kind = prop_oneof![4 => Just(Kind::Page), 1 => Just(Kind::Revision)];
    vec((0..30_i64, branch(), hashes(), kind), 1..120).prop_map(|items| {
        let mut time = 0;
        items
            .into_iter()
            .map(|(later, branch, hashes, kind)| {
                time += later;
                Item {
                    time,
                    branch,
                    hashes,
                    kind,
                }
            })
            .collect()
    })
}

fn window() -> impl Strategy<Value = WindowOptions> {
    (0..40_usize, 0..800_i64, 0..15_usize).prop_map(|(most, age, least)| WindowOptions {
        max_pages: most,
        max_age_micros: age,
        min_pages: least,
    })
}

const HEURISTICS: [Heuristic; 8] = [
    Heuristic::Strict,
    Heuristic::StrictSupport(3),
    Heuristic::StrictSupport(12),
    Heuristic::StrictAtDomain,
    Heuristic::RelaxedAtDomain(10),
    Heuristic::RelaxedStrict(10),
    Heuristic::VoteSlow,
    Heuristic::VoteFast,
];

fn heuristic() -> impl Strategy<Value = Heuristic> {
    select(HEURISTICS.to_vec())
}

/// Sizes of batches. They are repeated until the stream ends.
fn sizes() -> impl Strategy<Value = Vec<usize>> {
    vec(1..9_usize, 1..6)
}

fn batches<'a>(stream: &'a [Item], sizes: &[usize]) -> Vec<&'a [Item]> {
    let mut rest = stream;
    let mut batches = Vec::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (batch, later) = rest.split_at(rest.len().min(*size));
        batches.push(batch);
        rest = later;
    }
    batches
}

fn insert(replay: &mut DomainReplay, item: &Item) {
    let entry = Entry {
        time_micros: item.time,
        branch: &item.branch,
        hashes: &item.hashes,
    };
    match item.kind {
        Kind::Page => replay.insert(entry),
        Kind::Revision => replay.insert_revision(entry),
    }
}

/// Inserts, labels and ends one batch.
fn replay_batch(replay: &mut DomainReplay, batch: &[Item]) -> Vec<TreeLabels> {
    batch.iter().for_each(|item| insert(replay, item));
    let label = |item: &Item| replay.label(&item.branch, &item.hashes);
    let labels = batch.iter().map(label).collect();
    replay.end_batch(batch.last().map_or(0, |item| item.time));
    labels
}

fn replay_all(replay: &mut DomainReplay, batches: &[&[Item]]) -> Vec<TreeLabels> {
    let labels = batches.iter().map(|batch| replay_batch(replay, batch));
    labels.collect::<Vec<_>>().concat()
}

/// Asserts that the counts, the labels and the selected node of a page equal those of the
/// model.
fn assert_equals_model(
    replay: &DomainReplay,
    heuristic: Heuristic,
    constants: Constants,
    model: &ModelTree,
    branch: &[String],
    hashes: &[BlockHash],
) {
    let statistics = model.statistics(branch, hashes);
    let mut counts = replay.counts(branch, hashes).into_iter();
    for (depth, expected) in statistics.iter().enumerate().skip(DOMAIN_LABELS) {
        match counts.next() {
            Some(node) => {
                assert_eq!(usize::from(node.depth), depth);
                assert_eq!(&(node.support, node.counts), expected);
            }
            None => assert_eq!(expected, &(0, vec![0; hashes.len()])),
        }
    }
    let (labels, node) = model::label(heuristic, &statistics, DOMAIN_LABELS, constants);
    let actual = replay.label(branch, hashes);
    assert_eq!(actual.blocks, labels, "{heuristic}");
    assert_eq!((actual.node.depth, actual.node.support), node);
}

proptest! {
    #![proptest_config(fixed())]

    /// The labels before and after evictions equal those of plain counters over the entries
    /// of the window.
    #[test]
    fn the_tree_equals_a_model_of_its_window(
        stream in stream(),
        sizes in sizes(),
        options in window(),
        heuristic in heuristic(),
        n_min in select(vec![1, 2, N_MIN]),
        c_max in 1..4_u32,
        others in vec((branch(), hashes()), 3),
    ) {
        let constants = Constants { n_min, c_max };
        let mut replay =
            DomainReplay::new(DOMAIN_LABELS, heuristic, options).with_constants(constants);
        let mut window = VecDeque::new();
        for batch in batches(&stream, &sizes) {
            for item in batch {
                insert(&mut replay, item);
                window.push_back(item);
            }
            let before = ModelTree::from_items(window.iter().copied());
            for item in batch {
                assert_equals_model(&replay, heuristic, constants, &before, &item.branch, &item.hashes);
            }
            let gone = replay.end_batch(batch[batch.len() - 1].time);
            window.drain(..gone);
            prop_assert_eq!(replay.window_len(), window.len());

            let after = ModelTree::from_items(window.iter().copied());
            for (branch, hashes) in &others {
                assert_equals_model(&replay, heuristic, constants, &after, branch, hashes);
            }
        }
    }

    #[test]
    fn the_window_does_not_depend_on_the_batches(
        stream in stream(),
        sizes in sizes(),
        options in window(),
    ) {
        let times: Vec<i64> = stream.iter().map(|item| item.time).collect();
        let mut replay = DomainReplay::new(DOMAIN_LABELS, Heuristic::Strict, options);
        let mut inserted = 0;
        for batch in batches(&stream, &sizes) {
            replay_batch(&mut replay, batch);
            inserted += batch.len();
            let start = window_start(&times[..inserted], &options);
            prop_assert_eq!(replay.window_len(), inserted - start);
            // A tail of the stream that contains the window gives the same start.
            let tail = &times[start / 2..inserted];
            prop_assert_eq!(window_start(tail, &options), start - start / 2);
        }
    }

    /// A backfill of A..C equals a backfill of A..B and one of B..C from the stored window.
    #[test]
    fn a_replay_resumes_from_its_stored_window(
        stream in stream(),
        sizes in sizes(),
        options in window(),
        heuristic in heuristic(),
        cut in any::<prop::sample::Index>(),
    ) {
        let batches = batches(&stream, &sizes);
        let (earlier, later) = batches.split_at(cut.index(batches.len()));
        let mut whole = DomainReplay::new(DOMAIN_LABELS, heuristic, options);
        replay_all(&mut whole, earlier);
        let expected = replay_all(&mut whole, later);

        let stored = &stream[..earlier.iter().map(|batch| batch.len()).sum()];
        let times: Vec<i64> = stored.iter().map(|item| item.time).collect();
        let mut resumed = DomainReplay::new(DOMAIN_LABELS, heuristic, options);
        for item in &stored[window_start(&times, &options)..] {
            insert(&mut resumed, item);
        }
        prop_assert_eq!(replay_all(&mut resumed, later), expected);
        prop_assert_eq!(resumed.window_len(), whole.window_len());
    }

    /// Domains whose batches are interleaved get the labels of separate replays.
    #[test]
    fn labels_do_not_depend_on_other_domains(
        streams in vec((stream(), sizes()), 2..4),
        turns in vec(any::<prop::sample::Index>(), 1..40),
        options in window(),
        heuristic in heuristic(),
    ) {
        let new = || DomainReplay::new(DOMAIN_LABELS, heuristic, options);
        let streams: Vec<Vec<&[Item]>> = streams
            .iter()
            .map(|(stream, sizes)| batches(stream, sizes))
            .collect();
        let mut waiting: BTreeMap<usize, &[&[Item]]> =
            streams.iter().map(Vec::as_slice).enumerate().collect();
        let mut replays: Vec<_> = streams.iter().map(|_| (new(), Vec::new())).collect();
        for turn in turns.iter().cycle() {
            let Some(&domain) = waiting.keys().nth(turn.index(waiting.len().max(1))) else {
                break;
            };
            let Some((batch, later)) = waiting[&domain].split_first() else {
                waiting.remove(&domain);
                continue;
            };
            let (replay, labels) = &mut replays[domain];
            labels.extend(replay_batch(replay, batch));
            waiting.insert(domain, later);
        }
        for (batches, (_, mixed)) in streams.iter().zip(replays) {
            prop_assert_eq!(replay_all(&mut new(), batches), mixed);
        }
    }
}

/// Most pages are in one section of one host. In a window of twelve entries each of the
/// forty blocks is in one, two or three entries.
fn shifting_stream() -> impl Strategy<Value = Vec<Item>> {
    let branch = prop_oneof![
        6 => Just(vec!["www", "a", "b"]),
        3 => Just(vec!["www", "a", "c"]),
        3 => Just(vec!["www", "a"]),
        1 => Just(vec!["www", "d", "b"]),
        1 => Just(vec!["blog", "a"]),
        1 => Just(vec![]),
    ];
    let kind = prop_oneof![6 => Just(Kind::Page), 1 => Just(Kind::Revision)];
    let hashes = vec((0..40_u128).prop_map(u128::to_be_bytes), 3..8);
    let item = (branch, hashes, kind).prop_map(|(branch, hashes, kind)| Item {
        time: 0,
        branch: ["eu", "news"]
            .into_iter()
            .chain(branch)
            .map(str::to_owned)
            .collect(),
        hashes,
        kind,
    });
    vec(item, 30..80)
}

/// The labels equal those of the model at every transition of [`Transitions`].
///
/// Every page is compared at its insertion, at its eviction, and after it as a duplicate.
#[test]
fn no_transition_changes_a_label() {
    let seen = RefCell::new(Transitions::default());
    let cases = (shifting_stream(), 3..13_usize, select(vec![2, N_MIN]));
    let run = TestRunner::new(fixed()).run(&cases, |(stream, most, n_min)| {
        let options = WindowOptions {
            max_pages: most,
            min_pages: 0,
            ..WindowOptions::default()
        };
        let constants = Constants {
            n_min,
            ..Constants::default()
        };
        let new = |heuristic| {
            let replay = DomainReplay::new(DOMAIN_LABELS, heuristic, options);
            (heuristic, replay.with_constants(constants))
        };
        let mut replays = HEURISTICS.map(new);
        let mut transitions = Transitions::default();
        for item in &stream {
            transitions.push(item, n_min);
            let before = ModelTree::from_items(&transitions.window);
            let oldest = transitions.window[0].clone();
            let full = transitions.window.len() > most;
            if full {
                transitions.pop(n_min);
            }
            let after = ModelTree::from_items(&transitions.window);
            for (heuristic, replay) in &mut replays {
                insert(replay, item);
                for page in [item, &oldest] {
                    let (branch, hashes) = (&page.branch, &page.hashes);
                    assert_equals_model(replay, *heuristic, constants, &before, branch, hashes);
                }
                assert_eq!(replay.end_batch(0), usize::from(full));
                for page in [item, &oldest] {
                    let (branch, hashes) = (&page.branch, &page.hashes);
                    assert_equals_model(replay, *heuristic, constants, &after, branch, hashes);
                }
            }
        }
        seen.borrow_mut().add(&transitions);
        Ok(())
    });
    run.expect("the labels equal those of the model");
    let kinds = Transitions::kinds();
    assert_eq!(kinds.len(), 16);
    for kind in kinds {
        let times = seen.borrow().times(&kind);
        assert!(times >= 100, "{kind}: {times} times");
    }
}

#[test]
fn labelling_does_not_change_the_tree() {
    let mut replay = DomainReplay::new(1, Heuristic::VoteFast, WindowOptions::default());
    let known = ([0; 16], ["x", "a"]);
    replay.insert(Entry {
        time_micros: 0,
        branch: &known.1,
        hashes: &[known.0],
    });
    let before = replay.counts(&known.1, &[known.0]);
    let labels = replay.label(&["x", "b", "c"], &[[9; 16]]);
    assert!(labels.blocks[0].unseen);
    assert_eq!(replay.counts(&["x", "b", "c"], &[known.0]).len(), 1);
    assert_eq!(replay.counts(&known.1, &[known.0]), before);
}
