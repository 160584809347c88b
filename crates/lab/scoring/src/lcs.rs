//! The longest common subsequence, 64 cells of its table at a time.
//!
//! Along the gold text, a row of the table never decreases and never increases by
//! more than one, so one bit per cell is enough. Each row is computed from the row
//! before by an addition and three logical operations: Crochemore, Iliopoulos, Pinzon
//! & Reid, "A Fast and Practical Bit-Vector Algorithm for the Longest Common
//! Subsequence Problem", 2001, in the form of Hyyrö, "Bit-Parallel LCS-length
//! Computation Revisited", 2004.

use std::ops::Range;

use crate::{Overlap, WordId};

/// Computes the exact longest common subsequence of two texts [P 5.2]. Its length does
/// not depend on the order of the arguments.
///
/// Takes at most `|gold| * |extracted| / 64` steps, and far fewer on real texts: a
/// block of 64 words costs a step only if it contains the word or a carry enters it.
pub fn lcs(gold: &[WordId], extracted: &[WordId]) -> Overlap {
    Overlap {
        common: Row::last(gold, extracted).length(),
        extracted: extracted.len(),
        gold: gold.len(),
    }
}

/// Returns, for each word of `gold`, whether it belongs to the longest common
/// subsequence. [`lcs`] is its length, in less time and memory.
///
/// ```
/// use scoring::{Tokens, Vocabulary, lcs_members};
///
/// let mut vocabulary = Vocabulary::default();
/// let page = vocabulary.words("Home Storm in Ljubljana Imprint", Tokens::Unicode);
/// let gold = vocabulary.words("Storm in Ljubljana.", Tokens::Unicode);
/// assert_eq!(lcs_members(&page, &gold), [false, true, true, true, false]);
/// ```
///
/// Uses one bit of memory per pair of words.
pub fn lcs_members(gold: &[WordId], extracted: &[WordId]) -> Vec<bool> {
    members_by_positions(gold, &Positions::new(gold), extracted)
}

/// As [`lcs_members`], with the positions of the words of `gold`: those that [`trace`] finds.
pub(crate) fn members_by_positions(
    gold: &[WordId],
    positions: &Positions,
    extracted: &[WordId],
) -> Vec<bool> {
    let mut members = vec![false; gold.len()];
    for (position, _) in trace(gold, positions, extracted) {
        members[position] = true;
    }
    members
}

/// Returns the positions of the words of a longest common subsequence in `gold` and in
/// `extracted`, from the first to the last.
///
/// Of several such subsequences it takes the one read from the end of the table: equal
/// last words are a match; otherwise the last word of `gold` is dropped if the length
/// stays the same, and that of `extracted` if not.
///
/// Uses one bit of memory per pair of words.
pub(crate) fn trace(
    gold: &[WordId],
    positions: &Positions,
    extracted: &[WordId],
) -> Vec<(usize, usize)> {
    let mut row = Row::first(gold.len());
    let width = row.blocks.len();
    let mut rows = Vec::with_capacity(extracted.len() * width);
    for word in extracted {
        row.advance(positions.masks(*word));
        rows.extend_from_slice(&row.blocks);
    }

    let mut pairs = Vec::new();
    let (mut i, mut j) = (gold.len(), extracted.len());
    while i > 0 && j > 0 {
        let row = &rows[(j - 1) * width..j * width];
        if gold[i - 1] == extracted[j - 1] {
            pairs.push((i - 1, j - 1));
            (i, j) = (i - 1, j - 1);
        } else if rises_at(row, i - 1) {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    pairs.reverse();
    pairs
}

/// The positions of each word in a sequence, as bit masks over blocks of 64 words.
pub(crate) struct Positions {
    /// Blocks that contain a word, each with a bit per position, grouped by word.
    masks: Vec<(usize, u64)>,
    /// The range of `masks` of each word, sorted by word. A binary search is used
    /// instead of a hash table because a line has few words.
    by_word: Vec<(WordId, Range<usize>)>,
}

impl Positions {
    pub(crate) fn new(words: &[WordId]) -> Self {
        let mut positions: Vec<usize> = (0..words.len()).collect();
        positions.sort_by_key(|position| words[*position]);
        let mut masks: Vec<(usize, u64)> = Vec::new();
        let mut by_word = Vec::new();
        for positions in positions.chunk_by(|one, next| words[*one] == words[*next]) {
            let start = masks.len();
            for block in positions.chunk_by(|one, next| one / 64 == next / 64) {
                let mask = block
                    .iter()
                    .fold(0, |mask, position| mask | 1 << (position % 64));
                masks.push((block[0] / 64, mask));
            }
            by_word.push((words[positions[0]], start..masks.len()));
        }
        Positions { masks, by_word }
    }

    fn masks(&self, word: WordId) -> &[(usize, u64)] {
        match self.by_word.binary_search_by_key(&word, |(word, _)| *word) {
            Ok(index) => &self.masks[self.by_word[index].1.clone()],
            Err(_) => &[],
        }
    }
}

/// A row of the table. A bit is 0 where the length increases by one.
pub(crate) struct Row {
    blocks: Vec<u64>,
}

impl Row {
    /// The row of an empty extraction and a gold text of `length` words.
    fn first(length: usize) -> Self {
        Row {
            blocks: vec![u64::MAX; length.div_ceil(64)],
        }
    }

    /// The row of all words of an extraction.
    pub(crate) fn last<'w>(
        gold: &[WordId],
        extracted: impl IntoIterator<Item = &'w WordId>,
    ) -> Self {
        let positions = Positions::new(gold);
        let mut row = Self::first(gold.len());
        for word in extracted {
            row.advance(positions.masks(*word));
        }
        row
    }

    /// The lengths for the first 0 to `words` words of the gold text.
    pub(crate) fn lengths(&self, words: usize) -> Vec<usize> {
        let mut length = 0;
        let rises = (0..words).map(|position| {
            length += usize::from(rises_at(&self.blocks, position));
            length
        });
        std::iter::once(0).chain(rises).collect()
    }

    /// Computes the next row, for a word with these positions.
    fn advance(&mut self, masks: &[(usize, u64)]) {
        let mut carry = false;
        let mut next = 0;
        for &(block, mask) in masks {
            if carry {
                carry = self.carry_into(next..block);
            }
            let row = self.blocks[block];
            let (sum, overflow) = row.overflowing_add(row & mask);
            // Adding the carry cannot overflow: the sum has a 0 at the lowest match, or
            // where the row had one.
            self.blocks[block] = (sum + u64::from(carry)) | (row & !mask);
            carry = overflow;
            next = block + 1;
        }
        if carry {
            self.carry_into(next..self.blocks.len());
        }
    }

    /// Propagates a carry through blocks without a match, up to the first block that
    /// has a 0. Returns whether the carry leaves the last block.
    fn carry_into(&mut self, blocks: Range<usize>) -> bool {
        match self.blocks[blocks].iter_mut().find(|row| **row != u64::MAX) {
            Some(row) => {
                *row |= *row + 1;
                false
            }
            None => true,
        }
    }

    /// The length of the longest common subsequence up to this row.
    fn length(&self) -> usize {
        let rises = self.blocks.iter().map(|row| row.count_zeros() as usize);
        rises.sum()
    }
}

/// Whether the length increases at a position of a row.
fn rises_at(row: &[u64], position: usize) -> bool {
    row[position / 64] >> (position % 64) & 1 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tokens, Vocabulary};

    fn common(gold: &str, extracted: &str) -> usize {
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.words(gold, Tokens::Unicode);
        let extracted = vocabulary.words(extracted, Tokens::Unicode);
        lcs(&gold, &extracted).common()
    }

    #[test]
    fn common_words_must_be_in_the_same_order() {
        assert_eq!(common("a b c d", "a b c d"), 4);
        assert_eq!(common("a b c d", "d c b a"), 1);
        assert_eq!(common("a b c d e", "x a c y e b"), 3);
        assert_eq!(common("a a a", "a a"), 2);
        assert_eq!(common("a b", "c d"), 0);
        assert_eq!(common("", "a"), 0);
        assert_eq!(common("a", ""), 0);
    }

    #[test]
    fn a_page_of_twenty_thousand_words_is_compared_exactly() {
        // "the" alternates with words that occur once; every 7th of these is changed.
        let word = |at: usize| match at % 2 {
            0 => "the".to_owned(),
            _ => format!("word{at}"),
        };
        let changed = |at: usize| at % 14 == 7;
        let gold: Vec<String> = (0..20_000).map(word).collect();
        let extracted: Vec<String> = (0..20_000)
            .map(|at| {
                if changed(at) {
                    format!("other{at}")
                } else {
                    word(at)
                }
            })
            .collect();
        let lost = (0..20_000).filter(|at| changed(*at)).count();
        assert_eq!(lost, 1_429);
        let found = common(&gold.join(" "), &extracted.join(" "));
        assert_eq!(found, 20_000 - lost);
    }

    #[test]
    fn a_carry_passes_through_blocks_without_a_match() {
        // "w" matches first, in the last block. The match of "x" in the first block
        // then has to carry into that block, where "w" no longer adds to the length.
        let filler: Vec<String> = (0..150).map(|at| format!("f{at}")).collect();
        let filler = filler.join(" ");
        assert_eq!(common(&format!("x {filler} w"), "w x"), 1);
        assert_eq!(common(&format!("x {filler} w {filler} x"), "w x"), 2);
        assert_eq!(common(&format!("x {filler} w {filler} x"), "w x x"), 2);
    }
}
