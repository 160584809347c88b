//! The tree of one domain: nodes, their counts, insertion and removal [P 4].

use std::collections::HashMap;
use std::sync::Arc;

use crate::BlockHash;
use crate::counters::Counters;
use crate::vocabulary::{BlockId, Vocabulary};

/// Place of a node in the tree's arena; reused once the node is gone.
pub(crate) type NodeId = u32;

/// The domain node. The root and the nodes of the public suffix above it see
/// the same entries [O C3], so it stands for them all.
const DOMAIN: NodeId = 0;

/// What an entry adds to the nodes of its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A unique page: support and block counts.
    Document,
    /// New blocks of a known page: block counts only [O E3].
    Revision,
}

/// All that is needed to take an entry out of the tree again.
#[derive(Debug)]
pub(crate) struct Placement {
    kind: EntryKind,
    /// Last node of the entry's branch.
    leaf: NodeId,
    /// Distinct blocks, ascending.
    blocks: Arc<[BlockId]>,
}

/// Counts per node of a domain's URL space.
#[derive(Debug)]
pub(crate) struct UrlTree {
    domain_labels: usize,
    /// `nodes[DOMAIN]` always exists and keeps no counters of its own: the
    /// vocabulary has them.
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    vocabulary: Vocabulary,
}

/// One item of a branch below the domain node.
#[derive(Debug, Default)]
struct Node {
    /// Meaningless at the domain node.
    parent: NodeId,
    /// The branch item; shared with the parent's `children`.
    segment: Arc<str>,
    children: HashMap<Arc<str>, NodeId>,
    /// Entries on this branch or below; the node goes with the last one.
    entries: u32,
    /// Those of them that are documents: the support `n`.
    documents: u32,
    counters: Counters,
}

impl UrlTree {
    pub(crate) fn new(domain_labels: usize) -> Self {
        UrlTree {
            domain_labels,
            nodes: vec![Node::default()],
            free: Vec::new(),
            vocabulary: Vocabulary::default(),
        }
    }

    /// Counts an entry at every node of its branch. Nodes that do not exist
    /// are created.
    pub(crate) fn insert<S: AsRef<str>>(
        &mut self,
        branch: &[S],
        hashes: &[BlockHash],
        kind: EntryKind,
    ) -> Placement {
        let blocks = self.vocabulary.add(hashes);
        let mut leaf = DOMAIN;
        self.nodes[DOMAIN as usize].count(kind);
        for segment in below_domain(branch, self.domain_labels) {
            leaf = self.child_or_new(leaf, segment.as_ref());
            let node = &mut self.nodes[leaf as usize];
            node.count(kind);
            node.counters.add(&blocks);
        }
        Placement { kind, leaf, blocks }
    }

    /// Takes an entry out of every node of its branch, and nodes without
    /// entries out of the tree. What remains is the tree of the other entries;
    /// the authors' code stops at the first node left without documents
    /// [O F3].
    pub(crate) fn remove(&mut self, placement: &Placement) {
        let mut at = placement.leaf;
        while at != DOMAIN {
            let node = &mut self.nodes[at as usize];
            node.discount(placement.kind);
            node.counters.remove(&placement.blocks);
            let parent = node.parent;
            if node.entries == 0 {
                self.detach(at);
            }
            at = parent;
        }
        self.nodes[DOMAIN as usize].discount(placement.kind);
        self.vocabulary.remove(&placement.blocks);
    }

    /// The nodes of a branch that exist, from the domain node towards the
    /// leaf.
    pub(crate) fn path<S: AsRef<str>>(&self, branch: &[S]) -> Vec<NodeId> {
        let mut path = vec![DOMAIN];
        let mut at = DOMAIN;
        for segment in below_domain(branch, self.domain_labels) {
            match self.nodes[at as usize].children.get(segment.as_ref()) {
                Some(&child) => at = child,
                None => break,
            }
            path.push(at);
        }
        path
    }

    /// Branch items on the way to the node at this position of a
    /// [`path`](Self::path).
    pub(crate) fn depth(&self, position: usize) -> u16 {
        u16::try_from(self.domain_labels + position).unwrap_or(u16::MAX)
    }

    /// Documents seen at a node: `n`.
    pub(crate) fn support(&self, node: NodeId) -> u32 {
        self.nodes[node as usize].documents
    }

    /// The block's number, if an entry of the tree contains it.
    pub(crate) fn block(&self, hash: &BlockHash) -> Option<BlockId> {
        self.vocabulary.id(hash)
    }

    /// Entries at a node that contain the block: `c`.
    pub(crate) fn count(&self, node: NodeId, block: BlockId) -> u32 {
        if node == DOMAIN {
            self.vocabulary.entries(block)
        } else {
            self.nodes[node as usize].counters.count(block)
        }
    }

    fn child_or_new(&mut self, parent: NodeId, segment: &str) -> NodeId {
        if let Some(&child) = self.nodes[parent as usize].children.get(segment) {
            return child;
        }
        let segment: Arc<str> = segment.into();
        let node = Node {
            parent,
            segment: Arc::clone(&segment),
            ..Node::default()
        };
        let child = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as NodeId
            }
        };
        self.nodes[parent as usize].children.insert(segment, child);
        child
    }

    fn detach(&mut self, id: NodeId) {
        let node = std::mem::take(&mut self.nodes[id as usize]);
        let siblings = &mut self.nodes[node.parent as usize].children;
        siblings.remove(&node.segment);
        self.free.push(id);
    }
}

impl Node {
    fn count(&mut self, kind: EntryKind) {
        self.entries += 1;
        self.documents += u32::from(kind == EntryKind::Document);
    }

    fn discount(&mut self, kind: EntryKind) {
        self.entries -= 1;
        self.documents -= u32::from(kind == EntryKind::Document);
    }
}

/// The branch items below the domain node. A branch that ends above it is
/// counted at it.
fn below_domain<S>(branch: &[S], domain_labels: usize) -> &[S] {
    branch.get(domain_labels..).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: BlockHash = [1; 16];
    const STORY: BlockHash = [2; 16];
    const OTHER: BlockHash = [3; 16];

    /// `(n, c(HOME), c(STORY))` from the domain node to the last node there is.
    fn statistics(tree: &UrlTree, branch: &[&str]) -> Vec<(u32, u32, u32)> {
        let count = |node, hash| tree.block(hash).map_or(0, |block| tree.count(node, block));
        (tree.path(branch).into_iter())
            .map(|node| (tree.support(node), count(node, &HOME), count(node, &STORY)))
            .collect()
    }

    /// Figure 3: every node of the branch counts the document and each of its
    /// distinct blocks once.
    #[test]
    fn a_document_counts_at_every_node_of_its_branch() {
        let mut tree = UrlTree::new(2);
        tree.insert(
            &["eu", "news", "www", "politics"],
            &[HOME, STORY, HOME],
            EntryKind::Document,
        );
        tree.insert(
            &["eu", "news", "www", "sport"],
            &[HOME, OTHER],
            EntryKind::Document,
        );
        assert_eq!(
            statistics(&tree, &["eu", "news", "www", "politics"]),
            [(2, 2, 1), (2, 2, 1), (1, 1, 1)]
        );
        assert_eq!(
            statistics(&tree, &["eu", "news", "www", "sport", "absent"]),
            [(2, 2, 1), (2, 2, 1), (1, 1, 0)]
        );
    }

    #[test]
    fn segments_are_compared_exactly() {
        let mut tree = UrlTree::new(1);
        tree.insert(&["x", "A"], &[HOME], EntryKind::Document);
        tree.insert(&["x", "a"], &[HOME], EntryKind::Document);
        assert_eq!(statistics(&tree, &["x", "a"]), [(2, 2, 0), (1, 1, 0)]);
    }

    #[test]
    fn a_revision_counts_blocks_but_no_document() {
        let mut tree = UrlTree::new(1);
        tree.insert(&["x", "a"], &[HOME], EntryKind::Document);
        tree.insert(&["x", "a"], &[STORY], EntryKind::Revision);
        assert_eq!(statistics(&tree, &["x", "a"]), [(1, 1, 1), (1, 1, 1)]);
    }

    /// Where the authors' code would stop at "a", whose last document leaves,
    /// and forget the revision below it [O F4].
    #[test]
    fn a_revision_outlives_the_document_it_revises() {
        let mut tree = UrlTree::new(1);
        let page = tree.insert(&["x", "a", "b"], &[HOME], EntryKind::Document);
        let revision = tree.insert(&["x", "a", "b"], &[STORY], EntryKind::Revision);
        tree.remove(&page);
        assert_eq!(statistics(&tree, &["x", "a", "b"]), [(0, 0, 1); 3]);
        tree.remove(&revision);
        assert_eq!(statistics(&tree, &["x", "a", "b"]), [(0, 0, 0)]);
    }

    #[test]
    fn a_branch_above_the_domain_node_is_the_domain_node() {
        let mut tree = UrlTree::new(2);
        tree.insert(&["eu"], &[HOME], EntryKind::Document);
        assert_eq!(statistics(&tree, &["eu", "news", "www"]), [(1, 1, 0)]);
        assert_eq!(tree.depth(0), 2);
    }

    #[test]
    fn nodes_that_are_gone_are_reused() {
        let mut tree = UrlTree::new(1);
        for day in 0..100 {
            let day = day.to_string();
            let page = tree.insert(&["x", &day, "a"], &[HOME], EntryKind::Document);
            tree.remove(&page);
        }
        assert_eq!(tree.nodes.len(), 3);
        assert_eq!(statistics(&tree, &["x", "99"]), [(0, 0, 0)]);
    }
}
