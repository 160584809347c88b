//! Means over pages and over domains.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Cases, Outcome, Score};

/// Statistics of the scores of many pages, with their counts by outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Counts by outcome of all pages, including pages that do not count.
    pub cases: Cases,
    /// Statistics over the pages that have gold; `None` if no page has gold.
    pub spread: Option<Spread>,
}

/// Mean, median and standard deviation of each measure.
///
/// The measures are independent: the mean F1 is the mean of the pages' F1
/// [K equation 3.13], not the F1 of the mean precision and recall.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spread {
    /// The mean. Scores are added in the order of the pages.
    pub mean: Score,
    /// The median; for an even number of pages, the mean of the two in the middle.
    pub median: Score,
    /// The standard deviation as in [K 5.2]. The sum of squares is divided by the
    /// number of pages, not by one less: the pages are the whole population.
    pub standard_deviation: Score,
}

impl Summary {
    /// Summarises pages. Scores are added in the order given.
    pub fn from_outcomes(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut cases = Cases::default();
        let mut scores = Vec::new();
        for outcome in outcomes {
            cases.add(outcome);
            scores.extend(outcome.counted());
        }
        Summary {
            cases,
            spread: Spread::from_scores(&scores),
        }
    }
}

/// Statistics over domains. Every domain has the same weight, however many pages it has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MacroSummary {
    /// Counts by outcome of the pages of all domains.
    pub cases: Cases,
    /// The summary of each domain, by name.
    pub domains: BTreeMap<String, Summary>,
    /// Statistics over the means of the domains that have gold, added in the order of
    /// their names; `None` if no domain has gold.
    pub spread: Option<Spread>,
}

impl MacroSummary {
    /// Summarises pages by domain. Within a domain, scores are added in the order given.
    pub fn from_pages<'a>(pages: impl IntoIterator<Item = (&'a str, Outcome)>) -> Self {
        let mut outcomes: BTreeMap<&str, Vec<Outcome>> = BTreeMap::new();
        for (domain, outcome) in pages {
            outcomes.entry(domain).or_default().push(outcome);
        }
        let domains: BTreeMap<String, Summary> = outcomes
            .into_iter()
            .map(|(domain, outcomes)| (domain.to_owned(), Summary::from_outcomes(outcomes)))
            .collect();
        let mut cases = Cases::default();
        for summary in domains.values() {
            cases += summary.cases;
        }
        let means = domains.values().filter_map(|summary| summary.spread);
        let means: Vec<Score> = means.map(|spread| spread.mean).collect();
        MacroSummary {
            cases,
            domains,
            spread: Spread::from_scores(&means),
        }
    }

    /// The number of domains that count in the mean: domains with a page that has gold.
    pub fn counted_domains(&self) -> usize {
        let counted = self.domains.values();
        counted.filter(|summary| summary.spread.is_some()).count()
    }
}

impl Spread {
    fn from_scores(scores: &[Score]) -> Option<Self> {
        if scores.is_empty() {
            return None;
        }
        Some(Spread {
            mean: Score::per_measure(scores, mean),
            median: Score::per_measure(scores, median),
            standard_deviation: Score::per_measure(scores, standard_deviation),
        })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => mean(&sorted[middle - 1..=middle]),
        _ => sorted[middle],
    }
}

fn standard_deviation(values: &[f64]) -> f64 {
    let center = mean(values);
    let squares: Vec<f64> = values
        .iter()
        .map(|value| (value - center).powi(2))
        .collect();
    mean(&squares).sqrt()
}

/// Prints `F1 0.885 (P 0.851, R 0.957; median 0.940, sd 0.102) over ` and the cases.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_spread(f, self.spread.as_ref())?;
        write!(f, " over {}", self.cases)
    }
}

/// Prints the format of [`Summary`], with the number of domains before the cases.
impl fmt::Display for MacroSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_spread(f, self.spread.as_ref())?;
        write!(
            f,
            " over {} of {} domains, {}",
            self.counted_domains(),
            self.domains.len(),
            self.cases
        )
    }
}

fn write_spread(f: &mut fmt::Formatter<'_>, spread: Option<&Spread>) -> fmt::Result {
    let Some(spread) = spread else {
        return f.write_str("no F1");
    };
    write!(
        f,
        "F1 {:.3} (P {:.3}, R {:.3}; median {:.3}, sd {:.3})",
        spread.mean.f1,
        spread.mean.precision,
        spread.mean.recall,
        spread.median.f1,
        spread.standard_deviation.f1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::page;

    #[test]
    fn failed_and_empty_extractions_count_zero_and_are_reported() {
        let pages = [page(4), page(2), Outcome::EmptyExtraction, Outcome::Failed];
        let summary = Summary::from_outcomes(pages);
        let spread = summary.spread.expect("pages with gold");
        assert_eq!(spread.mean.f1, 0.375);
        assert_eq!(spread.median.f1, 0.25);
        // Distances from the mean: .625, .125, .375, .375.
        assert_eq!(spread.standard_deviation.f1, (0.6875_f64 / 4.0).sqrt());
        assert_eq!(
            summary.to_string(),
            "F1 0.375 (P 0.375, R 0.375; median 0.250, sd 0.415) over 4 pages with gold \
             (2 measured, 0 without overlap, 1 empty, 1 failed), \
             0 without (0 extracted, 0 empty, 0 failed)"
        );
    }

    #[test]
    fn pages_without_gold_are_reported_but_do_not_count() {
        use Outcome::{BothEmpty, EmptyGold, FailedWithoutGold};
        let some = Summary::from_outcomes([page(4), page(1)]);
        let all =
            Summary::from_outcomes([EmptyGold, page(4), BothEmpty, FailedWithoutGold, page(1)]);
        assert_eq!(all.spread, some.spread);
        assert_eq!((all.cases.counted(), all.cases.pages()), (2, 5));
        assert_eq!(
            Summary::from_outcomes([BothEmpty]).to_string(),
            "no F1 over 0 pages with gold \
             (0 measured, 0 without overlap, 0 empty, 0 failed), \
             1 without (0 extracted, 1 empty, 0 failed)"
        );
    }

    #[test]
    fn every_domain_has_the_same_weight() {
        let large = (0..30).map(|_| ("large.eu", page(4)));
        let small = [
            ("small.eu", page(2)),
            ("bare.eu", Outcome::BothEmpty),
            ("small.eu", page(0)),
        ];
        let summary = MacroSummary::from_pages(large.chain(small));
        let spread = summary.spread.expect("domains with gold");
        assert_eq!(spread.mean.f1, 0.625);
        assert_eq!(spread.standard_deviation.f1, 0.375);
        assert_eq!((summary.counted_domains(), summary.domains.len()), (2, 3));
        assert_eq!((summary.cases.counted(), summary.cases.no_overlap), (32, 1));
        assert_eq!(summary.cases.both_empty, 1);
        assert!(
            summary
                .to_string()
                .contains("over 2 of 3 domains, 32 pages")
        );
    }

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_one() {
        let spread = Summary::from_outcomes([page(4), page(1), page(3)]).spread;
        assert_eq!(spread.map(|spread| spread.median.f1), Some(0.75));
    }
}
