//! The effect of changed marks on a page and on its site.

use std::collections::HashMap;

use engine::{ExplainedPage, MarksEffect, Reason, SitePages};
use template::marks::SiteMarks;

use crate::gold_comparison::f1;

/// Blocks of other pages that are shown.
const EXAMPLES: usize = 3;

/// Gold texts by URL.
pub(crate) type GoldTexts = HashMap<String, String>;

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
    pub(crate) scores: Option<Scores>,
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

/// The mean F1 of the pages that have a gold text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scores {
    pub(crate) pages: usize,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// Compares the labels of `page` and of the newest pages of its site with the marks `before` and `after`.
pub(crate) fn effect(
    page: &ExplainedPage,
    site: &SitePages,
    before: Option<&SiteMarks>,
    after: &SiteMarks,
    gold: Option<&GoldTexts>,
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
        scores: gold.and_then(|gold| scores(&site.pages, before, after, gold)),
    }
}

impl Example {
    fn of(pages: &[ExplainedPage], changed: &engine::ChangedBlock) -> Self {
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

/// Returns the mean F1 of the pages that have a gold text; `None` if none has.
fn scores(
    pages: &[ExplainedPage],
    before: Option<&SiteMarks>,
    after: &SiteMarks,
    gold: &GoldTexts,
) -> Option<Scores> {
    let (mut count, mut sums) = (0, (0.0, 0.0));
    for page in pages {
        let urls = [&page.fetch.url, &page.fetch.request_url];
        let text = urls.into_iter().flatten().find_map(|url| gold.get(url));
        let f1_with = |marks| f1(text?, &page.text_of(&page.reasons(marks)));
        if let Some((before, after)) = f1_with(before).zip(f1_with(Some(after))) {
            count += 1;
            sums = (sums.0 + before, sums.1 + after);
        }
    }
    (count > 0).then(|| Scores {
        pages: count,
        before: sums.0 / count as f64,
        after: sums.1 / count as f64,
    })
}
