//! Counts the transitions of blocks and nodes at which a tree creates or drops counters.
//!
//! They are computed from the entries of the window, without the tree.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use url_tree::BlockHash;

use crate::domain::DOMAIN_LABELS;
use crate::model::Item;

/// Relations of the branches of two entries.
const RELATIONS: [&str; 4] = ["at one node", "one below the other", "branching", "apart"];

/// Transitions of a node.
///
/// It gets fewer entries than its parent, or the same entries again. It reaches the minimum
/// support, or falls below it.
const NODE_TRANSITIONS: [&str; 4] = ["split", "merged", "supported", "unsupported"];

/// A window, and the number of times that each transition occurred in it.
#[derive(Debug, Default)]
pub(crate) struct Transitions {
    pub(crate) window: VecDeque<Item>,
    /// Blocks that were in two entries and are in one now.
    alone_again: BTreeSet<BlockHash>,
    seen: BTreeMap<String, u32>,
}

/// Per node below the domain node, whether it has all entries of its parent, and whether it
/// has the minimum support.
type Nodes = BTreeMap<Vec<String>, (bool, bool)>;

impl Transitions {
    /// Returns all transitions.
    pub(crate) fn kinds() -> Vec<String> {
        let of_blocks = ["shared", "alone", "shared again"];
        let of_blocks = of_blocks.iter().flat_map(|kind| {
            let kind = move |relation| format!("{kind}, {relation}");
            RELATIONS.iter().map(kind)
        });
        let of_nodes = NODE_TRANSITIONS.iter().map(|kind| (*kind).to_owned());
        of_blocks.chain(of_nodes).collect()
    }

    pub(crate) fn push(&mut self, item: &Item, n_min: u32) {
        for hash in item.distinct() {
            if let [only] = self.with(&hash)[..] {
                let relation = relation(&only.branch, &item.branch);
                let again = self.alone_again.remove(&hash);
                let kind = if again { "shared again" } else { "shared" };
                self.count(format!("{kind}, {relation}"));
            }
        }
        let before = self.nodes(n_min);
        self.window.push_back(item.clone());
        self.compare(&before, n_min);
    }

    pub(crate) fn pop(&mut self, n_min: u32) {
        let before = self.nodes(n_min);
        let Some(gone) = self.window.pop_front() else {
            return;
        };
        for hash in gone.distinct() {
            match self.with(&hash)[..] {
                [] => _ = self.alone_again.remove(&hash),
                [only] => {
                    let relation = relation(&only.branch, &gone.branch);
                    self.alone_again.insert(hash);
                    self.count(format!("alone, {relation}"));
                }
                _ => {}
            }
        }
        self.compare(&before, n_min);
    }

    /// Adds the transitions of another window.
    pub(crate) fn add(&mut self, other: &Transitions) {
        for (kind, times) in &other.seen {
            *self.seen.entry(kind.clone()).or_default() += times;
        }
    }

    pub(crate) fn times(&self, kind: &str) -> u32 {
        self.seen.get(kind).copied().unwrap_or(0)
    }

    fn count(&mut self, kind: String) {
        *self.seen.entry(kind).or_default() += 1;
    }

    /// Returns the entries that contain a block.
    fn with(&self, hash: &BlockHash) -> Vec<&Item> {
        let has = |item: &&Item| item.hashes.contains(hash);
        self.window.iter().filter(has).collect()
    }

    fn nodes(&self, n_min: u32) -> Nodes {
        let mut entries: BTreeMap<&[String], u32> = BTreeMap::new();
        for item in &self.window {
            for depth in DOMAIN_LABELS..=item.branch.len() {
                *entries.entry(&item.branch[..depth]).or_default() += 1;
            }
        }
        entries
            .iter()
            .filter(|(path, _)| path.len() > DOMAIN_LABELS)
            .map(|(path, &count)| {
                let same = entries[&path[..path.len() - 1]] == count;
                (path.to_vec(), (same, count >= n_min))
            })
            .collect()
    }

    fn compare(&mut self, before: &Nodes, n_min: u32) {
        for (path, now) in self.nodes(n_min) {
            let Some(then) = before.get(&path) else {
                continue;
            };
            // A node below the minimum support has no counters to split or merge.
            let supported = then.1 && now.1;
            let kinds = [
                (supported && then.0 && !now.0, NODE_TRANSITIONS[0]),
                (supported && !then.0 && now.0, NODE_TRANSITIONS[1]),
                (!then.1 && now.1, NODE_TRANSITIONS[2]),
                (then.1 && !now.1, NODE_TRANSITIONS[3]),
            ];
            for (_, kind) in kinds.iter().filter(|(happened, _)| *happened) {
                self.count((*kind).to_owned());
            }
        }
    }
}

fn relation(one: &[String], other: &[String]) -> &'static str {
    let (one, other) = (&one[DOMAIN_LABELS..], &other[DOMAIN_LABELS..]);
    let common = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let at = if one == other {
        0
    } else if common == one.len().min(other.len()) {
        1
    } else if common > 0 {
        2
    } else {
        3
    };
    RELATIONS[at]
}
