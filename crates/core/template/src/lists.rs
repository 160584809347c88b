//! Pages that are lists of links: of products, of articles, of places.

use crate::facts::PageFacts;
use crate::reason::Reason;
use crate::thresholds::{lists, text};

/// Returns the links of a page whose main branch has almost nothing else but headings. Links that many pages have are the
/// menu.
pub(crate) fn links_of_a_list(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<usize> {
    let (mut links, mut other) = (0, 0);
    let is_link = |at: &usize| {
        let block = page.block(*at);
        reasons[*at] == Reason::LinkSlot && !block.repeats() && !block.is_familiar()
    };
    for at in page.main.clone() {
        let block = &page.outline.blocks[at];
        let (chars, link_chars) = (u64::from(block.chars), u64::from(block.link_chars));
        if is_link(&at) {
            links += chars;
        } else if reasons[at].is_content()
            && reasons[at] != Reason::OwnTitle
            && !page.block(at).node.heading
            && !text::LINKS.is_reached(link_chars, chars)
        {
            other += chars;
        }
    }
    if links > other * lists::LINKS_OF_TEXT {
        page.main.clone().filter(is_link).collect()
    } else {
        Vec::new()
    }
}
