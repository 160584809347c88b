//! The contribution of one page to the template of its site.

use crate::block_counts::BlockCounts;
use crate::other_articles::OTHER_ARTICLES;
use crate::outline::Outline;
use crate::parts::Parts;
use crate::thresholds::paths::MAX as MAX_PATHS;
use crate::weights::weights;

/// The DOM paths of a page, with the numbers that the page adds to the template.
///
/// A caller stores them for the pages of its window. A template that is built from the stored
/// paths equals the original template. Paths below skip elements and comments are omitted,
/// because these rules decide about their text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PagePaths {
    /// The paths. `body` is the first, and a path follows its parent.
    pub paths: Vec<DomPath>,
    /// Digests of the rows with figures in the tables of the page, ascending and without repetitions.
    pub rows: Vec<u32>,
}

/// A DOM path of a page, and its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomPath {
    /// Position of the parent path; `body` is its own parent.
    pub parent: u32,
    /// The last element of the path with its first class: `div.story`. Empty for `body`.
    pub key: String,
    /// The square root, in sixteenths, of the text that counts for the main branch.
    ///
    /// It is that of the heaviest element at the path, including its descendants. It is 0 if
    /// the element is part of a text, such as a paragraph or a list.
    pub text_mass: u32,
    /// Number of characters of the blocks at this path, without descendants.
    pub chars: u32,
    /// Number of these characters inside links.
    pub link_chars: u32,
    /// Number of these characters in blocks that more than a quarter of the pages contain.
    pub repeated_chars: u32,
    /// Number of these characters in blocks that more than two pages, and more than one in fifty,
    /// contain.
    pub familiar_chars: u32,
    /// Number of the blocks.
    pub blocks: u32,
}

impl PagePaths {
    /// Returns the paths of a page. `counts` are those of its blocks.
    pub(crate) fn new(outline: &Outline, counts: BlockCounts<'_>) -> Self {
        let parts = Parts::new(outline, counts);
        let others = parts.alike.clone().unwrap_or_default();
        let excluded = if others.are_known(counts) {
            others.blocks.clone()
        } else {
            0..0
        };
        let weights = weights(outline, counts, &excluded, &parts);
        let mut paths = vec![DomPath::default()];
        let mut positions: Vec<Option<u32>> = vec![None; outline.paths.len()];
        let mut of_node: Vec<Option<u32>> = Vec::with_capacity(outline.nodes.len());
        of_node.push(Some(0));
        for node in outline.nodes.iter().skip(1) {
            let parent = of_node[node.parent].filter(|_| !parts.is_boilerplate(node));
            let position = parent.and_then(|parent| {
                if positions[node.path].is_none() && paths.len() < MAX_PATHS {
                    positions[node.path] = u32::try_from(paths.len()).ok();
                    paths.push(DomPath {
                        parent,
                        key: outline.key(&outline.paths[node.path]).to_owned(),
                        ..DomPath::default()
                    });
                }
                positions[node.path]
            });
            of_node.push(position);
        }
        for ((node, weight), path) in outline.nodes.iter().zip(weights).zip(&of_node) {
            if let Some(path) = path.filter(|_| !node.text_part) {
                let text_mass = &mut paths[path as usize].text_mass;
                *text_mass = (*text_mass).max(scaled_root(weight));
            }
        }
        for (at, (block, leaf)) in outline.blocks.iter().zip(&outline.leaves).enumerate() {
            let path = of_node[*leaf].filter(|_| !excluded.contains(&at));
            let Some(path) = path else { continue };
            let path = &mut paths[path as usize];
            path.chars = path.chars.saturating_add(block.chars);
            path.link_chars = path.link_chars.saturating_add(block.link_chars);
            path.blocks = path.blocks.saturating_add(1);
            if counts.is_familiar(at) {
                path.familiar_chars = path.familiar_chars.saturating_add(block.chars);
            }
            if counts.is_repeated(at) {
                path.repeated_chars = path.repeated_chars.saturating_add(block.chars);
            }
        }
        if others.chars > 0 {
            paths.push(DomPath {
                key: OTHER_ARTICLES.to_owned(),
                chars: u32::try_from(others.chars).unwrap_or(u32::MAX),
                repeated_chars: u32::try_from(others.known_chars).unwrap_or(u32::MAX),
                ..DomPath::default()
            });
        }
        PagePaths {
            paths,
            rows: outline.figures.digests(),
        }
    }
}

/// Returns the square root in sixteenths.
fn scaled_root(weight: u64) -> u32 {
    u32::try_from(weight.saturating_mul(1 << 8).isqrt()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LayoutBlock, Style, Template};

    #[test]
    fn a_page_has_at_most_max_paths_paths() {
        let paths: Vec<String> = (0..3 * MAX_PATHS)
            .map(|number| format!("div.{}", "x".repeat(number)))
            .collect();
        let blocks: Vec<LayoutBlock<'_>> = paths
            .iter()
            .map(|path| LayoutBlock {
                path,
                common_prefix: 0,
                chars: 9,
                link_chars: 0,
                marks: 0,
                title: 0,
                figures: 0,
                style: Style::default(),
            })
            .collect();
        let outline = Outline::new(&blocks);
        let counts = BlockCounts {
            pages: 1,
            blocks: &vec![1; blocks.len()],
            first: &(0..blocks.len()).collect::<Vec<_>>(),
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
            marks: 0,
            title: 0,
            figures: 0,
            style: Style::default(),
        };
        // Two elements, of 64 + 36 and of 81 characters.
        let blocks = [block(0, 64), block(1, 36), block(0, 81)];
        let counts = BlockCounts {
            pages: 8,
            blocks: &[1, 2, 3],
            first: &[0, 1, 2],
        };
        let paths = PagePaths::new(&Outline::new(&blocks), counts).paths;
        let [body, div, p] = &paths[..] else {
            panic!("{paths:?}")
        };
        // The last block repeats, on 3 of 8 pages, so its element has weight 0. The root of
        // the other is 10, in sixteenths 160.
        assert_eq!((body.text_mass, div.text_mass, p.text_mass), (160, 160, 0));
        assert_eq!((body.chars, div.chars, p.chars), (0, 0, 181));
        assert_eq!(p.repeated_chars, 81);
    }
}
