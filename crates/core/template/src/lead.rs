//! The lead of an article: its first sentences, between its title and its main text.

use std::ops::Range;

use crate::block_counts::BlockCounts;
use crate::counters::Sums;
use crate::element_code as code;
use crate::main_text::{has_sentences, is_text};
use crate::outline::Outline;
use crate::prior::is_divided;
use crate::reason::Reason;
use crate::words::{ADS, IMAGES, OVERLAYS, RELATED};

/// The least share of a lead in the text of its page, as a fraction, at a path that the site has on
/// few pages. Gold texts do not agree on the summaries of modern articles: without this limit
/// `scrapinghub` loses .0021, and articles of WCXB gain .0003.
const LEAD_SHARE: u64 = 8;

/// Elements from a block up that can be named after other parts of a page.
const ELEMENTS: usize = 9;

/// Elements from a block up that can be a caption or a list. Without them an endless scroll loses
/// .009 and `scrapinghub` .002.
const CAPTION_ELEMENTS: usize = 3;

/// Keeps the sentences between the page's own title and the main branch, if the title is a heading,
/// and if they are no more text than the main branch has.
///
/// At a path of few pages, on a page that is divided by elements of HTML 5, they must be an eighth of
/// the text: a short one is a summary that gold texts do not agree on.
pub(crate) fn keep_leads(
    outline: &Outline,
    counts: BlockCounts<'_>,
    title: usize,
    main: &Range<usize>,
    sums: &[Sums],
    reasons: &mut [Reason],
) {
    if title >= main.start || !outline.nodes[outline.leaves[title]].heading {
        return;
    }
    let is_lead = |at: &usize| {
        reasons[*at] == Reason::OffMainBranch
            && has_sentences(&outline.blocks[*at], 1)
            && is_text(*at, &outline.blocks[*at], counts)
            && !counts.is_familiar(*at)
            && !is_other_part(outline, *at, title)
    };
    let leads: Vec<usize> = (title + 1..main.start).filter(is_lead).collect();
    let chars = |at: usize| u64::from(outline.blocks[at].chars);
    let lead: u64 = leads.iter().map(|at| chars(*at)).sum();
    let content = main.clone().filter(|at| reasons[*at].is_content());
    let text: u64 = content.map(chars).sum();
    if leads.is_empty() || lead > text {
        return;
    }
    let is_short = lead * LEAD_SHARE < text && is_divided(outline);
    for at in leads {
        let path = outline.nodes[outline.leaves[at]].path;
        if !is_short || !sums[path].is_of_few_pages() {
            reasons[at] = Reason::Unique;
        }
    }
}

/// Returns whether a block is a caption or an item of a list, or below an element named after
/// advertisements, related pages or overlays. A heading is none of these.
fn is_other_part(outline: &Outline, at: usize, title: usize) -> bool {
    let mut node = outline.leaves[at];
    if outline.nodes[node].heading {
        return false;
    }
    for above in 0..ELEMENTS {
        let of = &outline.nodes[node];
        if (of.first..of.end).contains(&title) {
            return false;
        }
        let words = outline.words(node);
        let is_caption =
            words & IMAGES != 0 || matches!(of.code, code::LIST | code::ITEM | code::DEFINITION);
        if words & (ADS | OVERLAYS | RELATED) != 0 || is_caption && above < CAPTION_ELEMENTS {
            return true;
        }
        node = of.parent;
    }
    false
}
