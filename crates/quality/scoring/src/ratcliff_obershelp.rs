//! The matching of Ratcliff and Obershelp, as Python's `difflib` has it.

use std::collections::HashMap;
use std::ops::Range;

use crate::{Overlap, WordId};

/// What `difflib` does with words that are frequent in a long extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Autojunk {
    /// The default of `difflib`, and so of [K 4]: in an extraction of at least 200
    /// words, no match starts from a word that makes up more than 1 % of it (`n /
    /// 100 + 1` times, rounded down); such words only prolong a match that is
    /// there. It was made for speed and changes the result in both directions.
    On,
    /// Every word can start a match.
    Off,
}

/// From what length on an extraction has frequent words.
const LONG: usize = 200;

/// The words in the matching blocks of `difflib.SequenceMatcher(None, gold,
/// extracted)` [K 4]: the longest run of words that both texts have, the first one
/// in the gold of those, and so on in what is left of it and right of it.
///
/// Unlike [`lcs`](crate::lcs) it depends on which of the texts is the gold. Time is
/// quadratic for ordinary texts and cubic for the worst.
pub fn ratcliff_obershelp(gold: &[WordId], extracted: &[WordId], autojunk: Autojunk) -> Overlap {
    let mut matcher = Matcher::new(gold, extracted, autojunk);
    let mut open = vec![(0..gold.len(), 0..extracted.len())];
    let mut common = 0;
    while let Some((left, right)) = open.pop() {
        let found = matcher.longest_match(&left, &right);
        if found.length > 0 {
            common += found.length;
            open.push((left.start..found.gold, right.start..found.extracted));
            let behind = |start: usize, side: Range<usize>| start + found.length..side.end;
            open.push((behind(found.gold, left), behind(found.extracted, right)));
        }
    }
    Overlap {
        common,
        extracted: extracted.len(),
        gold: gold.len(),
    }
}

/// A run of words that both texts have.
#[derive(Clone, Copy)]
struct Match {
    /// Where it starts in the gold.
    gold: usize,
    /// Where it starts in the extraction.
    extracted: usize,
    /// In words.
    length: usize,
}

struct Matcher<'a> {
    gold: &'a [WordId],
    extracted: &'a [WordId],
    /// Where each word stands in the extraction, frequent words apart.
    places: HashMap<WordId, Vec<usize>>,
    /// Lengths of the runs that end at the word before of the gold and at each
    /// word of the extraction. Zero between searches.
    runs: Vec<usize>,
    /// The same for the word at hand.
    next_runs: Vec<usize>,
}

impl<'a> Matcher<'a> {
    fn new(gold: &'a [WordId], extracted: &'a [WordId], autojunk: Autojunk) -> Self {
        let mut places: HashMap<WordId, Vec<usize>> = HashMap::new();
        for (place, word) in extracted.iter().enumerate() {
            places.entry(*word).or_default().push(place);
        }
        if autojunk == Autojunk::On && extracted.len() >= LONG {
            let frequent = extracted.len() / 100 + 1;
            places.retain(|_, places| places.len() <= frequent);
        }
        Matcher {
            gold,
            extracted,
            places,
            runs: vec![0; extracted.len()],
            next_runs: vec![0; extracted.len()],
        }
    }

    /// The longest match within two ranges; of several the first in the gold,
    /// then the first in the extraction. Its length is 0 if there is none.
    fn longest_match(&mut self, left: &Range<usize>, right: &Range<usize>) -> Match {
        let mut best = Match {
            gold: left.start,
            extracted: right.start,
            length: 0,
        };
        let mut before: &[usize] = &[];
        for at in left.clone() {
            let places = places_within(&self.places, self.gold[at], right);
            for &place in places {
                let run = match place.checked_sub(1) {
                    Some(previous) if place > right.start => self.runs[previous] + 1,
                    _ => 1,
                };
                self.next_runs[place] = run;
                if run > best.length {
                    best = Match {
                        gold: at + 1 - run,
                        extracted: place + 1 - run,
                        length: run,
                    };
                }
            }
            clear(&mut self.runs, before);
            std::mem::swap(&mut self.runs, &mut self.next_runs);
            before = places;
        }
        clear(&mut self.runs, before);
        self.prolong(best, left, right)
    }

    /// The match with equal words on both sides of it. Only frequent words can be
    /// there, and the one place where a match of them alone is found is the very
    /// start of both ranges.
    fn prolong(&self, found: Match, left: &Range<usize>, right: &Range<usize>) -> Match {
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
        Match {
            gold: found.gold - before,
            extracted: found.extracted - before,
            length: before + found.length + behind,
        }
    }
}

/// Where a word stands within a range of the extraction.
fn places_within<'a>(
    places: &'a HashMap<WordId, Vec<usize>>,
    word: WordId,
    range: &Range<usize>,
) -> &'a [usize] {
    let Some(places) = places.get(&word) else {
        return &[];
    };
    let start = places.partition_point(|place| *place < range.start);
    let end = places.partition_point(|place| *place < range.end);
    &places[start..end]
}

fn clear(runs: &mut [usize], places: &[usize]) {
    for &place in places {
        runs[place] = 0;
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
    fn the_longest_run_comes_first_even_where_it_costs() {
        // The run "a b c" excludes all four words "d e f g", which are apart.
        let (gold, extracted) = sequences("a b c d e f g", "d x e x f x g a b c");
        let matched = ratcliff_obershelp(&gold, &extracted, Autojunk::Off);
        assert_eq!(matched.common(), 3);
        assert_eq!(lcs(&gold, &extracted).common(), 4);
    }

    #[test]
    fn the_order_of_the_texts_matters() {
        // Of single words, the first of the gold is matched first.
        let (one, other) = sequences("t i d e", "d i e t");
        let forth = ratcliff_obershelp(&one, &other, Autojunk::Off).common();
        let back = ratcliff_obershelp(&other, &one, Autojunk::Off).common();
        assert_eq!((forth, back), (1, 2));
    }

    #[test]
    fn a_frequent_word_of_a_long_extraction_starts_no_match() {
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
