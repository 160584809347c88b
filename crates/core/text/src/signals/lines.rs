//! Counts over lines.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

/// Characters of a short line, at most (FineWeb).
const SHORT: usize = 30;

/// A line that ends with a character that ends sentences.
static ENDED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\p{Sentence_Terminal}$").expect("the pattern is a constant"));

#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) all: usize,
    /// Lines that have more than spaces.
    pub(crate) filled: usize,
    pub(crate) bullets: usize,
    pub(crate) ellipses: usize,
    pub(crate) ended: usize,
    pub(crate) short: usize,
    pub(crate) duplicates: usize,
    pub(crate) duplicate_chars: usize,
    pub(crate) breaks: usize,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let mut lines = Self {
            breaks: text.matches('\n').count(),
            ..Self::default()
        };
        let mut seen = HashSet::new();
        for line in text.lines() {
            lines.all += 1;
            let (begin, end) = (line.trim_start(), line.trim_end());
            lines.bullets += usize::from(begin.starts_with(['-', '•']));
            lines.ellipses += usize::from(end.ends_with("...") || end.ends_with('…'));
            if end.is_empty() {
                continue;
            }
            lines.filled += 1;
            lines.ended += usize::from(ENDED.is_match(line));
            let length = line.chars().count();
            lines.short += usize::from(length <= SHORT);
            if !seen.insert(line) {
                lines.duplicates += 1;
                lines.duplicate_chars += length;
            }
        }
        lines
    }
}
