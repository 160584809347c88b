//! Histograms of scores.

use crate::{Cases, Outcome};

/// The number of bins of a [`Histogram`] [K 5.2].
pub const BINS: usize = 20;

/// The number of pages in each of 20 equal intervals of the score, for each measure
/// [K figures 5.3, 5.4].
///
/// A bin includes its lower end; the last bin also includes 1. The pages are those that
/// count in a mean. A page that counts 0 is therefore in the first bin;
/// [`cases`](Self::cases) has the number of these pages by reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Histogram {
    /// Counts by outcome of all pages, including pages that do not count.
    pub cases: Cases,
    /// Pages by precision.
    pub precision: [usize; BINS],
    /// Pages by recall.
    pub recall: [usize; BINS],
    /// Pages by F1.
    pub f1: [usize; BINS],
}

impl Histogram {
    /// Counts the scores of pages.
    pub fn from_outcomes(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut histogram = Histogram {
            cases: Cases::default(),
            precision: [0; BINS],
            recall: [0; BINS],
            f1: [0; BINS],
        };
        for outcome in outcomes {
            histogram.cases.add(outcome);
            if let Some(score) = outcome.counted() {
                histogram.precision[bin(score.precision)] += 1;
                histogram.recall[bin(score.recall)] += 1;
                histogram.f1[bin(score.f1)] += 1;
            }
        }
        histogram
    }
}

/// Returns the bin of a score.
///
/// Rounding does not move a score into a neighbouring bin: a score is a ratio of two
/// word counts, and one that is not the end of a bin is further from it than the
/// rounding error of the product.
fn bin(value: f64) -> usize {
    ((value * BINS as f64) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Overlap;

    #[test]
    fn bins_include_their_lower_end_and_the_last_bin_also_one() {
        // Exact twentieths of 20 to 20,000 words, and each with one word less.
        let mut seen = 0;
        for words in (20..=20_000).step_by(980) {
            for twentieths in 1..=20 {
                let at = words * twentieths / 20;
                assert_eq!(bin(at as f64 / words as f64), twentieths.min(19));
                assert_eq!(bin((at - 1) as f64 / words as f64), twentieths - 1);
                seen += 1;
            }
        }
        assert_eq!(seen, 21 * 20);
        assert_eq!(bin(0.0), 0);
    }

    #[test]
    fn each_measure_has_its_own_bins() {
        let half = Overlap::new(10, 20, 10).expect("ten of each");
        let pages = [half.outcome(), Outcome::NoOverlap, Outcome::EmptyGold];
        let histogram = Histogram::from_outcomes(pages);
        let filled = |bins: [usize; BINS]| -> Vec<(usize, usize)> {
            let filled = bins.into_iter().enumerate();
            filled.filter(|(_, pages)| *pages > 0).collect()
        };
        assert_eq!(filled(histogram.precision), [(0, 1), (10, 1)]);
        assert_eq!(filled(histogram.recall), [(0, 1), (19, 1)]);
        assert_eq!(filled(histogram.f1), [(0, 1), (13, 1)]);
        assert_eq!((histogram.cases.counted(), histogram.cases.pages()), (2, 3));
    }
}
