//! The matching of Ratcliff and Obershelp, as in Python's `difflib`.

use std::collections::HashMap;
use std::ops::Range;

use crate::{Overlap, WordId};

/// The treatment of words that are frequent in a long extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Autojunk {
    /// The default of `difflib`, and therefore of [K 4]. In an extraction of at least
    /// 200 words, a word that occurs more than `n / 100 + 1` times (rounded down; about
    /// 1 %) does not start a match; it only extends a match of other words. `difflib`
    /// does this for speed. The overlap may become larger or smaller.
    On,
    /// Every word may start a match.
    Off,
}

/// The number of words from which [`Autojunk::On`] applies, as in `difflib`.
const AUTOJUNK_WORDS: usize = 200;

/// Counts the words in the matching blocks of `difflib.SequenceMatcher(None, gold,
/// extracted)` [K 4].
///
/// The first block is the longest run of words that both texts have; of equally long
/// runs, the first in the gold text. The parts to the left and to the right of it are
/// then matched in the same way.
///
/// Unlike [`lcs`](crate::lcs) the result depends on the order of the arguments. Time is
/// quadratic for ordinary texts and cubic in the worst case.
pub fn ratcliff_obershelp(gold: &[WordId], extracted: &[WordId], autojunk: Autojunk) -> Overlap {
    let blocks = matching_blocks(gold, extracted, autojunk);
    Overlap {
        common: blocks.iter().map(|block| block.length).sum(),
        extracted: extracted.len(),
        gold: gold.len(),
    }
}

/// Returns the matching blocks that [`ratcliff_obershelp`] counts, in the order in which they are
/// found.
pub fn matching_blocks(
    gold: &[WordId],
    extracted: &[WordId],
    autojunk: Autojunk,
) -> Vec<MatchingBlock> {
    let mut matcher = Matcher::new(gold, extracted, autojunk);
    let mut open = vec![(0..gold.len(), 0..extracted.len())];
    let mut blocks = Vec::new();
    while let Some((left, right)) = open.pop() {
        let found = matcher.longest_match(&left, &right);
        if found.length > 0 {
            blocks.push(found);
            open.push((left.start..found.gold, right.start..found.extracted));
            let behind = |start: usize, side: Range<usize>| start + found.length..side.end;
            open.push((behind(found.gold, left), behind(found.extracted, right)));
        }
    }
    blocks
}

/// A run of words that both texts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchingBlock {
    /// Its start in the gold text.
    pub gold: usize,
    /// Its start in the extraction.
    pub extracted: usize,
    /// Its length in words.
    pub length: usize,
}

struct Matcher<'a> {
    gold: &'a [WordId],
    extracted: &'a [WordId],
    /// The positions of each word in the extraction, without frequent words.
    positions: HashMap<WordId, Vec<usize>>,
    /// For each word of the extraction, the length of the run that ends there and at
    /// the previous word of the gold text. All zero between searches.
    runs: Vec<usize>,
    /// The `runs` of the current word of the gold text.
    next_runs: Vec<usize>,
}

impl<'a> Matcher<'a> {
    fn new(gold: &'a [WordId], extracted: &'a [WordId], autojunk: Autojunk) -> Self {
        let mut positions: HashMap<WordId, Vec<usize>> = HashMap::new();
        for (position, word) in extracted.iter().enumerate() {
            positions.entry(*word).or_default().push(position);
        }
        if autojunk == Autojunk::On && extracted.len() >= AUTOJUNK_WORDS {
            let frequent = extracted.len() / 100 + 1;
            positions.retain(|_, positions| positions.len() <= frequent);
        }
        Matcher {
            gold,
            extracted,
            positions,
            runs: vec![0; extracted.len()],
            next_runs: vec![0; extracted.len()],
        }
    }

    /// Finds the longest match within two ranges; of several the first in the gold text,
    /// then the first in the extraction. The length is 0 if there is no match.
    fn longest_match(&mut self, left: &Range<usize>, right: &Range<usize>) -> MatchingBlock {
        let mut best = MatchingBlock {
            gold: left.start,
            extracted: right.start,
            length: 0,
        };
        let mut before: &[usize] = &[];
        for at in left.clone() {
            let positions = positions_within(&self.positions, self.gold[at], right);
            for &position in positions {
                let run = match position.checked_sub(1) {
                    Some(previous) if position > right.start => self.runs[previous] + 1,
                    _ => 1,
                };
                self.next_runs[position] = run;
                if run > best.length {
                    best = MatchingBlock {
                        gold: at + 1 - run,
                        extracted: position + 1 - run,
                        length: run,
                    };
                }
            }
            clear(&mut self.runs, before);
            std::mem::swap(&mut self.runs, &mut self.next_runs);
            before = positions;
        }
        clear(&mut self.runs, before);
        self.extend(best, left, right)
    }

    /// Extends a match by the equal words before and after it. These can only be
    /// frequent words. Frequent words alone match only at the start of both ranges.
    fn extend(
        &self,
        found: MatchingBlock,
        left: &Range<usize>,
        right: &Range<usize>,
    ) -> MatchingBlock {
        let before = self.gold[left.start..found.gold].iter().rev();
        let before = before
            .zip(self.extracted[right.start..found.extracted].iter().rev())
            .take_while(|(one, other)| one == other)
            .count();
        let behind = self.gold[found.gold + found.length..left.end].iter();
        let behind = behind
            .zip(&self.extracted[found.extracted + found.length..right.end])
            .take_while(|(one, other)| one == other)
            .count();
        MatchingBlock {
            gold: found.gold - before,
            extracted: found.extracted - before,
            length: before + found.length + behind,
        }
    }
}

/// Returns the positions of a word within a range of the extraction.
fn positions_within<'a>(
    positions: &'a HashMap<WordId, Vec<usize>>,
    word: WordId,
    range: &Range<usize>,
) -> &'a [usize] {
    let Some(positions) = positions.get(&word) else {
        return &[];
    };
    let start = positions.partition_point(|position| *position < range.start);
    let end = positions.partition_point(|position| *position < range.end);
    &positions[start..end]
}

fn clear(runs: &mut [usize], positions: &[usize]) {
    for &position in positions {
        runs[position] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tokens, Vocabulary, lcs};

    fn sequences(gold: &str, extracted: &str) -> (Vec<WordId>, Vec<WordId>) {
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.words(gold, Tokens::Unicode);
        (gold, vocabulary.words(extracted, Tokens::Unicode))
    }

    #[test]
    fn the_longest_run_is_matched_first_even_if_it_costs_words() {
        // The run "a b c" excludes the four scattered words "d e f g".
        let (gold, extracted) = sequences("a b c d e f g", "d x e x f x g a b c");
        let matched = ratcliff_obershelp(&gold, &extracted, Autojunk::Off);
        assert_eq!(matched.common(), 3);
        assert_eq!(lcs(&gold, &extracted).common(), 4);
    }

    #[test]
    fn the_order_of_the_texts_matters() {
        // Of runs of one word, the first in the gold text is matched first.
        let (one, other) = sequences("t i d e", "d i e t");
        let forth = ratcliff_obershelp(&one, &other, Autojunk::Off).common();
        let back = ratcliff_obershelp(&other, &one, Autojunk::Off).common();
        assert_eq!((forth, back), (1, 2));
    }

    #[test]
    fn autojunk_keeps_frequent_words_from_starting_a_match() {
        let filler: Vec<String> = (0..190).map(|at| format!("f{at}")).collect();
        let words = |the: usize| format!("{} {}", filler.join(" "), "the ".repeat(the));
        let both = |extracted: &str| {
            let (gold, extracted) = sequences("y the", extracted);
            [Autojunk::On, Autojunk::Off]
                .map(|autojunk| ratcliff_obershelp(&gold, &extracted, autojunk).common())
        };
        assert_eq!(both(&words(9)), [1, 1]); // 199 words
        assert_eq!(both(&words(10)), [0, 1]); // 200 words, 10 of them "the"
        let rare = format!("{} {}", words(3), "rest ".repeat(7));
        assert_eq!(both(&rare), [1, 1]); // 200 words, 3 of them "the"
    }
}
