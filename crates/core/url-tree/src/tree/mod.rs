//! The tree of one domain: nodes, their counts, insertion and removal [P 4].
//!
//! Told plainly, every node has a counter for each block of its entries. Kept
//! are only those that say something of their own and that a label can look at:
//!
//! - The domain node has none: the [`Vocabulary`] knows in how many entries a
//!   block is.
//! - A block in a single entry has none. It is known in which entry, and so at
//!   which nodes it counts 1. This is nearly every block of a site.
//! - A node that has the same entries as its parent has none: the parent's are
//!   equal.
//! - A node with less support than the heuristic listens to has none. If it gets
//!   there, its few entries are counted.

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

/// Counts per node of a domain's URL space, and the entries that are counted.
#[derive(Debug)]
pub(crate) struct UrlTree {
    domain_labels: usize,
    /// Entries from which on a node below the domain node has counters.
    min_counted_support: Option<u32>,
    nodes: Nodes,
    vocabulary: Vocabulary,
    window: Window,
}

impl UrlTree {
    /// An empty tree. `min_counted_support` is the support below which no label looks
    /// at the counts of a node below the domain node; `None` if none ever does.
    pub(crate) fn new(domain_labels: usize, min_counted_support: Option<u32>) -> Self {
        UrlTree {
            domain_labels,
            min_counted_support,
            nodes: Nodes::default(),
            vocabulary: Vocabulary::default(),
            window: Window::default(),
        }
    }

    /// Changes what is counted, at every node.
    pub(crate) fn set_min_counted_support(&mut self, support: Option<u32>) {
        self.min_counted_support = support;
        for id in self.nodes.ids() {
            self.nodes.get_mut(id).counters = None;
            self.add_missing_counters(id);
        }
    }

    /// The entries that are counted.
    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    /// What all this takes.
    pub(crate) fn heap_bytes(&self) -> HeapBytes {
        let (nodes, counters) = self.nodes.heap_bytes();
        HeapBytes {
            vocabulary: self.vocabulary.heap_bytes(),
            nodes,
            counters,
            window: self.window.heap_bytes(),
        }
    }

    /// Counts an entry at every node of its branch. Nodes that do not exist
    /// are created.
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
        let shared: Vec<BlockId> = self.shared(ids.iter().copied());
        (self.nodes).for_each_counters(leaf, |counters| counters.add_all(&shared));

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

    /// Takes the oldest entry out of every node of its branch, and nodes without
    /// entries out of the tree. What remains is the tree of the other entries;
    /// the authors' code stops at the first node left without documents
    /// [O F3].
    pub(crate) fn remove_oldest(&mut self) {
        let Some((position, entry)) = self.window.pop() else {
            return;
        };
        self.nodes.get_mut(entry.leaf).entries_here -= 1;
        let shared = self.shared(entry.blocks.iter());
        (self.nodes).for_each_counters(entry.leaf, |counters| counters.subtract_all(&shared));
        let no_longer_shared = self.vocabulary.remove(entry.blocks.iter(), position);
        for (id, left) in no_longer_shared {
            let leaf = self.window.get(left).leaf;
            (self.nodes).for_each_counters(leaf, |counters| counters.remove(id));
        }
        self.shrink(entry.leaf, entry.kind);
    }

    /// Those of an entry's blocks that other entries contain, too.
    fn shared(&self, blocks: impl Iterator<Item = BlockId>) -> Vec<BlockId> {
        let is_shared = |id: &BlockId| self.vocabulary.entries(*id) > 1;
        blocks.filter(is_shared).collect()
    }

    /// One more entry at every node of a branch. Returns the last.
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

    /// One entry less at every node from a leaf up.
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
                // Not at the first that goes: it may be the first of many that
                // come and go.
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

/// The branch items below the domain node. A branch that ends above it is
/// counted at it.
fn below_domain<S>(branch: &[S], domain_labels: usize) -> &[S] {
    branch.get(domain_labels..).unwrap_or(&[])
}
