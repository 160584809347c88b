//! The identity of a block: the MD5 of its letters.

use std::sync::LazyLock;

use md5::{Digest, Md5};
use regex_syntax::hir::{Class, ClassUnicodeRange, HirKind};

/// Letters, as Unicode's general category has them (Lu, Ll, Lt, Lm, Lo), and their
/// lower case. `char::is_alphabetic` is wider: it takes in Roman numerals, circled
/// letters and vowel signs, which the original drops.
struct Letters {
    /// The lower case of each character of the Basic Multilingual Plane, U+0000
    /// where it is no letter: one look per character of a block.
    basic_plane: Box<[u16; 1 << 16]>,
    /// Ranges of letters in their order.
    ranges: Box<[ClassUnicodeRange]>,
}

static LETTERS: LazyLock<Letters> = LazyLock::new(|| {
    let letters = regex_syntax::parse(r"\p{L}").expect("the pattern is a constant");
    let HirKind::Class(Class::Unicode(letters)) = letters.into_kind() else {
        unreachable!("the pattern is a class of characters")
    };
    let mut basic_plane = Box::new([0; 1 << 16]);
    let ranges = letters.ranges();
    for letter in ranges.iter().flat_map(|range| range.start()..=range.end()) {
        let Some(lower) = basic_plane.get_mut(letter as usize) else {
            break;
        };
        // No letter has its lower case in another plane.
        *lower = u16::try_from(u32::from(simple_lowercase(letter))).unwrap_or_default();
    }
    Letters {
        basic_plane,
        ranges: ranges.into(),
    }
});

impl Letters {
    /// The lower case of a letter; `None` for what is no letter.
    fn lowercase(&self, c: char) -> Option<char> {
        match self.basic_plane.get(c as usize) {
            Some(lower) => char::from_u32(u32::from(*lower)).filter(|lower| *lower != '\0'),
            None => {
                let after = self.ranges.partition_point(|range| range.end() < c);
                let found = self.ranges.get(after).filter(|range| range.start() <= c);
                found.map(|_| simple_lowercase(c))
            }
        }
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
    let mut md5 = Md5::new();
    // Hashing allocates nothing: the letters of most blocks fit at once.
    let mut buffer = [0; BUFFER];
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        let length = if piece.is_ascii() {
            ascii_letters(piece.as_bytes(), &mut buffer)
        } else {
            letters(piece, &mut buffer)
        };
        md5.update(&buffer[..length]);
        rest = after;
    }
    md5.finalize().into()
}

/// Bytes of a text whose letters are written at once, and room for them: a letter of
/// two bytes may have a lower case of three.
const PIECE: usize = 160;
const BUFFER: usize = 256;

/// Writes the letters in lower case, and tells how many bytes they are.
fn ascii_letters(text: &[u8], buffer: &mut [u8; BUFFER]) -> usize {
    let mut length = 0;
    for byte in text {
        length += ascii_letter(*byte, &mut buffer[length % BUFFER]);
    }
    length
}

fn letters(text: &str, buffer: &mut [u8; BUFFER]) -> usize {
    let letters = &*LETTERS;
    let mut length = 0;
    for c in text.chars() {
        if c.is_ascii() {
            length += ascii_letter(c as u8, &mut buffer[length % BUFFER]);
        } else if let Some(lower) = letters.lowercase(c) {
            length += lower.encode_utf8(&mut buffer[length..]).len();
        }
    }
    length
}

/// Written always, kept if a letter: no branch for the CPU to guess.
fn ascii_letter(byte: u8, to: &mut u8) -> usize {
    *to = byte | 0x20;
    usize::from(to.is_ascii_lowercase())
}

/// Unicode's simple (one to one) lower case. The full mapping differs for U+0130
/// alone, and there begins with the simple one.
fn simple_lowercase(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
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
    fn long_blocks_are_hashed_whole() {
        for length in [79, 80, 81, 82, 160, 1000] {
            assert_eq!(
                block_hash(&"Xy1".repeat(length)),
                md5_of(&"xy".repeat(length))
            );
            assert_eq!(
                block_hash(&"Žy1".repeat(length)),
                md5_of(&"žy".repeat(length))
            );
            assert_eq!(
                block_hash(&"ȺȾ".repeat(length)),
                md5_of(&"ⱥⱦ".repeat(length))
            );
        }
    }
}
