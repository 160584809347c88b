//! Scores by the nodes of a page, as Alarte et al. count them [A 3].
//!
//! Their benchmark marks the nodes of the content; a gold set has a text. So the relevant nodes
//! are those that the gold text covers: a text node of which at least half of the words are in
//! the text, and an element of which all texts are covered, with everything inside it. Images and
//! boxes without text are relevant if they are in such an element.
//!
//! The retrieved nodes are those that a method names ([`extractors::Extraction::kept`]). A method
//! that gives only a text, such as a heuristic of the URL Tree or another project's, retrieves the
//! nodes that its text covers.

use std::collections::HashMap;
use std::ops::Range;

use extractors::{Page, PageNodes};
use scoring::{Autojunk, Overlap, Tokens, Vocabulary, matching_blocks};

use crate::{GoldPage, GoldSet, InputError, NodeRanges, Text};

/// The nodes of the pages of a set, by row.
#[derive(Clone, Debug, Default)]
pub struct NodeTrees {
    by_row: HashMap<usize, PageNodes>,
}

impl NodeTrees {
    /// Parses the `wanted` pages of a set.
    ///
    /// # Errors
    /// [`InputError`], also if the set has no HTML.
    pub fn read(
        set: &GoldSet,
        pages: &[GoldPage],
        wanted: impl Fn(&GoldPage) -> bool,
    ) -> Result<Self, InputError> {
        let pages: HashMap<usize, &GoldPage> = (pages.iter())
            .filter(|page| wanted(page))
            .map(|page| (page.row, page))
            .collect();
        let mut by_row = HashMap::new();
        set.for_each_fetched(|fetched| {
            let Some(page) = pages.get(&fetched.row) else {
                return;
            };
            let html = fetched.html.unwrap_or_default();
            if let Ok(html) = html_blocks::decode(html, fetched.http_charset) {
                by_row.insert(page.row, PageNodes::of(&Page::new(&page.url, &html)));
            }
        })?;
        Ok(Self { by_row })
    }

    /// The number of nodes of a page, if it was parsed.
    pub(crate) fn page_nodes(&self, page: &GoldPage) -> Option<usize> {
        Some(self.by_row.get(&page.row)?.ids().len())
    }

    /// Counts the nodes that the gold text covers, that were retrieved, and that are both. `None`
    /// if the page was not parsed. `content` is the text of `text`.
    pub(crate) fn overlap(
        &self,
        page: &GoldPage,
        text: &Text,
        content: &str,
        tokens: Tokens,
    ) -> Option<Overlap> {
        let nodes = self.by_row.get(&page.row)?;
        let relevant = covered(nodes, &page.text, tokens);
        let retrieved = match &text.kept {
            Some(kept) => kept.within(&nodes.ids()),
            None => covered(nodes, content, tokens),
        };
        let common = relevant.common(&retrieved);
        Overlap::new(common, retrieved.len(), relevant.len()).ok()
    }
}

/// The nodes that a text covers.
fn covered(nodes: &PageNodes, text: &str, tokens: Tokens) -> NodeRanges {
    let coverage = Coverage::of(nodes, text, tokens);
    let mut ranges = NodeRanges::default();
    let ids = nodes.ids();
    let mut id = ids.start;
    while id < ids.end {
        let subtree = nodes.subtree(id);
        if coverage.is_whole(&subtree) {
            id = subtree.end;
            ranges.add(subtree);
        } else {
            id += 1;
        }
    }
    ranges
}

/// The text nodes with words, and those of them that a text covers, each counted up to a node.
struct Coverage {
    first: usize,
    /// Before each node, and after the last.
    with_words: Vec<usize>,
    covered: Vec<usize>,
}

impl Coverage {
    /// Matches the words of a text with those of the text nodes, the longest runs first, so that
    /// a word of the article is not found in a menu.
    fn of(nodes: &PageNodes, text: &str, tokens: Tokens) -> Self {
        let mut vocabulary = Vocabulary::default();
        let text = vocabulary.words(text, tokens);
        let (mut words, mut ends) = (Vec::new(), Vec::new());
        for (id, text) in nodes.texts() {
            words.extend(vocabulary.words(text, tokens));
            ends.push((id, words.len()));
        }
        let mut is_matched = vec![false; words.len()];
        for block in matching_blocks(&text, &words, Autojunk::On) {
            is_matched[block.extracted..block.extracted + block.length].fill(true);
        }
        let ids = nodes.ids();
        let mut coverage = Self {
            first: ids.start,
            with_words: vec![0; ids.len() + 1],
            covered: vec![0; ids.len() + 1],
        };
        let mut start = 0;
        for (id, end) in ends {
            let of_node = &is_matched[start..end];
            let matched = of_node.iter().filter(|matched| **matched).count();
            let has_words = !of_node.is_empty();
            coverage.with_words[id + 1 - ids.start] = usize::from(has_words);
            coverage.covered[id + 1 - ids.start] =
                usize::from(has_words && 2 * matched >= of_node.len());
            start = end;
        }
        for counts in [&mut coverage.with_words, &mut coverage.covered] {
            let mut sum = 0;
            for count in counts {
                sum += *count;
                *count = sum;
            }
        }
        coverage
    }

    /// Whether there are words below a node, and all of its text nodes with words are covered.
    fn is_whole(&self, subtree: &Range<usize>) -> bool {
        let below = |counts: &[usize]| {
            counts[subtree.end - self.first] - counts[subtree.start - self.first]
        };
        let with_words = below(&self.with_words);
        with_words > 0 && with_words == below(&self.covered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<body><ul><li>Storm<li>Sea</ul><div><h2>Storm</h2><img><p>Two trees fell
        at the sea.<p>* * *</div><p>Imprint of the paper</p>";

    fn nodes() -> PageNodes {
        PageNodes::of(&Page::new("http://a.example/", PAGE))
    }

    #[test]
    fn the_gold_text_covers_the_elements_of_its_texts_with_all_that_is_inside() {
        let nodes = nodes();
        let div = nodes.ids().start + 6;
        let relevant = covered(&nodes, "Storm\nTwo trees fell at the sea.", Tokens::Unicode);
        // div, h2, its text, img, p, its text, p, its text.
        assert_eq!(relevant, NodeRanges::of(div..div + 8));
        let half = covered(&nodes, "trees fell at", Tokens::Unicode);
        assert_eq!(half, NodeRanges::of(div + 4..div + 6));
        assert_eq!(covered(&nodes, "", Tokens::Unicode).len(), 0);
    }

    #[test]
    fn nodes_that_were_retrieved_are_named_or_found_by_the_text() {
        let mut page = GoldPage::new("http://a.example/", "Storm. Two trees fell at the sea.");
        page.row = 7;
        let trees = NodeTrees {
            by_row: HashMap::from([(7, nodes())]),
        };
        let body = nodes().ids();
        let mut text = Text::of("Storm. Two trees fell at the sea. Imprint of the paper");
        let counts = |text: &Text| {
            let content = text.text.as_deref().expect("a text");
            let overlap = trees.overlap(&page, text, content, Tokens::Unicode)?;
            Some((overlap.common(), overlap.extracted(), overlap.gold()))
        };
        assert_eq!(counts(&text), Some((8, 10, 8)));
        text.kept = Some(NodeRanges::of(
            [0].into_iter().chain(body.start + 8..body.end),
        ));
        assert_eq!(counts(&text), Some((6, 8, 8)));
        page.row = 8;
        let content = "Storm";
        assert_eq!(trees.overlap(&page, &text, content, Tokens::Unicode), None);
    }
}
