//! The identity of a block: the MD5 of its letters.

use std::sync::LazyLock;

use md5::{Digest, Md5};
use regex::Regex;

/// Letters as Unicode's general category has them (Lu, Ll, Lt, Lm, Lo).
/// `char::is_alphabetic` is wider: it takes in Roman numerals, circled letters
/// and vowel signs, which the original drops.
static LETTERS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\p{L}").expect("the pattern is a constant"));

/// The letters of the Basic Multilingual Plane as a bit each: asking the regular
/// expression about every character would cost more than the MD5.
static BASIC_PLANE: LazyLock<Box<[u64; 1 << 10]>> = LazyLock::new(|| {
    let plane: String = ('\0'..='\u{ffff}').collect();
    let mut bits = Box::new([0; 1 << 10]);
    for letter in LETTERS
        .find_iter(&plane)
        .flat_map(|found| found.as_str().chars())
    {
        let code = letter as usize;
        bits[code / 64] |= 1 << (code % 64);
    }
    bits
});

fn is_letter(c: char) -> bool {
    let code = c as usize;
    match BASIC_PLANE.get(code / 64) {
        Some(bits) => bits >> (code % 64) & 1 == 1,
        None => LETTERS.is_match(c.encode_utf8(&mut [0; 4])),
    }
}

/// The 128-bit hash by which blocks are counted: all characters but letters are
/// dropped, the letters are lower-cased one by one (Unicode's simple mapping: no
/// final-sigma rule, `ß` stays), and the MD5 of their UTF-8 is taken [P 4] [O C6].
///
/// Blocks without letters share one hash, the MD5 of nothing [O C7]: dates in
/// digits, bullets and bars behave as one block.
///
/// Two things are left out of the original on purpose: it folds the digest to 64
/// bits, and it drops letters beyond the Basic Multilingual Plane.
///
/// ```
/// use html_blocks::block_hash;
/// assert_eq!(block_hash("Home »"), block_hash("HOME!"));
/// assert_eq!(block_hash("2013-10-27"), block_hash("|"));
/// ```
pub fn block_hash(text: &str) -> [u8; 16] {
    let mut letters = LetterDigest::new();
    if text.is_ascii() {
        letters.push_ascii(text.as_bytes());
    } else {
        text.chars()
            .filter(|c| {
                if c.is_ascii() {
                    c.is_ascii_alphabetic()
                } else {
                    is_letter(*c)
                }
            })
            .for_each(|letter| letters.push(simple_lowercase(letter)));
    }
    letters.finish()
}

/// Unicode's simple (one to one) lower case. The full mapping differs for U+0130
/// alone, and there begins with the simple one.
fn simple_lowercase(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    letter.to_lowercase().next().unwrap_or(letter)
}

/// MD5 fed through a small buffer, so that hashing a block allocates nothing.
struct LetterDigest {
    md5: Md5,
    buffer: [u8; 64],
    filled: usize,
}

impl LetterDigest {
    fn new() -> Self {
        Self {
            md5: Md5::new(),
            buffer: [0; 64],
            filled: 0,
        }
    }

    fn push_ascii(&mut self, text: &[u8]) {
        for chunk in text.chunks(self.buffer.len()) {
            // Written always, kept if a letter: no branch for the CPU to guess.
            for byte in chunk {
                self.buffer[self.filled] = byte.to_ascii_lowercase();
                self.filled += usize::from(byte.is_ascii_alphabetic());
            }
            self.flush();
        }
    }

    fn push(&mut self, letter: char) {
        if self.buffer.len() - self.filled < letter.len_utf8() {
            self.flush();
        }
        self.filled += letter.encode_utf8(&mut self.buffer[self.filled..]).len();
    }

    fn flush(&mut self) {
        self.md5.update(&self.buffer[..self.filled]);
        self.filled = 0;
    }

    fn finish(mut self) -> [u8; 16] {
        self.flush();
        self.md5.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn md5_of(letters: &str) -> [u8; 16] {
        Md5::digest(letters).into()
    }

    #[test]
    fn only_letters_count() {
        assert_eq!(block_hash("Hello, World! (3)"), md5_of("helloworld"));
        assert_eq!(block_hash("a\u{300} Ⅳ ⓐ ٣ हि"), md5_of("aह"));
        assert_eq!(block_hash("»"), md5_of(""));
    }

    #[test]
    fn lower_case_is_one_to_one() {
        assert_eq!(block_hash("STRAẞE ΣΊΣΥΦΟΣ İ"), md5_of("straßeσίσυφοσi"));
    }

    #[test]
    fn letters_beyond_the_basic_plane_are_kept() {
        assert_ne!(block_hash("𐐀"), md5_of(""));
        assert_eq!(block_hash("𐐀"), block_hash("𐐨"));
    }

    #[test]
    fn long_blocks_pass_through_the_buffer_whole() {
        for length in [63, 64, 65, 1000] {
            assert_eq!(
                block_hash(&"Xy1".repeat(length)),
                md5_of(&"xy".repeat(length))
            );
            assert_eq!(
                block_hash(&"Žy1".repeat(length)),
                md5_of(&"žy".repeat(length))
            );
        }
    }
}
