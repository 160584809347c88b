//! Scores of the published heuristics over a stream of pages, as in [P 5.2].

use std::collections::{BTreeMap, HashMap, HashSet};

use html_blocks::{BlockOptions, TextBlock};
use site_replay::{Batching, Labelling, SiteSettings, SiteStream};
use template::{LayoutBlock, Outline, Title};
use url_key::{Blocklist, Domain, KeyOptions, Keyer, RuleSet};
use url_tree::{BlockHash, Entry, Verdict};

/// The greatest number of scored pages of a site.
const PER_SITE: usize = 100;

/// A unique page of an archive with its blocks.
pub(crate) struct Document {
    pub(crate) domain: String,
    pub(crate) branch: Vec<String>,
    pub(crate) fetched_at: i64,
    pub(crate) html_bytes: usize,
    pub(crate) blocks: Vec<TextBlock>,
    /// The number of blocks with distinct texts.
    pub(crate) distinct: usize,
    pub(crate) gold: Option<String>,
    title: String,
}

impl Document {
    fn outline(&self) -> Outline {
        let title = Title::new(&self.title);
        let layout = self.blocks.iter().map(|block| {
            let (path, shared) = (&*block.dom_path, block.common_prefix);
            LayoutBlock::new(path, shared, &block.text, block.link_chars, &title)
        });
        Outline::new(&layout.collect::<Vec<_>>())
    }

    /// Days since 1970.
    fn day(&self) -> i32 {
        let day = self.fetched_at.div_euclid(24 * 60 * 60 * 1_000_000);
        i32::try_from(day).expect("a date of this age")
    }
}

/// The pages that are inserted before any of them is labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Batch {
    Page,
    Date,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
}

/// Returns the first page of each URL key, in the order given. The input is (time, URL,
/// HTML, charset of the header, gold text).
pub(crate) fn documents<'a>(
    rules: &str,
    pages: impl Iterator<Item = (i64, &'a str, &'a [u8], Option<&'a str>, Option<&'a str>)>,
) -> Vec<Document> {
    let rules = RuleSet::parse(rules).expect("the rules are valid");
    let keyer = Keyer::new(KeyOptions::default(), rules, Blocklist::default()).expect("no options");
    let mut seen = HashSet::new();
    let mut documents = Vec::new();
    for (fetched_at, url, html, charset, gold) in pages {
        let Ok(parsed) = keyer.parse(url) else {
            continue;
        };
        let key = keyer.key(&parsed, None);
        let Ok(page) = html_blocks::page(html, charset, &BlockOptions::default()) else {
            continue;
        };
        if !seen.insert(key.text.clone()) {
            continue;
        }
        let distinct: HashSet<BlockHash> = page.blocks.iter().map(|block| block.hash).collect();
        documents.push(Document {
            domain: key.domain.as_str().to_owned(),
            branch: key.branch().to_strings(),
            fetched_at,
            html_bytes: html.len(),
            distinct: distinct.len(),
            blocks: page.blocks,
            gold: gold.map(str::to_owned),
            title: page.title.unwrap_or_default(),
        });
    }
    documents
}

/// The mean score of every site.
pub(crate) fn scores(
    documents: &[Document],
    labelling: Labelling,
    batch: Batch,
) -> BTreeMap<String, Score> {
    let mut sites: BTreeMap<&str, Vec<&Document>> = BTreeMap::new();
    for document in documents {
        sites.entry(&document.domain).or_default().push(document);
    }
    sites
        .into_iter()
        .map(|(site, documents)| (site.to_owned(), site_score(&documents, labelling, batch)))
        .collect()
}

/// The mean over sites.
pub(crate) fn macro_score(sites: &BTreeMap<String, Score>) -> Score {
    mean(&sites.values().copied().collect::<Vec<_>>())
}

fn mean(scores: &[Score]) -> Score {
    let count = scores.len() as f64;
    Score {
        precision: scores.iter().map(|score| score.precision).sum::<f64>() / count,
        recall: scores.iter().map(|score| score.recall).sum::<f64>() / count,
        f1: scores.iter().map(|score| score.f1).sum::<f64>() / count,
    }
}

fn entry<'a>(document: &'a Document, hashes: &'a [BlockHash]) -> Entry<'a, String> {
    Entry {
        time_micros: document.fetched_at,
        branch: &document.branch,
        hashes,
    }
}

fn site_score(documents: &[&Document], labelling: Labelling, batch: Batch) -> Score {
    let batching = match batch {
        Batch::Page => Batching::Page,
        Batch::Date => Batching::Date,
    };
    let keyer = Keyer::new(
        KeyOptions::default(),
        RuleSet::empty(),
        Blocklist::default(),
    );
    let mut settings = SiteSettings::new(keyer.expect("no extra suffixes"));
    (settings.labelling, settings.batching) = (labelling, batching);
    let domain = Domain::from_name(&documents[0].domain);
    let mut stream = SiteStream::new(&domain, &settings, i32::MAX);
    let with_gold = documents
        .iter()
        .filter(|document| document.gold.is_some())
        .count();
    let mut scores = Vec::new();
    let mut nth = 0;
    let same_batch = |a: &&Document, b: &&Document| match batch {
        Batch::Page => false,
        Batch::Date => a.day() == b.day(),
    };
    for batch in documents.chunk_by(same_batch) {
        let hashes: Vec<Vec<BlockHash>> = batch
            .iter()
            .map(|document| document.blocks.iter().map(|block| block.hash).collect())
            .collect();
        let outline =
            |document: &Document| (labelling == Labelling::Template).then(|| document.outline());
        if !stream.is_one_by_one() {
            for (document, hashes) in batch.iter().zip(&hashes) {
                stream.insert(entry(document, hashes), document.day(), outline(document));
            }
        }
        for (document, hashes) in batch.iter().zip(&hashes) {
            let outline = (!stream.has_outline()).then(|| outline(document)).flatten();
            let page = stream.label_page(entry(document, hashes), document.day(), outline);
            let Some(gold) = &document.gold else { continue };
            nth += 1;
            // Score at most `PER_SITE` pages, evenly distributed over the stream.
            if nth * PER_SITE / with_gold == (nth - 1) * PER_SITE / with_gold {
                continue;
            }
            let kept: Vec<&str> = document
                .blocks
                .iter()
                .zip(&page.labels.labels.blocks)
                .filter(|(_, label)| label.verdict == Verdict::Content)
                .map(|(block, _)| block.text.as_str())
                .collect();
            scores.push(score(&kept.join("\n"), gold));
        }
    }
    mean(&scores)
}

/// Splits a text into lower-case words at all other characters [P 5.2].
pub(crate) fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

pub(crate) fn score(found: &str, gold: &str) -> Score {
    let (found, gold) = (words(found), words(gold));
    if found.is_empty() {
        return Score::default();
    }
    let common = common(&gold, &found) as f64;
    let precision = common / found.len() as f64;
    let recall = common / gold.len() as f64;
    let f1 = if common > 0.0 {
        2.0 * precision * recall / (precision + recall)
    } else {
        0.0
    };
    Score {
        precision,
        recall,
        f1,
    }
}

/// The length of the longest common subsequence, with one bit per word of `a` and one row
/// of the table per word of `b` (Hyyrö 2004).
fn common(a: &[String], b: &[String]) -> usize {
    let limbs = a.len().div_ceil(64);
    let mut places: HashMap<&str, Vec<u64>> = HashMap::new();
    for (at, word) in a.iter().enumerate() {
        places.entry(word).or_insert_with(|| vec![0; limbs])[at / 64] |= 1 << (at % 64);
    }
    let mut row = vec![u64::MAX; limbs];
    for places in b.iter().filter_map(|word| places.get(word.as_str())) {
        let mut carry = false;
        for (limb, places) in row.iter_mut().zip(places) {
            let matched = *limb & places;
            let (sum, first) = limb.overflowing_add(matched);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *limb = sum | (*limb & !places);
        }
    }
    (0..a.len())
        .filter(|at| row[at / 64] >> (at % 64) & 1 == 0)
        .count()
}
