//! Which element of a page holds the main text.

use std::cmp::Reverse;

use crate::counters::Sums;
use crate::outline::Outline;

/// The element that holds the main text: from `body` to the heaviest child, while it
/// keeps four fifths of the mass of its parent. `weights` are of the elements of
/// this page, `sums` of its slots over the site.
///
/// Under a `title` the way goes first to the child that holds it, if that has a third of
/// the page's text: a fifth in a slot of few pages, where masses say little.
///
/// In a slot of this page alone the way ends where a sixth of the text stands in
/// paragraphs beside the elements that it could go to: these are the lead of an article
/// whose rest is in a box of its own.
pub(crate) fn main_branch(
    outline: &Outline,
    weights: &[u64],
    sums: &[Sums],
    title: Option<usize>,
) -> usize {
    let sums = |node: usize| &sums[outline.nodes[node].path];
    let holds_title = |node: usize| {
        let node = &outline.nodes[node];
        title.is_some_and(|title| (node.first..node.end).contains(&title))
    };
    let has_lead = |node: usize| {
        let paragraphs = (outline.children(node)).filter(|child| outline.nodes[*child].paragraph);
        let lead: u64 = paragraphs.map(|paragraph| weights[paragraph]).sum();
        node != 0 && sums(node).is_of_one_page() && lead > 0 && lead * 6 >= weights[node]
    };
    let mut at = 0;
    loop {
        if has_lead(at) {
            return at;
        }
        let places = || (outline.children(at)).filter(|child| !outline.nodes[*child].text_part);
        let leads_page = |child: &usize| {
            let share = if sums(*child).is_of_few_pages() { 5 } else { 3 };
            holds_title(*child) && weights[*child] > 0 && weights[*child] * share >= weights[0]
        };
        // Of equals the first: it is the page's own.
        let heaviest = || places().max_by_key(|&c| (sums(c).text_mass, weights[c], Reverse(c)));
        let keeps = |child: &usize| {
            let text_mass = sums(*child).text_mass;
            text_mass > 0 && text_mass * 5 >= sums(at).text_mass * 4
        };
        match places()
            .find(leads_page)
            .or_else(|| heaviest().filter(keeps))
        {
            Some(child) => at = child,
            None => return at,
        }
    }
}
