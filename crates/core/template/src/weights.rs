//! The text of the elements of a page that can be its main text.

use std::ops::Range;

use crate::block_counts::BlockCounts;
use crate::main_text::is_text;
use crate::node::BlockText;
use crate::outline::Outline;
use crate::parts::Parts;
use crate::thresholds::text;

/// Returns, per element, the characters of its blocks that can be main text.
///
/// These blocks do not repeat, are not mostly link text, and are not in elements that are boilerplate.
pub(crate) fn weights(
    outline: &Outline,
    counts: BlockCounts<'_>,
    others: &Range<usize>,
    parts: &Parts,
) -> Vec<u64> {
    weighed(outline, counts, parts, |at, _| !others.contains(&at))
}

/// Returns, per element, the characters of its blocks that hardly any other page has. They count
/// like [`weights`].
pub(crate) fn own_weights(outline: &Outline, counts: BlockCounts<'_>, parts: &Parts) -> Vec<u64> {
    weighed(outline, counts, parts, |at, _| !counts.is_familiar(at))
}

/// Returns, per element, the characters of its blocks with sentences, at most a fourth of them in links.
/// They count like [`weights`].
pub(crate) fn sentence_weights(
    outline: &Outline,
    counts: BlockCounts<'_>,
    others: &Range<usize>,
    parts: &Parts,
) -> Vec<u64> {
    weighed(outline, counts, parts, |at, block| {
        !others.contains(&at)
            && block.has_sentences(text::SENTENCE_MARKS)
            && !text::SENTENCE_LINKS.is_exceeded(block.link_chars.into(), block.chars.into())
    })
}

/// Returns, per element, the characters of its blocks that can be main text and that `is_weighed` takes.
fn weighed(
    outline: &Outline,
    counts: BlockCounts<'_>,
    parts: &Parts,
    is_weighed: impl Fn(usize, &BlockText) -> bool,
) -> Vec<u64> {
    outline.sums(|at, block| {
        let is_main_text = is_weighed(at, block)
            && is_text(at, block, counts)
            && !parts.is_boilerplate(&outline.nodes[outline.leaves[at]]);
        if is_main_text { block.chars.into() } else { 0 }
    })
}
