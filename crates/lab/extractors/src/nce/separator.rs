//! Phase 1: the node whose children are the body of the article.

use super::parameters::NceParameters;
use crate::dom::{Dom, NodeId, SubtreeCounts};

/// Returns the roots of the kept subtrees.
pub(super) fn forest(dom: &Dom, counts: &SubtreeCounts, parameters: &NceParameters) -> Vec<NodeId> {
    match separator(dom, counts, parameters) {
        Some(separator) => dom
            .children(separator)
            .filter(|child| counts.link_density(*child) <= parameters.kept_link_density)
            .collect(),
        None => vec![dom.body()],
    }
}

/// Returns the separator node: the closest suitable ancestor (iv) of the first leaf that
/// has one.
fn separator(dom: &Dom, counts: &SubtreeCounts, parameters: &NceParameters) -> Option<NodeId> {
    let body = dom.body();
    // The conditions do not depend on the leaf, so each node is checked once.
    let mut checked = vec![false; dom.len()];
    for leaf in dom.subtree(body) {
        if dom.text(leaf).is_none() || counts.chars[leaf] < parameters.leaf_chars {
            continue;
        }
        let candidates = dom
            .ancestors(leaf)
            .take_while(|ancestor| dom.contains(body, *ancestor));
        for candidate in candidates {
            // All ancestors of a checked node have been checked.
            if std::mem::replace(&mut checked[candidate], true) {
                break;
            }
            if is_separator(dom, counts, parameters, candidate) {
                return Some(candidate);
            }
        }
    }
    None
}

fn is_separator(
    dom: &Dom,
    counts: &SubtreeCounts,
    parameters: &NceParameters,
    node: NodeId,
) -> bool {
    let is_paragraph = dom.is(node, "p");
    let long_enough = counts.chars[node] >= parameters.separator_chars;
    !is_paragraph && long_enough && at_most_one_text_sibling(dom, counts, parameters, node)
}

/// Condition (iii): at most one sibling has much text of low link density.
fn at_most_one_text_sibling(
    dom: &Dom,
    counts: &SubtreeCounts,
    parameters: &NceParameters,
    node: NodeId,
) -> bool {
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
