//! Distributions of scores.

use crate::{Cases, Outcome};

/// Bins of a [`Histogram`] [K 5.2].
pub const BINS: usize = 20;

/// How many pages have a score in each of 20 equal parts of the interval from 0 to 1
/// [K figures 5.3, 5.4], for each measure.
///
/// A bin contains its lower end; the last one contains 1 too. The pages are those of
/// a mean, so a page that counts 0 is in the first bin, and [`cases`](Self::cases)
/// says how many of these there are and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Histogram {
    /// What came out of the pages, those that do not count too.
    pub cases: Cases,
    /// Pages by precision.
    pub precision: [usize; BINS],
    /// Pages by recall.
    pub recall: [usize; BINS],
    /// Pages by F1.
    pub f1: [usize; BINS],
}

impl Histogram {
    /// The histogram of many pages.
    pub fn of(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
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

/// The bin of a value. A ratio of counts of words that is not the end of a bin is
/// further from it than the rounding of the product.
fn bin(value: f64) -> usize {
    ((value * BINS as f64) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Overlap;

    #[test]
    fn a_bin_contains_its_lower_end_and_the_last_one_both() {
        // Twentieths of pages of 20 to 20,000 words, and a word less.
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
    fn each_measure_is_counted_by_itself_beside_its_cases() {
        let half = Overlap::new(10, 20, 10).expect("ten of each");
        let pages = [half.outcome(), Outcome::NoOverlap, Outcome::EmptyGold];
        let histogram = Histogram::of(pages);
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
