//! Counts of pages by outcome.

use std::fmt;
use std::ops::AddAssign;

use crate::Outcome;

/// The number of pages with each [`Outcome`]: the table of [K 5.3].
///
/// `Display` prints every count, including the zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cases {
    /// Pages with a score.
    pub measured: usize,
    /// Pages that count 0: the texts have no word in common.
    pub no_overlap: usize,
    /// Pages that count 0: nothing was extracted.
    pub empty_extraction: usize,
    /// Pages that count 0: the extractor failed.
    pub failed: usize,
    /// Pages that do not count: a text was extracted, the gold text is empty.
    pub empty_gold: usize,
    /// Pages that do not count: nothing was extracted, the gold text is empty.
    pub both_empty: usize,
    /// Pages that do not count: the extractor failed, the gold text is empty.
    pub failed_without_gold: usize,
}

impl Cases {
    /// The number of pages that count in a mean: pages with a gold text.
    pub fn counted(&self) -> usize {
        self.measured + self.no_overlap + self.empty_extraction + self.failed
    }

    /// The number of all pages.
    pub fn pages(&self) -> usize {
        self.counted() + self.empty_gold + self.both_empty + self.failed_without_gold
    }

    pub(crate) fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Measured(_) => &mut self.measured,
            Outcome::NoOverlap => &mut self.no_overlap,
            Outcome::EmptyExtraction => &mut self.empty_extraction,
            Outcome::Failed => &mut self.failed,
            Outcome::EmptyGold => &mut self.empty_gold,
            Outcome::BothEmpty => &mut self.both_empty,
            Outcome::FailedWithoutGold => &mut self.failed_without_gold,
        };
        *count += 1;
    }
}

impl AddAssign for Cases {
    fn add_assign(&mut self, other: Cases) {
        self.measured += other.measured;
        self.no_overlap += other.no_overlap;
        self.empty_extraction += other.empty_extraction;
        self.failed += other.failed;
        self.empty_gold += other.empty_gold;
        self.both_empty += other.both_empty;
        self.failed_without_gold += other.failed_without_gold;
    }
}

impl fmt::Display for Cases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pages with gold ({} measured, {} without overlap, {} empty, {} failed), \
             {} without ({} extracted, {} empty, {} failed)",
            self.counted(),
            self.measured,
            self.no_overlap,
            self.empty_extraction,
            self.failed,
            self.pages() - self.counted(),
            self.empty_gold,
            self.both_empty,
            self.failed_without_gold,
        )
    }
}
