//! Texts that are on a page more than once.

use crate::facts::PageFacts;
use crate::reason::Reason;
use crate::thresholds::copies::CHARS;

/// Returns the later copies of a text of a page: it is there for narrow and for wide screens, in a preview of
/// a post, or in a quotation of the post before.
pub(crate) fn later_copies(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<usize> {
    // Per text, the characters of its first copy that is content.
    let mut kept = vec![0; reasons.len()];
    let mut is_copy = |at: &usize| {
        let chars = page.outline.blocks[*at].chars;
        let is_kept = reasons[*at].is_content() && reasons[*at] != Reason::OwnTitle;
        if chars < CHARS || !is_kept {
            return false;
        }
        let kept = &mut kept[page.counts.first[*at]];
        if *kept == 0 {
            *kept = chars;
            return false;
        }
        // Equal texts can have other digits.
        *kept == chars
    };
    (0..reasons.len()).filter(|at| is_copy(at)).collect()
}
