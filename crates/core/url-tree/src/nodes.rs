//! The nodes of a domain's URL space: which there are, and who is below whom.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::capacity::{growth, reserve_one};
use crate::counters::Counters;
use crate::heap::reserved;
use crate::window::Position;

/// Place of a node in the arena; reused once the node is gone.
pub(crate) type NodeId = u32;

/// The domain node. The root and the nodes of the public suffix above it see
/// the same entries [O C3], so it stands for them all. It is nobody's child, so
/// as a child or sibling it stands for none.
pub(crate) const DOMAIN: NodeId = 0;

/// An arena of nodes, of which [`DOMAIN`] always exists.
#[derive(Debug)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    /// All nodes but the domain node, by parent and segment: one table, for most
    /// nodes have one child or none.
    children: HashTable<NodeId>,
    /// Pages choose segments, too. Order in the table is never observed.
    seed: RandomState,
}

/// One item of a branch below the domain node.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The branch item.
    segment: Box<str>,
    pub(crate) parent: NodeId,
    first_child: NodeId,
    next_sibling: NodeId,
    previous_sibling: NodeId,
    /// Nodes between this one and the domain node, this one included.
    pub(crate) depth: u32,
    /// Entries on this branch or below; the node goes with the last one.
    pub(crate) entries: u32,
    /// Those of them that are documents: the support `n`.
    pub(crate) pages: u32,
    /// Those of them whose branch ends here.
    pub(crate) entries_here: u32,
    /// The last of these.
    pub(crate) last_here: Position,
    /// Counts of the blocks that several entries of the domain contain.
    pub(crate) counters: Option<Box<Counters>>,
}

impl Default for Nodes {
    fn default() -> Self {
        Nodes {
            nodes: vec![Node::default()],
            free: Vec::new(),
            children: HashTable::new(),
            seed: RandomState::default(),
        }
    }
}

impl Nodes {
    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn get_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// The child of a node with this branch item.
    pub(crate) fn child(&self, parent: NodeId, segment: &str) -> Option<NodeId> {
        let is_it = |&id: &NodeId| {
            let node = self.get(id);
            node.parent == parent && *node.segment == *segment
        };
        let hash = hashed(&self.seed, parent, segment);
        self.children.find(hash, is_it).copied()
    }

    /// Some child of a node; of several the one that came last.
    pub(crate) fn last_child(&self, parent: NodeId) -> Option<NodeId> {
        some(self.get(parent).first_child)
    }

    /// The children of a node.
    pub(crate) fn children(&self, parent: NodeId) -> impl Iterator<Item = NodeId> {
        let next = |&child: &NodeId| some(self.get(child).next_sibling);
        std::iter::successors(self.last_child(parent), next)
    }

    /// The counters that there are from a node up.
    pub(crate) fn for_each_counters(&mut self, from: NodeId, mut act: impl FnMut(&mut Counters)) {
        let mut at = from;
        while at != DOMAIN {
            let node = self.get_mut(at);
            if let Some(counters) = &mut node.counters {
                act(counters);
            }
            at = node.parent;
        }
    }

    /// A new node. The parent has no child with this branch item.
    pub(crate) fn add(&mut self, parent: NodeId, segment: &str) -> NodeId {
        let next_sibling = self.get(parent).first_child;
        let node = Node {
            segment: segment.into(),
            parent,
            next_sibling,
            depth: self.get(parent).depth + 1,
            ..Node::default()
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                if self.nodes.len() == self.nodes.capacity() {
                    self.nodes.reserve_exact(growth(self.nodes.len()));
                }
                self.nodes.push(node);
                (self.nodes.len() - 1) as NodeId
            }
        };
        self.get_mut(parent).first_child = id;
        if next_sibling != DOMAIN {
            self.get_mut(next_sibling).previous_sibling = id;
        }
        let (seed, nodes) = (&self.seed, &self.nodes);
        let rehash = |&id: &NodeId| {
            let node = &nodes[id as usize];
            hashed(seed, node.parent, &node.segment)
        };
        reserve_one(&mut self.children, rehash);
        let hash = hashed(seed, parent, segment);
        self.children.insert_unique(hash, id, rehash);
        id
    }

    /// Takes out a node without children.
    pub(crate) fn remove(&mut self, id: NodeId) {
        let node = std::mem::take(self.get_mut(id));
        let hash = hashed(&self.seed, node.parent, &node.segment);
        if let Ok(entry) = self.children.find_entry(hash, |&other| other == id) {
            entry.remove();
        }
        match node.previous_sibling {
            DOMAIN => self.get_mut(node.parent).first_child = node.next_sibling,
            previous => self.get_mut(previous).next_sibling = node.next_sibling,
        }
        if node.next_sibling != DOMAIN {
            self.get_mut(node.next_sibling).previous_sibling = node.previous_sibling;
        }
        self.free.push(id);
    }

    /// What nodes and what their counters take.
    pub(crate) fn heap_bytes(&self) -> (usize, usize) {
        let segments = self.nodes.iter().map(|node| node.segment.len());
        let arena = reserved(&self.nodes) + reserved(&self.free);
        let nodes = arena + self.children.allocation_size() + segments.sum::<usize>();
        let counters = (self.nodes.iter())
            .filter_map(|node| node.counters.as_deref())
            .map(|counters| size_of::<Counters>() + counters.heap_bytes());
        (nodes, counters.sum())
    }

    /// All nodes below the domain node.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        1..self.nodes.len() as NodeId
    }
}

fn some(id: NodeId) -> Option<NodeId> {
    (id != DOMAIN).then_some(id)
}

fn hashed(seed: &RandomState, parent: NodeId, segment: &str) -> u64 {
    seed.hash_one((parent, segment))
}
