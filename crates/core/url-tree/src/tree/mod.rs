//! The tree of one domain: nodes, their counts, insertion and removal [P 4].
//!
//! In the paper every node has a counter for each block of its entries. This tree omits
//! the counters that can be derived or that no label reads:
//!
//! - The domain node has no counters: the [`Vocabulary`] has the number of entries that
//!   contain a block.
//! - A block in a single entry has no counters. The vocabulary has the entry, and thereby
//!   the nodes at which the block counts 1. Nearly every block of a site is such a block.
//! - A node with the same entries as its parent has no counters: those of the parent are
//!   equal.
//! - A node with less support than the heuristic needs has no counters. They are computed
//!   from its few entries once it has enough support.

use crate::block_list::BlockList;
use crate::heap::HeapBytes;
use crate::ids::{BlockHash, BlockId, NodeId};
use crate::nodes::{DOMAIN, Node, Nodes};
use crate::vocabulary::Vocabulary;
use crate::window::{EntryKind, Window, WindowEntry};

mod lookup;
mod node_counters;
#[cfg(test)]
mod tests;

pub(crate) use lookup::Path;

/// The nodes of a domain with their counts, and the counted entries.
#[derive(Debug)]
pub(crate) struct UrlTree {
    domain_labels: usize,
    /// Number of entries from which a node below the domain node has counters.
    min_counted_support: Option<u32>,
    nodes: Nodes,
    vocabulary: Vocabulary,
    window: Window,
}

impl UrlTree {
    /// Creates an empty tree.
    ///
    /// `min_counted_support` is the support below which no label reads the counts of a node
    /// below the domain node, or `None` if no label reads such counts.
    pub(crate) fn new(domain_labels: usize, min_counted_support: Option<u32>) -> Self {
        UrlTree {
            domain_labels,
            min_counted_support,
            nodes: Nodes::default(),
            vocabulary: Vocabulary::default(),
            window: Window::default(),
        }
    }

    /// Changes the support from which nodes have counters, and adapts every node.
    pub(crate) fn set_min_counted_support(&mut self, support: Option<u32>) {
        self.min_counted_support = support;
        for id in self.nodes.ids() {
            self.nodes.get_mut(id).counters = None;
            self.add_missing_counters(id);
        }
    }

    /// Returns the counted entries.
    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    /// Returns the heap bytes of the tree and the window.
    pub(crate) fn heap_bytes(&self) -> HeapBytes {
        let (nodes, counters) = self.nodes.heap_bytes();
        HeapBytes {
            vocabulary: self.vocabulary.heap_bytes(),
            nodes,
            counters,
            window: self.window.heap_bytes(),
        }
    }

    /// Counts an entry at every node of its branch, and creates missing nodes.
    pub(crate) fn insert<S: AsRef<str>>(
        &mut self,
        time_micros: i64,
        branch: &[S],
        hashes: &[BlockHash],
        kind: EntryKind,
    ) {
        let position = self.window.end();
        let leaf = self.grow(branch, kind);
        let (ids, newly_shared) = self.vocabulary.add(hashes, position);
        for (id, earlier) in newly_shared {
            let leaf = self.window.get(earlier).leaf;
            self.nodes
                .for_each_counters(leaf, |counters| counters.add(id));
        }
        let shared = self.shared(ids.iter().copied());
        self.nodes
            .for_each_counters(leaf, |counters| counters.add_all(&shared));

        let node = self.nodes.get_mut(leaf);
        let previous_here = std::mem::replace(&mut node.last_here, position);
        node.entries_here += 1;
        self.window.push(WindowEntry {
            time_micros,
            kind,
            leaf,
            previous_here,
            blocks: BlockList::pack(&ids),
        });
        let mut at = leaf;
        while at != DOMAIN {
            self.add_missing_counters(at);
            at = self.nodes.get(at).parent;
        }
    }

    /// Removes the oldest entry from every node of its branch, and removes nodes without
    /// entries.
    ///
    /// The result is the tree of the other entries. The authors' code stops at the first
    /// node without pages [O F3].
    pub(crate) fn remove_oldest(&mut self) {
        let Some((position, entry)) = self.window.pop() else {
            return;
        };
        self.nodes.get_mut(entry.leaf).entries_here -= 1;
        let shared = self.shared(entry.blocks.iter());
        self.nodes
            .for_each_counters(entry.leaf, |counters| counters.subtract_all(&shared));
        let no_longer_shared = self.vocabulary.remove(entry.blocks.iter(), position);
        for (id, left) in no_longer_shared {
            let leaf = self.window.get(left).leaf;
            self.nodes
                .for_each_counters(leaf, |counters| counters.remove(id));
        }
        self.shrink(entry.leaf, entry.kind);
    }

    /// Returns the blocks that several entries contain.
    fn shared(&self, blocks: impl Iterator<Item = BlockId>) -> Vec<BlockId> {
        let is_shared = |id: &BlockId| self.vocabulary.entries(*id) > 1;
        blocks.filter(is_shared).collect()
    }

    /// Counts one more entry at every node of a branch. Returns the last node.
    fn grow<S: AsRef<str>>(&mut self, branch: &[S], kind: EntryKind) -> NodeId {
        let mut leaf = DOMAIN;
        let mut new = below_domain(branch, self.domain_labels).iter().peekable();
        while let Some(child) = new
            .peek()
            .and_then(|segment| self.nodes.child(leaf, segment.as_ref()))
        {
            leaf = child;
            new.next();
        }
        self.split_counters(leaf);
        for segment in new {
            leaf = self.nodes.add(leaf, segment.as_ref());
        }
        self.nodes.get_mut(DOMAIN).count(kind);
        let mut at = leaf;
        while at != DOMAIN {
            let node = self.nodes.get_mut(at);
            node.count(kind);
            at = node.parent;
        }
        leaf
    }

    /// Counts one entry less at every node from a leaf up.
    fn shrink(&mut self, leaf: NodeId, kind: EntryKind) {
        let mut at = leaf;
        let mut lowest = None;
        while at != DOMAIN {
            let node = self.nodes.get_mut(at);
            node.discount(kind);
            let parent = node.parent;
            if node.entries == 0 {
                self.nodes.remove(at);
            } else {
                lowest = lowest.or(Some(at));
                // Half the minimum, so that entries that come and go around the minimum
                // do not drop and compute the counters each time.
                let few = |from| self.nodes.get(at).entries < from / 2;
                if self.min_counted_support.is_some_and(few) {
                    self.nodes.get_mut(at).counters = None;
                }
            }
            at = parent;
        }
        self.nodes.get_mut(DOMAIN).discount(kind);
        self.merge_counters(lowest.unwrap_or(DOMAIN));
    }
}

impl Node {
    fn count(&mut self, kind: EntryKind) {
        self.entries += 1;
        self.pages += u32::from(kind == EntryKind::Page);
    }

    fn discount(&mut self, kind: EntryKind) {
        self.entries -= 1;
        self.pages -= u32::from(kind == EntryKind::Page);
    }
}

/// Returns the branch items below the domain node.
///
/// A branch that ends above the domain node has none and counts at the domain node.
fn below_domain<S>(branch: &[S], domain_labels: usize) -> &[S] {
    branch.get(domain_labels..).unwrap_or(&[])
}
