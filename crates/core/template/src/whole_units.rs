//! Units of several blocks: the lines of a paragraph, and the cells of a row of a table. A unit is kept or
//! dropped as a whole.

use std::ops::Range;

use crate::outline::Outline;
use crate::reason::Reason;

/// Gives the blocks of each unit the verdict that most of its characters have.
pub(crate) fn share_labels(outline: &Outline, reasons: &mut [Reason]) {
    for unit in units(outline) {
        let chars = |at: usize| u64::from(outline.blocks[at].chars);
        let of = |is_kept: bool, reasons: &[Reason]| {
            let blocks = unit
                .clone()
                .filter(|at| reasons[*at].is_content() == is_kept);
            let largest = blocks.clone().max_by_key(|at| chars(*at));
            (blocks.map(chars).sum::<u64>(), largest)
        };
        let (kept, dropped) = (of(true, reasons), of(false, reasons));
        let (Some(kept_at), Some(dropped_at)) = (kept.1, dropped.1) else {
            continue;
        };
        let is_kept = kept.0 >= dropped.0;
        let reason = reasons[if is_kept { kept_at } else { dropped_at }];
        for at in unit {
            if reasons[at].is_content() != is_kept && reasons[at] != Reason::OwnTitle {
                reasons[at] = reason;
            }
        }
    }
}

/// Returns the blocks of each unit that has several.
fn units(outline: &Outline) -> Vec<Range<usize>> {
    let paragraphs = outline.nodes.iter().filter(|node| node.paragraph);
    let paragraphs = paragraphs.map(|node| node.first..node.end);
    let is_several = |blocks: &Range<usize>| blocks.len() > 1;
    paragraphs
        .chain(outline.figures.data_rows.iter().cloned())
        .filter(is_several)
        .collect()
}
