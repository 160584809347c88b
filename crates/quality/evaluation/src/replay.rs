//! The pages of a gold set through the URL Tree, under many heuristics at once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use html_blocks::BlockOptions;
use site_replay::{Batch, Labelling, SiteReplay};
use template::Outline;
use url_key::{Blocklist, KeyOptions, Keyer, OptionsError, RuleSet, UrlKey};
use url_tree::{DAY_MICROS, Entry, WindowOptions};

use crate::cpu::timed;
use crate::{GoldPage, GoldSet, InputError, Kind, LabelledBlocks, PageBlocks, Text, Texts};

/// What of a job's settings matters here; the others have their defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayOptions {
    /// `tree.batching`
    pub batch: Batch,
    /// `[window]`
    pub window: WindowOptions,
}

/// What a job makes of the pages of a set under each of `labellings`, in their order:
/// every page is parsed once. A page with the URL key of an earlier one has its text,
/// and took no processor time.
///
/// # Errors
/// [`InputError`], also where the set has no HTML.
pub fn replay(
    set: &GoldSet,
    pages: &[GoldPage],
    labellings: &[Labelling],
    options: ReplayOptions,
) -> Result<Vec<Texts>, InputError> {
    let parsed = parse(set)?;
    let mut domains: BTreeMap<&str, Vec<&GoldPage>> = BTreeMap::new();
    for page in pages {
        domains.entry(&page.domain).or_default().push(page);
    }
    let mut texts: Vec<Texts> = (labellings.iter())
        .map(|labelling| Texts::by(Kind::Heuristic, labelling.to_string()))
        .collect();
    for pages in domains.values() {
        replay_domain(pages, options, &parsed, labellings, &mut texts);
    }
    Ok(texts)
}

/// What became of each page, by URL, or why it has no blocks.
type Parsed = HashMap<String, Result<ParsedPage, String>>;

struct ParsedPage {
    blocks: PageBlocks,
    /// Seconds to find the blocks...
    parsing: f64,
    /// ... and to measure them and match their title, which the template alone asks for.
    measuring: f64,
}

fn parse(set: &GoldSet) -> Result<Parsed, InputError> {
    let options = BlockOptions::default();
    let mut parsed = Parsed::new();
    set.for_each_fetched(|page| {
        let url = page.url.to_owned();
        let (page, parsing) = timed(|| html_blocks::page(page.html, page.http_charset, &options));
        let page = page.map(|page| {
            let (blocks, measuring) = timed(|| PageBlocks::of(page));
            ParsedPage {
                blocks,
                parsing,
                measuring,
            }
        });
        (parsed.entry(url)).or_insert(page.map_err(|error| error.to_string()));
    })?;
    Ok(parsed)
}

/// A page that is in a batch.
struct Inserted<'p> {
    page: &'p GoldPage,
    key: UrlKey,
    parsed: &'p ParsedPage,
}

impl Inserted<'_> {
    fn outline(&self) -> Outline {
        Outline::new(&self.parsed.blocks.layout())
    }
}

/// What the pages of one domain become under one labelling.
struct Replayed<'t> {
    site: Option<SiteReplay>,
    labelling: Labelling,
    texts: &'t mut Texts,
}

fn replay_domain(
    pages: &[&GoldPage],
    options: ReplayOptions,
    parsed: &Parsed,
    labellings: &[Labelling],
    texts: &mut [Texts],
) {
    let mut replays: Vec<Replayed<'_>> = (labellings.iter().zip(texts))
        .map(|(labelling, texts)| Replayed {
            site: None,
            labelling: *labelling,
            texts,
        })
        .collect();
    let mut first: HashMap<String, &str> = HashMap::new();
    for pages in pages.chunk_by(|one, other| in_one_batch(options.batch, one, other)) {
        let mut batch = Vec::new();
        let mut duplicates = Vec::new();
        for page in pages {
            match readable(page, parsed) {
                Err(error) => (replays.iter_mut())
                    .for_each(|replay| replay.texts.insert(&page.url, Text::failed(&error))),
                Ok((key, parsed)) => match first.get(&key.text) {
                    Some(original) => duplicates.push((page, *original)),
                    None => {
                        first.insert(key.text.clone(), &page.url);
                        batch.push(Inserted { page, key, parsed });
                    }
                },
            }
        }
        let newest = pages.iter().filter_map(|page| page.fetched_at).max();
        for replay in &mut replays {
            replay.batch(&batch, options.window, newest.unwrap_or_default());
            for (page, original) in &duplicates {
                let text = duplicate(replay.texts.get(original));
                replay.texts.insert(&page.url, text);
            }
        }
    }
}

/// Whether both of two consecutive pages are in a batch.
fn in_one_batch(batch: Batch, one: &GoldPage, other: &GoldPage) -> bool {
    let date = |page: &GoldPage| {
        let time = page.fetched_at?;
        i32::try_from(time.div_euclid(DAY_MICROS)).ok()
    };
    match (batch, date(one), date(other)) {
        (Batch::Run, _, _) => true,
        (Batch::Date, Some(one), Some(other)) => batch.of_date(one) == batch.of_date(other),
        // A page without a time is fetched at one of its own.
        (Batch::Page | Batch::Date, _, _) => false,
    }
}

impl Replayed<'_> {
    fn batch(&mut self, batch: &[Inserted<'_>], window: WindowOptions, newest: i64) {
        let Some(any) = batch.first() else {
            return;
        };
        let labels = any.key.domain.labels();
        let labelling = self.labelling;
        let site = (self.site).get_or_insert_with(|| SiteReplay::new(labels, labelling, window));
        let inserting = each(batch, |page| {
            let branch = page.key.branch();
            let entry = Entry {
                time_micros: page.page.fetched_at.unwrap_or_default(),
                branch: branch.items(),
                hashes: &page.parsed.blocks.hashes,
            };
            let learning = labelling == Labelling::Template;
            site.insert(entry, learning.then(|| page.outline()));
        });
        for (page, inserting) in batch.iter().zip(inserting) {
            let (text, labelled) = timed(|| content(site, page, labelling));
            let measuring = match labelling {
                Labelling::Template => page.parsed.measuring,
                Labelling::Tree(_) => 0.0,
            };
            let seconds = page.parsed.parsing + measuring + inserting + labelled;
            self.texts.insert(&page.page.url, text.taking(seconds));
        }
        site.end_batch(newest);
    }
}

/// Does something with each page of a batch; gives the time it took.
fn each(batch: &[Inserted<'_>], mut work: impl FnMut(&Inserted<'_>)) -> Vec<f64> {
    batch.iter().map(|page| timed(|| work(page)).1).collect()
}

/// Key and blocks of a page, or why it has none.
fn readable<'p>(page: &GoldPage, parsed: &'p Parsed) -> Result<(UrlKey, &'p ParsedPage), String> {
    let key = key(page)?;
    match parsed.get(&page.url) {
        Some(Ok(parsed)) => Ok((key, parsed)),
        Some(Err(error)) => Err(error.clone()),
        None => Err("no HTML".to_owned()),
    }
}

/// What a page has whose key an earlier one has.
fn duplicate(original: Option<&Text>) -> Text {
    let original = original.cloned();
    original
        .unwrap_or_else(|| Text::failed("no text"))
        .taking(0.0)
}

fn content(site: &mut SiteReplay, page: &Inserted<'_>, labelling: Labelling) -> Text {
    let blocks = &page.parsed.blocks;
    let outline = site
        .outline()
        .or_else(|| (labelling == Labelling::Template).then(|| page.outline()));
    let labels = site.label(page.key.branch().items(), &blocks.hashes, outline.as_ref());
    site.learned();
    Text::of_blocks(LabelledBlocks {
        texts: Arc::clone(&blocks.texts),
        reasons: labels.reasons,
    })
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
        Blocklist::default(),
    )
}
