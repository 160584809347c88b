//! Comparison of blocks with the title of a page.

use crate::thresholds::title::{BLOCK_BYTES, LETTERS};

/// Number of letters in the quick check, which rejects nearly all blocks.
const FIRST_LETTERS: usize = 6;

/// The letters and digits of a page's `<title>`.
///
/// ```
/// let title = template::Title::new("Storm over Ljubljana – The Daily Tree");
/// // A block at the start of the title ranks above the name of the site.
/// assert_eq!(title.shown_by("The Daily Tree"), 12);
/// assert_eq!(title.shown_by("Storm over Ljubljana!"), 18 + 30);
/// // 0 for less than a quarter of the title, and for text that is not in it.
/// assert_eq!(title.shown_by("Storm"), 0);
/// assert_eq!(title.shown_by("Storm over Maribor"), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Title {
    letters: String,
    count: usize,
    /// A set of all pairs of adjacent bytes, as hashed bits.
    pairs: [u64; 4],
}

impl Title {
    /// Reads a title from text.
    pub fn new(title: &str) -> Self {
        let letters = letters(title, usize::MAX);
        let count = letters.chars().count();
        let mut pairs = [0; 4];
        for pair in letters.as_bytes().array_windows() {
            let bit = bit(*pair);
            pairs[bit / 64] |= 1 << (bit % 64);
        }
        Title {
            letters,
            count,
            pairs,
        }
    }

    /// Returns how well a block shows the title, to compare blocks of one page.
    ///
    /// The letters and digits of the block must be a substring of those of the title, and at
    /// least a quarter of them. The result is their number, or 0 if they are not. A block
    /// with which the title begins gets the number of the title's letters in addition, and so
    /// ranks above all others: the end of a title is usually the name of the site.
    pub fn shown_by(&self, block: &str) -> u32 {
        let short = self.count > 0 && block.len() <= BLOCK_BYTES;
        if !short || !self.may_have_first_letters_of(block) {
            return 0;
        }
        // A block with more letters than the title is not in it, so the rest is not read.
        let block = letters(block, self.count + 1);
        let count = block.chars().count();
        if count * LETTERS < self.count || !self.letters.contains(&block) {
            return 0;
        }
        let first = self.letters.starts_with(&block);
        u32::try_from(if first { count + self.count } else { count }).unwrap_or(u32::MAX)
    }

    /// Returns whether the title can contain the first letters of a block.
    ///
    /// This check is the only work for nearly all blocks.
    fn may_have_first_letters_of(&self, block: &str) -> bool {
        let mut before = None;
        let mut follows = |letter: u8| {
            let pair = before.replace(letter).map(|before| [before, letter]);
            pair.is_none_or(|pair| self.has_pair(pair))
        };
        let letters = block.chars().filter(|letter| letter.is_alphanumeric());
        letters.take(FIRST_LETTERS).all(|letter| {
            if letter.is_ascii() {
                return follows(letter.to_ascii_lowercase() as u8);
            }
            let mut bytes = [0; 4];
            letter
                .to_lowercase()
                .all(|letter| letter.encode_utf8(&mut bytes).bytes().all(&mut follows))
        })
    }

    fn has_pair(&self, pair: [u8; 2]) -> bool {
        let bit = bit(pair);
        self.pairs[bit / 64] & 1 << (bit % 64) != 0
    }
}

/// Hashes two bytes to a number below 256.
fn bit([first, second]: [u8; 2]) -> usize {
    usize::from(first.wrapping_mul(31) ^ second)
}

/// Returns the first `most` letters and digits of a text in lower case.
fn letters(text: &str, most: usize) -> String {
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphanumeric).take(most);
        return letters
            .map(|letter| char::from(letter.to_ascii_lowercase()))
            .collect();
    }
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(most)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// [`Title::shown_by`] without the quick check.
    fn plainly(title: &str, block: &str) -> u32 {
        let (title, block) = (letters(title, usize::MAX), letters(block, usize::MAX));
        let (all, count) = (title.chars().count(), block.chars().count());
        if all == 0 || count * 4 < all || !title.contains(&block) {
            return 0;
        }
        u32::try_from(if title.starts_with(&block) {
            count + all
        } else {
            count
        })
        .unwrap()
    }

    proptest! {
        #[test]
        fn shown_by_equals_a_plain_implementation(
            title in "[a-cÄß中 .]{0,20}",
            other in "[a-cÄß中 .]{0,9}",
            from in 0..20_usize,
            most in 0..20_usize,
        ) {
            let part: String = title.chars().skip(from).take(most).collect();
            for block in [part.to_uppercase(), part, other] {
                prop_assert_eq!(Title::new(&title).shown_by(&block), plainly(&title, &block));
            }
        }
    }
}
