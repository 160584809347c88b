//! Tokens in a row that recur (Gopher, table A1).

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

/// The tokens of a text, prepared for the counts of all lengths.
pub(crate) struct Repetition<'a> {
    tokens: &'a [&'a str],
    /// A number for each token. Equal tokens have equal ones.
    ids: Vec<u32>,
    /// All tokens, joined.
    joined: String,
    /// Where each token begins in `joined`, and where the last one ends.
    ends: Vec<usize>,
}

impl<'a> Repetition<'a> {
    pub(crate) fn new(tokens: &'a [&'a str]) -> Self {
        let mut known: HashMap<&str, u32, RandomState> = HashMap::default();
        let ids = tokens.iter().map(|token| {
            let next = known.len() as u32;
            *known.entry(token).or_insert(next)
        });
        let ids = ids.collect();
        let mut ends = vec![0];
        for token in tokens {
            ends.push(ends[ends.len() - 1] + token.len());
        }
        Self {
            tokens,
            ids,
            joined: tokens.concat(),
            ends,
        }
    }

    /// Characters in the most frequent `n` tokens in a row, joined by spaces, times their number; `n` is at most
    /// 4. Of equally frequent ones, the first in the text counts.
    pub(crate) fn top(&self, n: usize) -> usize {
        // The tokens as one number, their count, and the first place. The seed of the hashes is random, so that no
        // page can make its tokens collide.
        let mut counts: HashMap<u128, (usize, usize), RandomState> = HashMap::default();
        for (at, ids) in self.ids.windows(n).enumerate() {
            let row = ids.iter().fold(0, |row, id| row << 32 | u128::from(*id));
            counts.entry(row).or_insert((0, at)).0 += 1;
        }
        let top = counts
            .into_values()
            .max_by_key(|(count, at)| (*count, std::cmp::Reverse(*at)));
        top.map_or(0, |(count, at)| {
            (length(&self.tokens[at..at + n]) + n - 1) * count
        })
    }

    /// Characters in `n` tokens in a row that were there before. The counted places do not overlap. Tokens
    /// count without the spaces between them, so `a bc` repeats `ab c`, as in datatrove.
    pub(crate) fn duplicates(&self, n: usize) -> usize {
        let mut seen: HashSet<&str, RandomState> = HashSet::default();
        let (mut characters, mut at) = (0, 0);
        while at + n <= self.tokens.len() {
            if seen.insert(&self.joined[self.ends[at]..self.ends[at + n]]) {
                at += 1;
            } else {
                characters += length(&self.tokens[at..at + n]);
                at += n;
            }
        }
        characters
    }
}

fn length(tokens: &[&str]) -> usize {
    tokens.iter().map(|token| token.chars().count()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn top(tokens: &[&str], n: usize) -> usize {
        let count = |row: &[&str]| tokens.windows(n).filter(|other| *other == row).count();
        let mut top = (0, 0);
        for row in tokens.windows(n) {
            if count(row) > top.1 {
                top = (length(row) + n - 1, count(row));
            }
        }
        top.0 * top.1
    }

    fn duplicates(tokens: &[&str], n: usize) -> usize {
        let (mut seen, mut characters, mut at) = (HashSet::new(), 0, 0);
        while at + n <= tokens.len() {
            let row = &tokens[at..at + n];
            if seen.insert(row.concat()) {
                at += 1;
            } else {
                characters += length(row);
                at += n;
            }
        }
        characters
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_definitions(
            tokens in prop::collection::vec(prop::sample::select(vec!["a", "ab", "b", "ba", "é"]), 0..60)
        ) {
            let repetition = Repetition::new(&tokens);
            for n in [2, 3, 4] {
                prop_assert_eq!(repetition.top(n), top(&tokens, n));
            }
            for n in 5..=10 {
                prop_assert_eq!(repetition.duplicates(n), duplicates(&tokens, n));
            }
        }
    }
}
