//! The prior of a block of an unknown site, learned from pages of other sites.
//!
//! A site of few pages says little about its template. Its pages are judged by two small [nets](Nets) over numbers of
//! their blocks: length, links, punctuation and letters, place, elements, words of classes, neighbours, what the page
//! declares to be, on how many of the site's pages the block is, and the reason of the rules. They know the rules,
//! so they correct them. `prior.bin` has their weights, and `prior.md` says from which pages they were learned.
//!
//! It drops blocks of the rules that are more likely boilerplate, but for the title and code. Of the blocks that the
//! rules drop it keeps, on lists, products and threads, those that are likely content, and on other pages those that
//! surely are, and no comments. The more pages of the site are known, the surer it must be. Whole other articles that
//! the site is known for stay boilerplate, and pages of a few blocks are not judged.

mod features;
mod inputs;
mod logistic;
mod net;
mod nets;
mod numbers;
mod page;
mod structure;

use std::ops::Range;

pub use features::FEATURES;
pub use inputs::{GROUPS, INPUTS, Inputs, LEVELS};
pub use net::{
    CHANNELS, CODES, ELEMENT, LAYERS, Layer, LikelyKind, Matrix, Net, PageKind, STEPS, Said,
    add_products, means, read_steps, unit, unit_scale,
};
pub use nets::Nets;

use crate::outline::Outline;
use crate::reason::Reason;
use crate::thresholds::prior as least;
use logistic::probability;
pub(crate) use structure::Surroundings;

/// The judgement of the prior about the blocks of a page. Logits are in 1/256.
#[derive(Debug)]
pub(crate) struct Verdicts {
    logits: Vec<i32>,
    /// The logit above which the kept blocks have the greatest expected F1.
    best: i32,
    kind: Option<LikelyKind>,
    /// The logit from which on a block is surely content.
    sure: i32,
}

impl Verdicts {
    pub(crate) fn new(
        nets: &Nets,
        surroundings: &Surroundings<'_>,
        main: &Range<usize>,
        reasons: &[Reason],
    ) -> Self {
        let said = nets.say(&Inputs::new(surroundings, main, reasons));
        let logits: Vec<i32> = said.logits.iter().map(|logit| in_256ths(*logit)).collect();
        // The site knows more with each page.
        let pages = i32::try_from(surroundings.counts.pages).unwrap_or(i32::MAX);
        Self {
            best: best_logit(surroundings.outline, &logits),
            kind: said.kind(),
            sure: least::SURE.saturating_mul(pages.saturating_add(1)) / 2,
            logits,
        }
    }

    /// Returns whether a block is more likely boilerplate.
    pub(crate) fn drops(&self, at: usize) -> bool {
        self.logits[at] < self.best.min(0)
    }

    /// Returns what the page is likely.
    pub(crate) fn kind(&self) -> Option<LikelyKind> {
        self.kind
    }

    /// Returns whether a block is likely content on a list, a product or a thread.
    pub(crate) fn keeps(&self, at: usize) -> bool {
        self.kind.is_some_and(|likely| likely.kind.is_list())
            && self.logits[at] >= self.best.max(least::LEAST_KEPT)
    }

    /// Returns whether a block is surely content, on a page of any kind.
    pub(crate) fn is_sure(&self, at: usize) -> bool {
        self.logits[at] >= self.best.max(self.sure)
    }
}

/// Returns a logit in 1/256. A cast of a number to an integer saturates.
fn in_256ths(logit: f32) -> i32 {
    (logit * 256.0).round() as i32
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
