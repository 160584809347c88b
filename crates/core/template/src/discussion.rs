//! Recognizes pages whose content is a discussion.

use crate::block_counts::BlockCounts;
use crate::main_text::is_text;
use crate::outline::Outline;
use crate::thresholds::elements::{COMMENTS_OF_ALL, COMMENTS_OF_TEXT};

/// Returns whether the comments of a page are its content.
///
/// A page is a discussion if there is next to no text between its title and its comments, or if
/// its comments are in an element named after a ticket or a forum.
pub(crate) fn is_discussion(
    outline: &Outline,
    counts: BlockCounts<'_>,
    title: Option<usize>,
) -> bool {
    let (mut comments, mut other, mut before) = (0, 0, 0);
    let mut is_ticket = false;
    for (at, (block, leaf)) in outline.blocks.iter().zip(&outline.leaves).enumerate() {
        let node = &outline.nodes[*leaf];
        if node.boilerplate || node.header || !is_text(at, block, counts) || title == Some(at) {
            continue;
        }
        let chars = u64::from(block.chars);
        if node.comments {
            comments += chars;
            is_ticket |= node.ticket;
            continue;
        }
        other += chars;
        if comments == 0 && title.is_none_or(|title| title < at) {
            before += chars;
        }
    }
    let follow_title = comments > COMMENTS_OF_TEXT * before && comments > COMMENTS_OF_ALL * other;
    follow_title || is_ticket
}
