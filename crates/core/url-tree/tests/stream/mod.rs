//! Reads the files of the stream vectors.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use conformance::rows;
use serde::Deserialize;
use url_tree::BlockHash;

use crate::model::{Item, Kind, Statistics};
use crate::observed::Outcome;

#[derive(Deserialize)]
pub(crate) struct Config {
    pub(crate) min_queue: usize,
    pub(crate) max_queue: usize,
    pub(crate) days: i64,
    pub(crate) n_min: u32,
}

#[derive(Deserialize)]
pub(crate) struct Input {
    pub(crate) time: String,
    pub(crate) blocks: Vec<String>,
    pub(crate) batch: Option<u64>,
}

#[derive(Deserialize)]
pub(crate) struct Expected {
    pub(crate) i: usize,
    pub(crate) domain: String,
    pub(crate) url_key: String,
    pub(crate) rev: u32,
    pub(crate) duplicate: bool,
    pub(crate) hashes: Vec<String>,
    pub(crate) nodes: Vec<ExpectedNode>,
    pub(crate) query_nmin: Vec<ReturnedNode>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) selected: BTreeMap<String, serde_json::Value>,
    pub(crate) domain_node_index: usize,
    pub(crate) production: String,
    pub(crate) inserted: String,
    pub(crate) unseen_content_chars: Option<usize>,
    pub(crate) evicted_after: Option<usize>,
    /// The key of each evicted entry; `None` for a revision.
    pub(crate) evicted_keys: Option<Vec<Option<String>>>,
    pub(crate) queue_after: Option<usize>,
    pub(crate) tree_after: Option<Vec<String>>,
}

#[derive(Deserialize)]
pub(crate) struct ExpectedNode {
    pub(crate) key: String,
    pub(crate) n: u32,
    pub(crate) c: Vec<u32>,
}

#[derive(Deserialize)]
pub(crate) struct ReturnedNode {
    pub(crate) key: String,
    pub(crate) n: u32,
}

/// One document of a stream, parsed.
pub(crate) struct Document {
    pub(crate) expected: Expected,
    pub(crate) time: i64,
    pub(crate) branch: Vec<String>,
    pub(crate) hashes: Vec<BlockHash>,
    pub(crate) utf16_lengths: Vec<usize>,
    pub(crate) batch: u64,
}

impl Document {
    fn new(expected: Expected, input: Input) -> Self {
        let inner = &expected.nodes[..expected.nodes.len() - 1];
        Document {
            time: micros(&input.time),
            branch: inner.iter().rev().map(|node| node.key.clone()).collect(),
            hashes: expected.hashes.iter().map(|hex| widened(hex)).collect(),
            utf16_lengths: input
                .blocks
                .iter()
                .map(|text| text.encode_utf16().count())
                .collect(),
            // A document without a batch number is its own batch.
            batch: input.batch.unwrap_or(expected.i as u64),
            expected,
        }
    }

    fn depth(&self, index: usize) -> usize {
        self.expected.nodes.len() - 1 - index
    }

    pub(crate) fn domain_labels(&self) -> usize {
        self.depth(self.expected.domain_node_index)
    }

    pub(crate) fn statistics(&self) -> Vec<Statistics> {
        let from_root = self.expected.nodes.iter().rev();
        from_root.map(|node| (node.n, node.c.clone())).collect()
    }

    pub(crate) fn item(&self, kind: Kind, hashes: Vec<BlockHash>) -> Item {
        Item {
            time: self.time,
            branch: self.branch.clone(),
            hashes,
            kind,
        }
    }

    /// Returns, per heuristic of the vectors, the labels as letters, and the selected node if
    /// the vectors have it.
    pub(crate) fn outcomes(&self) -> BTreeMap<String, Outcome> {
        let selected = |name: &String| {
            let node = self.expected.selected.get(name)?.as_array()?;
            let depth = self.depth(node[0].as_u64().unwrap() as usize);
            let support = node[2].as_u64().unwrap() as u32;
            Some((depth.max(self.domain_labels()) as u16, support))
        };
        self.expected
            .labels
            .iter()
            .map(|(name, letters)| (name.clone(), (letters.clone(), selected(name))))
            .collect()
    }
}

/// Widens a hash of the vectors, which has 64 bits.
fn widened(hex: &str) -> BlockHash {
    u128::from(u64::from_str_radix(hex, 16).unwrap()).to_be_bytes()
}

/// Parses `2011-10-24T08:04:19Z` to microseconds since 1970.
fn micros(time: &str) -> i64 {
    let fields: Vec<i64> = time
        .trim_end_matches('Z')
        .split(['-', 'T', ':'])
        .map(|field| field.parse().unwrap())
        .collect();
    let [year, month, day, hour, minute, second] = fields[..] else {
        panic!("not a time: {time}");
    };
    // Days since 1970 in the proleptic Gregorian calendar; years start in March.
    let (y, m) = (year - i64::from(month < 3), (month + 9) % 12);
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + day - 719_469;
    (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000
}

/// Returns the names of the streams in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|file| {
            let name = file.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".config.json").map(str::to_string)
        })
        .collect();
    names.sort();
    names
}

/// Reads the configuration and the documents of one stream, in order.
pub(crate) fn read(folder: &Path, name: &str) -> (Config, Vec<Document>) {
    let text = fs::read_to_string(folder.join(format!("{name}.config.json"))).unwrap();
    let inputs: Vec<Input> = rows(&folder.join(format!("{name}.input.jsonl.gz")));
    let expected: Vec<Expected> = rows(&folder.join(format!("{name}.expected.jsonl.gz")));
    assert_eq!(inputs.len(), expected.len(), "{name}");
    let documents = expected.into_iter().zip(inputs);
    (
        serde_json::from_str(&text).unwrap(),
        documents
            .map(|(expected, input)| Document::new(expected, input))
            .collect(),
    )
}

/// Parses lines `"    key (n/total)"`, with two spaces per level, to totals per path.
pub(crate) fn totals(dump: &[String]) -> BTreeMap<Vec<String>, (u32, u32)> {
    let mut path: Vec<String> = Vec::new();
    let mut totals = BTreeMap::new();
    for line in dump {
        let (indented, numbers) = line.rsplit_once(" (").unwrap();
        let key = indented.trim_start_matches(' ');
        path.truncate((indented.len() - key.len()) / 2);
        path.push(key.to_string());
        let (n, total) = numbers.trim_end_matches(')').split_once('/').unwrap();
        let pair = (n.parse().unwrap(), total.parse().unwrap());
        totals.insert(path[1..].to_vec(), pair);
    }
    totals.retain(|_, total| *total != (0, 0));
    totals
}
