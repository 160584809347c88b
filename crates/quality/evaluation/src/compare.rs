//! Comparison of each page's text with its gold text.

use std::collections::HashMap;

use scoring::{
    Autojunk, Outcome, Overlap, Tokens, Vocabulary, lcs, ratcliff_obershelp, rouge_lsum,
};

use crate::{Cause, GoldPage, Kind, Texts};

/// The measure of the words that two texts have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlapping {
    /// The longest common subsequence of words, as in the paper [P 5.2].
    #[default]
    Lcs,
    /// The matches of Python's `difflib` with its defaults, as in the thesis.
    Difflib,
    /// ROUGE-LSum.
    RougeLsum,
}

/// The method of comparing texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The rule for cutting texts into words.
    pub tokens: Tokens,
    /// The rule for words in common.
    pub overlapping: Overlapping,
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            tokens: Tokens::Unicode,
            overlapping: Overlapping::default(),
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
    /// Words of the gold text, of the extraction, and in common; `None` if the extractor
    /// failed.
    pub overlap: Option<Overlap>,
    /// The score, or the boundary case.
    pub outcome: Outcome,
    /// The main cause of the page's loss of score, if the text was made of blocks.
    pub cause: Option<Cause>,
    /// The error of the extractor, if it failed.
    pub error: Option<String>,
    /// Processor time, if it was measured.
    pub cpu_seconds: Option<f64>,
}

/// Compares `texts` with the gold texts of the `wanted` pages of a set, in their order.
/// Pages are found by URL and, if the set has times, by time of fetch. A page without a
/// text counts as a failure of the extractor.
pub fn compare(
    set: &str,
    gold: &[GoldPage],
    wanted: impl Fn(&GoldPage) -> bool,
    texts: &Texts,
    measure: Measure,
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
            let (overlap, outcome, error) = match text.map(|text| &text.text) {
                Some(Ok(text)) => {
                    let overlap = overlap(&page.text, text, measure);
                    (Some(overlap), overlap.outcome(), None)
                }
                Some(Err(error)) => (None, failed(page, measure), Some(error.clone())),
                None => (None, failed(page, measure), Some("no text".to_owned())),
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
                outcome,
                cause: blocks.and_then(|blocks| Cause::of(&page.text, blocks, measure.tokens)),
                error,
                cpu_seconds: text.and_then(|text| text.cpu_seconds),
            }
        })
        .collect()
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
        _ => lcs(&gold, &extracted),
    }
}
