//! Tokens and words.

use unicode_segmentation::UnicodeSegmentation;

/// The stop words of Gopher, appendix A.1.1.
const STOP_WORDS: [&str; 8] = ["the", "be", "to", "of", "and", "that", "have", "with"];

/// The tokens of a text, and counts of them.
pub(crate) struct Words<'a> {
    pub(crate) tokens: Vec<&'a str>,
    /// Tokens with a letter or a digit.
    pub(crate) words: usize,
    /// Characters in words.
    pub(crate) letters: usize,
    pub(crate) with_letters: usize,
    /// Of [`STOP_WORDS`], those that are there.
    pub(crate) stop_words: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let tokens: Vec<&str> = tokens(text).collect();
        let is_word = |token: &&&str| token.chars().any(char::is_alphanumeric);
        let has_letter = |token: &&&str| token.chars().any(char::is_alphabetic);
        let stops = STOP_WORDS.iter().filter(|stop| tokens.contains(stop));
        Self {
            words: tokens.iter().filter(is_word).count(),
            letters: tokens
                .iter()
                .filter(is_word)
                .map(|token| token.chars().count())
                .sum(),
            with_letters: tokens.iter().filter(has_letter).count(),
            stop_words: stops.count(),
            tokens,
        }
    }
}

/// The parts of a text between word boundaries, without those of spaces.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split_word_bounds()
        .filter(|token| !token.chars().all(char::is_whitespace))
}
