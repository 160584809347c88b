//! Comparison of each page's text with its gold text.

use std::collections::HashMap;

use scoring::{
    Autojunk, Outcome, Overlap, Tokens, Vocabulary, Weights, bag_of_words, lcs, ratcliff_obershelp,
    rouge_lsum, weighted,
};

use crate::{Cause, GoldPage, Kind, NodeTrees, Text, Texts};

/// The measure of the words that two texts have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlapping {
    /// The longest common subsequence of words, as in the paper [P 5.2].
    #[default]
    Lcs,
    /// The matches of Python's `difflib` with its defaults, as in the thesis.
    Difflib,
    /// The words of both bags, as in the paper of NCE.
    Bag,
    /// ROUGE-LSum.
    RougeLsum,
}

/// The unit of precision, recall and F1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Counted {
    /// Words.
    #[default]
    Words,
    /// Words, with CleanEval's edit distance beside the scores.
    EditDistance,
    /// Words with weights. Words in common are those of the longest common subsequence.
    Weighted(Weights),
    /// Nodes of the page: see [`NodeTrees`].
    Nodes,
}

/// The method of comparing texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// The rule for cutting texts into words.
    pub tokens: Tokens,
    /// The rule for words in common.
    pub overlapping: Overlapping,
    /// The unit that is counted.
    pub counted: Counted,
    /// The weight of recall in F-beta, if F-beta is asked for too.
    pub beta: Option<f64>,
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            tokens: Tokens::Unicode,
            overlapping: Overlapping::default(),
            counted: Counted::default(),
            beta: None,
        }
    }
}

/// The result for one page and one extractor.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageResult {
    /// The gold set.
    pub set: String,
    /// The extractor.
    pub extractor: String,
    /// The kind of the extractor.
    pub kind: Kind,
    /// The version of the extractor, if it is known.
    pub version: Option<String>,
    /// Response URL of the page.
    pub url: String,
    /// The page's domain.
    pub domain: String,
    /// The page's language, if the set has it.
    pub lang: Option<String>,
    /// Time of the fetch, in microseconds since 1970, UTC.
    pub fetched_at: Option<i64>,
    /// Number of earlier pages of the domain in the set.
    pub earlier: usize,
    /// Words of the gold text, of the extraction, and in common, or nodes if nodes are
    /// counted; `None` if the extractor failed.
    pub overlap: Option<Overlap>,
    /// All nodes of the page, if nodes are counted.
    pub page_nodes: Option<usize>,
    /// The score, or the boundary case.
    pub outcome: Outcome,
    /// The main cause of the page's loss of score, if the text was made of blocks.
    pub cause: Option<Cause>,
    /// The error of the extractor, if it failed.
    pub error: Option<String>,
    /// Processor time, if it was measured.
    pub cpu_seconds: Option<f64>,
}

impl PageResult {
    /// The key that orders the pages of a stream by time.
    pub(crate) fn place_in_stream(&self) -> (Option<i64>, &str) {
        (self.fetched_at, &self.url)
    }
}

/// Compares `texts` with the gold texts of the `wanted` pages of a set, in their order.
/// Pages are found by URL and, if the set has times, by time of fetch. A page without a
/// text counts as a failure of the extractor.
///
/// If nodes are counted, every page fails, because it is not parsed: see [`compare_nodes`].
pub fn compare(
    set: &str,
    gold: &[GoldPage],
    wanted: impl Fn(&GoldPage) -> bool,
    texts: &Texts,
    measure: Measure,
) -> Vec<PageResult> {
    compare_nodes(set, gold, wanted, texts, measure, &NodeTrees::default())
}

/// Compares texts as [`compare`] does, with the parsed pages that are needed if nodes are counted.
pub fn compare_nodes(
    set: &str,
    gold: &[GoldPage],
    wanted: impl Fn(&GoldPage) -> bool,
    texts: &Texts,
    measure: Measure,
    trees: &NodeTrees,
) -> Vec<PageResult> {
    let has_times = gold.iter().any(|page| page.fetched_at.is_some());
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let places = gold.iter().map(|page| {
        let earlier = seen.entry(&page.domain).or_default();
        *earlier += 1;
        (page, *earlier - 1)
    });
    places
        .filter(|(page, _)| wanted(page))
        .map(|(page, earlier)| {
            let text = if has_times {
                texts.get_fetched(&page.url, page.fetched_at)
            } else {
                texts.get(&page.url)
            };
            let scored = match text {
                Some(text) => scored(page, text, measure, trees),
                None => Err("no text".to_owned()),
            };
            let (overlap, outcome, error) = match scored {
                Ok((overlap, outcome)) => (Some(overlap), outcome, None),
                Err(error) => (None, failed(page, measure), Some(error)),
            };
            let blocks = text.and_then(|text| text.blocks.as_ref());
            PageResult {
                set: set.to_owned(),
                extractor: texts.extractor.clone(),
                kind: texts.kind,
                version: texts.version.clone(),
                url: page.url.clone(),
                domain: page.domain.clone(),
                lang: page.lang.clone(),
                fetched_at: page.fetched_at,
                earlier,
                overlap,
                page_nodes: trees.page_nodes(page),
                outcome,
                cause: blocks.and_then(|blocks| Cause::of(&page.text, blocks, measure.tokens)),
                error,
                cpu_seconds: text.and_then(|text| text.cpu_seconds),
            }
        })
        .collect()
}

/// Scores the text of a page, or returns the reason why there is none.
fn scored(
    page: &GoldPage,
    text: &Text,
    measure: Measure,
    trees: &NodeTrees,
) -> Result<(Overlap, Outcome), String> {
    let content = text.text.as_ref().map_err(Clone::clone)?;
    match measure.counted {
        Counted::Words | Counted::EditDistance => {
            let overlap = overlap(&page.text, content, measure);
            Ok((overlap, overlap.outcome()))
        }
        Counted::Weighted(weights) => {
            let mut vocabulary = Vocabulary::default();
            let gold = vocabulary.words(&page.text, measure.tokens);
            let title = page.text.trim_start().lines().next().unwrap_or_default();
            let title_words = vocabulary.words(title, measure.tokens).len();
            let extracted = vocabulary.words(content, measure.tokens);
            Ok(weighted(&gold, title_words, &extracted, &weights))
        }
        Counted::Nodes => {
            let overlap = trees.overlap(page, text, content, measure.tokens);
            let overlap = overlap.ok_or("the page was not parsed")?;
            Ok((overlap, overlap.outcome()))
        }
    }
}

fn failed(page: &GoldPage, measure: Measure) -> Outcome {
    Outcome::failed(&Vocabulary::default().words(&page.text, measure.tokens))
}

fn overlap(gold: &str, extracted: &str, measure: Measure) -> Overlap {
    let mut vocabulary = Vocabulary::default();
    if measure.overlapping == Overlapping::RougeLsum {
        let gold = vocabulary.lines(gold, measure.tokens);
        return rouge_lsum(&gold, &vocabulary.lines(extracted, measure.tokens));
    }
    let gold = vocabulary.words(gold, measure.tokens);
    let extracted = vocabulary.words(extracted, measure.tokens);
    match measure.overlapping {
        Overlapping::Difflib => ratcliff_obershelp(&gold, &extracted, Autojunk::On),
        Overlapping::Bag => bag_of_words(&gold, &extracted),
        _ => lcs(&gold, &extracted),
    }
}
