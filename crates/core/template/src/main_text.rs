//! The blocks of a page that can be its title or its main text.

use std::cmp::Reverse;

use crate::block_counts::BlockCounts;
use crate::node::BlockText;
use crate::outline::Outline;

/// Returns whether a block can be main text: it does not repeat and is not mostly link text.
pub(crate) fn is_text(at: usize, block: &BlockText, counts: BlockCounts<'_>) -> bool {
    !counts.is_repeated(at) && !block.is_links()
}

/// Returns the block that shows the page's title.
///
/// A heading is preferred, then the best match, then the first block. A block on most pages
/// is not the title but the name of the site.
pub(crate) fn own_title(outline: &Outline, counts: BlockCounts<'_>) -> Option<usize> {
    let shows =
        |block: &usize| outline.blocks[*block].title > 0 && !counts.is_on_most_pages(*block);
    (0..outline.blocks.len())
        .filter(shows)
        .max_by_key(|&block| {
            let heading = outline.nodes[outline.leaves[block]].heading;
            (heading, outline.blocks[block].title, Reverse(block))
        })
}
