//! Block hashes: the MD5 of the letters of a block.

use std::sync::LazyLock;

use md5::{Digest, Md5};
use regex_syntax::hir::{Class, ClassUnicodeRange, HirKind};

/// Letters by Unicode's general category (Lu, Ll, Lt, Lm, Lo), with their lower case.
/// `char::is_alphabetic` is wider: it includes Roman numerals, circled letters and vowel signs,
/// which the original drops.
struct Letters {
    /// The lower case of each character of the Basic Multilingual Plane, U+0000 for characters
    /// that are not letters. Hashing a block takes one lookup per character.
    basic_plane: Box<[u16; 1 << 16]>,
    /// Ranges of letters in ascending order.
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
        // The lower case of a letter is always in the same plane.
        *lower = u16::try_from(u32::from(lowercase(letter))).unwrap_or_default();
    }
    Letters {
        basic_plane,
        ranges: ranges.into(),
    }
});

impl Letters {
    /// The lower case of a letter; `None` for other characters.
    fn lowercase(&self, c: char) -> Option<char> {
        match self.basic_plane.get(c as usize) {
            Some(lower) => char::from_u32(u32::from(*lower)).filter(|lower| *lower != '\0'),
            None => {
                let after = self.ranges.partition_point(|range| range.end() < c);
                let found = self.ranges.get(after).filter(|range| range.start() <= c);
                found.map(|_| lowercase(c))
            }
        }
    }
}

/// Computes the 128-bit hash that identifies a block: the MD5 of its letters in lower case, as
/// UTF-8 [P 4] [O C6].
///
/// All other characters are dropped. Each letter is mapped to one lower-case letter (Unicode's
/// simple mapping: no final-sigma rule, and `ß` stays).
///
/// Blocks without letters share one hash, the MD5 of no bytes [O C7]: dates in digits, bullets
/// and bars count as one block.
///
/// Two steps of the original are left out on purpose: it folds the digest to 64 bits, and it
/// drops letters outside the Basic Multilingual Plane.
///
/// ```
/// use html_blocks::block_hash;
/// assert_eq!(block_hash("Home »"), block_hash("HOME!"));
/// assert_eq!(block_hash("2013-10-27"), block_hash("|"));
/// ```
pub fn block_hash(text: &str) -> [u8; 16] {
    let mut md5 = Md5::new();
    // No allocation: the buffer takes the letters of most blocks at once.
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

/// Bytes of text hashed at once.
const PIECE: usize = 160;

/// Size of the buffer for the letters of one piece, in bytes. The lower case of a letter of two
/// bytes may have three.
const BUFFER: usize = 256;

/// Writes the letters of an ASCII text in lower case, and returns their length in bytes.
fn ascii_letters(text: &[u8], buffer: &mut [u8; BUFFER]) -> usize {
    let mut length = 0;
    for byte in text {
        length += ascii_letter(*byte, &mut buffer[length % BUFFER]);
    }
    length
}

/// Writes the letters of a text in lower case, and returns their length in bytes.
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

/// Writes the lower case of a byte and returns its length: 1 if it is a letter, else 0. It has
/// no branch, so none can be mispredicted.
fn ascii_letter(byte: u8, to: &mut u8) -> usize {
    *to = byte | 0x20;
    usize::from(to.is_ascii_lowercase())
}

/// Unicode's simple (one to one) lower case. The full mapping differs for U+0130 alone, and
/// begins with the simple one there.
fn lowercase(letter: char) -> char {
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
    fn only_one_character_has_a_longer_lower_case() {
        let longer = |c: &char| c.to_lowercase().len() > 1;
        assert_eq!(('\0'..=char::MAX).filter(longer).collect::<String>(), "İ");
    }

    #[test]
    fn letters_outside_the_basic_plane_are_kept() {
        assert_ne!(block_hash("𐐀"), md5_of(""));
        assert_eq!(block_hash("𐐀"), block_hash("𐐨"));
    }

    #[test]
    fn blocks_longer_than_a_piece_are_hashed_completely() {
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
