//! Recognizes pages whose content is a discussion.

use crate::block_counts::BlockCounts;
use crate::main_text::{is_text, own_title};
use crate::outline::Outline;
use crate::rules::{Rule, Rules};

/// The text of the comments in multiples of the text between the title and the first comment.
/// A thread has a date and a name there, an article has its text. Lower: a short article with many
/// comments is a thread. 40 is better than 20 by .005 on single forum pages, and equal elsewhere.
const COMMENTS_OF_TEXT: u64 = 40;

/// Returns the rules for a page: the comments of a discussion are its content.
///
/// A page is a discussion if there is next to no text between its title and its comments, or if
/// its comments are in an element named after a ticket or a forum.
pub(crate) fn rules_of_page(outline: &Outline, counts: BlockCounts<'_>, rules: Rules) -> Rules {
    if !rules.has(Rule::Discussions) {
        return rules;
    }
    let title = own_title(outline, counts);
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
    let follow_title = comments > COMMENTS_OF_TEXT * before && comments > 2 * other;
    if follow_title || is_ticket {
        rules.and_without(Rule::Comments)
    } else {
        rules
    }
}
