//! Finds the element of a page that contains the main text.

use std::cmp::Reverse;
use std::ops::Range;

use crate::block_counts::BlockCounts;
use crate::counters::Sums;
use crate::element_code as code;
use crate::outline::Outline;
use crate::parts::Parts;
use crate::thresholds::main_branch as least;
use crate::weights::{own_weights, sentence_weights, weights};

/// The text of the elements of a page.
pub(crate) struct Weights {
    /// Per element, its text that can be main text.
    text: Vec<u64>,
    /// Of this, the text that hardly any other page has.
    own: Vec<u64>,
    /// The text of blocks with sentences. `None` if no path is of few pages: sentences lead at these alone, and
    /// most pages of a known site have none.
    sentences: Option<Vec<u64>>,
}

impl Weights {
    pub(crate) fn new(
        outline: &Outline,
        counts: BlockCounts<'_>,
        parts: &Parts,
        others: &Range<usize>,
        sums: &[Sums],
    ) -> Self {
        let has_few = sums.iter().any(Sums::is_of_few_pages);
        Self {
            text: weights(outline, counts, others, parts),
            own: own_weights(outline, counts, parts),
            sentences: has_few.then(|| sentence_weights(outline, counts, others, parts)),
        }
    }
}

/// The search for the element that contains the main text.
///
/// The search goes from `body` to the heaviest child, as long as the child has at least four
/// fifths of the text mass of its parent.
///
/// The child must also have four fifths of this page's text in children with its path, at a path of
/// few pages two thirds: the mass of a path is that of its heaviest element, and says nothing about
/// equal elements beside it. Only the own text of the others counts: a teaser at the path of the
/// article returns on other pages.
///
/// A child that contains the title has priority if it has at least a third of the page's
/// text. At a path of few pages, where masses have little evidence, a fifth is enough. At the
/// path of a known site the title does not lead to one of several equal elements: they are the
/// posts of a thread.
///
/// At paths of few pages half of the sentences are enough for the child with the title. On a page that is
/// not divided by elements of HTML 5, three fifths are enough for a child without it: beside the article of
/// a news page of 2012 are lists of names, headlines and ratings with more text. Equal elements beside that
/// child may have a fourth of its sentences.
///
/// At a path that only this page has, the search ends at an element with at least a sixth of
/// its text in paragraphs that are its children. They are the lead of an article whose rest
/// is in a separate box.
pub(crate) struct MainBranch<'p> {
    outline: &'p Outline,
    weights: &'p Weights,
    sums: &'p [Sums],
    title: Option<usize>,
    is_divided: bool,
    /// Per path, the own text and the sentences of the children with it, of the element that the search is at.
    equal: Vec<(u64, u64)>,
    /// The number of elements read.
    #[cfg(test)]
    work: usize,
}

impl<'p> MainBranch<'p> {
    pub(crate) fn new(
        outline: &'p Outline,
        weights: &'p Weights,
        sums: &'p [Sums],
        title: Option<usize>,
        is_divided: bool,
    ) -> Self {
        Self {
            outline,
            weights,
            sums,
            title,
            is_divided,
            equal: vec![(0, 0); outline.paths.len()],
            #[cfg(test)]
            work: 0,
        }
    }

    /// Returns the element. The search reads each child of the elements on its way a fixed number of times.
    pub(crate) fn find(&mut self) -> usize {
        let mut at = 0;
        while !self.has_own_paragraphs(at) {
            match self.next(at) {
                Some(child) => at = child,
                None => break,
            }
        }
        // The head of a table and its caption belong to its body.
        while self.is_part_of_table(at) {
            at = self.outline.nodes[at].parent;
        }
        at
    }

    fn is_part_of_table(&self, at: usize) -> bool {
        let node = &self.outline.nodes[at];
        node.code == code::TABLE && self.outline.nodes[node.parent].code == code::TABLE
    }

    /// Returns the child at which the search continues.
    fn next(&mut self, at: usize) -> Option<usize> {
        let outline = self.outline;
        #[cfg(test)]
        (self.work += outline.children(at).count());
        let is_part = |child: &usize| !outline.nodes[*child].text_part;
        let children: Vec<usize> = outline.children(at).filter(is_part).collect();
        for child in &children {
            let (own, sentences) = (self.weights.own[*child], self.sentences(*child));
            let equal = &mut self.equal[outline.nodes[*child].path];
            *equal = (equal.0 + own, equal.1 + sentences);
        }
        let mut all = children.iter().copied();
        let found = all
            .clone()
            .find(|child| self.title_leads_to(*child))
            .or_else(|| all.find(|child| self.sentences_lead_to(at, *child)))
            .or_else(|| self.mass_leads_to(at, &children));
        for child in &children {
            self.equal[outline.nodes[*child].path] = (0, 0);
        }
        found
    }

    fn title_leads_to(&self, child: usize) -> bool {
        let node = &self.outline.nodes[child];
        let has_title = (self.title).is_some_and(|title| (node.first..node.end).contains(&title));
        let (text, all) = (self.weights.text[child], self.weights.text[0]);
        if !has_title || text == 0 {
            return false;
        }
        if self.is_new(child) {
            least::TITLE_OF_FEW.is_reached(text, all) || self.has_half_of_sentences(child)
        } else {
            self.is_alone(child) && least::TITLE.is_reached(text, all)
        }
    }

    fn has_half_of_sentences(&self, child: usize) -> bool {
        let sentences = self.sentences(child);
        self.weights.sentences.is_some()
            && sentences >= least::TITLE_SENTENCE_CHARS
            && least::TITLE_SENTENCES.is_reached(sentences, self.sentences(0))
    }

    fn sentences_lead_to(&self, at: usize, child: usize) -> bool {
        let sentences = self.sentences(child);
        let equal = self.equal[self.outline.nodes[child].path].1;
        at != 0
            && self.weights.sentences.is_some()
            && self.is_new(child)
            && sentences >= least::SENTENCE_CHARS
            && least::SENTENCES.is_reached(sentences, self.sentences(at))
            && least::SENTENCES_OF_EQUAL.is_reached(sentences, equal)
            && !self.is_divided
    }

    /// The heaviest child, of equal children the first: it is the page's own text.
    fn mass_leads_to(&self, at: usize, children: &[usize]) -> Option<usize> {
        let mass = |node: usize| self.sums(node).text_mass;
        let heaviest = (children.iter().copied())
            .max_by_key(|&child| (mass(child), self.weights.text[child], Reverse(child)))?;
        let keeps_mass = mass(heaviest) > 0 && least::MASS.is_reached(mass(heaviest), mass(at));
        (keeps_mass && self.is_alone(heaviest)).then_some(heaviest)
    }

    /// The other children with its path have little own text.
    fn is_alone(&self, child: usize) -> bool {
        let equal = self.equal[self.outline.nodes[child].path].0;
        let others = equal - self.weights.own[child];
        let times = if self.is_new(child) {
            least::ALONE_OF_FEW
        } else {
            least::ALONE
        };
        self.weights.text[child] >= others * times
    }

    fn has_own_paragraphs(&self, node: usize) -> bool {
        if node == 0 || !self.sums(node).is_of_one_page() {
            return false;
        }
        let is_paragraph = |child: &usize| self.outline.nodes[*child].paragraph;
        let paragraphs = self.outline.children(node).filter(is_paragraph);
        let own = paragraphs.map(|child| self.weights.text[child]).sum();
        own > 0 && least::OWN_PARAGRAPHS.is_reached(own, self.weights.text[node])
    }

    /// Few pages have its path.
    fn is_new(&self, node: usize) -> bool {
        self.sums(node).is_of_few_pages()
    }

    fn sums(&self, node: usize) -> &Sums {
        &self.sums[self.outline.nodes[node].path]
    }

    fn sentences(&self, node: usize) -> u64 {
        let sentences = self.weights.sentences.as_ref();
        sentences.map_or(0, |sentences| sentences[node])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Template;
    use crate::block_counts::first_equal;
    use crate::outline::LayoutBlock;
    use crate::title::Title;

    /// The elements that the search reads on a page of blocks with these paths and common prefixes.
    fn work(blocks: &[(String, u16)]) -> usize {
        let title = Title::default();
        let of_block = |(path, common_prefix): &'_ (String, u16)| (path.clone(), *common_prefix);
        let paths: Vec<(String, u16)> = blocks.iter().map(of_block).collect();
        let blocks: Vec<LayoutBlock<'_>> = paths
            .iter()
            .map(|(path, common)| LayoutBlock::new(path, *common, "A ferry, a pier.", 0, &title))
            .collect();
        let outline = Outline::new(&blocks);
        let numbers: Vec<usize> = (0..blocks.len()).collect();
        let counts = BlockCounts {
            pages: 1,
            blocks: &vec![1; blocks.len()],
            first: &first_equal(&numbers),
        };
        let mut template = Template::default();
        template.insert(&template.page_paths(&outline, counts));
        let parts = Parts::new(&outline, counts);
        let sums = template.sums(&outline);
        let weights = Weights::new(&outline, counts, &parts, &(0..0), &sums);
        let mut search = MainBranch::new(&outline, &weights, &sums, None, false);
        search.find();
        assert!(outline.nodes.len() > 400, "{}", outline.nodes.len());
        search.work / outline.nodes.len()
    }

    #[test]
    fn the_search_reads_each_element_once_on_wide_and_on_deep_pages() {
        let wide: Vec<(String, u16)> = (0..16_000)
            .map(|at| ("main>div>section".to_owned(), if at == 0 { 0 } else { 2 }))
            .collect();
        let deep: Vec<(String, u16)> = (1..500)
            .map(|depth| {
                let below = vec!["div"; depth].join(">");
                (below, u16::try_from(depth - 1).unwrap_or(u16::MAX))
            })
            .collect();
        for page in [wide, deep] {
            assert!(work(&page) <= 1, "{}", work(&page));
        }
    }
}
