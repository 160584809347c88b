//! Lookups of supports and counts on a branch.

use super::{UrlTree, below_domain};
use crate::ids::{BlockHash, BlockId, NodeId};
use crate::nodes::DOMAIN;

/// The existing nodes of a branch, from the domain node to the leaf.
#[derive(Debug)]
pub(crate) struct Path(Vec<Step>);

#[derive(Debug, Clone, Copy)]
struct Step {
    node: NodeId,
    /// The first node of the path with the same entries, whose counts apply here.
    same: NodeId,
}

/// The nodes of a path at which a block occurs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Occurrence {
    /// No entry of the domain contains the block.
    None,
    /// One entry contains it. Its branch and the path are equal down to this position.
    One { last: usize },
    /// Several entries contain it.
    Several(BlockId),
}

impl UrlTree {
    /// Returns the pages of the node at this position of a path: `n`.
    pub(crate) fn support(&self, path: &Path, position: usize) -> u32 {
        self.nodes.get(path.0[position].node).pages
    }

    /// Returns the number of branch items from the root to this position of a path.
    pub(crate) fn depth(&self, position: usize) -> u16 {
        u16::try_from(self.domain_labels + position).unwrap_or(u16::MAX)
    }

    /// Returns the existing nodes of a branch.
    pub(crate) fn path<S: AsRef<str>>(&self, branch: &[S]) -> Path {
        let mut path = vec![Step {
            node: DOMAIN,
            same: DOMAIN,
        }];
        let mut above = path[0];
        for segment in below_domain(branch, self.domain_labels) {
            let Some(node) = self.nodes.child(above.node, segment.as_ref()) else {
                break;
            };
            let same = if self.has_fewer_entries_than_parent(node) {
                node
            } else {
                above.same
            };
            above = Step { node, same };
            path.push(above);
        }
        Path(path)
    }

    /// Returns the nodes of a path at which a block occurs.
    pub(crate) fn occurrence(&self, path: &Path, hash: &BlockHash) -> Occurrence {
        let Some(block) = self.vocabulary.id(hash) else {
            return Occurrence::None;
        };
        let Some(entry) = self.vocabulary.only_entry(block) else {
            return Occurrence::Several(block);
        };
        let mut at = self.window.get(entry).leaf;
        loop {
            let node = self.nodes.get(at);
            let last = node.depth as usize;
            if path.0.get(last).is_some_and(|step| step.node == at) {
                return Occurrence::One { last };
            }
            at = node.parent;
        }
    }

    /// Returns the entries of the node at this position of a path that contain a block: `c`.
    pub(crate) fn count(&self, path: &Path, position: usize, occurrence: Occurrence) -> u32 {
        match occurrence {
            Occurrence::None => 0,
            Occurrence::One { last } => u32::from(position <= last),
            Occurrence::Several(block) => match path.0[position].same {
                DOMAIN => self.vocabulary.entries(block),
                node => match &self.nodes.get(node).counters {
                    Some(counters) => counters.count(block),
                    None => self.counters_from_entries(node).count(block),
                },
            },
        }
    }

    /// Returns the counts of several blocks, each as [`count`](Self::count).
    ///
    /// At a node without counters, the counters are computed once for all blocks.
    pub(crate) fn counts(
        &self,
        path: &Path,
        position: usize,
        occurrences: &[Occurrence],
    ) -> Vec<u32> {
        let node = path.0[position].same;
        if node == DOMAIN || self.nodes.get(node).counters.is_some() {
            let count = |&occurrence: &Occurrence| self.count(path, position, occurrence);
            return occurrences.iter().map(count).collect();
        }
        let counters = self.counters_from_entries(node);
        let count = |&occurrence: &Occurrence| match occurrence {
            Occurrence::Several(block) => counters.count(block),
            rare => self.count(path, position, rare),
        };
        occurrences.iter().map(count).collect()
    }
}

impl Path {
    /// Returns the number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
