//! The longest common subsequence, 64 cells of its table at a time.
//!
//! A row of the table never falls and never rises by more than one along the
//! gold, so one bit per cell says it all, and a row follows from the row before
//! by an addition and three logical operations: Crochemore, Iliopoulos, Pinzon &
//! Reid, "A Fast and Practical Bit-Vector Algorithm for the Longest Common
//! Subsequence Problem", 2001, in the form of Hyyrö, "Bit-Parallel LCS-length
//! Computation Revisited", 2004.

use std::ops::Range;

use crate::{Overlap, WordId};

/// The longest common subsequence of two texts [P 5.2]. Exact, and the same from
/// both sides.
///
/// Time is bounded by `|gold| * |extracted| / 64` steps. It is far less on real
/// texts: a block of 64 words costs a step only where it contains the word, or
/// where a carry enters it.
pub fn lcs(gold: &[WordId], extracted: &[WordId]) -> Overlap {
    let positions = Positions::of(gold);
    let mut row = Row::first(gold.len());
    for word in extracted {
        row.advance(positions.masks(*word));
    }
    Overlap {
        common: row.length(),
        extracted: extracted.len(),
        gold: gold.len(),
    }
}

/// Whether each word of `gold` is in the longest common subsequence that is read
/// from the end of the table: a match is taken where there is one, else the last
/// word of `gold` is dropped where that costs nothing, else that of `extracted`.
///
/// Needs a bit per pair of words while it runs.
pub(crate) fn lcs_members(
    gold: &[WordId],
    positions: &Positions,
    extracted: &[WordId],
) -> Vec<bool> {
    let mut row = Row::first(gold.len());
    let width = row.blocks.len();
    let mut rows = Vec::with_capacity(extracted.len() * width);
    for word in extracted {
        row.advance(positions.masks(*word));
        rows.extend_from_slice(&row.blocks);
    }

    let mut members = vec![false; gold.len()];
    let (mut i, mut j) = (gold.len(), extracted.len());
    while i > 0 && j > 0 {
        let row = &rows[(j - 1) * width..j * width];
        if gold[i - 1] == extracted[j - 1] {
            members[i - 1] = true;
            (i, j) = (i - 1, j - 1);
        } else if rises_at(row, i - 1) {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    members
}

/// Where the words of a sequence stand: for each word, the blocks of 64 that it
/// is in, and its places in each as bits.
pub(crate) struct Positions {
    masks: Vec<(usize, u64)>,
    /// Where the masks of each word are, by word. Searched, not hashed: a line has
    /// few words, and is asked for every word of the other text.
    of_words: Vec<(WordId, Range<usize>)>,
}

impl Positions {
    pub(crate) fn of(words: &[WordId]) -> Self {
        let mut places: Vec<usize> = (0..words.len()).collect();
        places.sort_by_key(|place| words[*place]);
        let mut masks: Vec<(usize, u64)> = Vec::new();
        let mut of_words = Vec::new();
        for places in places.chunk_by(|one, next| words[*one] == words[*next]) {
            let start = masks.len();
            for block in places.chunk_by(|one, next| one / 64 == next / 64) {
                let mask = block.iter().fold(0, |mask, place| mask | 1 << (place % 64));
                masks.push((block[0] / 64, mask));
            }
            of_words.push((words[places[0]], start..masks.len()));
        }
        Positions { masks, of_words }
    }

    fn masks(&self, word: WordId) -> &[(usize, u64)] {
        match self.of_words.binary_search_by_key(&word, |(word, _)| *word) {
            Ok(at) => &self.masks[self.of_words[at].1.clone()],
            Err(_) => &[],
        }
    }
}

/// A row of the table: a bit is 0 where the length rises by one.
struct Row {
    blocks: Vec<u64>,
}

impl Row {
    /// The row of an empty sequence beside one of `length` words.
    fn first(length: usize) -> Self {
        Row {
            blocks: vec![u64::MAX; length.div_ceil(64)],
        }
    }

    /// The row below, for a word with these places.
    fn advance(&mut self, masks: &[(usize, u64)]) {
        let mut carry = false;
        let mut next = 0;
        for &(block, mask) in masks {
            if carry {
                carry = self.carry_into(next..block);
            }
            let row = self.blocks[block];
            let (sum, overflow) = row.overflowing_add(row & mask);
            // The sum has a 0, where the lowest match was or the row had one.
            self.blocks[block] = (sum + u64::from(carry)) | (row & !mask);
            carry = overflow;
            next = block + 1;
        }
        if carry {
            self.carry_into(next..self.blocks.len());
        }
    }

    /// Passes a carry through blocks without a match. It stops in the first that
    /// has a 0; the others stay as they are. Whether it came out at the end.
    fn carry_into(&mut self, blocks: Range<usize>) -> bool {
        match self.blocks[blocks].iter_mut().find(|row| **row != u64::MAX) {
            Some(row) => {
                *row |= *row + 1;
                false
            }
            None => true,
        }
    }

    /// The length at the end of the row.
    fn length(&self) -> usize {
        let rises = self.blocks.iter().map(|row| row.count_zeros() as usize);
        rises.sum()
    }
}

/// Whether the length rises at a place, by the blocks of a row.
fn rises_at(row: &[u64], place: usize) -> bool {
    row[place / 64] >> (place % 64) & 1 == 0
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
    fn words_in_common_keep_their_order() {
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
        // "the" between words that occur once; every 7th word is another one.
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
        // "w" is found first, far behind; "x" then enters at the very start, and
        // that "w" no longer makes the sequence longer must reach block 2.
        let filler: Vec<String> = (0..150).map(|at| format!("f{at}")).collect();
        let filler = filler.join(" ");
        assert_eq!(common(&format!("x {filler} w"), "w x"), 1);
        assert_eq!(common(&format!("x {filler} w {filler} x"), "w x"), 2);
        assert_eq!(common(&format!("x {filler} w {filler} x"), "w x x"), 2);
    }
}
