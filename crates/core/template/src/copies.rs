//! Texts that are on a page more than once.

use crate::block_counts::BlockCounts;
use crate::outline::Outline;
use crate::reason::Reason;

/// Characters of the shortest copy. 60 and 160 have the same mean over kinds of pages; with 60 documentation
/// loses .002.
const COPY_CHARS: u32 = 100;

/// Drops the later copies of a text of a page: it is there for narrow and for wide screens, in a preview of
/// a post, or in a quotation of the post before.
pub(crate) fn drop_copies(outline: &Outline, counts: BlockCounts<'_>, reasons: &mut [Reason]) {
    // Per text, the characters of its first copy that is content.
    let mut kept = vec![0; reasons.len()];
    for at in 0..reasons.len() {
        let chars = outline.blocks[at].chars;
        let is_kept = reasons[at].is_content() && reasons[at] != Reason::OwnTitle;
        if chars < COPY_CHARS || !is_kept {
            continue;
        }
        let kept = &mut kept[counts.first[at]];
        // Equal texts can have other digits.
        if *kept == chars {
            reasons[at] = Reason::Copy;
        } else if *kept == 0 {
            *kept = chars;
        }
    }
}
