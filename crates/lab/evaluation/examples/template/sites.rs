//! Reads gold sets as sites of parsed pages.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use evaluation::{GoldPage, GoldSet, InputError, PageBlocks, evenly};
use html_blocks::BlockOptions;
use scoring::{Tokens, Vocabulary, WordId};
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet, UrlKey};

/// The URL rules that a job has by default.
const RULES: &str = include_str!("../../../../../jobs/rules/url-keys.tsv");

/// Pages of a site that are read.
const PAGES: usize = 1000;
/// Pages of a site that are scored, spread evenly over the pages that are read.
const SCORED: usize = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    A,
    B,
}

pub(crate) struct Site {
    pub(crate) name: String,
    pub(crate) part: Part,
    /// Number of leading items of a branch, down to the domain node.
    pub(crate) domain_labels: usize,
    pub(crate) pages: Vec<Page>,
}

/// A unique page.
pub(crate) struct Page {
    pub(crate) time_micros: i64,
    pub(crate) branch: Vec<String>,
    pub(crate) blocks: PageBlocks,
    /// The words of each block.
    pub(crate) words: Vec<Vec<WordId>>,
    pub(crate) gold: Vec<WordId>,
    pub(crate) scored: bool,
    /// Seconds to parse the page.
    pub(crate) parsing: f64,
}

/// The rule for forming sites.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Set,
    Domain,
}

pub(crate) fn load(folder: &Path, by: By) -> Result<Vec<Site>, InputError> {
    let mut sites = Vec::new();
    for (number, set) in GoldSet::at(folder)?.iter().enumerate() {
        let mut of_set = BTreeMap::new();
        read(set, by, &mut of_set)?;
        for (at, (name, (domain_labels, pages))) in of_set.into_iter().enumerate() {
            let number = if by == By::Set { number } else { at };
            let part = if number % 2 == 0 { Part::A } else { Part::B };
            let name = match by {
                By::Set => name,
                By::Domain => format!("{}: {name}", set.name()),
            };
            sites.push(Site {
                name,
                part,
                domain_labels,
                pages,
            });
        }
    }
    Ok(sites)
}

/// The pages of each site, with the number of labels of its domain.
type Sites = BTreeMap<String, (usize, Vec<Page>)>;

fn read(set: &GoldSet, by: By, sites: &mut Sites) -> Result<(), InputError> {
    let Ok(rules) = RuleSet::parse(RULES) else {
        return Ok(());
    };
    let keyer = Keyer::new(KeyOptions::default(), rules, Blocklist::default());
    let Ok(keyer) = keyer else { return Ok(()) };
    let mut seen = HashSet::new();
    let mut unique: Vec<(GoldPage, UrlKey)> = Vec::new();
    for mut page in set.pages()?.into_iter().take(PAGES) {
        let Ok(url) = keyer.parse(&page.url) else {
            continue;
        };
        let key = keyer.key(&url, page.title.as_deref());
        if by == By::Set {
            set.name().clone_into(&mut page.domain);
        }
        if seen.insert((page.domain.clone(), key.text.clone())) {
            unique.push((page, key));
        }
    }
    let pages: Vec<GoldPage> = unique.iter().map(|(page, _)| page.clone()).collect();
    let scored = evenly(&pages, SCORED);
    let mut html: HashMap<String, (PageBlocks, f64)> = HashMap::new();
    let wanted: HashSet<&str> = pages.iter().map(|page| page.url.as_str()).collect();
    set.for_each_fetched(|fetched| {
        let (url, bytes) = (fetched.url, fetched.html.unwrap_or_default());
        let began = std::time::Instant::now();
        if wanted.contains(url)
            && let Ok(page) =
                html_blocks::page(bytes, fetched.http_charset, &BlockOptions::default())
        {
            let blocks = PageBlocks::of(page);
            let seconds = began.elapsed().as_secs_f64();
            html.entry(url.to_owned()).or_insert((blocks, seconds));
        }
    })?;
    for (page, key) in &unique {
        let Some((blocks, parsing)) = html.remove(&page.url) else {
            continue;
        };
        let (_, pages) = sites
            .entry(page.domain.clone())
            .or_insert_with(|| (key.domain.labels(), Vec::new()));
        let mut vocabulary = Vocabulary::default();
        let words = (blocks.texts.iter()).map(|text| vocabulary.words(text, Tokens::Unicode));
        pages.push(Page {
            time_micros: page.fetched_at.unwrap_or_default(),
            branch: key.branch().to_strings(),
            words: words.collect(),
            blocks,
            gold: vocabulary.words(&page.text, Tokens::Unicode),
            scored: scored.contains(page.url.as_str()),
            parsing,
        });
    }
    Ok(())
}
