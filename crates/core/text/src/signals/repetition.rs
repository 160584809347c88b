//! Tokens in a row that recur (Gopher, table A1).

use std::collections::{HashMap, HashSet};

/// Characters in the most frequent `n` tokens in a row, joined by spaces, times their number. Of equally
/// frequent ones, the first in the text counts.
pub(crate) fn top(tokens: &[&str], n: usize) -> usize {
    let mut counts: HashMap<&[&str], usize> = HashMap::new();
    for ngram in tokens.windows(n) {
        *counts.entry(ngram).or_default() += 1;
    }
    let mut top: (&[&str], usize) = (&[], 0);
    // In text order, so that the first of the most frequent is found.
    for ngram in tokens.windows(n) {
        let count = counts.get(ngram).copied().unwrap_or(0);
        if count > top.1 {
            top = (ngram, count);
        }
    }
    let (ngram, count) = top;
    (length(ngram) + ngram.len().saturating_sub(1)) * count
}

/// Characters in `n` tokens in a row that were there before. The counted places do not overlap. Tokens
/// count without the spaces between them, so `a bc` repeats `ab c`, as in datatrove.
pub(crate) fn duplicates(tokens: &[&str], n: usize) -> usize {
    let mut seen = HashSet::new();
    let (mut characters, mut at) = (0, 0);
    while at + n <= tokens.len() {
        let ngram = &tokens[at..at + n];
        if seen.insert(ngram.concat()) {
            at += 1;
        } else {
            characters += length(ngram);
            at += n;
        }
    }
    characters
}

fn length(tokens: &[&str]) -> usize {
    tokens.iter().map(|token| token.chars().count()).sum()
}
