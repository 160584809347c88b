//! The overlap of one page, and its score.

use thiserror::Error;

use crate::WordId;

/// The word counts of a gold text, of an extraction, and of their overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Overlap {
    pub(crate) common: usize,
    pub(crate) extracted: usize,
    pub(crate) gold: usize,
}

/// An overlap with more words in common than one of the texts has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the overlap of {common} words is larger than the extraction ({extracted} words) or the \
     gold text ({gold} words)"
)]
pub struct ImpossibleOverlap {
    /// Words in common.
    pub common: usize,
    /// Words of the extraction.
    pub extracted: usize,
    /// Words of the gold text.
    pub gold: usize,
}

impl Overlap {
    /// Creates an overlap from word counts.
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

    /// The words in common: "extracted relevant text" [P 5.2].
    pub fn common(self) -> usize {
        self.common
    }

    /// The words of the extraction: "all extracted text".
    pub fn extracted(self) -> usize {
        self.extracted
    }

    /// The words of the gold text: "all relevant text".
    pub fn gold(self) -> usize {
        self.gold
    }

    /// The least number of words to insert and to delete that makes the gold text of the
    /// extraction: CleanEval's edit distance, which has no substitutions [K 3.3.3]. Exact if
    /// the words in common are those of [`lcs`](crate::lcs).
    pub fn edit_distance(self) -> usize {
        self.extracted + self.gold - 2 * self.common
    }

    /// 1 less the [edit distance](Self::edit_distance) by the length of the alignment, which
    /// has the words in common, inserted and deleted. From 0 to 1, and 1 for two empty texts.
    pub fn edit_similarity(self) -> f64 {
        match self.extracted + self.gold - self.common {
            0 => 1.0,
            length => self.common as f64 / length as f64,
        }
    }

    /// Computes the score, or the boundary case that has none.
    pub fn outcome(self) -> Outcome {
        match (self.common, self.extracted, self.gold) {
            (_, 0, 0) => Outcome::BothEmpty,
            (_, _, 0) => Outcome::EmptyGold,
            (_, 0, _) => Outcome::EmptyExtraction,
            (0, _, _) => Outcome::NoOverlap,
            (common, extracted, gold) => Outcome::Measured(Score {
                precision: common as f64 / extracted as f64,
                recall: common as f64 / gold as f64,
                // Equation 3, with fewer roundings: 2PR/(P+R) = 2c/(e+g).
                f1: (2 * common) as f64 / (extracted + gold) as f64,
            }),
        }
    }
}

/// Precision, recall and F1 [P 5.2, equations 1 to 3], or a statistic of each. All are
/// from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Score {
    /// Words in common over words extracted.
    pub precision: f64,
    /// Words in common over words of the gold text.
    pub recall: f64,
    /// The harmonic mean of precision and recall.
    pub f1: f64,
}

impl Score {
    pub(crate) const ZERO: Score = Score {
        precision: 0.0,
        recall: 0.0,
        f1: 0.0,
    };

    /// Computes F-beta [K 3.3.1, equation 3.4]: `beta` above 1 gives recall more weight, below
    /// 1 precision. 0 if precision and recall are.
    pub fn f_beta(self, beta: f64) -> f64 {
        let (precision, recall, square) = (self.precision, self.recall, beta * beta);
        match square * precision + recall {
            0.0 => 0.0,
            sum => (1.0 + square) * precision * recall / sum,
        }
    }

    /// Computes a statistic of each measure over many scores.
    pub(crate) fn per_measure(scores: &[Score], statistic: impl Fn(&[f64]) -> f64) -> Score {
        let statistic_of = |measure: fn(&Score) -> f64| {
            statistic(&scores.iter().map(measure).collect::<Vec<f64>>())
        };
        Score {
            precision: statistic_of(|score| score.precision),
            recall: statistic_of(|score| score.recall),
            f1: statistic_of(|score| score.f1),
        }
    }
}

/// The result of a page: a score, or one of the boundary cases of [K 3.3.4, 5.3].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The texts have words in common. "Success" [K table 5.4].
    Measured(Score),
    /// Both texts have words, but none in common. "Mismatch". Counts 0.
    NoOverlap,
    /// Nothing was extracted from a page that has gold. Precision is 0/0. Counts 0.
    EmptyExtraction,
    /// A text was extracted from a page without gold. Recall is 0/0. Does not count:
    /// an empty gold text means either that the page has no content or that its
    /// content was not marked.
    EmptyGold,
    /// Nothing was extracted from a page without gold. Does not count. (In
    /// [K tables 5.4, 5.5] this is the column headed as an empty intersection: the sum
    /// of this column and the one before it is the number of empty gold texts.)
    BothEmpty,
    /// The extractor failed on a page that has gold. Counts 0.
    Failed,
    /// The extractor failed on a page without gold. Does not count.
    FailedWithoutGold,
}

impl Outcome {
    /// Returns the outcome of a page on which the extractor failed.
    pub fn failed(gold: &[WordId]) -> Self {
        match gold {
            [] => Outcome::FailedWithoutGold,
            _ => Outcome::Failed,
        }
    }

    /// Returns the score of the page in a mean, or `None` if the page does not count.
    pub fn counted(self) -> Option<Score> {
        match self {
            Outcome::Measured(score) => Some(score),
            Outcome::NoOverlap | Outcome::EmptyExtraction | Outcome::Failed => Some(Score::ZERO),
            Outcome::EmptyGold | Outcome::BothEmpty | Outcome::FailedWithoutGold => None,
        }
    }
}

/// The outcome of a page with 4 gold words and 4 extracted words, `common` of them equal.
#[cfg(test)]
pub(crate) fn page(common: usize) -> Outcome {
    let overlap = Overlap::new(common, 4, 4).expect("at most four");
    overlap.outcome()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_counts_decide_the_boundary_case() {
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
            "the overlap of 5 words is larger than the extraction (4 words) or the gold text \
             (8 words)"
        );
        assert!(outcome(5, 8, 4).is_err());
    }

    #[test]
    fn beta_gives_recall_or_precision_more_weight() {
        let Outcome::Measured(score) = Overlap::new(2, 4, 8).expect("two of four").outcome() else {
            panic!("words in common");
        };
        assert_eq!(score.f_beta(1.0), score.f1);
        // Precision 1/2, recall 1/4: 5 * 1/8 / (4/2 + 1/4).
        assert_eq!(score.f_beta(2.0), 0.625 / 2.25);
        assert_eq!(score.f_beta(0.0), 0.5);
        assert_eq!(Score::ZERO.f_beta(0.5), 0.0);
    }

    #[test]
    fn words_are_inserted_and_deleted_but_not_substituted() {
        let overlap =
            |common, extracted, gold| Overlap::new(common, extracted, gold).expect("words");
        // One word is another: it is deleted, and its successor inserted.
        assert_eq!(overlap(3, 4, 4).edit_distance(), 2);
        assert_eq!(overlap(3, 4, 4).edit_similarity(), 0.6);
        assert_eq!(overlap(0, 0, 8).edit_distance(), 8);
        assert_eq!(overlap(0, 0, 8).edit_similarity(), 0.0);
        assert_eq!(overlap(0, 0, 0).edit_similarity(), 1.0);
    }

    #[test]
    fn only_pages_with_gold_count_in_a_mean() {
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
