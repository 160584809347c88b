//! Labels of the nodes of a page.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::dom::{Dom, NodeId, NodeKind};

/// Returns for each node a hash of the properties by which it is compared, without its
/// children.
pub(super) fn labels(dom: &Dom) -> Vec<u64> {
    let body = dom.body();
    let label = |id: NodeId| match &dom.node(id).kind {
        _ if id == body => 0,
        NodeKind::Element(element) => hash((&*element.name, &element.id, &element.class)),
        NodeKind::Text(text) => hash(text.trim()),
    };
    (0..dom.len()).map(label).collect()
}

/// The hasher has fixed keys, so hashes are the same in every run.
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
