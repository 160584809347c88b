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
        let mut words = Self {
            tokens: tokens(text).collect(),
            words: 0,
            letters: 0,
            with_letters: 0,
            stop_words: 0,
        };
        let mut stops = [false; STOP_WORDS.len()];
        for token in &words.tokens {
            if token.chars().any(char::is_alphanumeric) {
                words.words += 1;
                words.letters += token.chars().count();
            }
            words.with_letters += usize::from(token.chars().any(char::is_alphabetic));
            if let Some(stop) = STOP_WORDS.iter().position(|stop| stop == token) {
                stops[stop] = true;
            }
        }
        words.stop_words = stops.into_iter().filter(|stop| *stop).count();
        words
    }
}

/// The parts of a text between word boundaries, without those of spaces.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split_word_bounds()
        .filter(|token| !token.chars().all(char::is_whitespace))
}
