//! Finds the element of a page that contains the main text.

use std::cmp::Reverse;

use crate::counters::Sums;
use crate::outline::Outline;
use crate::prior::is_divided;

/// Least characters of the sentences that lead to an element: those of two short paragraphs.
const SENTENCES: u64 = 300;

/// Least characters of the sentences that lead to an element with the title.
const TITLE_SENTENCES: u64 = 150;

/// Returns the element that contains the main text.
///
/// The search goes from `body` to the heaviest child, as long as the child has at least four
/// fifths of the text mass of its parent. `weights` are those of the elements of this page,
/// `own_weights` those of their text that hardly any other page has, and `sums` those of its paths
/// over the site.
///
/// The child must also have four fifths of this page's text in children with its path, at a path of
/// few pages two thirds: the mass of a path is that of its heaviest element, and says nothing about
/// equal elements beside it. Only the own text of the others counts: a teaser at the path of the
/// article returns on other pages.
///
/// A child that contains the `title` has priority if it has at least a third of the page's
/// text. At a path of few pages, where masses have little evidence, a fifth is enough. At the
/// path of a known site the title does not lead to one of several equal elements: they are the
/// posts of a thread.
///
/// `sentences` are the weights of the elements by their blocks with sentences, if these lead. At paths
/// of few pages half of them are enough for the child with the title. On a page that is not divided by
/// elements of HTML 5, three fifths are enough for a child without it: beside the article of a news
/// page of 2012 are lists of names, headlines and ratings with more text. Equal elements beside that
/// child may have a fourth of its sentences.
///
/// At a path that only this page has, the search ends at an element with at least a sixth of
/// its text in paragraphs that are its children. They are the lead of an article whose rest
/// is in a separate box.
pub(crate) fn main_branch(
    outline: &Outline,
    weights: &[u64],
    own_weights: &[u64],
    sums: &[Sums],
    title: Option<usize>,
    sentences: Option<&[u64]>,
) -> usize {
    let sums = |node: usize| &sums[outline.nodes[node].path];
    let has_title = |node: usize| {
        let node = &outline.nodes[node];
        title.is_some_and(|title| (node.first..node.end).contains(&title))
    };
    let has_lead = |node: usize| {
        let paragraphs = outline
            .children(node)
            .filter(|child| outline.nodes[*child].paragraph);
        let lead: u64 = paragraphs.map(|paragraph| weights[paragraph]).sum();
        node != 0 && sums(node).is_of_one_page() && lead > 0 && lead * 6 >= weights[node]
    };
    let has_half_of_sentences = |node: usize| {
        sentences.is_some_and(|of| of[node] >= TITLE_SENTENCES && of[node] * 2 >= of[0])
    };
    let mut at = 0;
    loop {
        if has_lead(at) {
            return at;
        }
        let candidates = || {
            outline
                .children(at)
                .filter(|child| !outline.nodes[*child].text_part)
        };
        let is_alone = |child: &usize| {
            let path = outline.nodes[*child].path;
            let equal = candidates().filter(|other| outline.nodes[*other].path == path);
            let others: u64 = equal
                .filter(|other| other != child)
                .map(|other| own_weights[other])
                .sum();
            if sums(*child).is_of_few_pages() {
                weights[*child] >= others * 2
            } else {
                weights[*child] >= others * 4
            }
        };
        let leads_page = |child: &usize| {
            let is_new = sums(*child).is_of_few_pages();
            let share = if is_new { 5 } else { 3 };
            (is_new || is_alone(child))
                && has_title(*child)
                && weights[*child] > 0
                && (weights[*child] * share >= weights[0]
                    || is_new && has_half_of_sentences(*child))
        };
        let has_sentences = |child: &usize| {
            let Some(sentences) = sentences.filter(|_| at != 0) else {
                return false;
            };
            let path = outline.nodes[*child].path;
            let equal = candidates().filter(|other| outline.nodes[*other].path == path);
            let equal: u64 = equal.map(|other| sentences[other]).sum();
            sums(*child).is_of_few_pages()
                && sentences[*child] >= SENTENCES
                && sentences[*child] * 5 >= sentences[at] * 3
                && sentences[*child] * 5 >= equal * 4
                && !is_divided(outline)
        };
        // The first of equal children: it is the page's own text.
        let heaviest = || candidates().max_by_key(|&c| (sums(c).text_mass, weights[c], Reverse(c)));
        let keeps_mass = |child: &usize| {
            let text_mass = sums(*child).text_mass;
            text_mass > 0 && text_mass * 5 >= sums(at).text_mass * 4
        };
        match candidates()
            .find(leads_page)
            .or_else(|| candidates().find(has_sentences))
            .or_else(|| heaviest().filter(keeps_mass).filter(is_alone))
        {
            Some(child) => at = child,
            None => return at,
        }
    }
}
