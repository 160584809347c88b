//! The pages of a gold set in the steps of a job, under many heuristics at once.
//!
//! The rules are those of `site_replay`, which a job runs too: key, deduplicate, parse,
//! replay. A job does it with columns and sorts, this module in memory.

mod domain;
mod learn;
mod page;

use std::collections::{BTreeMap, HashMap, HashSet};

use html_blocks::PageError;
use site_replay::{KnownKeys, Labelling, MAX_LAYOUT_BYTES, Occurrence, Queries, response_problem};
use template::Layout;
use url_key::PageUrl;

use crate::cpu::timed;
use crate::{
    Fetched, GoldPage, GoldSet, InputError, Kind, PageBlocks, ReplaySettings, Text, Texts,
};
use domain::{DomainPages, replay_domain};
use learn::Learned;
use page::{Dates, Key, ParsedPage, Role, for_each_page};

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
    settings: &ReplaySettings,
) -> Result<Vec<Texts>, InputError> {
    let dates = Dates::new(pages);
    let urls = urls(pages, &dates, settings);
    let learned = Learned::new(set, pages, &urls, &dates, settings)?;
    let keys = keys(set, pages, &dates, &urls, &learned, settings)?;
    let mut domains: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, key) in keys.iter().enumerate() {
        if let Ok(key) = key {
            domains.entry(key.domain.as_str()).or_default().push(index);
        }
    }
    let known = KnownPages {
        pages,
        dates: &dates,
        urls: &urls,
        keys: &keys,
        learned: &learned,
    };
    let (roles, parsed) = parsed_roles(set, &known, &domains, settings)?;
    let mut texts = Vec::new();
    for labelling in labellings {
        let mut made = vec![None; pages.len()];
        for indices in domains.values() {
            let domain = DomainPages {
                pages,
                dates: &dates,
                keys: &keys,
                roles: &roles,
                parsed: &parsed,
                indices,
            };
            replay_domain(&domain, *labelling, settings, &mut made);
        }
        let mut of_labelling = Texts::by(Kind::Heuristic, labelling.to_string());
        for (index, page) in pages.iter().enumerate() {
            let text = match &keys[index] {
                Err(reason) => Text::failed(reason),
                Ok(_) => text(index, &roles, &parsed, &made),
            };
            of_labelling.insert_fetched(&page.url, page.fetched_at, text);
        }
        texts.push(of_labelling);
    }
    Ok(texts)
}

/// Parses the URLs of the pages, by index.
fn urls(
    pages: &[GoldPage],
    dates: &Dates,
    settings: &ReplaySettings,
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

/// Keys the pages, by index. Reads HTML only if a key depends on a page's `<title>`.
fn keys(
    set: &GoldSet,
    pages: &[GoldPage],
    dates: &Dates,
    urls: &[Result<PageUrl, String>],
    learned: &Learned,
    settings: &ReplaySettings,
) -> Result<Vec<Key>, InputError> {
    let needs_html = |index: &usize| match &urls[*index] {
        Ok(url) => {
            (settings.title).needs_html(&settings.keyer, url, pages[*index].title.as_deref())
        }
        Err(_) => false,
    };
    let untitled: HashSet<usize> = (0..pages.len()).filter(needs_html).collect();
    let mut titles: HashMap<usize, String> = HashMap::new();
    for_each_page(set, pages, &untitled, |index, page| {
        let title = page
            .html
            .and_then(|html| html_blocks::title(html, page.http_charset, &settings.blocks));
        titles.extend(title.map(|title| (index, title)));
    })?;
    let keys = urls.iter().enumerate().map(|(index, url)| {
        let title = if untitled.contains(&index) {
            titles.get(&index).map(String::as_str)
        } else {
            (settings.title).feed_title(pages[index].title.as_deref())
        };
        let url = url.as_ref().map_err(Clone::clone)?;
        let is_noise = |_: &_, kind: &_| learned.is_noise(index, dates.of_pages[index], kind);
        let key = match settings.queries {
            Queries::Drop => settings.keyer.key(url, title),
            Queries::Learn => settings.keyer.key_with_parts(url, title, is_noise),
        };
        if key.blocklisted {
            return Err("its URL is blocklisted".to_owned());
        }
        Ok(key)
    });
    Ok(keys.collect())
}

/// The pages of a set, for deduplication.
struct KnownPages<'a> {
    pages: &'a [GoldPage],
    dates: &'a Dates,
    urls: &'a [Result<PageUrl, String>],
    keys: &'a [Key],
    learned: &'a Learned,
}

impl KnownPages<'_> {
    /// Deduplicates the pages of each domain. Returns the roles by index. Pages `without_text` are
    /// rejected as first pages.
    fn roles(
        &self,
        domains: &BTreeMap<&str, Vec<usize>>,
        without_text: &HashSet<usize>,
        settings: &ReplaySettings,
    ) -> Vec<Role> {
        let mut roles = vec![Role::Unkeyed; self.pages.len()];
        for indices in domains.values() {
            let mut known = KnownKeys::new(settings.lookback, settings.batching);
            for &index in indices {
                let (Ok(key), Ok(url)) = (&self.keys[index], &self.urls[index]) else {
                    continue;
                };
                let date = self.dates.of_pages[index];
                let time = self.pages[index].fetched_at.unwrap_or_default();
                let original = self.learned.same_content.get(&index).copied();
                roles[index] = match known.classify(&key.text, date, time, index, original) {
                    Occurrence::First => Role::First,
                    Occurrence::Duplicate { original, .. } => Role::Duplicate(*original),
                };
                let is_rejected = without_text.contains(&index);
                if roles[index] == Role::First
                    && (is_rejected || self.learned.without_text.contains(&index))
                {
                    known.reject(&key.text);
                }
                if is_rejected {
                    continue;
                }
                let page = original.unwrap_or(index);
                for (dates, later) in self.learned.later_keys(index, url, date, settings) {
                    if later != key.text {
                        known.add_alias(&later, dates, page);
                    }
                }
            }
        }
        roles
    }
}

/// Pages that were parsed, by index. A page that failed has the reason.
type Parsed = HashMap<usize, Result<ParsedPage, String>>;

/// Deduplicates the pages and parses the first ones. If the first page of a key has no text, the
/// next page of the key is tried, as in a job: the set is read once for each attempt.
fn parsed_roles(
    set: &GoldSet,
    known: &KnownPages<'_>,
    domains: &BTreeMap<&str, Vec<usize>>,
    settings: &ReplaySettings,
) -> Result<(Vec<Role>, Parsed), InputError> {
    let (mut parsed, mut without_text) = (Parsed::new(), HashSet::new());
    loop {
        let roles = known.roles(domains, &without_text, settings);
        parse(set, known.pages, &roles, settings, &mut parsed)?;
        let before = without_text.len();
        let has_no_text = |index: &usize| {
            let page = parsed.get(index).map(Result::as_ref);
            roles[*index] == Role::First && !page.is_some_and(|page| page.is_ok_and(has_text))
        };
        without_text.extend((0..roles.len()).filter(has_no_text));
        if !settings.lookback.rejects_pages_without_text() || without_text.len() == before {
            return Ok((roles, parsed));
        }
    }
}

/// Whether a page can be the first page of its URL key.
fn has_text(page: &ParsedPage) -> bool {
    !page.blocks.hashes.is_empty()
}

/// Parses the first page of each key and, with revisions, the duplicates, unless they are
/// `parsed` already.
fn parse(
    set: &GoldSet,
    pages: &[GoldPage],
    roles: &[Role],
    settings: &ReplaySettings,
    parsed: &mut Parsed,
) -> Result<(), InputError> {
    let is_parsed = |index: &usize| match roles[*index] {
        Role::Unkeyed => false,
        Role::First => true,
        Role::Duplicate(_) => settings.revisions,
    };
    let wanted = (0..pages.len()).filter(is_parsed);
    let wanted: HashSet<usize> = wanted.filter(|index| !parsed.contains_key(index)).collect();
    for_each_page(set, pages, &wanted, |index, page| {
        parsed.insert(index, parse_page(page, settings));
    })
}

fn parse_page(page: Fetched<'_>, settings: &ReplaySettings) -> Result<ParsedPage, String> {
    let html = page.html.ok_or("html is null")?;
    let (parsed, parsing) = timed(|| html_blocks::page(html, page.http_charset, &settings.blocks));
    let parsed = parsed.map_err(|error: PageError| error.to_string())?;
    let ((blocks, has_outline), measuring) = timed(|| {
        let blocks = PageBlocks::of(parsed);
        let layout = Layout::to_bytes(&blocks.layout());
        (blocks, layout.len() <= MAX_LAYOUT_BYTES)
    });
    Ok(ParsedPage {
        blocks,
        has_outline,
        parsing,
        measuring,
    })
}

/// The text of a keyed page: its own, or that of the page it duplicates.
fn text(index: usize, roles: &[Role], parsed: &Parsed, made: &[Option<Text>]) -> Text {
    if let Some(text) = &made[index] {
        return text.clone();
    }
    match (parsed.get(&index), roles[index]) {
        (Some(Err(reason)), _) => Text::failed(reason),
        (_, Role::Duplicate(original)) => match &made[original] {
            Some(text) => text.clone().taking(0.0),
            None => Text::failed("the page it duplicates has no text"),
        },
        _ => Text::failed("no text"),
    }
}
