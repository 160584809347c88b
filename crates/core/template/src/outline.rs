//! The elements of a page that have text, as a tree.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::element::{ElementTraits, name_and_classes, path_key};
use crate::element_code as code;
use crate::figures::Figures;
use crate::node::{BlockText, Node};
use crate::style::Style;
use crate::thresholds::elements::{HIDDEN_CHARS, WRAPPER};
use crate::thresholds::prior::DIVIDING;
use crate::words::{Families, families};

/// A text block of a page, with the fields that a template needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutBlock<'p> {
    /// The elements from `body` (exclusive) to the text, each with its classes:
    /// `div.main>article.post.sticky>p`.
    pub path: &'p str,
    /// Number of elements at the start of the path that are also on the path of the previous
    /// block. Elements that only have the same name do not count.
    pub common_prefix: u16,
    /// Number of characters of the text.
    pub chars: u32,
    /// Number of these characters inside links.
    pub link_chars: u32,
    /// Number of commas and of ends of sentences in the text.
    pub marks: u32,
    /// Match of the block with the page's title: [`Title::shown_by`].
    ///
    /// [`Title::shown_by`]: crate::Title::shown_by
    pub title: u32,
    /// Digest of the letters and digits of a short text with digits, 0 for other texts.
    pub figures: u32,
    /// The style of the text.
    pub style: Style,
}

/// The elements of a page that have text, in page order.
#[derive(Debug)]
pub struct Outline {
    pub(crate) blocks: Vec<BlockText>,
    /// The elements in page order. `body` is the first, and an element precedes its
    /// descendants.
    pub(crate) nodes: Vec<Node>,
    /// Per block, the node in which its text begins.
    pub(crate) leaves: Vec<usize>,
    /// The DOM paths. `body` is the first, and a path follows its parent.
    pub(crate) paths: Vec<OutlinePath>,
    /// The keys of the paths, concatenated.
    keys: String,
    /// The classes of the elements with different names or parent paths, in [`Self::classes`].
    elements: Vec<Range<usize>>,
    /// The classes of the elements, concatenated.
    classes: String,
    pub(crate) figures: Figures,
    /// The kinds that the page declares, as bits.
    pub(crate) declared: u16,
}

/// A DOM path of the page: the elements with one key whose parents have one path.
#[derive(Debug)]
pub(crate) struct OutlinePath {
    /// The parent path; `body` is its own parent.
    pub(crate) parent: usize,
    key: Range<usize>,
}

impl Outline {
    /// Creates the outline of a page.
    pub fn new(blocks: &[LayoutBlock<'_>]) -> Self {
        let numbers = |block: &LayoutBlock<'_>| BlockText {
            chars: block.chars,
            link_chars: block.link_chars,
            title: block.title,
            marks: block.marks,
            figures: block.figures,
            style: block.style,
        };
        let mut outline = Outline {
            blocks: blocks.iter().map(numbers).collect(),
            nodes: Vec::with_capacity(2 * blocks.len() + 1),
            leaves: Vec::with_capacity(blocks.len()),
            paths: Vec::with_capacity(KNOWN_PATHS),
            keys: String::with_capacity(8 * KNOWN_PATHS),
            elements: Vec::with_capacity(KNOWN_PATHS),
            classes: String::with_capacity(8 * KNOWN_PATHS),
            figures: Figures::default(),
            declared: 0,
        };
        outline.paths.push(OutlinePath {
            parent: 0,
            key: 0..0,
        });
        outline.elements.push(Range::default());
        let mut known = KnownPaths::new();
        outline.open(KnownElement::default(), 0, 0);
        // The open elements below `body`, each with the end of its name in the path.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            while open.len() > usize::from(block.common_prefix) {
                outline.close(open.pop(), at);
            }
            // The open elements need no lookup: the path is read from their end.
            let (mut parent, mut end) = open.last().copied().unwrap_or_default();
            for element in elements(block.path.get(end..).unwrap_or_default()) {
                end += element.len();
                if !element.is_empty() {
                    let parent_path = outline.nodes[parent].path;
                    let known = known.element(element, parent_path, &mut outline);
                    parent = outline.open(known, parent, at);
                    open.push((parent, end));
                }
                end += 1;
            }
            outline.leaves.push(parent);
        }
        while let Some(node) = open.pop() {
            outline.close(Some(node), blocks.len());
        }
        outline.close(Some((0, 0)), blocks.len());
        outline.inherit();
        outline.figures = Figures::new(&outline.blocks, &outline.nodes);
        outline
    }

    /// Returns the outline of a page that declares to be something: the bits of `html_blocks::Declared`.
    #[must_use]
    pub fn declaring(self, declared: u16) -> Self {
        Self { declared, ..self }
    }

    /// Returns the number of blocks of the page.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the key of a path, which differs among paths with one parent.
    pub(crate) fn key(&self, path: &OutlinePath) -> &str {
        &self.keys[path.key.clone()]
    }

    /// Returns, per block, a value of its DOM path. `body` is the value of the empty path, and `below` gives
    /// that of a path from the value of its parent path and the [key](crate::path_key) of its last element.
    pub fn by_path<V: Copy>(&self, body: V, below: impl Fn(V, &str) -> V) -> Vec<V> {
        let mut values = vec![body];
        for path in &self.paths[1..] {
            values.push(below(values[path.parent], self.key(path)));
        }
        let leaves = self.leaves.iter();
        leaves.map(|leaf| values[self.nodes[*leaf].path]).collect()
    }

    /// Returns the families of the words in the classes of a node. Only few rules need them, and the
    /// prior on the first pages of a site, so they are not found for every page.
    pub(crate) fn words(&self, node: usize) -> Families {
        families(&self.classes[self.elements[self.nodes[node].element].clone()])
    }

    /// Returns the families of the words in the classes of all nodes.
    pub(crate) fn all_words(&self) -> Vec<Families> {
        let of_element = |classes: &Range<usize>| families(&self.classes[classes.clone()]);
        let of_elements: Vec<Families> = self.elements.iter().map(of_element).collect();
        let nodes = self.nodes.iter();
        nodes.map(|node| of_elements[node.element]).collect()
    }

    /// Adds an element whose first block is `first`, and returns its position.
    fn open(&mut self, known: KnownElement, parent: usize, first: usize) -> usize {
        let traits = known.traits;
        self.nodes.push(Node {
            path: known.path,
            parent,
            next: 0,
            first,
            end: 0,
            text_part: traits.text_part,
            heading: traits.heading,
            main_heading: traits.main_heading,
            row_label: traits.row_label,
            caption: traits.caption,
            unit: traits.unit,
            code: traits.code,
            element: known.element,
            paragraph: traits.paragraph,
            comments: traits.comments,
            ticket: traits.ticket && !traits.comments,
            header: traits.header,
            boilerplate: traits.boilerplate,
            hidden: traits.hides,
            control: traits.control,
        });
        self.nodes.len() - 1
    }

    fn close(&mut self, open: Option<(usize, usize)>, end: usize) {
        let next = self.nodes.len();
        if let Some(node) = open.and_then(|(node, _)| self.nodes.get_mut(node)) {
            (node.next, node.end) = (next, end);
        }
    }

    /// Passes traits on to descendants.
    ///
    /// An element with more than two thirds of the text wraps the page, and its own traits
    /// are ignored: some whole pages are in a `form`, or below a class that says that
    /// comments are open. Comments that begin after the title do not wrap it, and a control of a form,
    /// such as a `textarea` with the code of a player, wraps nothing.
    fn inherit(&mut self) {
        let text = self.sums(|_, block| u64::from(block.chars.saturating_sub(block.link_chars)));
        let all = text[0];
        let title = self.shown_title();
        for (at, text) in text.iter().enumerate().skip(1) {
            let wrapper = WRAPPER.is_exceeded(*text, all) && !self.nodes[at].control;
            let parent = &self.nodes[self.nodes[at].parent];
            let (heading, caption) = (parent.heading, parent.caption);
            let (main_heading, row_label) = (parent.main_heading, parent.row_label);
            let (comments, boilerplate) = (parent.comments, parent.boilerplate);
            let (ticket, header) = (parent.ticket, parent.header);
            let hidden = parent.hidden;
            let node = &mut self.nodes[at];
            node.heading |= heading;
            node.caption |= caption;
            node.main_heading |= main_heading;
            node.row_label |= row_label;
            node.ticket |= ticket;
            let follows_title = title.is_some_and(|title| title < node.first);
            node.comments = comments || (node.comments && (!wrapper || follows_title));
            node.header = header || (node.header && !wrapper);
            node.hidden = hidden || (node.hidden && *text <= HIDDEN_CHARS);
            node.boilerplate = boilerplate || (node.boilerplate && !wrapper);
        }
    }

    /// Returns the block that shows the page's title best; a heading is preferred.
    pub(crate) fn shown_title(&self) -> Option<usize> {
        let shows = |at: &usize| self.blocks[*at].title > 0;
        (0..self.blocks.len()).filter(shows).max_by_key(|&at| {
            let heading = self.nodes[self.leaves[at]].heading;
            (heading, self.blocks[at].title, std::cmp::Reverse(at))
        })
    }

    /// Returns, per node, the sum of a value over its blocks.
    pub(crate) fn sums(&self, value: impl Fn(usize, &BlockText) -> u64) -> Vec<u64> {
        let mut before = vec![0; self.blocks.len() + 1];
        for (at, block) in self.blocks.iter().enumerate() {
            before[at + 1] = before[at] + value(at, block);
        }
        let sum = |node: &Node| before[node.end] - before[node.first];
        self.nodes.iter().map(sum).collect()
    }

    /// Returns whether elements of HTML 5 divide the page, as those that the prior was learned from.
    pub(crate) fn is_divided(&self) -> bool {
        const ELEMENTS: [u8; 5] = [
            code::NAV,
            code::FOOTER,
            code::HEADER,
            code::MAIN,
            code::ARTICLE,
        ];
        let mut has = [false; ELEMENTS.len()];
        for node in &self.nodes {
            if let Some(at) = ELEMENTS.iter().position(|element| *element == node.code) {
                has[at] = true;
            }
        }
        has.iter().filter(|has| **has).count() >= DIVIDING
    }

    /// Returns the child elements of an element.
    pub(crate) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[node].next;
        let inside = move |at: usize| Some(at).filter(|at| *at < end);
        std::iter::successors(inside(node + 1), move |at| inside(self.nodes[*at].next))
    }
}

/// Cache of the paths and traits of element names: a page repeats few names many times.
struct KnownPaths<'p> {
    elements: HashMap<Name<'p>, KnownElement, RandomState>,
    keys: HashMap<Name<'p>, usize, RandomState>,
    /// The previous element. The next paragraph of a text usually has its name.
    last: Option<(Name<'p>, KnownElement)>,
}

/// The numbers of all elements with one name and one parent path.
#[derive(Clone, Copy, Default)]
struct KnownElement {
    path: usize,
    /// The position of the classes among those of the page.
    element: usize,
    traits: ElementTraits,
}

/// The parent path of an element, and its name or its key.
type Name<'p> = (usize, &'p str);

/// Initial capacity: names of a typical page.
const KNOWN_PATHS: usize = 112;

impl<'p> KnownPaths<'p> {
    fn new() -> Self {
        Self {
            elements: HashMap::with_capacity_and_hasher(KNOWN_PATHS, RandomState::default()),
            keys: HashMap::with_capacity_and_hasher(KNOWN_PATHS, RandomState::default()),
            last: None,
        }
    }

    /// Returns the path and traits of an element below the path `parent`, and creates them if they
    /// are new.
    fn element(&mut self, element: &'p str, parent: usize, outline: &mut Outline) -> KnownElement {
        let name = (parent, element);
        if let Some((_, known)) = self.last.filter(|(last, _)| *last == name) {
            return known;
        }
        let found = *self.elements.entry(name).or_insert_with(|| {
            let key = path_key(element);
            let path = *self.keys.entry((parent, key)).or_insert_with(|| {
                let start = outline.keys.len();
                outline.keys.push_str(key);
                outline.paths.push(OutlinePath {
                    parent,
                    key: start..outline.keys.len(),
                });
                outline.paths.len() - 1
            });
            let start = outline.classes.len();
            outline.classes.push_str(name_and_classes(element).1);
            outline.elements.push(start..outline.classes.len());
            KnownElement {
                path,
                element: outline.elements.len() - 1,
                traits: ElementTraits::from_name(element),
            }
        });
        self.last = Some((name, found));
        found
    }
}

/// Returns the elements of a path, or of the rest of one.
///
/// Elements are short, so a plain loop is faster than a search function for long texts.
fn elements(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        let end = path.bytes().position(|byte| byte == b'>');
        rest = end.and_then(|end| path.get(end + 1..));
        path.get(..end.unwrap_or(path.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks<'p>(paths: &[(&'p str, u16, u32)]) -> Vec<LayoutBlock<'p>> {
        let block = |(path, common_prefix, chars): &(&'p str, u16, u32)| LayoutBlock {
            path,
            common_prefix: *common_prefix,
            chars: *chars,
            link_chars: 0,
            marks: 0,
            title: 0,
            figures: 0,
            style: Style::default(),
        };
        paths.iter().map(block).collect()
    }

    #[test]
    fn adjacent_elements_of_one_name_are_two_nodes() {
        let blocks = blocks(&[
            ("div.post>p", 0, 9),
            ("div.post>p", 1, 9),
            ("div.post>p", 0, 9),
            ("", 0, 9),
        ]);
        let outline = Outline::new(&blocks);
        let children: Vec<usize> = outline.children(0).collect();
        let ranges: Vec<_> = children
            .iter()
            .map(|child| (outline.nodes[*child].first, outline.nodes[*child].end))
            .collect();
        assert_eq!(ranges, [(0, 2), (2, 3)]);
        assert_eq!(outline.children(children[0]).count(), 2);
        assert_eq!(outline.leaves[3], 0);
    }

    #[test]
    fn a_form_around_the_whole_page_is_not_boilerplate() {
        let page = [("form>div.a>p", 0, 50), ("form>nav>p", 1, 10), ("p", 0, 10)];
        let blocks = blocks(&page);
        let outline = Outline::new(&blocks);
        let skipped: Vec<bool> = outline
            .leaves
            .iter()
            .map(|leaf| outline.nodes[*leaf].boilerplate)
            .collect();
        assert_eq!(skipped, [false, true, false]);
    }

    #[test]
    fn a_control_with_most_of_the_text_is_boilerplate() {
        let blocks = blocks(&[("div.a>p", 0, 50), ("div.a>textarea", 1, 500)]);
        let outline = Outline::new(&blocks);
        let skipped = outline
            .leaves
            .iter()
            .map(|leaf| outline.nodes[*leaf].boilerplate);
        assert_eq!(skipped.collect::<Vec<_>>(), [false, true]);
    }
}
