//! The numbers of a leaf.

use std::collections::HashSet;

use crate::dom::{Dom, NodeId, SubtreeCounts, is_inline};
use crate::text::words;

/// Names of the numbers, in their order.
pub(super) const NAMES: [&str; 13] = [
    "position",
    "chars",
    "block_chars",
    "block_links",
    "linked",
    "heading",
    "bold",
    "depth",
    "sentences",
    "container_chars",
    "container_links",
    "siblings",
    "title_words",
];

/// The numbers of a leaf, by [`NAMES`].
pub(super) type Features = [u8; NAMES.len()];

/// A text of the body with its numbers.
pub(super) struct Leaf {
    pub(super) id: NodeId,
    /// The number of words, by which it weighs in training.
    pub(super) words: usize,
    pub(super) features: Features,
}

/// Returns the texts of the body.
pub(super) fn leaves(dom: &Dom) -> Vec<Leaf> {
    let counts = SubtreeCounts::new(dom);
    let around = Around::new(dom);
    let title: HashSet<String> = (0..dom.body())
        .filter_map(|id| dom.text(id))
        .flat_map(words)
        .collect();
    let body = dom.body();
    let all = counts.chars[body].max(1);
    let mut before = 0;
    let mut leaves = Vec::new();
    for id in dom.subtree(body) {
        let Some(text) = dom.text(id) else {
            continue;
        };
        let block = around.block[id];
        let container = around.block[dom.node(block).parent];
        let words: Vec<String> = words(text).collect();
        let of_title = words.iter().filter(|word| title.contains(*word)).count();
        leaves.push(Leaf {
            id,
            words: words.len(),
            features: [
                share(before, all),
                log(counts.chars[id]),
                log(counts.chars[block]),
                share(counts.link_chars[block], counts.chars[block]),
                u8::from(around.linked[id]),
                around.heading[id],
                u8::from(around.bold[id]),
                small(dom.node(id).depth),
                small(text.matches(['.', '!', '?', ',', '。', '、']).count()),
                log(counts.chars[container]),
                share(counts.link_chars[container], counts.chars[container]),
                log(around.siblings[block]),
                share(of_title, words.len()),
            ],
        });
        before += counts.chars[id];
    }
    leaves
}

/// A share in 1/32.
fn share(part: usize, whole: usize) -> u8 {
    small(part * 32 / whole.max(1))
}

/// A logarithm to the base of the square root of 2.
fn log(count: usize) -> u8 {
    (f64::log2(count as f64 + 1.0) * 2.0) as u8
}

fn small(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

/// Properties of nodes that come from the elements around them.
struct Around {
    /// The innermost element that ends a line.
    block: Vec<NodeId>,
    linked: Vec<bool>,
    bold: Vec<bool>,
    /// 6 in `h1` to 1 in `h6`, 0 elsewhere: larger type has a greater number.
    heading: Vec<u8>,
    /// Elements of the same name below the same parent.
    siblings: Vec<usize>,
}

impl Around {
    fn new(dom: &Dom) -> Self {
        let mut around = Self {
            block: vec![0; dom.len()],
            linked: vec![false; dom.len()],
            bold: vec![false; dom.len()],
            heading: vec![0; dom.len()],
            siblings: vec![0; dom.len()],
        };
        for id in 0..dom.len() {
            let parent = dom.node(id).parent;
            around.block[id] = around.block[parent];
            around.linked[id] = around.linked[parent];
            around.bold[id] = around.bold[parent];
            around.heading[id] = around.heading[parent];
            let Some(element) = dom.element(id) else {
                continue;
            };
            let name = &*element.name;
            if !is_inline(name) {
                around.block[id] = id;
            }
            around.linked[id] |= name == "a";
            around.bold[id] |= matches!(name, "b" | "strong" | "th");
            if let Some(level) = name
                .strip_prefix('h')
                .and_then(|level| level.parse::<u8>().ok())
                && (1..=6).contains(&level)
            {
                around.heading[id] = 7 - level;
            }
        }
        around.count_siblings(dom);
        around
    }

    fn count_siblings(&mut self, dom: &Dom) {
        for id in 0..dom.len() {
            let mut names: Vec<(&str, NodeId)> = (dom.children(id))
                .filter_map(|child| Some((&*dom.element(child)?.name, child)))
                .collect();
            names.sort_unstable();
            for same in names.chunk_by(|a, b| a.0 == b.0) {
                for (_, child) in same {
                    self.siblings[*child] = same.len();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn the_numbers_of_a_leaf() {
        let html = "<title>Tea time</title><body><h2>Time for <b>tea</b></h2>\
                    <div><p>One. Two.<p><a href=/>four</a>four</div>";
        let leaves = leaves(&parse(html));
        let number = |leaf: usize, name: &str| {
            let at = NAMES.iter().position(|other| *other == name);
            leaves[leaf].features[at.expect("a number")]
        };
        assert_eq!(leaves.len(), 5);
        assert_eq!((number(0, "heading"), number(0, "bold")), (5, 0));
        assert_eq!((number(1, "heading"), number(1, "bold")), (5, 1));
        // One of two words of `Time for` is in the title.
        assert_eq!(
            (number(0, "title_words"), number(1, "title_words")),
            (16, 32)
        );
        assert_eq!((number(2, "sentences"), number(2, "linked")), (2, 0));
        // Four of eight characters of the second paragraph are a link, and four of 17 of both.
        assert_eq!((number(3, "linked"), number(4, "linked")), (1, 0));
        assert_eq!(
            (number(4, "block_links"), number(4, "container_links")),
            (16, 7)
        );
        assert_eq!(number(4, "siblings"), log(2));
        // Before it are 8 + 3 + 9 + 4 of 28 characters.
        assert_eq!(number(4, "position"), share(24, 28));
        assert_eq!(share(24, 28), 27);
        assert_eq!((log(0), log(3), log(15)), (0, 4, 8));
    }
}
