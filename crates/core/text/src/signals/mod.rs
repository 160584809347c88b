//! Counts that tell good text from bad: the signals of Gopher and FineWeb.
//!
//! ```
//! let signals = text::signals::signals("Tea is hot.\nTea is hot.\nRead more...\n- Home");
//! assert_eq!(signals.words, 9);
//! assert_eq!(signals.duplicate_lines, 0.25);
//! assert_eq!(signals.ellipsis_lines, 0.25);
//! assert_eq!(signals.bullet_lines, 0.25);
//! ```
//!
//! The sources are [Gopher] (Rae et al. 2021, appendix A.1) and [FineWeb] (Penedo et al. 2024, section 3.6).
//! Where they leave something open, the values are those of the filters of datatrove 0.10 on the same tokens; a
//! test compares them.
//!
//! # Words
//!
//! A text is split at the word boundaries of Unicode (UAX 29) into **tokens**, without those of spaces alone. A
//! **word** is a token with a letter or digit. datatrove splits English with spaCy, which cuts "don't" in two,
//! and calls a token a word unless all of its characters are in a list of punctuation, so that `€` and `•` are words.
//! In Chinese and Japanese, each ideograph is a token.
//!
//! # Non-goals
//!
//! - The module judges no text: a filter is a condition over the values.
//! - It has no models, so neither perplexity nor classifiers of quality.
//! - The stop words are English, as in Gopher. Texts in other languages have none.
//!
//! [Gopher]: https://arxiv.org/abs/2112.11446
//! [FineWeb]: https://arxiv.org/abs/2406.17557

mod lines;
mod repetition;
mod words;

use lines::Lines;
use repetition::Repetition;
use words::Words;

/// The signals of one text. Shares and means of nothing are 0. Lengths are in
/// characters: code points of Unicode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// Words. Gopher keeps 50 to 100,000.
    pub words: usize,
    /// Mean length of words. Gopher keeps 3 to 10.
    pub mean_word_length: f64,
    /// `#` per token. Gopher keeps at most .1.
    pub hashes_per_token: f64,
    /// `...` and `…` per token. Gopher keeps at most .1.
    pub ellipses_per_token: f64,
    /// Share of tokens with a letter. Gopher keeps .8 at least.
    pub tokens_with_letters: f64,
    /// Number of different words of the text that are one of these, in lower case: the, be, to, of, and, that,
    /// have, with. Gopher keeps two at least.
    pub stop_words: usize,
    /// Share of characters that are digits, 0 to 9. RedPajama-V2 has it by line.
    pub digits: f64,
    /// Share of lines that begin with `-` or `•`. Gopher keeps at most .9.
    pub bullet_lines: f64,
    /// Share of lines that end with an ellipsis. Gopher keeps at most .3.
    pub ellipsis_lines: f64,
    /// Share of lines that end with a character that ends sentences (`Sentence_Terminal` of Unicode). FineWeb
    /// keeps .12 at least.
    pub ended_lines: f64,
    /// Share of lines of at most 30 characters. FineWeb keeps at most .67.
    pub short_lines: f64,
    /// Share of lines that repeat an earlier one. Gopher keeps at most .3.
    pub duplicate_lines: f64,
    /// Share of characters in lines that repeat an earlier one. FineWeb keeps at most .01.
    pub duplicate_line_chars: f64,
    /// Line breaks per token. FineWeb keeps at most .3.
    pub breaks_per_token: f64,
    /// For n = 2, 3, 4: share of characters in the most frequent n tokens in a row. Its places overlap, so that
    /// a text of one word that recurs has more than 1. Gopher keeps at most .2, .18, .16.
    pub top_ngrams: [f64; 3],
    /// For n = 5 to 10: share of characters in n tokens in a row that were there before. Gopher keeps at
    /// most .15, .14, .13, .12, .11, .10.
    pub duplicate_ngrams: [f64; 6],
}

/// Computes the signals of a text. The time is linear in its length.
pub fn signals(text: &str) -> Signals {
    let (words, lines) = (Words::new(text), Lines::new(text));
    let characters = text.chars().count();
    let digits = text.chars().filter(char::is_ascii_digit);
    let tokens = words.tokens.len();
    let repetition = Repetition::new(&words.tokens);
    Signals {
        words: words.words,
        mean_word_length: ratio(words.letters, words.words),
        hashes_per_token: ratio(text.matches('#').count(), tokens),
        ellipses_per_token: ratio(
            text.matches("...").count() + text.matches('…').count(),
            tokens,
        ),
        tokens_with_letters: ratio(words.with_letters, tokens),
        stop_words: words.stop_words,
        digits: ratio(digits.count(), characters),
        bullet_lines: ratio(lines.bullets, lines.all),
        ellipsis_lines: ratio(lines.ellipses, lines.all),
        ended_lines: ratio(lines.ended, lines.filled),
        short_lines: ratio(lines.short, lines.filled),
        duplicate_lines: ratio(lines.duplicates, lines.filled),
        duplicate_line_chars: ratio(lines.duplicate_chars, characters - lines.breaks),
        breaks_per_token: ratio(lines.breaks, tokens),
        top_ngrams: [2, 3, 4].map(|n| ratio(repetition.top(n), characters)),
        duplicate_ngrams: [5, 6, 7, 8, 9, 10].map(|n| ratio(repetition.duplicates(n), characters)),
    }
}

/// A part of a whole; 0 of nothing.
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Splits a text into its tokens. They decide all values per token; other tools that are given the same tokens
/// find the same values.
pub fn tokens(text: &str) -> Vec<&str> {
    words::tokens(text).collect()
}
