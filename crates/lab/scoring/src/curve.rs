//! Scores by position in a stream of pages.

use std::collections::BTreeMap;

use crate::{Cases, MacroSummary, Outcome, Score, Summary};

/// The mean score of the pages so far, with their counts by outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Average {
    /// Counts by outcome of all pages so far, including pages that do not count.
    pub cases: Cases,
    /// The mean over the pages so far that have gold; `None` before the first of them.
    pub mean: Option<Score>,
}

/// Returns the cumulative moving average [P 5.2, equation 4]: for every page, the mean
/// of all pages up to and including it, in the order given. For the pages of one
/// domain this is a curve of figure 4, for a whole stream a curve of figure 5.
///
/// The last mean equals that of [`Summary::from_outcomes`] bit for bit.
pub fn cumulative_average(
    outcomes: impl IntoIterator<Item = Outcome>,
) -> impl Iterator<Item = Average> {
    let mut cases = Cases::default();
    let mut sum = Score::ZERO;
    outcomes.into_iter().map(move |outcome| {
        cases.add(outcome);
        if let Some(score) = outcome.counted() {
            sum.precision += score.precision;
            sum.recall += score.recall;
            sum.f1 += score.f1;
        }
        let pages = cases.counted() as f64;
        let mean = Score {
            precision: sum.precision / pages,
            recall: sum.recall / pages,
            f1: sum.f1 / pages,
        };
        Average {
            cases,
            mean: (cases.counted() > 0).then_some(mean),
        }
    })
}

/// The outcome of a page, and its position in the stream of its domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageInStream<'a> {
    /// The domain of the page.
    pub domain: &'a str,
    /// The number of pages of the domain that the extractor saw before this one, with
    /// gold or without: 0 for the first.
    pub earlier: usize,
    /// The outcome of the page.
    pub outcome: Outcome,
}

/// Scores by the number of earlier pages of the same domain.
///
/// [P 5.5] claims that 10 to 100 earlier pages are enough.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearningCurve {
    /// The first ten pages of each domain.
    pub pages_1_to_10: MacroSummary,
    /// Pages 11 to 100 of each domain with more than 10 pages.
    pub pages_11_to_100: MacroSummary,
    /// Pages from 101 on.
    pub pages_from_101: MacroSummary,
    /// Summaries by the number of earlier pages. Each covers one page of every domain
    /// that is long enough.
    pub points: BTreeMap<usize, Summary>,
}

impl LearningCurve {
    /// Computes the curve of a stream of pages. Within a domain or a point, scores are
    /// added in the order given.
    pub fn from_pages<'a>(pages: impl IntoIterator<Item = PageInStream<'a>>) -> Self {
        let mut buckets: [Vec<(&str, Outcome)>; 3] = Default::default();
        let mut points: BTreeMap<usize, Vec<Outcome>> = BTreeMap::new();
        for page in pages {
            let bucket = match page.earlier {
                0..10 => 0,
                10..100 => 1,
                100.. => 2,
            };
            buckets[bucket].push((page.domain, page.outcome));
            points.entry(page.earlier).or_default().push(page.outcome);
        }
        let [first, second, third] = buckets.map(MacroSummary::from_pages);
        LearningCurve {
            pages_1_to_10: first,
            pages_11_to_100: second,
            pages_from_101: third,
            points: points
                .into_iter()
                .map(|(earlier, outcomes)| (earlier, Summary::from_outcomes(outcomes)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::page;

    #[test]
    fn the_average_moves_with_every_page_that_has_gold() {
        let pages = [
            Outcome::EmptyGold,
            page(4),
            page(2),
            Outcome::BothEmpty,
            page(0),
        ];
        let averages: Vec<Average> = cumulative_average(pages).collect();
        let f1: Vec<Option<f64>> = averages
            .iter()
            .map(|average| average.mean.map(|mean| mean.f1))
            .collect();
        assert_eq!(f1, [None, Some(1.0), Some(0.75), Some(0.75), Some(0.5)]);
        let counted: Vec<usize> = averages
            .iter()
            .map(|average| average.cases.counted())
            .collect();
        assert_eq!(counted, [0, 1, 2, 2, 3]);
        assert_eq!(averages[4].cases, Summary::from_outcomes(pages).cases);
    }

    #[test]
    fn buckets_end_after_ten_and_a_hundred_pages() {
        let stream = (0..150).map(|earlier| PageInStream {
            domain: if earlier % 2 == 0 {
                "even.eu"
            } else {
                "odd.eu"
            },
            earlier,
            outcome: page(4),
        });
        let curve = LearningCurve::from_pages(stream);
        let pages = [
            &curve.pages_1_to_10,
            &curve.pages_11_to_100,
            &curve.pages_from_101,
        ]
        .map(|bucket| bucket.cases.counted());
        assert_eq!(pages, [10, 90, 50]);
        assert_eq!(curve.points.len(), 150);
    }

    #[test]
    fn points_average_pages_and_buckets_average_domains() {
        let pages = [
            ("a.eu", 0, page(0)),
            ("b.eu", 0, page(2)),
            ("a.eu", 1, page(4)),
            ("a.eu", 2, page(4)),
            ("a.eu", 12, Outcome::Failed),
        ];
        let curve =
            LearningCurve::from_pages(pages.map(|(domain, earlier, outcome)| PageInStream {
                domain,
                earlier,
                outcome,
            }));
        let f1 = |spread: Option<crate::Spread>| spread.map(|spread| spread.mean.f1);
        let points: Vec<_> = curve
            .points
            .iter()
            .map(|(earlier, summary)| (*earlier, summary.cases.counted(), f1(summary.spread)))
            .collect();
        assert_eq!(
            points,
            [
                (0, 2, Some(0.25)),
                (1, 1, Some(1.0)),
                (2, 1, Some(1.0)),
                (12, 1, Some(0.0))
            ]
        );
        // The mean of a.eu is 2/3, that of b.eu 1/2.
        let first = f1(curve.pages_1_to_10.spread).expect("pages with gold");
        assert!((first - 7.0 / 12.0).abs() < 1e-12, "{first}");
        assert_eq!(f1(curve.pages_11_to_100.spread), Some(0.0));
        assert_eq!(curve.pages_11_to_100.cases.failed, 1);
        assert_eq!(curve.pages_from_101.spread, None);
    }
}
