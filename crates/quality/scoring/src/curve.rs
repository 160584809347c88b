//! Scores along a stream.

use std::collections::BTreeMap;

use crate::{Cases, MacroSummary, Outcome, Score, Summary};

/// The mean of the pages so far, with the cases it came from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Average {
    /// What came out of the pages so far, those that do not count too.
    pub cases: Cases,
    /// Over the pages so far that have gold; `None` before the first of them.
    pub mean: Option<Score>,
}

/// The cumulative moving average [P 5.2, equation 4]: after every page the mean of
/// all pages up to it, in the order given. Of one domain it is a curve of figure 4,
/// of a whole stream one of figure 5.
///
/// The last one is the mean of [`Summary::of`] the same pages, bit by bit.
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

/// What came out of a page, and where in the stream of its domain it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageInStream<'a> {
    /// The domain of the page.
    pub domain: &'a str,
    /// Pages of the domain that the extractor saw before this one, with gold or
    /// without: 0 for the first.
    pub earlier: usize,
    /// What came out of it.
    pub outcome: Outcome,
}

/// How scores change with the number of pages of the same domain that came before:
/// the claim of [P 5.5] is that 10 to 100 are enough.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LearningCurve {
    /// The first ten pages of each domain.
    pub pages_1_to_10: MacroSummary,
    /// Pages 11 to 100 of each domain that has so many.
    pub pages_11_to_100: MacroSummary,
    /// All later pages.
    pub pages_from_101: MacroSummary,
    /// By the number of earlier pages: all pages with that number, one of each
    /// domain that has so many.
    pub points: BTreeMap<usize, Summary>,
}

impl LearningCurve {
    /// The curve of the pages of a stream. Sums are in the order given, within
    /// a domain or a point.
    pub fn of<'a>(pages: impl IntoIterator<Item = PageInStream<'a>>) -> Self {
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
        let [first, second, third] = buckets.map(MacroSummary::of);
        LearningCurve {
            pages_1_to_10: first,
            pages_11_to_100: second,
            pages_from_101: third,
            points: (points.into_iter())
                .map(|(earlier, outcomes)| (earlier, Summary::of(outcomes)))
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
        let f1: Vec<Option<f64>> = (averages.iter())
            .map(|average| average.mean.map(|mean| mean.f1))
            .collect();
        assert_eq!(f1, [None, Some(1.0), Some(0.75), Some(0.75), Some(0.5)]);
        let counted: Vec<usize> = (averages.iter())
            .map(|average| average.cases.counted())
            .collect();
        assert_eq!(counted, [0, 1, 2, 2, 3]);
        assert_eq!(averages[4].cases, Summary::of(pages).cases);
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
        let curve = LearningCurve::of(stream);
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
    fn a_point_is_one_page_of_each_domain_and_a_bucket_its_domains_means() {
        let pages = [
            ("a.eu", 0, page(0)),
            ("b.eu", 0, page(2)),
            ("a.eu", 1, page(4)),
            ("a.eu", 2, page(4)),
            ("a.eu", 12, Outcome::Failed),
        ];
        let curve = LearningCurve::of(pages.map(|(domain, earlier, outcome)| PageInStream {
            domain,
            earlier,
            outcome,
        }));
        let f1 = |spread: Option<crate::Spread>| spread.map(|spread| spread.mean.f1);
        let points: Vec<_> = (curve.points.iter())
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
        // Means 2/3 of a.eu and 1/2 of b.eu.
        let first = f1(curve.pages_1_to_10.spread).expect("pages with gold");
        assert!((first - 7.0 / 12.0).abs() < 1e-12, "{first}");
        assert_eq!(f1(curve.pages_11_to_100.spread), Some(0.0));
        assert_eq!(curve.pages_11_to_100.cases.failed, 1);
        assert_eq!(curve.pages_from_101.spread, None);
    }
}
