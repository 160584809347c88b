//! Texts that are on a page more than once.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use crate::facts::PageFacts;
use crate::reason::Reason;
use crate::thresholds::copies::CHARS;

/// Returns the later copies of a text of a page: it is there for narrow and for wide screens, in a preview of
/// a post, or in a quotation of the post before.
pub(crate) fn later_copies(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<usize> {
    // Texts of equal letters can have other digits.
    let mut kept = HashSet::with_hasher(RandomState::default());
    let mut is_copy = |at: &usize| {
        let text = &page.outline.blocks[*at];
        let is_kept = reasons[*at].is_content() && reasons[*at] != Reason::OwnTitle;
        is_kept
            && text.chars >= CHARS
            && !kept.insert((page.counts.first[*at], text.chars, text.figures))
    };
    (0..reasons.len()).filter(|at| is_copy(at)).collect()
}
