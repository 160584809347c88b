//! The pages of a gold set in the steps of a job, under many heuristics at once.
//!
//! The rules are those of `site_replay`, which a job runs too: key, deduplicate, parse,
//! replay. A job does it with columns and sorts, this module in memory.

mod domain;
mod page;

use std::collections::{BTreeMap, HashSet};

use html_blocks::PageError;
use site_replay::{
    KeyedPage, Labelling, MAX_LAYOUT_BYTES, PageKeys, Role, SiteSettings, response_problem,
};
use url_key::PageUrl;
use url_parameters::Signature;

use crate::cpu::timed;
use crate::{Fetched, GoldPage, GoldSet, InputError, Kind, PageBlocks, Text, Texts};
use domain::{DomainPages, replay_domain};
use page::{Dates, Key, Keyed, Parsed, ParsedPage, Seen, for_each_page};

/// Returns the texts that a job with `settings` writes for the pages of a set, under each
/// of `labellings`, in their order.
///
/// `pages` are pages of `set` in time order, as [`GoldSet::pages`] returns them. A set
/// without times is a sequence of pages, each on a separate date. Each page is parsed once.
/// A duplicate has the text of the page it duplicates, and takes no processor time.
///
/// # Errors
/// [`InputError`], also if the set has no HTML.
pub fn replay(
    set: &GoldSet,
    pages: &[GoldPage],
    labellings: &[Labelling],
    settings: &SiteSettings,
) -> Result<Vec<Texts>, InputError> {
    let dates = Dates::new(pages);
    let urls = urls(pages, &dates, settings);
    let mut parsed = parse(set, pages, &urls, settings)?;
    let mut domains: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, url) in urls.iter().enumerate() {
        if let Ok(url) = url {
            domains
                .entry(url.domain().as_str())
                .or_default()
                .push(index);
        }
    }
    // A page without a key has the problem of its URL.
    let problem = |url: &Result<PageUrl, String>| url.as_ref().err().cloned().unwrap_or_default();
    let mut keys: Vec<Key> = urls.iter().map(|url| Err(problem(url))).collect();
    for indices in domains.values() {
        let mut known = PageKeys::new(settings);
        for &index in indices {
            let (Ok(url), page) = (&urls[index], &pages[index]) else {
                continue;
            };
            let date = dates.of_pages[index];
            known.begin(&settings.keyer, date, |page: &usize| {
                pages[*page].url.clone()
            });
            let parts = known.parts(&settings.keyer, url);
            parts.iter().for_each(|parts| known.see(parts, date));
            let seen = parsed.entry(index).or_default();
            let title = match &seen.title {
                Some(title) => Some(title.as_str()),
                None => settings.title.feed_title(page.title.as_deref()),
            };
            let key = known.key(settings, url, title, date);
            if key.blocklisted {
                keys[index] = Err("its URL is blocklisted".to_owned());
                continue;
            }
            let keyed = KeyedPage {
                address: &page.url,
                parts: parts.as_ref(),
                key: &key,
                date,
                time_micros: page.fetched_at.unwrap_or_default(),
                id: &index,
            };
            let role = known.classify(&keyed, seen);
            if role != Role::First && !settings.revisions {
                parsed.remove(&index);
            }
            keys[index] = Ok(Keyed { key, role });
        }
    }
    let texts = labellings.iter().map(|labelling| {
        let mut settings = settings.clone();
        settings.labelling = *labelling;
        let mut made = vec![None; pages.len()];
        for indices in domains.values() {
            let domain = DomainPages {
                pages,
                dates: &dates,
                keys: &keys,
                parsed: &parsed,
                indices,
            };
            replay_domain(&domain, &settings, &mut made);
        }
        let mut of_labelling = Texts::by(Kind::Heuristic, labelling.to_string());
        for (index, page) in pages.iter().enumerate() {
            let text = match &keys[index] {
                Err(reason) => Text::failed(reason),
                Ok(key) => text(index, key.role, &parsed, &made),
            };
            of_labelling.insert_fetched(&page.url, page.fetched_at, text);
        }
        of_labelling
    });
    Ok(texts.collect())
}

/// Parses the URLs of the pages, by index.
fn urls(
    pages: &[GoldPage],
    dates: &Dates,
    settings: &SiteSettings,
) -> Vec<Result<PageUrl, String>> {
    (pages.iter())
        .map(|page| {
            if dates.are_known && page.fetched_at.is_none() {
                return Err("fetched_at is null".to_owned());
            }
            let problem = response_problem(page.http_status, page.content_type.as_deref());
            if let Some(problem) = problem {
                return Err(problem.to_string());
            }
            let url = settings.keyer.parse(&page.url);
            url.map_err(|error| error.to_string())
        })
        .collect()
}

/// Parses the pages whose URLs are right, by index, in one pass over the set.
fn parse(
    set: &GoldSet,
    pages: &[GoldPage],
    urls: &[Result<PageUrl, String>],
    settings: &SiteSettings,
) -> Result<Parsed, InputError> {
    let wanted: HashSet<usize> = (0..urls.len()).filter(|at| urls[*at].is_ok()).collect();
    let mut parsed = Parsed::new();
    for_each_page(set, pages, &wanted, |index, page| {
        let Ok(url) = &urls[index] else { return };
        let needs_title =
            (settings.title).needs_html(&settings.keyer, url, pages[index].title.as_deref());
        let title = page
            .html
            .filter(|_| needs_title)
            .and_then(|html| html_blocks::title(html, page.http_charset, &settings.blocks));
        let page = parse_page(page, settings);
        parsed.insert(index, Seen { title, page });
    })?;
    Ok(parsed)
}

fn parse_page(page: Fetched<'_>, settings: &SiteSettings) -> Result<ParsedPage, String> {
    let html = page.html.ok_or("html is null")?;
    let (parsed, parsing) = timed(|| html_blocks::page(html, page.http_charset, &settings.blocks));
    let parsed = parsed.map_err(|error: PageError| error.to_string())?;
    let signature = if settings.learns() {
        Signature::new(&parsed)
    } else {
        Signature::default()
    };
    let ((blocks, has_outline), measuring) = timed(|| {
        let blocks = PageBlocks::of(parsed);
        let has_outline = blocks.layout_bytes() <= MAX_LAYOUT_BYTES;
        (blocks, has_outline)
    });
    Ok(ParsedPage {
        blocks,
        signature,
        has_outline,
        parsing,
        measuring,
    })
}

/// The text of a keyed page: its own, or that of the page it duplicates.
fn text(index: usize, role: Role<usize>, parsed: &Parsed, made: &[Option<Text>]) -> Text {
    if let Some(text) = &made[index] {
        return text.clone();
    }
    match (parsed.get(&index).map(|seen| &seen.page), role) {
        (Some(Err(reason)), _) => Text::failed(reason),
        (_, Role::Duplicate { original, .. }) => match &made[original] {
            Some(text) => text.clone().taking(0.0),
            None => Text::failed("the page it duplicates has no text"),
        },
        _ => Text::failed("no text"),
    }
}
