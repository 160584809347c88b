//! Teasers of other pages in the main branch: a linked heading, and a sentence or two.

use std::ops::Range;

use crate::counters::Sums;
use crate::element_code as code;
use crate::outline::{Node, Outline};
use crate::reason::Reason;

/// Characters and blocks of the longest teaser.
const TEASER: (u64, usize) = (500, 12);
/// Characters of its linked heading.
const HEADING_CHARS: u64 = 15;
/// Characters of its sentences.
const SENTENCE_CHARS: u64 = 30;
/// Teasers of one DOM path on a page. There they must be half of the elements.
const TEASERS: u32 = 2;
/// Pages that have the DOM path: five, and half of the site's. On all sites services lose .011,
/// documentation .010 and lists .005, because cards are their content.
const KNOWN_PAGES: u32 = 5;
/// Characters of the page's own text, between its title and the first teaser.
const OWN_CHARS: u64 = 200;
/// Characters of a block of this text.
const OWN_BLOCK_CHARS: u32 = 40;
/// The page's own text must be three tenths of that of the teasers. A page with less is a list of
/// them: without this limit a shop loses .005.
const OWN_TENTHS: u64 = 3;

/// Drops the teasers of a page that has its own text before them.
pub(crate) fn drop_teasers(
    outline: &Outline,
    title: Option<usize>,
    main: &Range<usize>,
    pages: usize,
    sums: &[Sums],
    reasons: &mut [Reason],
) {
    let is_teaser = teasers(outline, title, main, pages, sums, reasons);
    if !is_teaser.contains(&true) {
        return;
    }
    let own_start = title.unwrap_or(main.start).clamp(main.start, main.end);
    let first = (own_start..main.end).find(|at| is_teaser[*at]);
    let own_blocks = own_start..first.unwrap_or(main.end);
    let (mut own, mut other) = (0, 0);
    for at in main.clone() {
        let block = &outline.blocks[at];
        if !reasons[at].is_content() || reasons[at] == Reason::OwnTitle {
            continue;
        }
        let chars = u64::from(block.chars.saturating_sub(block.link_chars));
        if is_teaser[at] {
            other += chars;
        } else if own_blocks.contains(&at) && block.marks > 0 && block.chars >= OWN_BLOCK_CHARS {
            own += chars;
        }
    }
    if own >= OWN_CHARS && own * 10 >= other * OWN_TENTHS {
        for at in main.clone() {
            if is_teaser[at] && reasons[at].is_content() {
                reasons[at] = Reason::OffMainBranch;
            }
        }
    }
}

/// Returns, per block, whether it is in a teaser: an element of the main branch with a linked heading
/// and a short text, one of several at a DOM path that half of the site's pages have.
fn teasers(
    outline: &Outline,
    title: Option<usize>,
    main: &Range<usize>,
    pages: usize,
    sums: &[Sums],
    reasons: &[Reason],
) -> Vec<bool> {
    let mut is_teaser = vec![false; reasons.len()];
    // Per path, the elements with text or a link, and the teasers with text among them.
    let mut of_path = vec![(0_u32, 0_u32); outline.paths.len()];
    let mut found = Vec::new();
    for node in &outline.nodes {
        let is_usual = {
            let path = &sums[node.path];
            path.pages >= KNOWN_PAGES && path.pages as usize * 2 >= pages
        };
        if !is_usual || !is_container(node) || node.first < main.start || node.end > main.end {
            continue;
        }
        let blocks = node.first..node.end;
        let of_path = &mut of_path[node.path];
        if blocks.len() > TEASER.1 || title.is_some_and(|title| blocks.contains(&title)) {
            of_path.0 += 1;
            continue;
        }
        let (has_heading, text, all) = content(outline, blocks, reasons);
        of_path.0 += u32::from(has_heading || text > 0);
        if has_heading && all <= TEASER.0 && (text >= SENTENCE_CHARS || text == 0) {
            of_path.1 += u32::from(text > 0);
            found.push(node);
        }
    }
    for node in found {
        let (all, teasers) = of_path[node.path];
        if teasers >= TEASERS && teasers * 2 >= all {
            is_teaser[node.first..node.end].fill(true);
        }
    }
    is_teaser
}

/// Returns whether an element can be a teaser: it holds texts, or is an item of a list.
fn is_container(node: &Node) -> bool {
    (!node.text_part || node.code == code::ITEM)
        && !node.comments
        && !node.heading
        && node.first < node.end
}

/// Returns whether an element has a linked heading, its characters outside links that are content so
/// far, and all of its characters.
fn content(outline: &Outline, blocks: Range<usize>, reasons: &[Reason]) -> (bool, u64, u64) {
    let (mut has_heading, mut text, mut all) = (false, 0, 0);
    for at in blocks {
        let block = &outline.blocks[at];
        let (chars, links) = (u64::from(block.chars), u64::from(block.link_chars));
        all += chars;
        if links * 10 >= chars * 8 {
            has_heading |= chars >= HEADING_CHARS;
        } else if reasons[at].is_content() {
            text += chars.saturating_sub(links);
        }
    }
    (has_heading, text, all)
}
