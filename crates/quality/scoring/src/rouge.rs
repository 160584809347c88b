//! Summary-level ROUGE-L.

use std::collections::HashMap;

use crate::lcs::{Positions, lcs_members};
use crate::{Overlap, WordId};

/// ROUGE-LSum [L 3.2] of two texts in lines, or sentences
/// ([`Vocabulary::lines`](crate::Vocabulary::lines)): a word of a gold line is in
/// common if it is in the longest common subsequence of its line with *any*
/// extracted line. Lines may be in another order, which is what sets it apart from
/// [`lcs`](crate::lcs).
///
/// No word is counted more often than either text has it, as ROUGE 1.5.5 and
/// `rouge_score` do and the paper does not. Of several longest common subsequences
/// the one that `rouge_score` reads from its table is taken. There is no stemming.
///
/// Needs a bit per pair of words of a gold line and an extracted line while it
/// runs, and visits every pair of lines.
pub fn rouge_lsum(gold: &[Vec<WordId>], extracted: &[Vec<WordId>]) -> Overlap {
    let mut left_in_gold = counts(gold);
    let mut left_in_extracted = counts(extracted);
    let mut common = 0;
    for line in gold {
        let in_common = (line.iter().zip(union(line, extracted))).filter(|(_, member)| *member);
        for (word, _) in in_common {
            let left = left_in_gold.get_mut(word);
            let left = left.zip(left_in_extracted.get_mut(word));
            if let Some((gold @ 1.., extracted @ 1..)) = left {
                *gold -= 1;
                *extracted -= 1;
                common += 1;
            }
        }
    }
    Overlap {
        common,
        extracted: extracted.iter().map(Vec::len).sum(),
        gold: gold.iter().map(Vec::len).sum(),
    }
}

/// Whether each word of a gold line is in common with some extracted line.
fn union(line: &[WordId], extracted: &[Vec<WordId>]) -> Vec<bool> {
    let positions = Positions::of(line);
    let mut union = vec![false; line.len()];
    for other in extracted {
        for (in_union, member) in (union.iter_mut()).zip(lcs_members(line, &positions, other)) {
            *in_union |= member;
        }
    }
    union
}

fn counts(lines: &[Vec<WordId>]) -> HashMap<WordId, usize> {
    let mut counts = HashMap::new();
    for word in lines.iter().flatten() {
        *counts.entry(*word).or_insert(0) += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tokens, Vocabulary};

    fn overlap(gold: &str, extracted: &str) -> (usize, usize, usize) {
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.lines(gold, Tokens::Unicode);
        let extracted = vocabulary.lines(extracted, Tokens::Unicode);
        let overlap = rouge_lsum(&gold, &extracted);
        (overlap.common(), overlap.extracted(), overlap.gold())
    }

    #[test]
    fn a_gold_line_is_matched_by_the_union_of_the_extracted_lines() {
        // The example of [L 3.2]: w1 w2 from the first line, w1 w3 w5 from the
        // second, together four of five words.
        let extracted = "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5";
        assert_eq!(overlap("w1 w2 w3 w4 w5", extracted), (4, 10, 5));
    }

    #[test]
    fn lines_may_change_their_order() {
        assert_eq!(overlap("a b\nc d", "c d\n\na b"), (4, 4, 4));
        assert_eq!(overlap("a b c d", "c d\na b"), (4, 4, 4));
    }

    #[test]
    fn no_word_is_in_common_more_often_than_either_text_has_it() {
        assert_eq!(overlap("a\na\na", "a b"), (1, 2, 3));
        assert_eq!(overlap("a", "a\na\na"), (1, 3, 1));
        assert_eq!(overlap("", "a"), (0, 1, 0));
    }
}
