//! MinHash signatures.

use std::fmt;

use super::mix::mix;
use super::words::words;

/// Words of a shingle.
pub const SHINGLE_WORDS: usize = 5;
/// Bands of a signature.
pub const BANDS: usize = 14;
/// Values of a band.
pub const ROWS: usize = 8;
/// Values of a signature.
pub const VALUES: usize = BANDS * ROWS;
/// Bytes of a signature.
pub const BYTES: usize = 4 * VALUES;
/// Changes when the signature of a text changes.
pub const VERSION: u32 = 1;

/// The factors and summands of the permutations, one for each value.
const PERMUTATIONS: [(u64, u64); VALUES] = permutations();

const fn permutations() -> [(u64, u64); VALUES] {
    let mut pairs = [(0, 0); VALUES];
    let mut at = 0;
    while at < VALUES {
        let seed = 2 * at as u64;
        // An odd factor has an inverse, so that no two shingles become equal.
        pairs[at] = (mix(seed + 1) | 1, mix(seed + 2));
        at += 1;
    }
    pairs
}

/// The MinHash signature of a text: for each of 112 permutations the least value of its shingles.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature([u32; VALUES]);

impl Signature {
    /// Returns the signature of `text`, or `None` if it has fewer than [`SHINGLE_WORDS`] words.
    pub fn of(text: &str) -> Option<Self> {
        Self::with(text, &PERMUTATIONS).map(Self)
    }

    fn with<const N: usize>(text: &str, permutations: &[(u64, u64); N]) -> Option<[u32; N]> {
        let mut least = [u32::MAX; N];
        let mut last = [0_u64; SHINGLE_WORDS];
        let (mut count, mut before) = (0_usize, None);
        words(text, |word| {
            last.rotate_left(1);
            last[SHINGLE_WORDS - 1] = word;
            count += 1;
            if count < SHINGLE_WORDS {
                return;
            }
            let shingle = last.iter().fold(0, |hash, word| mix(hash ^ word));
            // Runs of one word are common in tables, and a set has each shingle once.
            if before.replace(shingle) == Some(shingle) {
                return;
            }
            for (least, (factor, summand)) in least.iter_mut().zip(permutations) {
                let value = shingle.wrapping_mul(*factor).wrapping_add(*summand);
                *least = (*least).min((value >> 32) as u32);
            }
        });
        (count >= SHINGLE_WORDS).then_some(least)
    }

    /// Estimates the Jaccard similarity of the shingles of two texts, 0 to 1. The standard error is
    /// at most .05.
    pub fn similarity(&self, other: &Self) -> f64 {
        let pairs = self.0.iter().zip(&other.0);
        pairs.filter(|(a, b)| a == b).count() as f64 / VALUES as f64
    }

    /// Returns the values of a band, or `None` if there is none of this number.
    pub fn band(&self, number: usize) -> Option<&[u32]> {
        self.0.chunks_exact(ROWS).nth(number)
    }

    /// Whether one of the bands has equal values: the texts are candidates for near duplicates.
    pub fn has_band_of(&self, other: &Self) -> bool {
        let bands = self.0.chunks_exact(ROWS).zip(other.0.chunks_exact(ROWS));
        bands.into_iter().any(|(a, b)| a == b)
    }

    /// Returns the values as bytes, each little endian. A band is 32 bytes.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        for (bytes, value) in bytes.chunks_exact_mut(4).zip(self.0) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    /// Reads the bytes of [`Signature::to_bytes`]. Returns `None` if they have another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; BYTES] = bytes.try_into().ok()?;
        let mut values = [0; VALUES];
        for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(4)) {
            *value = u32::from_le_bytes(bytes.try_into().ok()?);
        }
        Some(Self(values))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, ..] = self.0;
        write!(f, "Signature({first:08x} {second:08x} ..)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A text of numbered words, which are letters, because all numbers are equal.
    fn text(words: impl IntoIterator<Item = u32>) -> String {
        let word = |word: u32| -> String {
            (0..6)
                .map(|digit| char::from(b'a' + (word / 26_u32.pow(digit) % 26) as u8))
                .collect()
        };
        words.into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn signature(words: impl IntoIterator<Item = u32>) -> Signature {
        Signature::of(&text(words)).unwrap()
    }

    /// Signatures are stored in tables, so they must not change.
    #[test]
    fn the_signature_of_a_text_does_not_change() {
        let found = Signature::of("The storm felled 40 trees: 木が倒れた.").unwrap();
        let sum = (found.0.iter()).fold(0_u64, |sum, value| mix(sum ^ u64::from(*value)));
        assert_eq!((VERSION, sum), (1, 8_467_768_908_078_589_187));
    }

    #[test]
    fn short_texts_have_no_signature() {
        assert_eq!(Signature::of("one two three four"), None);
        assert!(Signature::of("one two three four five").is_some());
    }

    /// Two texts of 1,000 words, of which the first `shared` are equal: similarity is known.
    #[test]
    fn the_estimate_is_within_five_standard_errors_of_the_similarity() {
        for shared in [5_u32, 100, 300, 500, 700, 850, 950, 995] {
            let shingles = f64::from(shared - 4);
            let similarity = shingles / (2.0 * 996.0 - shingles);
            let error = (similarity * (1.0 - similarity) / VALUES as f64).sqrt();
            let mut sum = 0.0;
            for pair in 0..20 {
                let start = pair * 10_000;
                let one = signature(start..start + 1000);
                let other = (start + 5000)..(start + 5000 + 1000 - shared);
                let other = signature((start..start + shared).chain(other));
                let found = one.similarity(&other);
                assert!(
                    (found - similarity).abs() <= 5.0 * error + 0.01,
                    "{shared}: {found}"
                );
                sum += found;
            }
            let mean = sum / 20.0;
            let bound = 4.0 * error / 20_f64.sqrt();
            assert!(
                (mean - similarity).abs() <= bound + 0.001,
                "{similarity}: {mean}"
            );
        }
    }

    /// 1 - (1 - s^8)^14 for s = .8 is .92, and for s = .4 it is .01.
    #[test]
    fn bands_find_similar_texts_as_often_as_the_formula_says() {
        for (shared, least, most) in [(890_u32, 170, 195), (574, 0, 8)] {
            let found = (0..200).filter(|pair| {
                let start = pair * 10_000;
                let other = (start + 5000)..(start + 5000 + 1000 - shared);
                let one = signature(start..start + 1000);
                one.has_band_of(&signature((start..start + shared).chain(other)))
            });
            let found = found.count();
            assert!((least..=most).contains(&found), "{shared}: {found}");
        }
    }

    proptest! {
        #[test]
        fn equal_texts_have_equal_signatures_that_survive_bytes(words in prop::collection::vec(0_u32..50, 5..100)) {
            let one = signature(words.clone());
            prop_assert_eq!(one, Signature::of(&text(words).to_uppercase()).unwrap());
            prop_assert_eq!(one.similarity(&one), 1.0);
            prop_assert_eq!(Signature::from_bytes(&one.to_bytes()), Some(one));
            prop_assert_eq!(Signature::from_bytes(&one.to_bytes()[1..]), None);
        }

        /// Each value depends on its own permutation only.
        #[test]
        fn the_order_of_permutations_is_the_order_of_values(words in prop::collection::vec(0_u32..1000, 5..100)) {
            let text = text(words);
            let mut reversed = PERMUTATIONS;
            reversed.reverse();
            let mut found = Signature::with(&text, &reversed).unwrap();
            found.reverse();
            prop_assert_eq!(Some(Signature(found)), Signature::of(&text));
        }

        /// A signature is of a set: repetition of the whole text adds the shingles of one seam.
        #[test]
        fn a_signature_is_that_of_a_set(words in prop::collection::vec(0_u32..1000, 200..300)) {
            let one = signature(words.clone());
            let twice = signature(words.iter().chain(&words).copied());
            prop_assert!(one.similarity(&twice) > 0.85);
        }

        #[test]
        fn any_text_is_read(text in ".*") {
            let _ = Signature::of(&text);
        }
    }
}
