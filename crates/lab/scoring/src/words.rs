//! Texts as sequences of words.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// A run of word characters as in `\w` of Python's `re`: letters and numbers by general
/// category, and the underscore. Combining marks and circled letters are not word
/// characters, so a mark divides a word. UTS #18, `\w` of the `regex` crate and
/// `char::is_alphanumeric` all include more characters.
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]+").expect("the pattern is a constant"));

/// The way in which a text is split into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tokens {
    /// Runs of Unicode letters, numbers and underscores, in lower case [P 5.2]. The word
    /// characters are those of Python's `\w`, which has no combining marks.
    Unicode,
    /// Runs of ASCII letters and digits, in lower case [K algorithm 3]. Punctuation
    /// (including the underscore) and control characters become spaces. Characters
    /// outside ASCII are removed *without* leaving a space: `naïve` becomes `nave`, and
    /// the words on both sides of a dash or of a no-break space become one.
    Ascii,
}

/// The number of a word in its [`Vocabulary`]. Numbers of different vocabularies must
/// not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordId(u32);

/// The words seen so far, numbered in order of their first occurrence.
///
/// Texts are compared word number by word number, so the gold text of a page and all
/// extractions of that page must be split with the same vocabulary.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    ids: HashMap<String, WordId>,
}

impl Vocabulary {
    /// Splits a text into words.
    ///
    /// ```
    /// use scoring::{Tokens, Vocabulary};
    ///
    /// let mut vocabulary = Vocabulary::default();
    /// let words = vocabulary.words("Über die Brücke, DIE_BRÜCKE", Tokens::Unicode);
    /// assert_eq!(words.len(), 4);
    /// assert_eq!(words[2..3], vocabulary.words("brücke", Tokens::Unicode));
    /// ```
    ///
    /// # Panics
    ///
    /// If the vocabulary would have more than 2^32 words.
    pub fn words(&mut self, text: &str, tokens: Tokens) -> Vec<WordId> {
        match tokens {
            Tokens::Unicode => {
                // Before splitting: a sigma is a final sigma only at the end of a word.
                let lower = text.to_lowercase();
                // Readers do not see soft hyphens, and some gold texts have them inside of words.
                let lower = lower.replace('\u{ad}', "");
                WORD.find_iter(&lower)
                    .map(|word| self.id(word.as_str()))
                    .collect()
            }
            Tokens::Ascii => ascii(text)
                .split_ascii_whitespace()
                .map(|word| self.id(word))
                .collect(),
        }
    }

    /// Splits each line of a text into words, for [`rouge_lsum`](crate::rouge_lsum).
    ///
    /// # Panics
    ///
    /// If the vocabulary would have more than 2^32 words.
    pub fn lines(&mut self, text: &str, tokens: Tokens) -> Vec<Vec<WordId>> {
        text.split('\n')
            .map(|line| self.words(line, tokens))
            .collect()
    }

    fn id(&mut self, word: &str) -> WordId {
        if let Some(&id) = self.ids.get(word) {
            return id;
        }
        let id = WordId(u32::try_from(self.ids.len()).expect("fewer than 2^32 words"));
        self.ids.insert(word.to_owned(), id);
        id
    }
}

/// Returns the text in lower-case ASCII, with a space for every character that divides
/// words.
fn ascii(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii)
        .map(|c| match c {
            // [K 4] does not count U+007F as a control character, so it is kept.
            _ if c.is_ascii_punctuation() || c <= '\x1f' => ' ',
            _ => c.to_ascii_lowercase(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use md5::{Digest, Md5};

    use super::*;

    fn words(text: &str, tokens: Tokens) -> Vec<String> {
        let mut vocabulary = Vocabulary::default();
        let ids = vocabulary.words(text, tokens);
        let spelling = |id: &WordId| {
            let found = vocabulary.ids.iter().find(|(_, known)| *known == id);
            found.expect("a word of this text").0.clone()
        };
        ids.iter().map(spelling).collect()
    }

    /// All characters of a class, in code-point order.
    fn members(class: &str) -> String {
        let all: String = ('\0'..=char::MAX).collect();
        let class = Regex::new(class).expect("a class");
        class.find_iter(&all).map(|found| found.as_str()).collect()
    }

    #[test]
    fn word_characters_equal_those_of_python() {
        // Python 3.11 has Unicode 14.0. The digest is of the UTF-8 of
        //     "".join(c for c in map(chr, codes) if re.match(r"\w", c))
        // over the code points without surrogates, up to U+FFFF and up to U+10FFFF.
        let unicode_14 = Regex::new(r"\p{Age=14.0}").expect("a class");
        let word_chars_to = |last: char| -> String {
            members(WORD.as_str())
                .chars()
                .filter(|c| *c <= last && unicode_14.is_match(c.encode_utf8(&mut [0; 4])))
                .collect()
        };
        let digest = |text: &str| {
            let digest = u128::from_be_bytes(Md5::digest(text).into());
            format!("{digest:032x}")
        };
        let (plane, all) = (word_chars_to('\u{ffff}'), word_chars_to(char::MAX));
        assert_eq!(plane.chars().count(), 49_701);
        assert_eq!(digest(&plane), "56f7f8ba47f530b7f20fa165c5910d7e");
        assert_eq!(all.chars().count(), 133_548);
        assert_eq!(digest(&all), "74cd04f26abe5def84254e34b5e6ee47");
    }

    #[test]
    fn unicode_words_are_runs_of_letters_numbers_and_underscores() {
        let text = "Don't e-mail me@x.eu: 3,5 % of snake_case\u{a0}Straße, ½ XIV Ⅷ 東京";
        assert_eq!(
            words(text, Tokens::Unicode),
            [
                "don",
                "t",
                "e",
                "mail",
                "me",
                "x",
                "eu",
                "3",
                "5",
                "of",
                "snake_case",
                "straße",
                "½",
                "xiv",
                "ⅷ",
                "東京"
            ]
        );
    }

    #[test]
    fn marks_divide_words_as_they_do_in_python() {
        // A decomposed é, a vowel sign, a circled letter, a dotted capital I.
        assert_eq!(words("cafe\u{301}s", Tokens::Unicode), ["cafe", "s"]);
        assert_eq!(words("हिन्दी", Tokens::Unicode), ["ह", "न", "द"]);
        assert_eq!(words("aⓐb", Tokens::Unicode), ["a", "b"]);
        assert_eq!(words("İzmir", Tokens::Unicode), ["i", "zmir"]);
    }

    #[test]
    fn a_sigma_at_the_end_of_a_word_is_final() {
        assert_eq!(words("ΟΔΟΣ ΣΟΦΙΑΣ", Tokens::Unicode), ["οδος", "σοφιας"]);
    }

    #[test]
    fn ascii_words_lose_characters_outside_ascii() {
        let text = "A naïve\tE-Mail_list, so—to speak:\n100\u{a0}km D\u{7f}el";
        assert_eq!(
            words(text, Tokens::Ascii),
            [
                "a",
                "nave",
                "e",
                "mail",
                "list",
                "soto",
                "speak",
                "100km",
                "d\u{7f}el"
            ]
        );
        assert_eq!(words("東京 — …", Tokens::Ascii), [""; 0]);
    }

    #[test]
    fn only_newlines_end_a_line() {
        let mut vocabulary = Vocabulary::default();
        let lines = vocabulary.lines("one two\r\n\nthree\u{2028}four", Tokens::Unicode);
        let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 0, 2]);
    }
}
