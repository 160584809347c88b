//! Phase 1: the node under which the body of the article lies.

use super::NceParameters;
use crate::dom::{Counts, Dom, NodeId};

/// Roots of the subtrees that are kept.
pub(super) fn forest(dom: &Dom, counts: &Counts, parameters: &NceParameters) -> Vec<NodeId> {
    match separator(dom, counts, parameters) {
        Some(separator) => (dom.children(separator))
            .filter(|child| counts.link_density(*child) <= parameters.kept_link_density)
            .collect(),
        None => vec![dom.body()],
    }
}

/// The closest ancestor (iv) of the first leaf that has one.
fn separator(dom: &Dom, counts: &Counts, parameters: &NceParameters) -> Option<NodeId> {
    let body = dom.body();
    // Whether a node is a separator does not depend on the leaf, so each node is
    // asked once.
    let mut asked = vec![false; dom.len()];
    for leaf in dom.subtree(body) {
        if dom.text(leaf).is_none() || counts.chars[leaf] < parameters.leaf_chars {
            continue;
        }
        let candidates = (dom.ancestors(leaf)).take_while(|ancestor| dom.contains(body, *ancestor));
        for candidate in candidates {
            // Then all above it were, too.
            if std::mem::replace(&mut asked[candidate], true) {
                break;
            }
            if is_separator(dom, counts, parameters, candidate) {
                return Some(candidate);
            }
        }
    }
    None
}

fn is_separator(dom: &Dom, counts: &Counts, parameters: &NceParameters, node: NodeId) -> bool {
    let no_paragraph = !dom.is(node, "p");
    let long_enough = counts.chars[node] >= parameters.separator_chars;
    no_paragraph && long_enough && lonely(dom, counts, parameters, node)
}

/// Condition (iii).
fn lonely(dom: &Dom, counts: &Counts, parameters: &NceParameters, node: NodeId) -> bool {
    let has_text = |sibling: &NodeId| {
        counts.chars[*sibling] >= parameters.sibling_chars
            && counts.link_density(*sibling) < parameters.sibling_link_density
    };
    let siblings = dom.children(dom.node(node).parent);
    siblings
        .filter(|sibling| *sibling != node)
        .filter(has_text)
        .nth(1)
        .is_none()
}
