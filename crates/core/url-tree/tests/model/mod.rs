//! A plain model of the URL Tree, which tests compare with the crate.
//!
//! It follows the paper and is not optimized: every node from the root on has its own
//! counters, trees are rebuilt from all entries, and each heuristic is a separate formula.

use std::collections::{BTreeMap, HashMap, HashSet};

use url_tree::{BlockHash, BlockLabel, Constants, Heuristic, Verdict};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Page,
    Revision,
}

/// An entry of a domain's stream.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) time: i64,
    pub(crate) branch: Vec<String>,
    pub(crate) hashes: Vec<BlockHash>,
    pub(crate) kind: Kind,
}

impl Item {
    pub(crate) fn distinct(&self) -> HashSet<BlockHash> {
        self.hashes.iter().copied().collect()
    }
}

/// `n` of one node, and its `c` per given block.
pub(crate) type Statistics = (u32, Vec<u32>);

#[derive(Debug, Default)]
pub(crate) struct ModelNode {
    pub(crate) n: u32,
    pub(crate) c: HashMap<BlockHash, u32>,
}

/// Nodes by their path from the root, which has the empty path.
#[derive(Debug, Default)]
pub(crate) struct ModelTree {
    pub(crate) nodes: BTreeMap<Vec<String>, ModelNode>,
}

impl ModelTree {
    pub(crate) fn from_items<'a>(items: impl IntoIterator<Item = &'a Item>) -> Self {
        let mut tree = ModelTree::default();
        for item in items {
            tree.insert(item);
        }
        tree
    }

    pub(crate) fn insert(&mut self, item: &Item) {
        for depth in 0..=item.branch.len() {
            let path = item.branch[..depth].to_vec();
            let node = self.nodes.entry(path).or_default();
            node.n += u32::from(item.kind == Kind::Page);
            for hash in item.distinct() {
                *node.c.entry(hash).or_default() += 1;
            }
        }
    }

    /// Returns the statistics from the root to the leaf of a branch, including missing nodes.
    pub(crate) fn statistics(&self, branch: &[String], hashes: &[BlockHash]) -> Vec<Statistics> {
        let absent = ModelNode::default();
        (0..=branch.len())
            .map(|depth| self.nodes.get(&branch[..depth]).unwrap_or(&absent))
            .map(|node| {
                let count = |hash| node.c.get(hash).copied().unwrap_or(0);
                (node.n, hashes.iter().map(count).collect())
            })
            .collect()
    }
}

/// Returns the nodes that decide, the node nearest to the leaf first, and the node that
/// decides which content is unseen: the one nearest to the leaf with enough support.
pub(crate) fn deciding(
    heuristic: Heuristic,
    supports: &[u32],
    domain_labels: usize,
    n_min: u32,
) -> (Vec<usize>, usize) {
    let leaf = supports.len() - 1;
    let first = |enough: &dyn Fn(u32) -> bool| (0..=leaf).rev().find(|&at| enough(supports[at]));
    let returned = first(&|n| n >= n_min).unwrap_or(0);
    let domain = domain_labels.min(leaf);
    let deciding = match heuristic {
        Heuristic::Strict | Heuristic::RelaxedStrict(_) => vec![returned],
        Heuristic::StrictSupport(than) => vec![first(&|n| n > than).unwrap_or(0)],
        Heuristic::StrictAtDomain | Heuristic::RelaxedAtDomain(_) => vec![domain],
        Heuristic::VoteSlow | Heuristic::VoteFast => {
            let inside = (domain..=leaf).rev();
            let voters: Vec<usize> = inside.filter(|&at| supports[at] >= n_min).collect();
            if voters.is_empty() {
                vec![returned]
            } else {
                voters
            }
        }
    };
    (deciding, returned)
}

/// Returns whether a node with this support and count votes boilerplate. `domain` is the support
/// of the domain node.
pub(crate) fn is_boilerplate(
    heuristic: Heuristic,
    domain: u32,
    n: u32,
    c: u32,
    c_max: u32,
) -> bool {
    match heuristic {
        Heuristic::Strict | Heuristic::StrictSupport(_) | Heuristic::StrictAtDomain => c > c_max,
        Heuristic::RelaxedAtDomain(than) | Heuristic::RelaxedStrict(than) => {
            c > if domain > than { c_max + 1 } else { c_max }
        }
        Heuristic::VoteSlow => c > n / 100 + c_max,
        Heuristic::VoteFast => c > n / 50 + c_max,
    }
}

/// Returns the labels of a page with these statistics, and the depth and support of the
/// deciding node nearest to the leaf.
pub(crate) fn label(
    heuristic: Heuristic,
    statistics: &[Statistics],
    domain_labels: usize,
    constants: Constants,
) -> (Vec<BlockLabel>, (u16, u32)) {
    let Constants { n_min, c_max } = constants;
    let supports: Vec<u32> = statistics.iter().map(|(n, _)| *n).collect();
    let (deciding, returned) = deciding(heuristic, &supports, domain_labels, n_min);
    let domain = supports[domain_labels.min(supports.len() - 1)];
    let depth = |at: usize| at.max(domain_labels) as u16;

    let labels = (0..statistics[0].1.len())
        .map(|block| {
            let count = |at: usize| statistics[at].1[block];
            let (against, for_content): (Vec<usize>, Vec<usize>) =
                deciding.iter().partition(|&&at| {
                    is_boilerplate(heuristic, domain, supports[at], count(at), c_max)
                });
            let boilerplate = against.len() > for_content.len()
                || against.len() == for_content.len() && heuristic == Heuristic::VoteSlow;
            let reason = if boilerplate { against } else { for_content }[0];
            BlockLabel {
                verdict: if boilerplate {
                    Verdict::Boilerplate
                } else {
                    Verdict::Content
                },
                count: count(reason),
                support: supports[reason],
                depth: depth(reason),
                unseen: !boilerplate && count(returned) == 0,
            }
        })
        .collect();
    (labels, (depth(deciding[0]), supports[deciding[0]]))
}
