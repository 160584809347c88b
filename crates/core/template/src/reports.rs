//! Reports of days on which little happened: pages whose sentences differ from other pages in their figures only.

use crate::facts::PageFacts;
use crate::reason::Reason;

/// Returns the sentences that only repeat because their letters do, on a page that has no other text: the report of
/// a day on which little happened.
pub(crate) fn reports(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<usize> {
    let chars = |at: &usize| u64::from(page.outline.blocks[*at].chars);
    let is_text = |at: &usize| reasons[*at].is_content() && reasons[*at] != Reason::OwnTitle;
    let text: u64 = (0..reasons.len())
        .filter(is_text)
        .map(|at| chars(&at))
        .sum();
    let is_dropped = |at: usize| !reasons[at].is_content() && page.counts.is_repeated(at);
    let reports = page.own_sentences(is_dropped);
    if reports.iter().map(chars).sum::<u64>() > text {
        reports
    } else {
        Vec::new()
    }
}
