//! Each page's text against its gold.

use std::collections::HashMap;

use scoring::{
    Autojunk, Outcome, Overlap, Tokens, Vocabulary, lcs, ratcliff_obershelp, rouge_lsum,
};

use crate::{Cause, GoldPage, Kind, Texts};

/// What two texts have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlapping {
    /// The longest common subsequence of their words, as the paper says [P 5.2].
    #[default]
    Lcs,
    /// What Python's `difflib` finds by default, as in the thesis.
    Difflib,
    /// ROUGE-LSum.
    RougeLsum,
}

/// How texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// How they are cut into words.
    pub tokens: Tokens,
    /// What of them they have in common.
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

/// What came of one page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageResult {
    /// The gold set.
    pub set: String,
    /// The extractor.
    pub extractor: String,
    /// What it is.
    pub kind: Kind,
    /// Its version, where it is known.
    pub version: Option<String>,
    /// The page.
    pub url: String,
    /// Its domain.
    pub domain: String,
    /// Its language, where the set says so.
    pub lang: Option<String>,
    /// When it was fetched, in microseconds since 1970, UTC.
    pub fetched_at: Option<i64>,
    /// Pages of the domain before it in the set.
    pub earlier: usize,
    /// Words of the gold, of the extraction, and in common; `None` where the
    /// extractor failed.
    pub overlap: Option<Overlap>,
    /// The score, or the boundary case.
    pub outcome: Outcome,
    /// What cost the page most of its score, where the text was made of blocks.
    pub cause: Option<Cause>,
    /// Why the extractor failed.
    pub error: Option<String>,
    /// Processor time, where it was measured.
    pub cpu_seconds: Option<f64>,
}

/// What `texts` has of those pages of a set that are `wanted`, in their order. A page
/// that it has no word about is one on which the extractor failed.
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
