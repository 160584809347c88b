//! The paper's second experiment: a parameter is chosen on the first pages of each stream
//! and measured on the rest [P 5.5].

use arrow::array::RecordBatch;
use scoring::{MacroSummary, Spread};
use site_replay::{Labelling, SiteSettings};
use url_tree::Heuristic;

use crate::results::summary;
use crate::table::Table;
use crate::{GoldSet, InputError, Measure, PageResult, compare, replay};

/// The supports that are tried: 100 to 1,000 in steps of 100.
pub const SUPPORTS: [u32; 10] = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000];

/// A heuristic with one value of its parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tried {
    /// The heuristic: family and parameter.
    pub heuristic: Heuristic,
    /// Scores over the pages of the prefix.
    pub prefix: MacroSummary,
    /// Scores over the pages after the prefix.
    pub rest: MacroSummary,
    /// Whether it is the best of its family on the prefix. Of equal ones, the smallest
    /// parameter is chosen.
    pub chosen: bool,
}

/// Tries [`SUPPORTS`] for `strict-support-N` and for both readings of the paper's relaxed
/// heuristic, `relaxed-at-domain-N` and `relaxed-strict-N`. The prefix is
/// the first `share` of the pages of each set, from 0 to 1. In the paper's experiment
/// pages are inserted one by one and none is evicted for its age [P 5.5].
///
/// # Errors
/// [`InputError`], also if a set has no HTML.
pub fn tune(
    sets: &[GoldSet],
    share: f64,
    measure: Measure,
    settings: &SiteSettings,
) -> Result<Vec<Tried>, InputError> {
    let families: [fn(u32) -> Heuristic; 3] = [
        Heuristic::StrictSupport,
        Heuristic::RelaxedAtDomain,
        Heuristic::RelaxedStrict,
    ];
    let heuristics: Vec<Heuristic> = (families.iter())
        .flat_map(|family| SUPPORTS.map(family))
        .collect();
    let labellings: Vec<Labelling> = heuristics.iter().copied().map(Labelling::Tree).collect();
    let mut results: Vec<Halves> = heuristics.iter().map(|_| Halves::default()).collect();
    for set in sets {
        let pages = set.pages_keyed_by(&settings.keyer)?;
        let prefix = (pages.len() as f64 * share).round() as usize;
        let texts = replay(set, &pages, &labellings, settings)?;
        for (texts, halves) in texts.iter().zip(&mut results) {
            let mut results = compare(set.name(), &pages, |_| true, texts, measure);
            halves
                .rest
                .extend(results.split_off(prefix.min(results.len())));
            halves.prefix.extend(results);
        }
    }
    let mut tried: Vec<Tried> = (heuristics.iter().zip(&results))
        .map(|(heuristic, halves)| Tried {
            heuristic: *heuristic,
            prefix: summary(&halves.prefix),
            rest: summary(&halves.rest),
            chosen: false,
        })
        .collect();
    for family in tried.chunks_mut(SUPPORTS.len()) {
        let f1 = |tried: &Tried| mean_f1(tried.prefix.spread);
        // `max_by` returns the last of equal elements.
        let best = (family.iter_mut().rev()).max_by(|one, other| f1(one).total_cmp(&f1(other)));
        if let Some(best) = best {
            best.chosen = true;
        }
    }
    Ok(tried)
}

#[derive(Default)]
struct Halves {
    prefix: Vec<PageResult>,
    rest: Vec<PageResult>,
}

fn mean_f1(spread: Option<Spread>) -> f64 {
    spread.map_or(0.0, |spread| spread.mean.f1)
}

/// Returns a table with one row per heuristic that was tried.
pub fn tuning_table(tried: &[Tried]) -> RecordBatch {
    let f1 = |summary: &MacroSummary| Some(summary.spread?.mean.f1);
    Table::of(tried)
        .text("heuristic", |tried| Some(tried.heuristic.to_string()))
        .number("f1_prefix", |tried| f1(&tried.prefix))
        .number("f1_rest", |tried| f1(&tried.rest))
        .flag("chosen", |tried| tried.chosen)
        .finish()
}
