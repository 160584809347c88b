//! Conformance with the authors' code.
//!
//! Every stream of the shared vectors is replayed and compared bit for bit. `docs/method.md`
//! has the resulting numbers. Pages are called documents here, as in the vectors.
//!
//! - Per document: whether its key is known, the number of its occurrences, `n` and `c` at
//!   every node of its branch, the nodes with enough support, the labels and the selected
//!   node of every heuristic, the votes, the unseen characters, and its blocks that are
//!   inserted.
//! - Per batch: the evicted entries, their keys, the number of entries left, and `n` and the
//!   sum of `c` at every node after evictions.
//!
//! One deliberate difference is accepted if it explains all differences of a case, see
//! [`Domain::removal_stopped_early`].

// The lint exempts tests, but not the functions that tests call.
#![allow(clippy::unwrap_used)]

use crate::model;
use crate::observed;
use crate::stream;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::Path;

use conformance::{Comparison, Difference, Row, material};
use model::{Item, Kind, ModelTree};
use observed::Observed;
use stream::{Config, Document, Expected};
use url_tree::{
    BlockHash, Constants, DomainReplay, Entry, Heuristic, SelectedNode, TreeLabels, WindowOptions,
    revision_hashes, unseen_chars,
};

const WHOLE_BRANCH: Difference = Difference::meaning(
    "whole branch",
    "An entry that leaves the window is taken out of its whole branch. There the walk stops at the first node without documents, whose counts stay and whose children go, revisions among them [O F3, F4]; a window would not determine its tree.",
);

fn constants(n_min: u32) -> Constants {
    Constants {
        n_min,
        ..Constants::default()
    }
}

fn heuristic(name: &str) -> Heuristic {
    match name {
        "simple" => Heuristic::Strict,
        "slow" => Heuristic::VoteSlow,
        "fast" => Heuristic::VoteFast,
        _ => name.replace('_', "-").parse().unwrap(),
    }
}

/// The rows of the comparison.
struct Rows {
    documents: Row,
    labels: Row,
    batches: Row,
    trees: Row,
}

impl ModelTree {
    /// Removes an entry as the authors' code does [O F3].
    ///
    /// The removal goes from the root down. It stops at the first node without documents and
    /// discards the children of this node.
    fn remove_like_original(&mut self, item: &Item) {
        for depth in 0..=item.branch.len() {
            let path = &item.branch[..depth];
            let Some(node) = self.nodes.get_mut(path) else {
                return;
            };
            if item.kind == Kind::Page {
                node.n = node.n.saturating_sub(1);
            }
            for hash in item.distinct() {
                if let Some(count) = node.c.get_mut(&hash) {
                    *count = count.saturating_sub(1);
                }
            }
            if node.n == 0 {
                self.nodes
                    .retain(|other, _| other.len() <= depth || !other.starts_with(path));
                return;
            }
        }
    }

    /// Returns `n` and the sum of all `c` per node, without nodes where both are 0.
    fn totals(&self) -> BTreeMap<Vec<String>, (u32, u32)> {
        self.nodes
            .iter()
            .map(|(path, node)| (path.clone(), (node.n, node.c.values().sum())))
            .filter(|(_, totals)| *totals != (0, 0))
            .collect()
    }
}

/// One domain of a stream.
///
/// It has a replay per heuristic, the window with its keys, and a model of the tree of the
/// authors' code.
struct Domain {
    n_min: u32,
    domain_labels: usize,
    replays: BTreeMap<String, DomainReplay>,
    window: VecDeque<Item>,
    /// The key of each entry of the window; `None` for a revision.
    keys: VecDeque<Option<String>>,
    /// Number of occurrences per key of the window [O E1].
    known: HashMap<String, u32>,
    original: ModelTree,
    branches: BTreeSet<Vec<String>>,
}

impl Domain {
    fn new(config: &Config, first: &Document) -> Self {
        let window = WindowOptions {
            max_pages: config.max_queue,
            max_age_micros: config.days * 24 * 3600 * 1_000_000,
            min_pages: config.min_queue,
        };
        let domain_labels = first.domain_labels();
        let replay = |name: &String| {
            let replay = DomainReplay::new(domain_labels, heuristic(name), window);
            (name.clone(), replay.with_constants(constants(config.n_min)))
        };
        Domain {
            n_min: config.n_min,
            domain_labels,
            replays: first.expected.labels.keys().map(replay).collect(),
            window: VecDeque::new(),
            keys: VecDeque::new(),
            known: HashMap::new(),
            original: ModelTree::default(),
            branches: BTreeSet::new(),
        }
    }

    /// Counts an occurrence of the document's key, and returns the number.
    fn revision(&mut self, document: &Document) -> u32 {
        let key = document.expected.url_key.clone();
        let times = self.known.entry(key).or_default();
        *times += 1;
        *times
    }

    fn insert(&mut self, item: Item, key: Option<&str>) {
        for replay in self.replays.values_mut() {
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
        self.original.insert(&item);
        self.branches.insert(item.branch.clone());
        self.window.push_back(item);
        self.keys.push_back(key.map(str::to_owned));
    }

    /// Returns the values of the replays for a document.
    fn observed(&self, document: &Document) -> Observed {
        let (branch, hashes) = (&document.branch, &document.hashes);
        let nodes = self.replays["slow"].counts(branch, hashes);
        // The root and the public suffix have the counts of the domain node. A node that
        // does not exist has counts 0.
        let node = |depth: usize| match nodes.get(depth.saturating_sub(self.domain_labels)) {
            Some(node) => (node.support, node.counts.clone()),
            None => (0, vec![0; hashes.len()]),
        };
        let labels = |name: &str| self.replays[name].label(branch, hashes);
        let statistics = (0..=branch.len()).map(node).collect();
        Observed::new(statistics, document, self.domain_labels, self.n_min, labels)
    }

    /// Returns the values of the model for a document and a tree.
    fn modelled(&self, tree: &ModelTree, document: &Document) -> Observed {
        let statistics = tree.statistics(&document.branch, &document.hashes);
        let labels = |name: &str| {
            let (blocks, (depth, support)) = model::label(
                heuristic(name),
                &statistics,
                self.domain_labels,
                constants(self.n_min),
            );
            let node = SelectedNode { depth, support };
            TreeLabels { blocks, node }
        };
        Observed::new(
            statistics.clone(),
            document,
            self.domain_labels,
            self.n_min,
            labels,
        )
    }

    /// Returns whether the deliberate difference explains the values of a document.
    ///
    /// The authors' removal stops at a node without documents, discards its children and
    /// keeps its counts [O F3, F4]. This crate removes an entry from its whole branch. The
    /// difference explains a case if and only if a model of their removal gives the values
    /// of the vector, and a tree built from the window gives ours.
    fn removal_stopped_early(
        &self,
        document: &Document,
        ours: &Observed,
        theirs: &Observed,
    ) -> bool {
        let rebuilt = ModelTree::from_items(&self.window);
        self.modelled(&self.original, document) == *theirs
            && self.modelled(&rebuilt, document) == *ours
    }

    fn compare_document(&mut self, document: &Document, revision: u32, rows: &mut Rows) {
        let expected = &document.expected;
        let place = format!("document {} of {}", expected.i, expected.domain);
        let ours = self.observed(document);
        let theirs = Observed::from_vector(document);
        let same_key = revision == expected.rev && (revision > 1) == expected.duplicate;
        let difference = if ours == theirs {
            None
        } else {
            Some(WHOLE_BRANCH.name)
        };
        let explained =
            difference.is_none() || self.removal_stopped_early(document, &ours, &theirs);
        if !explained || !same_key || (difference.is_none() && !self.is_inserted_alike(document)) {
            let text = format!("{place}, revision {revision}\nours   {ours:?}\ntheirs {theirs:?}");
            return rows.documents.unexplained(text);
        }
        rows.documents.differs(difference);
        for (ours, theirs) in ours.letters().zip(theirs.letters()) {
            rows.labels.differs(difference.filter(|_| ours != theirs));
        }
    }

    /// Compares the inserted blocks of a document and the number of its unseen characters.
    fn is_inserted_alike(&self, document: &Document) -> bool {
        let expected = &document.expected;
        let labels = self.replays["slow"].label(&document.branch, &document.hashes);
        let lengths = &document.utf16_lengths;
        let revision = revision_hashes(&labels, &document.hashes, lengths);
        let inserted = match (expected.duplicate, revision) {
            (false, _) => "document",
            (true, Some(_)) => "unseen-blocks",
            (true, None) => "none",
        };
        inserted == expected.inserted
            && unseen_chars(&labels, lengths) == expected.unseen_content_chars.unwrap_or(0)
    }

    /// Inserts the unseen blocks of a revision, by the labels of the vectors.
    ///
    /// The replays thereby equal the vectors again after an accepted difference.
    fn insert_revision(&mut self, document: &Document) {
        let expected = &document.expected;
        if expected.inserted == "unseen-blocks" {
            let unseen = document.hashes.iter().zip(expected.production.chars());
            let hashes = unseen.filter(|(_, c)| *c == 'U').map(|(h, _)| *h).collect();
            self.insert(document.item(Kind::Revision, hashes), None);
        }
    }

    fn end_batch(&mut self, newest: i64, last: &Expected, rows: &mut Rows) {
        let evicted = last.evicted_after.unwrap();
        let mut agree = true;
        for replay in self.replays.values_mut() {
            agree &= replay.end_batch(newest) == evicted;
            agree &= Some(replay.window_len()) == last.queue_after;
        }
        for item in self.window.drain(..evicted) {
            self.original.remove_like_original(&item);
        }
        let keys: Vec<Option<String>> = self.keys.drain(..evicted).collect();
        for key in keys.iter().flatten() {
            self.known.remove(key);
        }
        agree &= keys == last.evicted_keys.clone().unwrap_or_default();
        if agree {
            rows.batches.identical();
        } else {
            rows.batches
                .unexplained(format!("batch of document {}", last.i));
        }
        if evicted > 0 {
            let theirs = stream::totals(last.tree_after.as_deref().unwrap());
            self.compare_tree(&theirs, &mut rows.trees);
        }
    }

    fn compare_tree(&self, theirs: &BTreeMap<Vec<String>, (u32, u32)>, trees: &mut Row) {
        let hashes: BTreeSet<BlockHash> = self
            .window
            .iter()
            .flat_map(|item| &item.hashes)
            .copied()
            .collect();
        let hashes: Vec<BlockHash> = hashes.into_iter().collect();
        let mut ours = BTreeMap::new();
        for branch in &self.branches {
            for node in self.replays["slow"].counts(branch, &hashes) {
                let total = (node.support, node.counts.iter().sum());
                let depth = usize::from(node.depth);
                ours.insert(branch[..depth].to_vec(), total);
                for above in 0..depth.min(self.domain_labels) {
                    ours.entry(branch[..above].to_vec()).or_insert(total);
                }
            }
        }
        ours.retain(|_, total| *total != (0, 0));
        if ours == *theirs {
            trees.identical();
        } else if ours == ModelTree::from_items(&self.window).totals()
            && *theirs == self.original.totals()
        {
            trees.differs([WHOLE_BRANCH.name]);
        } else {
            trees.unexplained(format!("tree\nours   {ours:?}\ntheirs {theirs:?}"));
        }
    }
}

/// Replays a stream: per batch and domain, counts the keys, inserts the new documents,
/// labels each document and inserts its revision, and evicts [O E2].
fn replay_stream(folder: &Path, name: &str, rows: &mut Rows) {
    let (config, documents) = stream::read(folder, name);
    let mut domains: BTreeMap<&str, Domain> = BTreeMap::new();
    for batch in documents.chunk_by(|a, b| a.batch == b.batch) {
        let mut shares: Vec<(&str, Vec<&Document>)> = Vec::new();
        for document in batch {
            let domain = document.expected.domain.as_str();
            match shares.iter_mut().find(|(name, _)| *name == domain) {
                Some((_, share)) => share.push(document),
                None => shares.push((domain, vec![document])),
            }
        }
        for (name, share) in shares {
            let domain = domains
                .entry(name)
                .or_insert_with(|| Domain::new(&config, share[0]));
            let revisions: Vec<u32> = share.iter().map(|d| domain.revision(d)).collect();
            for (document, _) in share.iter().zip(&revisions).filter(|(_, rev)| **rev == 1) {
                let item = document.item(Kind::Page, document.hashes.clone());
                domain.insert(item, Some(&document.expected.url_key));
            }
            for (document, revision) in share.iter().zip(revisions) {
                domain.compare_document(document, revision, rows);
                domain.insert_revision(document);
            }
            let newest = share.iter().map(|document| document.time).max().unwrap();
            let last = &share[share.len() - 1].expected;
            domain.end_batch(newest, last, rows);
        }
    }
}

#[test]
fn streams_agree_with_the_authors_code() {
    let test = "streams_agree_with_the_authors_code";
    let Some(folder) = material(test, "vectors/streams") else {
        return;
    };
    let names = stream::names(&folder);
    let mut rows = Rows {
        documents: Row::new(format!("documents of {} streams", names.len())),
        labels: Row::new("labels of their blocks under every heuristic"),
        batches: Row::new("batches: entries evicted, their keys, entries kept"),
        trees: Row::new("trees after evictions, node by node"),
    };
    for name in &names {
        replay_stream(&folder, name, &mut rows);
    }
    let mut comparison = Comparison::new("url-tree", &[WHOLE_BRANCH]);
    for row in [rows.documents, rows.labels, rows.batches, rows.trees] {
        comparison.add(row);
    }
    comparison.finish();
}
