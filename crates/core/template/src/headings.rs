//! Headings, introductions and labels of rows that repeat: those right before a text are part of it.

use std::ops::Range;

use crate::element_code as code;
use crate::facts::PageFacts;
use crate::node::Node;
use crate::outline::Outline;
use crate::reason::Reason;
use crate::thresholds::text::SENTENCE_CHARS;

/// Returns the headings of the main branch right before a text of the same section, and the paragraphs right before
/// a list, a table or code of the same element: "It returns one of:".
pub(crate) fn headings(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<usize> {
    let is_numbered = numbered(page);
    // A link above a line or two is the heading of a teaser.
    let is_long = |at: usize| {
        let text = &page.outline.blocks[at];
        text.chars >= SENTENCE_CHARS && text.marks > 0
    };
    let is_kept = |at: &usize| {
        let node = leaf(page.outline, *at);
        let next = at + 1;
        (node.heading || introduces(page.outline, *at))
            && (reasons[*at] != Reason::LinkSlot || node.heading && is_long(next))
            && !is_numbered[page.counts.first[*at]]
            && !node.row_label
            && may_be_kept(node, reasons[*at])
            && section(page.outline, *at).contains(&next)
            && is_text(page.outline, reasons, next)
    };
    candidates(page).filter(is_kept).collect()
}

/// Returns whether a block is a paragraph, and the next one begins a list, a table or code below the element that the
/// paragraph is in.
fn introduces(outline: &Outline, at: usize) -> bool {
    let (paragraph, next) = (leaf(outline, at), at + 1);
    if !paragraph.paragraph || next >= outline.nodes[paragraph.parent].end {
        return false;
    }
    let mut node = outline.leaves[next];
    while node != paragraph.parent && outline.nodes[node].first == next {
        if matches!(
            outline.nodes[node].code,
            code::LIST | code::TABLE | code::DEFINITION | code::PRE
        ) {
            return true;
        }
        node = outline.nodes[node].parent;
    }
    false
}

/// Returns, per first block of a text, whether other blocks of the page have its letters and other figures:
/// "Changed 3 years ago by Ann" is above each entry of a list, and no heading of a text.
fn numbered(page: &PageFacts<'_>) -> Vec<bool> {
    let blocks = &page.outline.blocks;
    let mut is_numbered = vec![false; blocks.len()];
    for (at, first) in page.counts.first.iter().enumerate() {
        is_numbered[*first] |= blocks[at].figures != blocks[*first].figures;
    }
    is_numbered
}

/// Returns the labels of rows and columns of tables, if the first cell that they label is text.
pub(crate) fn row_labels(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<usize> {
    let outline = page.outline;
    let is_dropped = |at: &usize| {
        let node = leaf(outline, *at);
        node.row_label && !reasons[*at].is_content() && may_be_kept(node, reasons[*at])
    };
    let mut labels: Vec<usize> = candidates(page).filter(is_dropped).collect();
    if labels.is_empty() {
        return labels;
    }
    let blocks = outline.blocks.len();
    // Per block, the first cell from it on. A search for each label would read a wide row again and again.
    let mut cell_from = vec![blocks; blocks + 1];
    for at in (0..blocks).rev() {
        let is_cell = !leaf(outline, at).row_label;
        cell_from[at] = if is_cell { at } else { cell_from[at + 1] };
    }
    labels.retain(|at| {
        let cell = labelled(outline, &cell_from, *at);
        cell.is_some_and(|cell| is_text(outline, reasons, cell))
    });
    labels
}

/// The blocks of the main branch before its last.
fn candidates(page: &PageFacts<'_>) -> Range<usize> {
    page.main.start..page.main.end.saturating_sub(1)
}

fn leaf(outline: &Outline, block: usize) -> &Node {
    &outline.nodes[outline.leaves[block]]
}

/// A caption is kept only in a header, where it would be dropped without being one.
fn may_be_kept(node: &Node, reason: Reason) -> bool {
    reason != Reason::Caption || node.header
}

fn is_text(outline: &Outline, reasons: &[Reason], block: usize) -> bool {
    let node = leaf(outline, block);
    reasons[block].is_content() && !node.heading && !node.row_label
}

/// Returns the blocks of the lowest element around a heading that is neither a heading nor a header.
fn section(outline: &Outline, heading: usize) -> Range<usize> {
    let mut at = outline.leaves[heading];
    while at != 0 && (outline.nodes[at].heading || outline.nodes[at].header) {
        at = outline.nodes[at].parent;
    }
    outline.nodes[at].first..outline.nodes[at].end
}

/// Returns the first cell that a label is for: in its row, or below a row that has only labels. `None` if it
/// is for none.
fn labelled(outline: &Outline, cell_from: &[usize], label: usize) -> Option<usize> {
    let mut at = outline.leaves[label];
    loop {
        let node = &outline.nodes[at];
        if cell_from[node.first] < node.end || at == 0 {
            return Some(cell_from[label + 1]).filter(|cell| *cell < node.end);
        }
        at = node.parent;
    }
}
