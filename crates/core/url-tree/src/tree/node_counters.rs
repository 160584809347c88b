//! Creates and drops the counters of nodes as entries are inserted and removed.

use super::UrlTree;
use crate::counters::Counters;
use crate::ids::NodeId;
use crate::nodes::DOMAIN;

impl UrlTree {
    /// Prepares a node for an entry that none of its children gets.
    ///
    /// A child with all entries of the node has shared its counters so far. From this entry
    /// on the counts differ, so the child gets a copy. The next copy for this node cannot
    /// be needed before this entry has left the window, and with it all entries that are in
    /// the window now. The copies are therefore cheaper than the counting of the entries.
    pub(super) fn split_counters(&mut self, node: NodeId) {
        let Some(child) = self.nodes.last_child(node) else {
            return;
        };
        if self.has_fewer_entries_than_parent(child) || !self.needs_counters(child) {
            return;
        }
        let mut same = node;
        while same != DOMAIN && !self.has_fewer_entries_than_parent(same) {
            same = self.nodes.get(same).parent;
        }
        let counters = match same {
            DOMAIN => self.vocabulary.shared().collect(),
            same => match &self.nodes.get(same).counters {
                Some(counters) => Counters::clone(counters),
                None => self.counters_from_entries(same),
            },
        };
        self.nodes.get_mut(child).counters = Some(Box::new(counters));
    }

    /// Updates a node after the removal of an entry that none of its children had.
    ///
    /// A child that now has all entries of the node shares its counters again.
    pub(super) fn merge_counters(&mut self, node: NodeId) {
        if let Some(child) = self.nodes.last_child(node)
            && !self.has_fewer_entries_than_parent(child)
        {
            self.nodes.get_mut(child).counters = None;
        }
    }

    /// Computes the counters of a node that needs counters and has none.
    pub(super) fn add_missing_counters(&mut self, node: NodeId) {
        let has = self.nodes.get(node).counters.is_some();
        if !has && self.needs_counters(node) && self.has_fewer_entries_than_parent(node) {
            let counters = self.counters_from_entries(node);
            self.nodes.get_mut(node).counters = Some(Box::new(counters));
        }
    }

    /// Returns whether a label can read the counts of this node.
    pub(super) fn needs_counters(&self, node: NodeId) -> bool {
        let entries = self.nodes.get(node).entries;
        self.min_counted_support
            .is_some_and(|from| entries >= from.max(1))
    }

    /// Returns whether the parent has entries that this node does not have.
    pub(super) fn has_fewer_entries_than_parent(&self, node: NodeId) -> bool {
        let node = self.nodes.get(node);
        node.entries < self.nodes.get(node.parent).entries
    }

    /// Computes the counters of a node from its entries.
    pub(super) fn counters_from_entries(&self, node: NodeId) -> Counters {
        let mut counters = Counters::default();
        let mut nodes = vec![node];
        while let Some(at) = nodes.pop() {
            nodes.extend(self.nodes.children(at));
            let node = self.nodes.get(at);
            let mut position = node.last_here;
            for _ in 0..node.entries_here {
                let entry = self.window.get(position);
                counters.add_all(&self.shared(entry.blocks.iter()));
                position = entry.previous_here;
            }
        }
        counters
    }
}
