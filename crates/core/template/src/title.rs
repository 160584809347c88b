//! The title of a page, to find the block that shows it.

/// Longer blocks are no titles.
const BLOCK_BYTES: usize = 500;

/// So many letters tell most blocks from the title.
const FIRST_LETTERS: usize = 6;

/// The letters and digits of a page's `<title>`.
///
/// ```
/// let title = template::Title::new("Storm over Ljubljana – The Daily Tree");
/// // The name of the site is in it too, but the title begins with the other.
/// assert_eq!(title.shown_by("The Daily Tree"), 12);
/// assert_eq!(title.shown_by("Storm over Ljubljana!"), 18 + 30);
/// // Less than a quarter of the title, and text that is not in it.
/// assert_eq!(title.shown_by("Storm"), 0);
/// assert_eq!(title.shown_by("Storm over Maribor"), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Title {
    letters: String,
    count: usize,
    /// Of each two neighbouring bytes of them a bit.
    pairs: [u64; 4],
}

impl Title {
    /// The title in this text.
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

    /// How well a block shows the title, to compare blocks of one page: 0 if the title
    /// does not have all its letters and digits in this order, or if they are less than
    /// a quarter of the title; else their number. One that the title begins with comes
    /// before all others, for what follows is the name of the site as a rule.
    pub fn shown_by(&self, block: &str) -> u32 {
        let short = self.count > 0 && block.len() <= BLOCK_BYTES;
        if !short || !self.may_have_first_letters_of(block) {
            return 0;
        }
        // One letter more than the title has is enough to know that it is not in it.
        let block = letters(block, self.count + 1);
        let count = block.chars().count();
        if count * 4 < self.count || !self.letters.contains(&block) {
            return 0;
        }
        let first = self.letters.starts_with(&block);
        u32::try_from(if first { count + self.count } else { count }).unwrap_or(u32::MAX)
    }

    /// Of nearly all blocks this is asked and nothing else.
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
            (letter.to_lowercase())
                .all(|letter| letter.encode_utf8(&mut bytes).bytes().all(&mut follows))
        })
    }

    fn has_pair(&self, pair: [u8; 2]) -> bool {
        let bit = bit(pair);
        self.pairs[bit / 64] & 1 << (bit % 64) != 0
    }
}

/// Below 256, for two bytes.
fn bit([first, second]: [u8; 2]) -> usize {
    usize::from(first.wrapping_mul(31) ^ second)
}

/// The letters and digits of a text in lower case, `most` of them.
fn letters(text: &str, most: usize) -> String {
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphanumeric).take(most);
        return letters
            .map(|letter| char::from(letter.to_ascii_lowercase()))
            .collect();
    }
    (text.chars().filter(|c| c.is_alphanumeric()))
        .flat_map(char::to_lowercase)
        .take(most)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What [`Title::shown_by`] says it does, letter by letter.
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
