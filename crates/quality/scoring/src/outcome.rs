//! What came out of one page.

use thiserror::Error;

use crate::WordId;

/// How many words a gold text and an extraction have, and how many in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Overlap {
    pub(crate) common: usize,
    pub(crate) extracted: usize,
    pub(crate) gold: usize,
}

/// More words in common than one of the texts has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{common} words in common, of {extracted} extracted and {gold} of the gold")]
pub struct ImpossibleOverlap {
    /// Words in common.
    pub common: usize,
    /// Words of the extraction.
    pub extracted: usize,
    /// Words of the gold text.
    pub gold: usize,
}

impl Overlap {
    /// An overlap that was measured elsewhere, in words.
    ///
    /// # Errors
    ///
    /// If there are more words in common than in one of the texts.
    pub fn new(common: usize, extracted: usize, gold: usize) -> Result<Self, ImpossibleOverlap> {
        if common > extracted.min(gold) {
            return Err(ImpossibleOverlap {
                common,
                extracted,
                gold,
            });
        }
        Ok(Overlap {
            common,
            extracted,
            gold,
        })
    }

    /// Words in common: "extracted relevant text" [P 5.2].
    pub fn common(self) -> usize {
        self.common
    }

    /// Words of the extraction: "all extracted text".
    pub fn extracted(self) -> usize {
        self.extracted
    }

    /// Words of the gold text: "all relevant text".
    pub fn gold(self) -> usize {
        self.gold
    }

    /// The score, or the boundary case that has none.
    pub fn outcome(self) -> Outcome {
        match (self.common, self.extracted, self.gold) {
            (_, 0, 0) => Outcome::BothEmpty,
            (_, _, 0) => Outcome::EmptyGold,
            (_, 0, _) => Outcome::EmptyExtraction,
            (0, _, _) => Outcome::NoOverlap,
            (common, extracted, gold) => Outcome::Measured(Score {
                precision: common as f64 / extracted as f64,
                recall: common as f64 / gold as f64,
                // Equation 3 without its roundings: 2PR/(P+R) = 2c/(e+g).
                f1: (2 * common) as f64 / (extracted + gold) as f64,
            }),
        }
    }
}

/// Precision, recall and F1 [P 5.2, equations 1 to 3], or a statistic of each.
/// From 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Score {
    /// Words in common, of the words extracted.
    pub precision: f64,
    /// Words in common, of the words of the gold.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

impl Score {
    pub(crate) const ZERO: Score = Score {
        precision: 0.0,
        recall: 0.0,
        f1: 0.0,
    };

    /// One number from each measure of many scores.
    pub(crate) fn each(scores: &[Score], statistic: impl Fn(&[f64]) -> f64) -> Score {
        let of = |measure: fn(&Score) -> f64| {
            statistic(&scores.iter().map(measure).collect::<Vec<f64>>())
        };
        Score {
            precision: of(|score| score.precision),
            recall: of(|score| score.recall),
            f1: of(|score| score.f1),
        }
    }
}

/// What came out of a page: a score, or one of the boundary cases of
/// [K 3.3.4, 5.3].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The texts have words in common. "Success" [K table 5.4].
    Measured(Score),
    /// Both texts have words, none in common. "Mismatch". Counts 0.
    NoOverlap,
    /// Nothing was extracted from a page that has gold. Precision is 0/0 there;
    /// counts 0.
    EmptyExtraction,
    /// Something was extracted from a page without gold. Recall is 0/0; does not
    /// count, for an empty gold text says either that the page has no content or
    /// that nobody marked it.
    EmptyGold,
    /// Nothing was extracted from a page without gold. Does not count. (The
    /// column of [K tables 5.4, 5.5] that is headed as an empty intersection:
    /// with the one before it adds up to the empty gold texts.)
    BothEmpty,
    /// The extractor failed on a page that has gold. Counts 0.
    Failed,
    /// The extractor failed on a page without gold. Does not count.
    FailedWithoutGold,
}

impl Outcome {
    /// The outcome of a page on which the extractor failed.
    pub fn failed(gold: &[WordId]) -> Self {
        match gold {
            [] => Outcome::FailedWithoutGold,
            _ => Outcome::Failed,
        }
    }

    /// What the page counts as in a mean, if it has gold.
    pub fn counted(self) -> Option<Score> {
        match self {
            Outcome::Measured(score) => Some(score),
            Outcome::NoOverlap | Outcome::EmptyExtraction | Outcome::Failed => Some(Score::ZERO),
            Outcome::EmptyGold | Outcome::BothEmpty | Outcome::FailedWithoutGold => None,
        }
    }
}

/// A page of 4 words of which `common` were extracted, and 4 others not.
#[cfg(test)]
pub(crate) fn page(common: usize) -> Outcome {
    let overlap = Overlap::new(common, 4, 4).expect("at most four");
    overlap.outcome()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_boundary_case_has_its_name() {
        let outcome = |common, extracted, gold| {
            let overlap = Overlap::new(common, extracted, gold);
            overlap.map(Overlap::outcome)
        };
        let score = Score {
            precision: 0.5,
            recall: 0.25,
            f1: 1.0 / 3.0,
        };
        assert_eq!(outcome(2, 4, 8), Ok(Outcome::Measured(score)));
        assert_eq!(outcome(0, 4, 8), Ok(Outcome::NoOverlap));
        assert_eq!(outcome(0, 0, 8), Ok(Outcome::EmptyExtraction));
        assert_eq!(outcome(0, 4, 0), Ok(Outcome::EmptyGold));
        assert_eq!(outcome(0, 0, 0), Ok(Outcome::BothEmpty));
        let impossible = outcome(5, 4, 8).expect_err("five of four words");
        assert_eq!(
            impossible.to_string(),
            "5 words in common, of 4 extracted and 8 of the gold"
        );
        assert!(outcome(5, 8, 4).is_err());
    }

    #[test]
    fn a_page_counts_if_it_has_gold_whatever_came_out_of_it() {
        use Outcome::*;
        for lost in [NoOverlap, EmptyExtraction, Failed] {
            assert_eq!(lost.counted(), Some(Score::ZERO));
        }
        for without_gold in [EmptyGold, BothEmpty, FailedWithoutGold] {
            assert_eq!(without_gold.counted(), None);
        }
        let word = crate::Vocabulary::default().words("x", crate::Tokens::Ascii);
        assert_eq!(Outcome::failed(&word), Failed);
        assert_eq!(Outcome::failed(&[]), FailedWithoutGold);
    }
}
