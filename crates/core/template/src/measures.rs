//! The measures of a text: its characters, its marks and its figures.

use crate::figures::figures;

/// The measures of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measures {
    /// Number of characters.
    pub(crate) chars: usize,
    /// Number of commas and of ends of sentences, in the scripts of Unicode that have such marks.
    pub(crate) marks: usize,
    /// Digest of the letters and digits of a text with a digit; 0 for other texts.
    pub(crate) figures: u32,
}

impl Measures {
    /// Measures a text. One pass over its bytes has all that most texts need.
    pub(crate) fn new(text: &str) -> Self {
        let bytes = Bytes::read(text.as_bytes());
        let is_ascii = bytes.others == 0;
        let other_marks = || text.chars().filter(|letter| is_mark(*letter)).count();
        let has_figures = bytes.digits || !is_ascii && text.chars().any(char::is_numeric);
        Self {
            chars: if is_ascii {
                text.len()
            } else {
                text.chars().count()
            },
            marks: bytes.marks + if bytes.of_marks { other_marks() } else { 0 },
            figures: if has_figures { figures(text) } else { 0 },
        }
    }
}

/// The measures that bytes give without characters.
#[derive(Default)]
struct Bytes {
    /// Number of ASCII marks.
    marks: usize,
    digits: bool,
    /// The bytes that are not ASCII.
    others: u8,
    /// Whether some character may be one that [`is_mark`].
    of_marks: bool,
}

/// Bytes that are read at once. The loop over them has no branch, so it becomes vector instructions: a loop over a
/// text of any length did so too, and took longer for a text of 70 bytes, the mean.
const CHUNK: usize = 16;

impl Bytes {
    fn read(text: &[u8]) -> Self {
        let mut bytes = Self::default();
        let (chunks, rest) = text.as_chunks();
        chunks.iter().for_each(|chunk| bytes.add(chunk));
        let mut last = [0; CHUNK];
        last[..rest.len()].copy_from_slice(rest);
        bytes.add(&last);
        bytes
    }

    fn add(&mut self, chunk: &[u8; CHUNK]) {
        let (mut marks, mut digits, mut others, mut of_marks) = (0, false, 0, false);
        for byte in *chunk {
            marks += u8::from(
                (byte == b',') | (byte == b'.') | (byte == b';') | (byte == b'!') | (byte == b'?'),
            );
            digits |= byte.is_ascii_digit();
            others |= byte & 0x80;
            // The quotes and dashes of English, and the letters of Europe, have other first bytes.
            of_marks |=
                (byte == 0xd8) | (byte == 0xdb) | (byte == 0xe0) | (byte == 0xe3) | (byte == 0xef);
        }
        self.marks += usize::from(marks);
        self.digits |= digits;
        self.others |= others;
        self.of_marks |= of_marks;
    }
}

/// Whether a character beyond ASCII is a mark.
fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '\u{3001}'
            | '\u{3002}'
            | '\u{ff0c}'
            | '\u{ff01}'
            | '\u{ff1f}'
            | '\u{ff1b}'
            | '\u{60c}'
            | '\u{61b}'
            | '\u{61f}'
            | '\u{6d4}'
            | '\u{964}'
            | '\u{965}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn measures_equal_a_plain_implementation(text in "[a,.;!?3é’中。،٤ ]{0,40}") {
            let is_ascii_mark = |letter| matches!(letter, ',' | '.' | ';' | '!' | '?');
            let plainly = Measures {
                chars: text.chars().count(),
                marks: text.chars().filter(|letter| is_ascii_mark(*letter) || is_mark(*letter)).count(),
                figures: if text.contains(char::is_numeric) { figures(&text) } else { 0 },
            };
            prop_assert_eq!(Measures::new(&text), plainly);
        }
    }

    #[test]
    fn every_mark_is_counted() {
        let marks = (char::MIN..=char::MAX).filter(|letter| is_mark(*letter));
        let text: String = marks.collect();
        assert_eq!(Measures::new(&text).marks, 12);
        for mark in text.chars() {
            assert_eq!(Measures::new(&format!("a{mark}")).marks, 1, "{mark}");
        }
        assert_eq!(Measures::new(&".".repeat(1000)).marks, 1000);
    }
}
