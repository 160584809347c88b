//! Which element of a page holds the main text.

use std::cmp::Reverse;

use crate::counters::Sums;
use crate::outline::Outline;

/// The element that holds the main text: from `body` to the heaviest child, while it
/// keeps four fifths of the mass of its parent. `weights` are of the elements of
/// this page, `sums` of their slots over the site.
///
/// Under a `title` the way goes first to the child that holds it, if that has a fifth
/// of the page's text.
pub(crate) fn main_branch(
    outline: &Outline<'_>,
    weights: &[u64],
    sums: &[Sums],
    title: Option<usize>,
) -> usize {
    let holds_title = |node: usize| {
        let node = &outline.nodes[node];
        title.is_some_and(|title| (node.first..node.end).contains(&title))
    };
    let mut at = 0;
    loop {
        let places = || (outline.children(at)).filter(|child| !outline.nodes[*child].inner);
        let leads = |child: &usize| {
            holds_title(*child) && weights[*child] > 0 && weights[*child] * 5 >= weights[0]
        };
        // Of equals the first: it is the page's own.
        let heaviest = || places().max_by_key(|&c| (sums[c].mass, weights[c], Reverse(c)));
        let keeps = |child: &usize| {
            let mass = sums[*child].mass;
            mass > 0 && mass * 5 >= sums[at].mass * 4
        };
        match places().find(leads).or_else(|| heaviest().filter(keeps)) {
            Some(child) => at = child,
            None => return at,
        }
    }
}
