//! Finds whole other articles on a page.

use std::ops::Range;

use crate::block_counts::BlockCounts;
use crate::outline::Outline;
use crate::thresholds::{others, pages};

/// The key of a path below `body` that sums the text of all [`OtherArticles`] of a site. No element
/// has this key.
pub(crate) const OTHER_ARTICLES: &str = "#other-articles";

/// Elements below the page's own article that are built like it, and so can be other articles.
#[derive(Clone, Debug, Default)]
pub(crate) struct OtherArticles {
    pub(crate) blocks: Range<usize>,
    /// Characters outside links.
    pub(crate) chars: u64,
    /// Number of these characters in blocks that other pages of the site have.
    pub(crate) known_chars: u64,
}

impl OtherArticles {
    /// Finds the elements: they have a heading at the DOM path of the page's own title, and are
    /// beside the element with the title.
    pub(crate) fn find(
        outline: &Outline,
        counts: BlockCounts<'_>,
        title: Option<usize>,
    ) -> Option<Self> {
        // The `<title>` can be another wording than the headline.
        let headline = || {
            (0..outline.blocks.len()).find(|&at| {
                outline.nodes[outline.leaves[at]].main_heading && !counts.is_on_most_pages(at)
            })
        };
        let is_heading = |at: &usize| outline.nodes[outline.leaves[*at]].heading;
        let title = title.filter(is_heading);
        let title = title.or_else(headline)?;
        let leaf = outline.leaves[title];
        let path = outline.nodes[leaf].path;
        let other = (title + 1..outline.blocks.len()).find(|&at| {
            let node = outline.leaves[at];
            node != leaf && outline.nodes[node].path == path && !counts.is_on_most_pages(at)
        })?;
        let own = below_common(outline, leaf, other)?;
        let first = below_common(outline, outline.leaves[other], title)?;
        if own == leaf || outline.nodes[own].path != outline.nodes[first].path {
            return None;
        }
        let end = outline.nodes[outline.nodes[own].parent].end;
        let mut found = OtherArticles {
            blocks: outline.nodes[first].first..end,
            ..Self::default()
        };
        for at in found.blocks.clone() {
            let block = &outline.blocks[at];
            let chars = u64::from(block.chars.saturating_sub(block.link_chars));
            found.chars += chars;
            if counts.blocks[at] > 1 {
                found.known_chars += chars;
            }
        }
        Some(found)
    }

    /// Returns whether the elements are other articles, because other pages of the site have half
    /// of their text.
    pub(crate) fn are_known(&self, counts: BlockCounts<'_>) -> bool {
        counts.pages >= pages::OF_SITE && others::KNOWN.is_reached(self.known_chars, self.chars)
    }
}

/// Returns the highest element around `node` that does not contain a block.
fn below_common(outline: &Outline, node: usize, block: usize) -> Option<usize> {
    let parent = |node: &usize| Some(outline.nodes[*node].parent);
    let lacks = |node: &usize| {
        let node = &outline.nodes[*node];
        !(node.first..node.end).contains(&block)
    };
    std::iter::successors(Some(node), parent)
        .take_while(lacks)
        .last()
}
