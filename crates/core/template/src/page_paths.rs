//! What one page adds to the template of its site.

use crate::BlockCounts;
use crate::outline::{Node, Outline};
use crate::rules::{Rule, Rules};

/// Slots of a page. Of 9,353 real pages the mean has 18 and the greatest 96; what a
/// hostile one has beyond this number stands in no slot, so that a window stays small.
const MAX_PATHS: usize = 1024;

/// The slots of a page with what stands in them, `body` first, every slot after the one
/// around it. Whoever keeps a window keeps these, and a template made from them again
/// is the same template.
///
/// Slots under skip elements and comments are not among them: their text is decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PagePaths {
    /// The slots.
    pub paths: Vec<DomPath>,
}

/// A slot, and what one page has in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomPath {
    /// Position of the slot around it. That of `body` is its own.
    pub parent: u32,
    /// The element and its first class: `div.story`. That of `body` is empty.
    pub key: String,
    /// The square root of the text that counts for the main branch, in sixteenths: that
    /// of the heaviest element of the slot, with all inside it. 0 of what is part of a
    /// text, a paragraph or a list.
    pub text_mass: u32,
    /// Characters of the blocks of this very slot.
    pub chars: u32,
    /// Those inside links.
    pub link_chars: u32,
    /// Those of blocks that more than a quarter of the pages have.
    pub repeated_chars: u32,
}

impl PagePaths {
    /// The slots of a page that `counts` were taken for.
    pub(crate) fn new(outline: &Outline, counts: BlockCounts<'_>, rules: Rules) -> Self {
        let weights = weights(outline, counts, rules);
        let mut paths = vec![DomPath::default()];
        let mut numbers: Vec<Option<u32>> = vec![None; outline.paths.len()];
        let mut of_node: Vec<Option<u32>> = Vec::with_capacity(outline.nodes.len());
        of_node.push(Some(0));
        for node in outline.nodes.iter().skip(1) {
            let parent = of_node[node.parent].filter(|_| !is_decided(node, rules));
            let number = parent.and_then(|parent| {
                if numbers[node.path].is_none() && paths.len() < MAX_PATHS {
                    numbers[node.path] = u32::try_from(paths.len()).ok();
                    paths.push(DomPath {
                        parent,
                        key: outline.key(&outline.paths[node.path]).to_owned(),
                        ..DomPath::default()
                    });
                }
                numbers[node.path]
            });
            of_node.push(number);
        }
        for ((node, weight), path) in outline.nodes.iter().zip(weights).zip(&of_node) {
            if let Some(path) = path.filter(|_| !node.text_part) {
                let text_mass = &mut paths[path as usize].text_mass;
                *text_mass = (*text_mass).max(scaled_root(weight));
            }
        }
        for (at, (block, leaf)) in outline.blocks.iter().zip(&outline.leaves).enumerate() {
            let Some(path) = of_node[*leaf] else { continue };
            let path = &mut paths[path as usize];
            path.chars = path.chars.saturating_add(block.chars);
            path.link_chars = path.link_chars.saturating_add(block.link_chars);
            if counts.is_repeated(at) {
                path.repeated_chars = path.repeated_chars.saturating_add(block.chars);
            }
        }
        PagePaths { paths }
    }
}

/// Per element of a page the text below it that may be main text: it does not repeat,
/// is not mostly links, and no trait of an element decides about it.
pub(crate) fn weights(outline: &Outline, counts: BlockCounts<'_>, rules: Rules) -> Vec<u64> {
    outline.sums(|at, block| {
        let other = counts.is_repeated(at)
            || u64::from(block.link_chars) * 2 > u64::from(block.chars)
            || is_decided(&outline.nodes[outline.leaves[at]], rules);
        if other { 0 } else { u64::from(block.chars) }
    })
}

/// All text in this element is boilerplate.
fn is_decided(node: &Node, rules: Rules) -> bool {
    (node.comments && rules.has(Rule::Comments))
        || (node.boilerplate && rules.has(Rule::SkipElements))
}

/// The square root, in sixteenths.
fn scaled_root(weight: u64) -> u32 {
    u32::try_from(weight.saturating_mul(1 << 8).isqrt()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LayoutBlock, Template};

    #[test]
    fn a_page_has_at_most_max_paths_paths() {
        let paths: Vec<String> = (0..3 * MAX_PATHS)
            .map(|number| format!("div.{}", "x".repeat(number)))
            .collect();
        let blocks: Vec<LayoutBlock<'_>> = (paths.iter())
            .map(|path| LayoutBlock {
                path,
                common_prefix: 0,
                chars: 9,
                link_chars: 0,
                title: 0,
            })
            .collect();
        let outline = Outline::new(&blocks);
        let counts = BlockCounts {
            pages: 1,
            blocks: &vec![1; blocks.len()],
        };
        let mut template = Template::default();
        let paths = template.page_paths(&outline, counts);
        assert_eq!(paths.paths.len(), MAX_PATHS);
        template.insert(&paths);
        assert_eq!(template.label(&outline, counts).len(), 3 * MAX_PATHS);
    }

    #[test]
    fn the_text_mass_of_a_path_is_of_its_heaviest_element() {
        let block = |common_prefix, chars| LayoutBlock {
            path: "div>p",
            common_prefix,
            chars,
            link_chars: 0,
            title: 0,
        };
        // Two elements, of 64 + 36 and of 81 characters.
        let blocks = [block(0, 64), block(1, 36), block(0, 81)];
        let counts = BlockCounts {
            pages: 8,
            blocks: &[1, 2, 3],
        };
        let paths = PagePaths::new(&Outline::new(&blocks), counts, Rules::default()).paths;
        let [body, div, p] = &paths[..] else {
            panic!("{paths:?}")
        };
        // The last is on three of eight pages and has no weight: 10 times 16.
        assert_eq!((body.text_mass, div.text_mass, p.text_mass), (160, 160, 0));
        assert_eq!((body.chars, div.chars, p.chars), (0, 0, 181));
        assert_eq!(p.repeated_chars, 81);
    }
}
