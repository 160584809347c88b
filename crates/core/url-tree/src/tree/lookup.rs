//! What the tree knows of a branch.

use super::{UrlTree, below_domain};
use crate::ids::{BlockHash, BlockId, NodeId};
use crate::nodes::DOMAIN;

/// The nodes of a branch that exist, from the domain node towards the leaf.
#[derive(Debug)]
pub(crate) struct Path(Vec<Step>);

#[derive(Debug, Clone, Copy)]
struct Step {
    node: NodeId,
    /// The first node of the path that has the same entries: its counts hold.
    same: NodeId,
}

/// Where on a path a block was seen.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Occurrence {
    None,
    /// By one entry of the domain, which left the path after this node of it.
    One {
        last: usize,
    },
    /// By several.
    Several(BlockId),
}

impl UrlTree {
    /// Documents seen at a node: `n`.
    pub(crate) fn support(&self, path: &Path, position: usize) -> u32 {
        self.nodes.get(path.0[position].node).pages
    }

    /// Branch items on the way to the node at this position of a path.
    pub(crate) fn depth(&self, position: usize) -> u16 {
        u16::try_from(self.domain_labels + position).unwrap_or(u16::MAX)
    }

    /// The nodes of a branch that exist.
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

    /// Where on a path the entries with a block passed.
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

    /// Entries that contain the block at the node at this position of a path:
    /// `c`.
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

    /// As [`count`](Self::count), of many blocks at once: also at a node that no
    /// label looks at, whose entries are then counted for it.
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
    /// Nodes on it.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
