//! The replay against a plain model, over pseudo-random streams with small
//! windows, so that everything is evicted, reused and revised many times.

mod model;

use std::collections::VecDeque;

use model::{Item, Kind, ModelTree};
use url_tree::{BlockHash, DomainReplay, Entry, Heuristic, N_MIN, WindowOptions, window_start};

const DOMAIN_LABELS: usize = 2;

const HEURISTICS: [Heuristic; 7] = [
    Heuristic::Strict,
    Heuristic::StrictSupport(3),
    Heuristic::StrictSupport(12),
    Heuristic::StrictAtDomain,
    Heuristic::RelaxedAtDomain(10),
    Heuristic::VoteSlow,
    Heuristic::VoteFast,
];

/// Linear congruential generator (Knuth's MMIX constants), high bits.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Few branches, most of them shared: hosts, sections, a rare deep path.
    fn branch(&mut self) -> Vec<String> {
        let mut branch = vec!["eu".to_string(), "news".to_string()];
        for _ in 0..self.below(5) {
            branch.push(["www", "a", "b", "2013"][self.below(4)].to_string());
        }
        branch
    }

    /// Template blocks, section blocks and the occasional unique one, some of
    /// them repeated; sometimes none at all.
    fn hashes(&mut self) -> Vec<BlockHash> {
        let block = |id: usize| (id as u128).to_be_bytes();
        let mut hashes: Vec<_> = (0..self.below(12)).map(|_| block(self.below(30))).collect();
        hashes.push(block(1_000 + self.below(1_000_000)));
        hashes.truncate(self.below(20));
        hashes
    }

    fn stream(&mut self, length: usize) -> Vec<Item> {
        let mut time = 0;
        (0..length)
            .map(|_| {
                time += self.below(30) as i64;
                Item {
                    time,
                    branch: self.branch(),
                    hashes: self.hashes(),
                    kind: match self.below(5) {
                        0 => Kind::Revision,
                        _ => Kind::Document,
                    },
                }
            })
            .collect()
    }

    fn window(&mut self) -> WindowOptions {
        WindowOptions {
            max_documents: self.below(40),
            max_age_micros: self.below(800) as i64,
            min_documents: self.below(15),
        }
    }

    /// Cuts the stream into batches of one to `largest` entries.
    fn batches<'a>(&mut self, stream: &'a [Item], largest: usize) -> Vec<&'a [Item]> {
        let mut batches = Vec::new();
        let mut rest = stream;
        while !rest.is_empty() {
            let (batch, later) = rest.split_at((1 + self.below(largest)).min(rest.len()));
            batches.push(batch);
            rest = later;
        }
        batches
    }
}

fn insert(replay: &mut DomainReplay, item: &Item) {
    let entry = Entry {
        time_micros: item.time,
        branch: &item.branch,
        hashes: &item.hashes,
    };
    match item.kind {
        Kind::Document => replay.insert(entry),
        Kind::Revision => replay.insert_unseen(entry),
    }
}

/// Counts, labels and selected node of some document are those of the model.
fn assert_like(
    replay: &DomainReplay,
    heuristic: Heuristic,
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
    let (labels, node) = model::label(heuristic, &statistics, DOMAIN_LABELS, N_MIN);
    let actual = replay.label(branch, hashes);
    assert_eq!(actual.blocks, labels, "{heuristic}");
    assert_eq!((actual.node.depth, actual.node.support), node);
}

#[test]
fn the_tree_is_that_of_the_entries_in_the_window() {
    let mut evicted = 0;
    for seed in 0..42 {
        let random = &mut Random(seed);
        let heuristic = HEURISTICS[seed as usize % HEURISTICS.len()];
        let options = random.window();
        let stream = random.stream(200);
        let mut replay = DomainReplay::new(DOMAIN_LABELS, heuristic, options);
        let mut window = VecDeque::new();
        for batch in random.batches(&stream, 6) {
            for item in batch {
                insert(&mut replay, item);
                window.push_back(item);
            }
            let before = ModelTree::of(window.iter().copied());
            for item in batch {
                assert_like(&replay, heuristic, &before, &item.branch, &item.hashes);
            }
            let gone = replay.end_batch(batch[batch.len() - 1].time);
            window.drain(..gone);
            evicted += gone;
            assert_eq!(replay.window_len(), window.len());

            let after = ModelTree::of(window.iter().copied());
            for _ in 0..4 {
                let (branch, hashes) = (random.branch(), random.hashes());
                assert_like(&replay, heuristic, &after, &branch, &hashes);
            }
        }
    }
    assert!(evicted > 5_000, "only {evicted} entries were evicted");
}

#[test]
fn the_window_is_the_same_suffix_however_the_stream_is_batched() {
    for seed in 100..160 {
        let random = &mut Random(seed);
        let options = random.window();
        let stream = random.stream(150);
        let times: Vec<i64> = stream.iter().map(|item| item.time).collect();
        for largest in [1, 7, 50, 200] {
            let mut replay = DomainReplay::new(DOMAIN_LABELS, Heuristic::Strict, options);
            let mut inserted = 0;
            for batch in random.batches(&stream, largest) {
                for item in batch {
                    insert(&mut replay, item);
                }
                inserted += batch.len();
                let newest = times[inserted - 1];
                replay.end_batch(newest);
                let start = window_start(&times[..inserted], &options);
                assert_eq!(replay.window_len(), inserted - start, "seed {seed}");
                // A tail of the stream that holds the window is enough.
                let tail = &times[start / 2..inserted];
                assert_eq!(window_start(tail, &options), start - start / 2);
            }
        }
    }
}

/// backfill(A..C) = backfill(A..B), then nightly(B..C) from the stored window.
#[test]
fn a_replay_goes_on_from_its_stored_window() {
    for seed in 200..235 {
        let random = &mut Random(seed);
        let heuristic = HEURISTICS[seed as usize % HEURISTICS.len()];
        let options = random.window();
        let stream = random.stream(160);
        let batches = random.batches(&stream, 9);
        let cut = batches.len() / 2;

        let label_all = |replay: &mut DomainReplay, batches: &[&[Item]]| {
            let mut labels = Vec::new();
            for batch in batches {
                batch.iter().for_each(|item| insert(replay, item));
                labels.extend(batch.iter().map(|i| replay.label(&i.branch, &i.hashes)));
                replay.end_batch(batch[batch.len() - 1].time);
            }
            labels
        };
        let mut whole = DomainReplay::new(DOMAIN_LABELS, heuristic, options);
        label_all(&mut whole, &batches[..cut]);
        let expected = label_all(&mut whole, &batches[cut..]);

        let stored = &stream[..batches[..cut].iter().map(|batch| batch.len()).sum()];
        let times: Vec<i64> = stored.iter().map(|item| item.time).collect();
        let mut resumed = DomainReplay::new(DOMAIN_LABELS, heuristic, options);
        for item in &stored[window_start(&times, &options)..] {
            insert(&mut resumed, item);
        }
        assert_eq!(label_all(&mut resumed, &batches[cut..]), expected);
        assert_eq!(resumed.window_len(), whole.window_len());
    }
}

#[test]
fn a_label_changes_nothing() {
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
