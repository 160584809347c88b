//! Words of different weights.

use std::str::FromStr;

use thiserror::Error;

use crate::{Outcome, Overlap, Score, WordId, alignment};

/// Weights of the words of a page [K 6.1]. The thesis asks for weights of regions and words and
/// gives none; these are the two cases that it describes: the beginning of an article, and
/// noise inside it.
///
/// All other words weigh 1. `"title=3,start=2,start-words=50,inline=5"` is
/// parsed with [`FromStr`]; what is left out stays as in [`Default`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Weights {
    /// Weight of a word of the first line of the gold text, which is the title. Default 1.
    pub title: f64,
    /// Weight of a word at the start of the gold text after the first line. Default 2.
    pub start: f64,
    /// Number of words with the weight `start`. Default 50.
    pub start_words: usize,
    /// Weight of an extracted word that is not in the gold text and lies between words that
    /// are. Default 2.
    pub inline: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            title: 1.0,
            start: 2.0,
            start_words: 50,
            inline: 2.0,
        }
    }
}

/// A text that is no [`Weights`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "unknown weight {part:?}: expected title=W, start=W, inline=W (W a number from 0.001 to 1000) \
     or start-words=N, separated by commas"
)]
pub struct UnknownWeight {
    /// The part that was not understood.
    pub part: String,
}

impl FromStr for Weights {
    type Err = UnknownWeight;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut weights = Self::default();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let unknown = || UnknownWeight {
                part: part.to_owned(),
            };
            let (name, value) = part.split_once('=').ok_or_else(unknown)?;
            if name == "start-words" {
                weights.start_words = value.parse().map_err(|_| unknown())?;
                continue;
            }
            let weight = (value.parse().ok())
                .filter(|weight: &f64| (0.001..=1000.0).contains(weight))
                .ok_or_else(unknown)?;
            match name {
                "title" => weights.title = weight,
                "start" => weights.start = weight,
                "inline" => weights.inline = weight,
                _ => return Err(unknown()),
            }
        }
        Ok(weights)
    }
}

impl Weights {
    /// The weight of the gold word at `position`; the first `title_words` words are the title.
    fn of_gold(&self, position: usize, title_words: usize) -> f64 {
        if position < title_words {
            self.title
        } else if position - title_words < self.start_words {
            self.start
        } else {
            1.0
        }
    }
}

/// Compares an extraction with a gold text, of which the first `title_words` words are the
/// title. Words are matched by a longest common subsequence, and a matched word has the
/// weight of its gold word:
///
/// ```text
/// precision = weight of matched words / weight of extracted words
/// recall    = weight of matched words / weight of gold words
/// ```
///
/// The overlap counts words without weights, and decides the boundary case.
pub fn weighted(
    gold: &[WordId],
    title_words: usize,
    extracted: &[WordId],
    weights: &Weights,
) -> (Overlap, Outcome) {
    let pairs = alignment(gold, extracted);
    let overlap = Overlap {
        common: pairs.len(),
        extracted: extracted.len(),
        gold: gold.len(),
    };
    let (Outcome::Measured(_), Some(first), Some(last)) =
        (overlap.outcome(), pairs.first(), pairs.last())
    else {
        return (overlap, overlap.outcome());
    };
    let of_gold = |position| weights.of_gold(position, title_words);
    let relevant: f64 = (0..gold.len()).map(of_gold).sum();
    let matched: f64 = pairs.iter().map(|(position, _)| of_gold(*position)).sum();
    let inline = (last.1 - first.1 + 1) - pairs.len();
    let outside = extracted.len() - pairs.len() - inline;
    let noise = inline as f64 * weights.inline + outside as f64;
    let (precision, recall) = (matched / (matched + noise), matched / relevant);
    let score = Score {
        precision,
        recall,
        f1: 2.0 * precision * recall / (precision + recall),
    };
    (overlap, Outcome::Measured(score))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tokens, Vocabulary};

    fn score(gold: &str, title_words: usize, extracted: &str, weights: &str) -> Score {
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.words(gold, Tokens::Unicode);
        let extracted = vocabulary.words(extracted, Tokens::Unicode);
        let weights = weights.parse().expect("weights");
        match weighted(&gold, title_words, &extracted, &weights).1 {
            Outcome::Measured(score) => score,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_at_the_start_count_more_in_recall() {
        let weights = "title=4,start=2,start-words=2,inline=1";
        // Weights 4 2 2 1 1, of which the extraction lacks one word.
        assert_eq!(score("t a b c d", 1, "a b c d", weights).recall, 0.6);
        assert_eq!(score("t a b c d", 1, "t b c d", weights).recall, 0.8);
        assert_eq!(score("t a b c d", 1, "t a b c", weights).recall, 0.9);
        assert_eq!(score("t a b c d", 1, "t a b c", weights).precision, 1.0);
    }

    #[test]
    fn noise_inside_the_article_counts_more_in_precision() {
        let weights = "title=1,start=1,inline=3";
        // Four words of the article, two of noise.
        assert_eq!(
            score("a b c d", 0, "x y a b c d", weights).precision,
            4.0 / 6.0
        );
        assert_eq!(
            score("a b c d", 0, "a b x y c d", weights).precision,
            4.0 / 10.0
        );
        assert_eq!(
            score("a b c d", 0, "x a b y c d", weights).precision,
            4.0 / 8.0
        );
    }

    #[test]
    fn equal_weights_give_the_score_without_weights() {
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.words("a b c d e", Tokens::Unicode);
        let extracted = vocabulary.words("x a c y e b", Tokens::Unicode);
        let equal = "title=1,start=1,inline=1".parse().expect("weights");
        let (overlap, outcome) = weighted(&gold, 1, &extracted, &equal);
        assert_eq!(outcome.counted(), overlap.outcome().counted());
        let (_, nothing) = weighted(&gold, 1, &[], &equal);
        assert_eq!(nothing, Outcome::EmptyExtraction);
    }

    #[test]
    fn an_unknown_weight_is_named() {
        for part in [
            "title",
            "title=0",
            "title=x",
            "end=2",
            "start-words=-1",
            "inline=NaN",
        ] {
            let error = format!("start=3,{part}")
                .parse::<Weights>()
                .expect_err(part);
            assert_eq!(error.part, part);
        }
    }
}
