//! Which words of two texts are in common.

use crate::WordId;
use crate::lcs::{Positions, Row, trace};

/// Most pairs of words whose table is kept: one bit each, 8 MB. Lower: more rows are computed
/// twice. Higher: more memory.
const TABLE_PAIRS: usize = 1 << 26;

/// Returns the positions of the words of a longest common subsequence, in `gold` and in
/// `extracted`. Both positions increase.
///
/// Texts with a larger table are divided in the middle of `extracted`, where two rows, one from
/// the start and one from the end, show which words of `gold` belong to which half: Hirschberg,
/// "A Linear Space Algorithm for Computing Maximal Common Subsequences", 1975. So memory stays
/// small, and the steps are at most twice those of [`lcs`](crate::lcs).
pub fn alignment(gold: &[WordId], extracted: &[WordId]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    align(gold, extracted, (0, 0), TABLE_PAIRS, &mut pairs);
    pairs
}

fn align(
    gold: &[WordId],
    extracted: &[WordId],
    offset: (usize, usize),
    table_pairs: usize,
    pairs: &mut Vec<(usize, usize)>,
) {
    if gold.is_empty() || extracted.is_empty() {
        return;
    }
    if extracted.len() == 1 || gold.len().saturating_mul(extracted.len()) <= table_pairs {
        let found = trace(gold, &Positions::new(gold), extracted);
        pairs.extend(found.iter().map(|(i, j)| (offset.0 + i, offset.1 + j)));
        return;
    }
    let middle = extracted.len() / 2;
    let (first, second) = extracted.split_at(middle);
    let split = best_split(gold, first, second);
    let (before, after) = gold.split_at(split);
    align(before, first, offset, table_pairs, pairs);
    let offset = (offset.0 + split, offset.1 + middle);
    align(after, second, offset, table_pairs, pairs);
}

/// Returns the number of words of `gold` that are compared with `first`; the rest is compared
/// with `second`.
fn best_split(gold: &[WordId], first: &[WordId], second: &[WordId]) -> usize {
    let from_start = Row::last(gold, first.iter()).lengths(gold.len());
    let reversed: Vec<WordId> = gold.iter().rev().copied().collect();
    let from_end = Row::last(&reversed, second.iter().rev()).lengths(gold.len());
    let sums = from_start.iter().zip(from_end.iter().rev());
    let best = (sums.map(|(one, other)| one + other).enumerate())
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map_or(0, |(split, _)| split)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tokens, Vocabulary, lcs};

    /// Words of which one in four is equal in both texts.
    fn texts(length: usize) -> (Vec<WordId>, Vec<WordId>) {
        let text = |factor: usize| -> String {
            let words = (0..length).map(|at| format!("w{} ", at * factor % 17 * (at % 4)));
            words.collect()
        };
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.words(&text(7), Tokens::Ascii);
        (gold, vocabulary.words(&text(5), Tokens::Ascii))
    }

    #[test]
    fn a_divided_table_gives_a_longest_common_subsequence_too() {
        for length in [0, 1, 2, 63, 64, 65, 300] {
            let (gold, extracted) = texts(length);
            for table_pairs in [0, 100, 5_000, TABLE_PAIRS] {
                let mut pairs = Vec::new();
                align(&gold, &extracted, (0, 0), table_pairs, &mut pairs);
                assert_eq!(pairs.len(), lcs(&gold, &extracted).common(), "{length}");
                assert!(pairs.iter().all(|(i, j)| gold[*i] == extracted[*j]));
                assert!(pairs.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1));
            }
        }
    }
}
