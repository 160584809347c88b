//! Teasers of other pages in the main branch: a linked heading, and a sentence or two.

use std::ops::Range;

use crate::element_code as code;
use crate::facts::PageFacts;
use crate::node::Node;
use crate::outline::Outline;
use crate::reason::Reason;
use crate::thresholds::teasers as most;

/// Returns the blocks of the teasers of a page that has its own text before them.
pub(crate) fn teasers(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<usize> {
    let is_teaser = found(page, reasons);
    if !is_teaser.contains(&true) {
        return Vec::new();
    }
    let main = &page.main;
    let own_start = (page.title.unwrap_or(main.start)).clamp(main.start, main.end);
    let first = (own_start..main.end).find(|at| is_teaser[*at]);
    let own_blocks = own_start..first.unwrap_or(main.end);
    let (mut own, mut other) = (0, 0);
    for at in main.clone() {
        let block = &page.outline.blocks[at];
        if !reasons[at].is_content() || reasons[at] == Reason::OwnTitle {
            continue;
        }
        let chars = u64::from(block.chars.saturating_sub(block.link_chars));
        if is_teaser[at] {
            other += chars;
        } else if own_blocks.contains(&at)
            && block.marks > 0
            && block.chars >= most::OWN_BLOCK_CHARS
        {
            own += chars;
        }
    }
    if own >= most::OWN_CHARS && most::OWN.is_reached(own, other) {
        main.clone().filter(|at| is_teaser[*at]).collect()
    } else {
        Vec::new()
    }
}

/// Returns, per block, whether it is in a teaser: an element of the main branch with a linked heading
/// and a short text, one of several at a DOM path that half of the site's pages have.
fn found(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<bool> {
    let (outline, main) = (page.outline, &page.main);
    let mut is_teaser = vec![false; reasons.len()];
    // Per path, the elements with text or a link, and the teasers with text among them.
    let mut of_path = vec![(0_u32, 0_u32); outline.paths.len()];
    let mut found = Vec::new();
    for node in &outline.nodes {
        let is_usual = page.sums[node.path].is_usual(page.pages);
        if !is_usual || !is_container(node) || node.first < main.start || node.end > main.end {
            continue;
        }
        let blocks = node.first..node.end;
        let of_path = &mut of_path[node.path];
        let has_title = page.title.is_some_and(|title| blocks.contains(&title));
        if blocks.len() > most::BLOCKS || has_title {
            of_path.0 += 1;
            continue;
        }
        let (has_heading, text, all) = content(outline, blocks, reasons);
        of_path.0 += u32::from(has_heading || text > 0);
        if has_heading && all <= most::CHARS && (text >= most::SENTENCE_CHARS || text == 0) {
            of_path.1 += u32::from(text > 0);
            found.push(node);
        }
    }
    for node in found {
        let (all, teasers) = of_path[node.path];
        if teasers >= most::COUNT && most::OF_PATH.is_reached(teasers.into(), all.into()) {
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
        if most::HEADING_LINKS.is_reached(links, chars) {
            has_heading |= chars >= most::HEADING_CHARS;
        } else if reasons[at].is_content() {
            text += chars.saturating_sub(links);
        }
    }
    (has_heading, text, all)
}
