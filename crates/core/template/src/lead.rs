//! The lead of an article: its first sentences, between its title and its main text.

use crate::element_code as code;
use crate::facts::PageFacts;
use crate::main_text::is_text;
use crate::outline::Outline;
use crate::reason::Reason;
use crate::thresholds::leads as least;
use crate::words::{ADS, IMAGES, OVERLAYS, RELATED};

/// Returns the sentences between the page's own title and the main branch, if the title is a heading,
/// and if they are no more text than the main branch has.
///
/// At a path of few pages, on a page that is divided by elements of HTML 5, they must be an eighth of
/// the text: a short one is a summary that gold texts do not agree on.
pub(crate) fn leads(page: &PageFacts<'_>, reasons: &[Reason]) -> Vec<usize> {
    let outline = page.outline;
    let is_heading = |title: &usize| outline.nodes[outline.leaves[*title]].heading;
    let Some(title) = page.title.filter(is_heading) else {
        return Vec::new();
    };
    let is_lead = |at: &usize| {
        matches!(reasons[*at], Reason::OffMainBranch | Reason::OtherArticle)
            && outline.blocks[*at].has_sentences(1)
            && is_text(*at, &outline.blocks[*at], page.counts)
            && !page.counts.is_familiar(*at)
            && !is_other_part(outline, *at, title)
    };
    let mut leads: Vec<usize> = (title + 1..page.main.start).filter(is_lead).collect();
    let chars = |at: usize| u64::from(outline.blocks[at].chars);
    let lead: u64 = leads.iter().map(|at| chars(*at)).sum();
    let content = page.main.clone().filter(|at| reasons[*at].is_content());
    let text: u64 = content.map(chars).sum();
    if lead > text {
        return Vec::new();
    }
    if page.is_divided && !least::SHARE.is_reached(lead, text) {
        let is_of_few = |at: &usize| {
            let path = outline.nodes[outline.leaves[*at]].path;
            page.sums[path].is_of_few_pages()
        };
        leads.retain(|at| !is_of_few(at));
    }
    leads
}

/// Returns whether a block is a caption or an item of a list, or below an element named after
/// advertisements, related pages or overlays. A heading is none of these.
fn is_other_part(outline: &Outline, at: usize, title: usize) -> bool {
    let mut node = outline.leaves[at];
    if outline.nodes[node].heading {
        return false;
    }
    for above in 0..least::ELEMENTS {
        let of = &outline.nodes[node];
        if (of.first..of.end).contains(&title) {
            return false;
        }
        let words = outline.words(node);
        let is_caption =
            words & IMAGES != 0 || matches!(of.code, code::LIST | code::ITEM | code::DEFINITION);
        if words & (ADS | OVERLAYS | RELATED) != 0 || is_caption && above < least::CAPTION_ELEMENTS
        {
            return true;
        }
        node = of.parent;
    }
    false
}
