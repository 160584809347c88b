//! The pages of a gold set through the URL Tree, under many heuristics at once.

use std::collections::{BTreeMap, HashMap};

use html_blocks::BlockOptions;
use url_key::{Blacklist, KeyOptions, Keyer, OptionsError, RuleSet, UrlKey};
use url_tree::{BlockHash, DAY_MICROS, DomainReplay, Entry, Heuristic, Verdict, WindowOptions};

use crate::cpu::timed;
use crate::{GoldError, GoldPage, GoldSet, Kind, Text, Texts};

/// Pages that are inserted into the tree before the first of them is labelled, as
/// `tree.batch` of a job says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Batch {
    /// One page: the paper's online setting.
    Page,
    /// A whole UTC day of the domain, the default of jobs.
    #[default]
    Date,
    /// All of them: full look-ahead.
    Run,
}

impl Batch {
    fn has_both(self, one: &GoldPage, other: &GoldPage) -> bool {
        let date = |page: &GoldPage| page.fetched_at.map(|time| time.div_euclid(DAY_MICROS));
        match self {
            Self::Page => false,
            // A page without a time is fetched at one of its own.
            Self::Date => date(one).is_some() && date(one) == date(other),
            Self::Run => true,
        }
    }
}

/// What of a job's settings matters here; the others have their defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayOptions {
    /// `tree.batch`
    pub batch: Batch,
    /// `[window]`
    pub window: WindowOptions,
}

/// What a job makes of the pages of a set under each of `heuristics`, in their order:
/// every page is parsed once and counted once, and labelled by all. A page with the URL
/// key of an earlier one has its text, and took no processor time.
///
/// # Errors
/// [`GoldError`], also where the set has no HTML.
pub fn replay(
    set: &GoldSet,
    pages: &[GoldPage],
    heuristics: &[Heuristic],
    options: ReplayOptions,
) -> Result<Vec<Texts>, GoldError> {
    let parsed = parse(set)?;
    let mut domains: BTreeMap<&str, Vec<&GoldPage>> = BTreeMap::new();
    for page in pages {
        domains.entry(&page.domain).or_default().push(page);
    }
    let mut texts: Vec<Texts> = (heuristics.iter())
        .map(|heuristic| Texts::by(Kind::Heuristic, heuristic.to_string()))
        .collect();
    for pages in domains.values() {
        replay_domain(pages, options, &parsed, heuristics, &mut texts);
    }
    Ok(texts)
}

/// Blocks of a page, or why it has none.
type Parsed = HashMap<String, Result<Blocks, String>>;

struct Blocks {
    hashes: Vec<BlockHash>,
    texts: Vec<String>,
    /// That parsing took.
    seconds: f64,
}

fn parse(set: &GoldSet) -> Result<Parsed, GoldError> {
    let options = BlockOptions::default();
    let mut parsed = Parsed::new();
    set.for_each_fetched(|page| {
        let url = page.url;
        let (page, seconds) = timed(|| html_blocks::page(page.html, page.http_charset, &options));
        let blocks = page.map(|page| Blocks {
            hashes: page.blocks.iter().map(|block| block.hash).collect(),
            texts: page.blocks.into_iter().map(|block| block.text).collect(),
            seconds,
        });
        let blocks = blocks.map_err(|error| error.to_string());
        parsed.entry(url.to_owned()).or_insert(blocks);
    })?;
    Ok(parsed)
}

fn replay_domain(
    pages: &[&GoldPage],
    options: ReplayOptions,
    parsed: &Parsed,
    heuristics: &[Heuristic],
    texts: &mut [Texts],
) {
    let mut tree: Option<DomainReplay> = None;
    let mut first: HashMap<String, &str> = HashMap::new();
    for pages in pages.chunk_by(|one, other| options.batch.has_both(one, other)) {
        let mut inserted = Vec::new();
        let mut duplicates = Vec::new();
        for page in pages {
            let (key, blocks) = match readable(page, parsed) {
                Ok(read) => read,
                Err(error) => {
                    for texts in &mut *texts {
                        texts.insert(&page.url, Text::failed(&error));
                    }
                    continue;
                }
            };
            if let Some(original) = first.get(&key.text) {
                duplicates.push((page, *original));
                continue;
            }
            first.insert(key.text.clone(), &page.url);
            let tree = tree.get_or_insert_with(|| {
                let labels = key.domain.labels();
                DomainReplay::new(labels, Heuristic::default(), options.window)
            });
            let ((), seconds) = timed(|| {
                tree.insert(Entry {
                    time_micros: page.fetched_at.unwrap_or_default(),
                    branch: &key.branch,
                    hashes: &blocks.hashes,
                });
            });
            inserted.push((page, key, blocks, blocks.seconds + seconds));
        }
        let Some(tree) = &mut tree else {
            continue;
        };
        for (page, key, blocks, seconds) in inserted {
            for (heuristic, texts) in heuristics.iter().zip(&mut *texts) {
                let (text, labelling) = timed(|| content(tree, *heuristic, &key, blocks));
                texts.insert(&page.url, Text::of(text).taking(seconds + labelling));
            }
        }
        for (page, original) in duplicates {
            for texts in &mut *texts {
                texts.insert(&page.url, duplicate(texts.get(original)));
            }
        }
        let newest = pages.iter().filter_map(|page| page.fetched_at).max();
        tree.end_batch(newest.unwrap_or_default());
    }
}

/// Key and blocks of a page, or why it has none.
fn readable<'p>(page: &GoldPage, parsed: &'p Parsed) -> Result<(UrlKey, &'p Blocks), String> {
    let key = key(page)?;
    match parsed.get(&page.url) {
        Some(Ok(blocks)) => Ok((key, blocks)),
        Some(Err(error)) => Err(error.clone()),
        None => Err("no HTML".to_owned()),
    }
}

/// What a page has whose key an earlier one has.
fn duplicate(original: Option<&Text>) -> Text {
    let original = original.map(|text| text.text.clone());
    Text {
        text: original.unwrap_or_else(|| Err("no text".to_owned())),
        cpu_seconds: Some(0.0),
    }
}

fn content(tree: &DomainReplay, heuristic: Heuristic, key: &UrlKey, blocks: &Blocks) -> String {
    let labels = tree.label_by(heuristic, &key.branch, &blocks.hashes);
    let content = (labels.blocks.iter().zip(&blocks.texts))
        .filter(|(label, _)| label.verdict == Verdict::Content)
        .map(|(_, text)| text.as_str());
    content.collect::<Vec<_>>().join("\n")
}

/// The URL key of a page, without rules.
fn key(page: &GoldPage) -> Result<UrlKey, String> {
    let keyer = keyer().map_err(|error| error.to_string())?;
    let url = keyer.parse(&page.url).map_err(|error| error.to_string())?;
    Ok(keyer.key(&url, page.title.as_deref()))
}

/// The keyer of a job with default settings.
pub(crate) fn keyer() -> Result<Keyer, OptionsError> {
    Keyer::new(
        KeyOptions::default(),
        RuleSet::empty(),
        Blacklist::default(),
    )
}
