//! The effect of changed marks on a page and on its site.

use query::{ExplainedPage, MarksEffect, Reason, SitePages};
use template::marks::SiteMarks;

/// Blocks of other pages that are shown.
const EXAMPLES: usize = 3;

/// The changes on a page and on the newest pages of its site.
#[derive(Debug)]
pub(crate) struct SiteEffect {
    pub(crate) domain: String,
    /// Pages of the domain with labels.
    pub(crate) labelled: usize,
    pub(crate) on_page: MarksEffect,
    pub(crate) on_site: MarksEffect,
    /// The blocks of the page that get the other label.
    pub(crate) of_page: Vec<Example>,
    /// Some blocks of other pages that get the other label, each of another page and with another text.
    pub(crate) examples: Vec<Example>,
}

/// A block that gets the other label.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) url: String,
    /// Position in its page, from 0.
    pub(crate) ordinal: usize,
    pub(crate) text: String,
    pub(crate) dom_path: String,
    pub(crate) before: Reason,
    pub(crate) after: Reason,
}

/// Compares the labels of `page` and of the newest pages of its site with the marks `before` and `after`.
pub(crate) fn effect(
    page: &ExplainedPage,
    site: &SitePages,
    before: Option<&SiteMarks>,
    after: &SiteMarks,
) -> SiteEffect {
    let this = std::slice::from_ref(page);
    let on_page = MarksEffect::of(this, before, Some(after));
    let on_site = MarksEffect::of(&site.pages, before, Some(after));
    let mut examples: Vec<Example> = Vec::new();
    for changed in on_site
        .changed
        .chunk_by(|one, other| one.page == other.page)
    {
        let is_other = site.pages[changed[0].page].fetch != page.fetch;
        if is_other && examples.len() < EXAMPLES {
            let is_new = |block: &Example| examples.iter().all(|known| known.text != block.text);
            let mut blocks = changed.iter().map(|block| Example::of(&site.pages, block));
            let example = blocks.find(is_new);
            examples.extend(example);
        }
    }
    SiteEffect {
        domain: site.domain.clone(),
        labelled: site.labelled,
        of_page: (on_page.changed.iter())
            .map(|block| Example::of(this, block))
            .collect(),
        on_page,
        on_site,
        examples,
    }
}

impl Example {
    fn of(pages: &[ExplainedPage], changed: &query::ChangedBlock) -> Self {
        let page = &pages[changed.page];
        let block = &page.blocks[changed.ordinal];
        Self {
            url: page.fetch.url.clone().unwrap_or_default(),
            ordinal: changed.ordinal,
            text: block.text.clone(),
            dom_path: block.dom_path.clone(),
            before: changed.before,
            after: changed.after,
        }
    }
}
