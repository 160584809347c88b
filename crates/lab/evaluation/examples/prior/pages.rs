//! The pages of a set, alone and with some pages of their site.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use evaluation::{GoldPage, GoldSet, PageBlocks};
use html_blocks::BlockOptions;
use scoring::{Tokens, Vocabulary, WordId, lcs};
use template::prior::{Nets, PageKind};
use template::{BlockCounts, Outline, Reason, Template, first_equal};
use url_tree::BlockHash;

use crate::example::{Example, Target};
use crate::in_gold::in_gold;

/// Pages of a site that are learned from, evenly over it: a site of a thousand pages has one template.
const OF_SITE: usize = 12;
/// Numbers of pages of a site with which a page is seen, itself among them, and the weight of what is learned from it
/// there. With a weight of 0, a page is measured and not learned.
const CONTEXTS: [(usize, f32); 7] = [
    (1, 1.0),
    (2, 0.4),
    (3, 0.0),
    (5, 0.4),
    (10, 0.0),
    (20, 0.0),
    (50, 0.0),
];

/// Where the labels come from that are learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labels {
    /// The gold text of a page.
    Gold,
    /// The rules, with all pages of the site, which are of one kind if it is known.
    Site(Option<PageKind>),
}

/// A page that was labelled, in one of its contexts.
pub(crate) struct Page {
    pub(crate) host: String,
    pub(crate) kind: String,
    /// Pages of its site that are known, itself among them.
    pub(crate) context: usize,
    /// Pages that were asked for. A small site has fewer.
    pub(crate) asked: usize,
    pub(crate) example: Example,
    gold: Vec<WordId>,
    outline: Outline,
    counts: Counts,
    template: Template,
}

impl Page {
    /// Returns F1 of its text as nets label it, and as the rules alone do. `None` without gold.
    pub(crate) fn f1(&self, nets: &Nets) -> Option<[f64; 2]> {
        let judged = self
            .template
            .label_with(&self.outline, self.counts.get(), nets);
        let rules = self.without_prior();
        Some([self.f1_of(&rules)?, self.f1_of(&judged)?])
    }

    fn without_prior(&self) -> Vec<Reason> {
        self.template.rules(&self.outline, self.counts.get())
    }

    fn f1_of(&self, reasons: &[Reason]) -> Option<f64> {
        let kept = self.example.words.iter().zip(reasons);
        let kept = kept.filter(|(_, reason)| reason.is_content());
        let text: Vec<WordId> = kept.flat_map(|(words, _)| words.iter().copied()).collect();
        lcs(&self.gold, &text)
            .outcome()
            .counted()
            .map(|score| score.f1)
    }
}

/// A page as it was fetched.
struct Read {
    gold: usize,
    blocks: PageBlocks,
}

/// The numbers of pages with the blocks of a page.
struct Counts {
    pages: u32,
    blocks: Vec<u32>,
    first: Vec<usize>,
}

/// The pages that are known of a site, and on how many of them each block is.
struct Known<'r> {
    pages: u32,
    blocks: HashMap<&'r BlockHash, u32>,
}

impl<'r> Known<'r> {
    fn new(pages: &[&'r Read]) -> Self {
        let mut blocks: HashMap<&BlockHash, u32> = HashMap::new();
        for page in pages {
            let own: HashSet<&BlockHash> = page.blocks.hashes.iter().collect();
            for hash in own {
                *blocks.entry(hash).or_default() += 1;
            }
        }
        Self {
            pages: u32::try_from(pages.len()).unwrap_or(u32::MAX),
            blocks,
        }
    }
}

impl Counts {
    /// Returns the counts of one of the known pages.
    fn new(page: &Read, known: &Known<'_>) -> Self {
        let hashes = &page.blocks.hashes;
        Self {
            pages: known.pages,
            blocks: hashes.iter().map(|hash| known.blocks[hash]).collect(),
            first: first_equal(hashes),
        }
    }

    fn get(&self) -> BlockCounts<'_> {
        BlockCounts {
            pages: self.pages,
            blocks: &self.blocks,
            first: &self.first,
        }
    }
}

/// Reads the pages of a set in all their contexts.
pub(crate) fn pages(path: &Path, labels: Labels) -> Result<Vec<Page>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let set = GoldSet::file(path);
    let golds = set.pages().map_err(|error| failed(&error))?;
    let by_row: HashMap<usize, usize> = golds
        .iter()
        .enumerate()
        .map(|(at, gold)| (gold.row, at))
        .collect();
    let mut sites: BTreeMap<&str, Vec<Read>> = BTreeMap::new();
    let read = set.for_each_fetched(|fetched| {
        let Some(gold) = by_row.get(&fetched.row) else {
            return;
        };
        let html = fetched.html.unwrap_or_default();
        let parsed = html_blocks::page(html, fetched.http_charset, &BlockOptions::default());
        let Some(parsed) = parsed.ok().filter(|parsed| !parsed.blocks.is_empty()) else {
            return;
        };
        let blocks = PageBlocks::of(parsed);
        let site = sites.entry(&golds[*gold].domain).or_default();
        site.push(Read {
            gold: *gold,
            blocks,
        });
    });
    read.map_err(|error| failed(&error))?;
    let mut made = Vec::new();
    for site in sites.values() {
        let labelled = site_labels(site, labels);
        let some = site.len().min(OF_SITE);
        for at in (0..some).map(|at| at * site.len() / some) {
            for context in CONTEXTS {
                let (asked, weight) = context;
                if site.len() < asked && (site.len() == 1 || weight == 0.0) {
                    continue;
                }
                let mut page = page(site, at, context, &golds, labelled.get(at));
                if let Labels::Site(Some(kind)) = labels {
                    (page.example.kind, page.example.is_kind_of_site) = (Some(kind), true);
                }
                made.push(page);
            }
        }
    }
    Ok(made)
}

/// Returns the labels of all pages of a site by the rules, with all its pages. Empty if gold is learned.
fn site_labels(site: &[Read], labels: Labels) -> Vec<Vec<Reason>> {
    if matches!(labels, Labels::Gold) {
        return Vec::new();
    }
    let known = Known::new(&site.iter().collect::<Vec<_>>());
    let counts: Vec<Counts> = site.iter().map(|page| Counts::new(page, &known)).collect();
    let mut template = Template::default();
    for (page, counts) in site.iter().zip(&counts) {
        template.insert(&template.page_paths(&page.blocks.outline(), counts.get()));
    }
    let label =
        |(page, counts): (&Read, &Counts)| template.rules(&page.blocks.outline(), counts.get());
    site.iter().zip(&counts).map(label).collect()
}

/// Returns a page of a site as it is seen with the pages before it, or with those after it if these are few.
fn page(
    site: &[Read],
    at: usize,
    (asked, weight): (usize, f32),
    golds: &[GoldPage],
    labels: Option<&Vec<Reason>>,
) -> Page {
    let read = &site[at];
    let others = site[..at].iter().rev().chain(&site[at + 1..]);
    let mut known: Vec<&Read> = others.take(asked - 1).collect();
    known.push(read);
    let seen = Known::new(&known);
    let mut template = Template::default();
    for other in &known {
        let counts = Counts::new(other, &seen);
        template.insert(&template.page_paths(&other.blocks.outline(), counts.get()));
    }
    let counts = Counts::new(read, &seen);
    let outline = read.blocks.outline();
    let gold = &golds[read.gold];
    let mut vocabulary = Vocabulary::default();
    let gold_words = vocabulary.words(&gold.text, Tokens::Unicode);
    let words = read.blocks.texts.iter();
    let words: Vec<Vec<WordId>> = words
        .map(|text| vocabulary.words(text, Tokens::Unicode))
        .collect();
    let content: Vec<f32> = match labels {
        Some(reasons) => reasons
            .iter()
            .map(|reason| f32::from(u8::from(reason.is_content())))
            .collect(),
        None => {
            let found = in_gold(&words, &gold_words).into_iter().zip(&words);
            found
                .map(|(found, words)| found as f32 / words.len().max(1) as f32)
                .collect()
        }
    };
    let of_labels = || {
        words
            .iter()
            .zip(&content)
            .filter(|(_, content)| **content > 0.5)
    };
    let kind = gold
        .page_type
        .clone()
        .or_else(|| gold.lang.clone())
        .unwrap_or_default();
    Page {
        host: gold.domain.clone(),
        context: known.len(),
        asked,
        example: Example {
            inputs: template.inputs(&outline, counts.get()),
            labels: Target {
                meant: match labels {
                    Some(_) => of_labels().map(|(words, _)| words.len()).sum::<usize>() as f32,
                    None => gold_words.len() as f32,
                },
                content,
            },
            words,
            kind: PageKind::ALL
                .into_iter()
                .find(|known| known.as_str() == kind),
            is_kind_of_site: false,
            weight,
        },
        kind,
        gold: gold_words,
        outline,
        counts,
        template,
    }
}
