//! Texts as bags of words.

use std::cmp::Ordering;

use crate::{Overlap, WordId};

/// Counts the words that two texts have in common in any order: the metric of NCE [N 2]. A
/// word counts as often as it occurs in both texts.
///
/// It is never less than the longest common subsequence. It cannot tell a word of the
/// content from the same word of a menu, so it favours methods that keep too much [K 3.3.2].
pub fn bag_of_words(gold: &[WordId], extracted: &[WordId]) -> Overlap {
    let (mut left, mut right) = (gold.to_vec(), extracted.to_vec());
    left.sort_unstable();
    right.sort_unstable();
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(one), Some(other)) = (left.get(i), right.get(j)) {
        match one.cmp(other) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    Overlap {
        common,
        extracted: extracted.len(),
        gold: gold.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tokens, Vocabulary};

    #[test]
    fn the_order_of_words_does_not_matter_and_their_number_does() {
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.words("a b b c", Tokens::Unicode);
        let extracted = vocabulary.words("c b a a d", Tokens::Unicode);
        let overlap = bag_of_words(&gold, &extracted);
        let counts = (overlap.common(), overlap.extracted(), overlap.gold());
        assert_eq!(counts, (3, 5, 4));
    }
}
