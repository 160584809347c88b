//! Runs the extractors of the literature over a gold set.

use std::collections::BTreeMap;

use extractors::{Extractor, Page, Selected, Site};

use crate::cpu::timed;
use crate::{GoldPage, GoldSet, InputError, Kind, NodeRanges, Text, Texts};

/// Pages of a domain that methods for sites can choose from. Lower: fewer neighbours to
/// compare a page with. Higher: more pages to parse; the nearest pages before and after a
/// page are enough, and a domain can have 10,000.
const SITE_PAGES: usize = 300;

/// Extracts the `wanted` pages of a set with each of `methods`, in the order of
/// `methods`. Methods for a site choose among the first 300 pages of the domain.
///
/// Processor time is the time to parse the page and to extract it. The time to parse
/// another page of the site counts for the first page that is compared with it.
///
/// # Errors
/// [`InputError`], also if the set has no HTML.
pub fn extract(
    set: &GoldSet,
    pages: &[GoldPage],
    methods: &[Selected],
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Texts>, InputError> {
    let mut html: BTreeMap<String, String> = BTreeMap::new();
    set.for_each_fetched(|page| {
        if let Ok(text) = html_blocks::decode(page.html.unwrap_or_default(), page.http_charset) {
            html.entry(page.url.to_owned()).or_insert(text);
        }
    })?;
    let mut texts: Vec<Texts> = methods
        .iter()
        .map(|method| Texts::by(Kind::Published, method.name()))
        .collect();
    let mut domains: BTreeMap<&str, Vec<&GoldPage>> = BTreeMap::new();
    for page in pages {
        domains.entry(&page.domain).or_default().push(page);
    }
    for pages in domains.values() {
        let site = Site::new(
            (pages.iter().take(SITE_PAGES))
                .filter_map(|page| page_of(page, &html))
                .collect(),
        );
        for page in pages.iter().filter(|page| wanted(&page.url)) {
            for (method, texts) in methods.iter().zip(&mut texts) {
                // A page is parsed at its first use: each method gets an unparsed one.
                let text = match page_of(page, &html) {
                    None => Text::failed("no text"),
                    Some(parsed) => text(method.extractor(), &parsed, &site),
                };
                texts.insert(&page.url, text);
            }
        }
    }
    Ok(texts)
}

fn text(method: &dyn Extractor, page: &Page<'_>, site: &Site<'_>) -> Text {
    let (extracted, seconds) = timed(|| method.extract(page, site));
    let text = match extracted {
        Ok(extraction) => Text {
            kept: extraction.kept.map(NodeRanges::of),
            ..Text::of(extraction.text)
        },
        Err(error) => Text::failed(error.to_string()),
    };
    text.taking(seconds)
}

fn page_of<'p>(page: &'p GoldPage, html: &'p BTreeMap<String, String>) -> Option<Page<'p>> {
    html.get(&page.url).map(|html| Page::new(&page.url, html))
}
