//! A page as a tree of elements, as far as they have text.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::element::{ElementTraits, key};

/// A text block of a page, as far as its template is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutBlock<'p> {
    /// The path of elements from (and without) `body` to the text, each with its classes:
    /// `div.main>article.post.sticky>p`.
    pub path: &'p str,
    /// Elements of the path, from its start, that are those of the block before: the
    /// same elements, not only of the same name.
    pub common_prefix: u16,
    /// Characters of the text.
    pub chars: u32,
    /// Those of them inside links.
    pub link_chars: u32,
    /// How well the block shows the page's title: [`Title::shown_by`].
    ///
    /// [`Title::shown_by`]: crate::Title::shown_by
    pub title: u32,
}

/// The elements of a page that have text, in the order of the page.
#[derive(Debug)]
pub struct Outline {
    pub(crate) blocks: Vec<BlockText>,
    /// In page order, `body` first: an element comes before what it contains.
    pub(crate) nodes: Vec<Node>,
    /// Per block the node its text begins in.
    pub(crate) leaves: Vec<usize>,
    /// `body` first, every slot after the one around it.
    pub(crate) paths: Vec<OutlinePath>,
    /// The keys of the slots, one after the other.
    keys: String,
}

/// A slot of the page: elements of one key whose parents are of one slot.
#[derive(Debug)]
pub(crate) struct OutlinePath {
    /// That of `body` is its own.
    pub(crate) parent: usize,
    key: Range<usize>,
}

/// What is counted of a block's text: see [`Block`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockText {
    pub(crate) chars: u32,
    pub(crate) link_chars: u32,
    pub(crate) title: u32,
}

/// An element of a page.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) path: usize,
    /// `body` is its own.
    pub(crate) parent: usize,
    /// Position after the last node inside it.
    pub(crate) next: usize,
    /// The blocks inside it: from the first...
    pub(crate) first: usize,
    /// ... to the one before this.
    pub(crate) end: usize,
    /// This is an `inner` element, or stands in a heading.
    pub(crate) text_part: bool,
    pub(crate) heading: bool,
    /// This is a `figcaption`, or stands in one.
    pub(crate) caption: bool,
    /// This very element is a `p`.
    pub(crate) paragraph: bool,
    /// Part of comments, or of navigation, forms and the like.
    pub(crate) comments: bool,
    pub(crate) boilerplate: bool,
}

impl Outline {
    /// The outline of a page.
    pub fn new(blocks: &[LayoutBlock<'_>]) -> Self {
        let letters = |block: &LayoutBlock<'_>| BlockText {
            chars: block.chars,
            link_chars: block.link_chars,
            title: block.title,
        };
        let mut outline = Outline {
            blocks: blocks.iter().map(letters).collect(),
            nodes: Vec::with_capacity(blocks.len()),
            leaves: Vec::with_capacity(blocks.len()),
            paths: vec![OutlinePath {
                parent: 0,
                key: 0..0,
            }],
            keys: String::new(),
        };
        let mut known = KnownPaths::new();
        outline.open(0, ElementTraits::default(), 0, 0);
        // The open elements below `body`, and how far the slot names them.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            while open.len() > usize::from(block.common_prefix) {
                outline.close(open.pop(), at);
            }
            // What is open is not known again.
            let (mut parent, mut end) = open.last().copied().unwrap_or_default();
            for element in elements(block.path.get(end..).unwrap_or_default()) {
                end += element.len();
                if !element.is_empty() {
                    let around = outline.nodes[parent].path;
                    let (path, traits) = known.path(element, around, &mut outline);
                    parent = outline.open(path, traits, parent, at);
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
        outline
    }

    /// Blocks of the page.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// What tells a slot from others around which is the same.
    pub(crate) fn key(&self, path: &OutlinePath) -> &str {
        &self.keys[path.key.clone()]
    }

    /// Adds an element whose first block is `first`; gives its number.
    fn open(&mut self, path: usize, traits: ElementTraits, parent: usize, first: usize) -> usize {
        self.nodes.push(Node {
            path,
            parent,
            next: 0,
            first,
            end: 0,
            text_part: traits.text_part,
            heading: traits.heading,
            caption: traits.caption,
            paragraph: traits.paragraph,
            comments: traits.comments,
            boilerplate: traits.boilerplate,
        });
        self.nodes.len() - 1
    }

    fn close(&mut self, open: Option<(usize, usize)>, end: usize) {
        let next = self.nodes.len();
        if let Some(node) = open.and_then(|(node, _)| self.nodes.get_mut(node)) {
            (node.next, node.end) = (next, end);
        }
    }

    /// Hands traits down. An element that holds more than two thirds of the text is
    /// around the page, not a part of it: whole pages stand in a `form`, or below a
    /// class that says comments are open.
    fn inherit(&mut self) {
        let text = self.sums(|_, block| u64::from(block.chars.saturating_sub(block.link_chars)));
        let all = text[0];
        for (at, text) in text.iter().enumerate().skip(1) {
            let wrapper = text * 3 > all * 2;
            let parent = &self.nodes[self.nodes[at].parent];
            let (heading, caption) = (parent.heading, parent.caption);
            let (comments, boilerplate) = (parent.comments, parent.boilerplate);
            let node = &mut self.nodes[at];
            node.heading |= heading;
            node.caption |= caption;
            node.comments = comments || (node.comments && !wrapper);
            node.boilerplate = boilerplate || (node.boilerplate && !wrapper);
        }
    }

    /// Per node the sum of a value over the blocks inside it.
    pub(crate) fn sums(&self, of: impl Fn(usize, &BlockText) -> u64) -> Vec<u64> {
        let mut before = vec![0; self.blocks.len() + 1];
        for (at, block) in self.blocks.iter().enumerate() {
            before[at + 1] = before[at] + of(at, block);
        }
        let sum = |node: &Node| before[node.end] - before[node.first];
        self.nodes.iter().map(sum).collect()
    }

    /// The elements in this one, without those inside them.
    pub(crate) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[node].next;
        let inside = move |at: usize| Some(at).filter(|at| *at < end);
        std::iter::successors(inside(node + 1), move |at| inside(self.nodes[*at].next))
    }
}

/// The elements of a page by what its slots call them: a page has few names, many times.
struct KnownPaths<'p> {
    elements: HashMap<Name<'p>, (usize, ElementTraits), RandomState>,
    keys: HashMap<Name<'p>, usize, RandomState>,
    /// The element before: the next paragraph of a text is the usual case.
    last: Option<(Name<'p>, (usize, ElementTraits))>,
}

/// What an element, or the key of one, is called, and the slot around it.
type Name<'p> = (usize, &'p str);

/// Names of a usual page.
const KNOWN_PATHS: usize = 112;

impl<'p> KnownPaths<'p> {
    fn new() -> Self {
        Self {
            elements: HashMap::with_capacity_and_hasher(KNOWN_PATHS, RandomState::default()),
            keys: HashMap::with_capacity_and_hasher(KNOWN_PATHS, RandomState::default()),
            last: None,
        }
    }

    /// The slot of an element in the slot `around`, a new one if need be.
    fn path(
        &mut self,
        element: &'p str,
        around: usize,
        outline: &mut Outline,
    ) -> (usize, ElementTraits) {
        let name = (around, element);
        if let Some((_, known)) = self.last.filter(|(last, _)| *last == name) {
            return known;
        }
        let found = *self.elements.entry(name).or_insert_with(|| {
            let key = key(element);
            let path = *self.keys.entry((around, key)).or_insert_with(|| {
                let start = outline.keys.len();
                outline.keys.push_str(key);
                outline.paths.push(OutlinePath {
                    parent: around,
                    key: start..outline.keys.len(),
                });
                outline.paths.len() - 1
            });
            (path, ElementTraits::from_name(element))
        });
        self.last = Some((name, found));
        found
    }
}

/// The elements that a slot, or the rest of one, names. They are short: a search that is
/// made for long texts takes longer.
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
            title: 0,
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
        let ranges: Vec<_> = (children.iter())
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
        let skipped: Vec<bool> = (outline.leaves.iter())
            .map(|leaf| outline.nodes[*leaf].boilerplate)
            .collect();
        assert_eq!(skipped, [false, true, false]);
    }
}
