//! The nodes of a domain's URL space, with parents and children.

use crate::counters::Counters;
use crate::ids::{NodeId, Position};
use crate::interner::{Interner, Keyed};

/// The domain node.
///
/// It also represents the root and the nodes of the public suffix above it, which have the
/// same entries [O C3]. It is not a child of any node, so as a child or sibling its id
/// means "none".
pub(crate) const DOMAIN: NodeId = 0;

/// The nodes of a domain, of which [`DOMAIN`] always exists.
///
/// One hash table finds the children of all nodes by parent and segment, because most
/// nodes have one child or none.
#[derive(Debug)]
pub(crate) struct Nodes(Interner<Node>);

/// One item of a branch below the domain node.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The branch item.
    segment: Box<str>,
    pub(crate) parent: NodeId,
    first_child: NodeId,
    next_sibling: NodeId,
    previous_sibling: NodeId,
    /// Number of nodes from this one up to, and without, the domain node.
    pub(crate) depth: u32,
    /// Entries at this node and below it. The node is removed with the last of them.
    pub(crate) entries: u32,
    /// Pages among these entries: the support `n`.
    pub(crate) pages: u32,
    /// Entries whose branch ends at this node.
    pub(crate) entries_here: u32,
    /// The latest entry whose branch ends at this node.
    pub(crate) last_here: Position,
    /// Counts of the blocks that several entries of the domain contain.
    pub(crate) counters: Option<Box<Counters>>,
}

impl Keyed for Node {
    type Key<'k> = (NodeId, &'k str);

    fn key(&self) -> (NodeId, &str) {
        (self.parent, &self.segment)
    }
}

impl Default for Nodes {
    fn default() -> Self {
        Nodes(Interner::with_root(Node::default()))
    }
}

impl Nodes {
    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.0[id]
    }

    pub(crate) fn get_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.0[id]
    }

    /// Returns the child of a node with this branch item.
    pub(crate) fn child(&self, parent: NodeId, segment: &str) -> Option<NodeId> {
        self.0.find((parent, segment))
    }

    /// Returns the child of a node that was added last.
    pub(crate) fn last_child(&self, parent: NodeId) -> Option<NodeId> {
        some(self.get(parent).first_child)
    }

    /// Returns the children of a node.
    pub(crate) fn children(&self, parent: NodeId) -> impl Iterator<Item = NodeId> {
        let next = |&child: &NodeId| some(self.get(child).next_sibling);
        std::iter::successors(self.last_child(parent), next)
    }

    /// Calls `act` with the counters of each node, from `from` up, that has counters.
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

    /// Adds a node. The parent must not have a child with this branch item.
    pub(crate) fn add(&mut self, parent: NodeId, segment: &str) -> NodeId {
        let next_sibling = self.get(parent).first_child;
        let id = self.0.insert(Node {
            segment: segment.into(),
            parent,
            next_sibling,
            depth: self.get(parent).depth + 1,
            ..Node::default()
        });
        self.get_mut(parent).first_child = id;
        if next_sibling != DOMAIN {
            self.get_mut(next_sibling).previous_sibling = id;
        }
        id
    }

    /// Removes a node without children.
    pub(crate) fn remove(&mut self, id: NodeId) {
        let node = self.0.remove(id);
        match node.previous_sibling {
            DOMAIN => self.get_mut(node.parent).first_child = node.next_sibling,
            previous => self.get_mut(previous).next_sibling = node.next_sibling,
        }
        if node.next_sibling != DOMAIN {
            self.get_mut(node.next_sibling).previous_sibling = node.previous_sibling;
        }
    }

    /// Returns the heap bytes of the nodes and those of their counters.
    pub(crate) fn heap_bytes(&self) -> (usize, usize) {
        let nodes = self.0.values();
        let segments: usize = nodes.iter().map(|node| node.segment.len()).sum();
        let counters = nodes
            .iter()
            .filter_map(|node| node.counters.as_deref())
            .map(|counters| size_of::<Counters>() + counters.heap_bytes());
        (self.0.heap_bytes() + segments, counters.sum())
    }

    /// Returns the ids of all nodes below the domain node, and free ids.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        1..self.0.values().len() as NodeId
    }
}

fn some(id: NodeId) -> Option<NodeId> {
    (id != DOMAIN).then_some(id)
}
