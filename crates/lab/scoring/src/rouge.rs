//! Summary-level ROUGE-L.

use std::collections::HashMap;

use crate::lcs::{Positions, members_by_positions};
use crate::{Overlap, WordId};

/// Computes ROUGE-LSum [L 3.2] of two texts in lines or sentences
/// ([`Vocabulary::lines`](crate::Vocabulary::lines)).
///
/// A word of a gold line is in common if it belongs to the longest common subsequence
/// of its line with *any* extracted line. Unlike with [`lcs`](crate::lcs), lines may be
/// in another order.
///
/// No word is counted more often than it occurs in either text. ROUGE 1.5.5 and
/// `rouge_score` clip the counts in this way, the paper does not. Of several longest
/// common subsequences, the one that `rouge_score` reads from its table is taken. Words
/// are not stemmed.
///
/// Uses one bit of memory per pair of words of a gold line and an extracted line, and
/// visits every pair of lines.
pub fn rouge_lsum(gold: &[Vec<WordId>], extracted: &[Vec<WordId>]) -> Overlap {
    let mut left_in_gold = counts(gold);
    let mut left_in_extracted = counts(extracted);
    let mut common = 0;
    for line in gold {
        let in_common = line
            .iter()
            .zip(union(line, extracted))
            .filter(|(_, member)| *member);
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

/// Returns, for each word of a gold line, whether it is in common with any extracted line.
fn union(line: &[WordId], extracted: &[Vec<WordId>]) -> Vec<bool> {
    let positions = Positions::new(line);
    let mut union = vec![false; line.len()];
    for other in extracted {
        let members = members_by_positions(line, &positions, other);
        for (in_union, member) in union.iter_mut().zip(members) {
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
        // The example of [L 3.2]: w1 and w2 match the first line, w1, w3 and w5 the
        // second. The union has four of five words.
        let extracted = "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5";
        assert_eq!(overlap("w1 w2 w3 w4 w5", extracted), (4, 10, 5));
    }

    #[test]
    fn the_order_of_lines_does_not_matter() {
        assert_eq!(overlap("a b\nc d", "c d\n\na b"), (4, 4, 4));
        assert_eq!(overlap("a b c d", "c d\na b"), (4, 4, 4));
    }

    #[test]
    fn a_word_counts_at_most_as_often_as_it_occurs_in_either_text() {
        assert_eq!(overlap("a\na\na", "a b"), (1, 2, 3));
        assert_eq!(overlap("a", "a\na\na"), (1, 3, 1));
        assert_eq!(overlap("", "a"), (0, 1, 0));
    }
}
