//! The blocks of a page beside its gold text.

use report::{Block, GoldComparison, GoldShare};
use scoring::{Outcome, Tokens, Vocabulary, WordId, lcs, lcs_members};

/// Compares the blocks of a page with its gold text, by the longest common subsequence of words.
///
/// Takes a bit of memory per word of the page and word of the gold text.
pub(crate) fn compared(text: String, blocks: &[Block]) -> GoldComparison {
    let mut vocabulary = Vocabulary::default();
    let gold = vocabulary.words(&text, Tokens::Unicode);
    let words: Vec<_> = (blocks.iter())
        .map(|block| vocabulary.words(&block.text, Tokens::Unicode))
        .collect();
    let kept = blocks
        .iter()
        .zip(&words)
        .filter(|(block, _)| block.is_content);
    let kept: Vec<_> = kept.flat_map(|(_, words)| words.iter().copied()).collect();
    let score = score(&gold, &kept);
    let page: Vec<_> = words.concat();
    let members = lcs_members(&page, &gold);
    let mut members = members.into_iter();
    let shares = words.iter().map(|words| GoldShare {
        words: words.len() as u32,
        in_gold: members.by_ref().take(words.len()).filter(|is| *is).count() as u32,
    });
    GoldComparison {
        blocks: shares.collect(),
        score,
        text,
    }
}

/// Returns precision, recall and F1; `None` if the gold text has no words.
fn score(gold: &[WordId], kept: &[WordId]) -> Option<(f64, f64, f64)> {
    match lcs(gold, kept).outcome() {
        Outcome::Measured(score) => Some((score.precision, score.recall, score.f1)),
        Outcome::NoOverlap | Outcome::EmptyExtraction => Some((0.0, 0.0, 0.0)),
        _ => None,
    }
}

/// Returns the F1 of a text; `None` if the gold text has no words.
pub(crate) fn f1(gold: &str, text: &str) -> Option<f64> {
    let mut vocabulary = Vocabulary::default();
    let [gold, text] = [gold, text].map(|text| vocabulary.words(text, Tokens::Unicode));
    score(&gold, &text).map(|(_, _, f1)| f1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_how_much_of_them_is_gold() {
        let block = |text: &str, is_content| Block {
            text: text.to_owned(),
            is_content,
            ..Block::default()
        };
        let blocks = [
            block("Home Sport", false),
            block("Storm over the sea", true),
            block("Trees fell on the road", false),
            block("More of this", true),
        ];
        let gold = "Storm over the sea. Trees fell on the road.".to_owned();
        let compared = compared(gold, &blocks);
        let shares: Vec<_> = (compared.blocks.iter())
            .map(|share| (share.in_gold, share.words, share.is_gold()))
            .collect();
        assert_eq!(
            shares,
            [(0, 2, false), (4, 4, true), (5, 5, true), (0, 3, false)]
        );
        let (precision, recall, _) = compared.score.unwrap();
        assert_eq!((precision, recall), (4.0 / 7.0, 4.0 / 9.0));
    }
}
