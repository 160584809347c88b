//! The prior of a block of an unknown site, learned from pages of other sites.
//!
//! A site of few pages says nothing about its template. The rules then judge a page by itself, and
//! this prior corrects them: trees over numbers of a block, such as its length, links, punctuation,
//! place, elements, words of classes, neighbours and the reason of the rules. They were learned by
//! the example `prior` of `urltree-evaluation` from the Web Content Extraction Benchmark (WCXB,
//! Foley 2026, CC-BY-4.0), 1,338 pages of seven kinds. `prior.txt` has the trees.
//!
//! It has two stages. The first sees a block and the elements around it. The second sees the
//! probabilities of the first as well: of the block, its neighbours, its path and its elements.
//!
//! The prior decides less where it knows less:
//!
//! - It never drops the page's own title, and drops other blocks of the rules if they are more
//!   likely boilerplate.
//! - Blocks that the rules drop are kept on pages that are lists, products or threads. The blocks
//!   with the greatest expected F1 are kept: the surer the text, the higher the threshold. On other
//!   pages a block must be three times more likely content than boilerplate, and no comment, because
//!   articles of other sets lose by more: `scrapinghub` .960 to .952.
//! - They are kept only on pages that are divided by elements of HTML 5, like those that it was
//!   learned from. News pages of 2012 lose .02 without this condition.
//! - Whole other articles that the site is known for stay boilerplate.

mod context;
mod features;
mod logistic;
mod model;
mod numbers;
mod page;
mod structure;

use std::ops::Range;

pub use context::{SECOND_FEATURES, SecondFeatures, feature_name};
pub use features::{FEATURES, Features};
pub use model::{Prior, Tree, Trees};
pub use page::{PAGE_FEATURES, PageFeatures};

use crate::outline::Outline;
use crate::reason::Reason;
use crate::thresholds::prior as least;
use context::second_features;
use features::features;
use logistic::probability;
use page::page_features;
pub(crate) use structure::Surroundings;

/// The numbers of a page and of its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Numbers of the page.
    pub page: PageFeatures,
    /// Numbers of each block.
    pub blocks: Vec<Features>,
}

impl Numbers {
    /// Returns the numbers of a page. `main` are the blocks of the main branch, and `reasons` those
    /// of the rules.
    pub(crate) fn new(
        surroundings: &Surroundings<'_>,
        main: &Range<usize>,
        reasons: &[Reason],
    ) -> Self {
        Numbers {
            page: page_features(surroundings, main, reasons),
            blocks: features(surroundings, main, reasons),
        }
    }
}

/// The judgement of the prior about the blocks of a page.
#[derive(Debug)]
pub(crate) struct Verdicts {
    logits: Vec<i32>,
    /// The logit above which the kept blocks have the greatest expected F1.
    best: i32,
    /// The page is a list, a product or a thread.
    is_list: bool,
}

impl Verdicts {
    pub(crate) fn new(
        prior: &Prior,
        surroundings: &Surroundings<'_>,
        main: &Range<usize>,
        reasons: &[Reason],
    ) -> Self {
        let numbers = Numbers::new(surroundings, main, reasons);
        let logits = prior.logits(surroundings, &numbers);
        Self {
            best: best_logit(surroundings.outline, &logits),
            is_list: prior.pages.logit(&numbers.page) > least::NO_ARTICLE,
            logits,
        }
    }

    /// Returns whether a block is more likely boilerplate.
    pub(crate) fn drops(&self, at: usize) -> bool {
        self.logits[at] < self.best.min(0)
    }

    /// Returns whether a block is likely content on a list, a product or a thread.
    pub(crate) fn keeps(&self, at: usize) -> bool {
        self.is_list && self.logits[at] >= self.best.max(least::LEAST_KEPT)
    }

    /// Returns whether a block is surely content, on a page of any kind.
    pub(crate) fn is_sure(&self, at: usize) -> bool {
        self.logits[at] >= self.best.max(least::SURE)
    }
}

impl Prior {
    /// Returns the logits of the blocks of a page: of the second stage, if the model has one.
    fn logits(&self, surroundings: &Surroundings<'_>, numbers: &Numbers) -> Vec<i32> {
        if self.second.trees.is_empty() {
            return self.first_logits(numbers);
        }
        let second = self.second_numbers(surroundings, numbers);
        self.second.logits(&second)
    }

    fn first_logits(&self, numbers: &Numbers) -> Vec<i32> {
        self.blocks.logits(&numbers.blocks)
    }

    /// Returns the numbers of the second stage of the blocks of a page.
    pub(crate) fn second_numbers(
        &self,
        surroundings: &Surroundings<'_>,
        numbers: &Numbers,
    ) -> Vec<SecondFeatures> {
        let first = self.first_logits(numbers);
        let best = best_logit(surroundings.outline, &first);
        second_features(surroundings, &numbers.blocks, &first, best)
    }
}

/// Returns the logit above which the blocks of a page have the greatest expected F1 by characters.
fn best_logit(outline: &Outline, logits: &[i32]) -> i32 {
    let chars = |at: usize| u64::from(outline.blocks[at].chars);
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_unstable_by_key(|at| (std::cmp::Reverse(logits[*at]), *at));
    let content = |at: usize| probability(logits[at]) * chars(at);
    let all: u64 = order.iter().map(|at| content(*at)).sum();
    let (mut common, mut kept) = (0, 0);
    // Of each prefix the expected common text, and the sum of both lengths, in thousandths.
    let (mut best, mut best_common, mut best_lengths) = (0, 0, 1);
    for at in order {
        common += content(at);
        kept += 1000 * chars(at);
        let lengths = (kept + all).max(1);
        let is_better = u128::from(common) * u128::from(best_lengths)
            > u128::from(best_common) * u128::from(lengths);
        if is_better {
            (best, best_common, best_lengths) = (logits[at], common, lengths);
        }
    }
    best
}
