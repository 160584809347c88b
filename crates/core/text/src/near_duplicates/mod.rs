//! Signatures that are similar where texts are similar, and clusters of near duplicates.
//!
//! A [`Signature`] is a MinHash (Broder, "On the resemblance and containment of documents", 1997) over
//! all runs of five words: the share of equal values estimates the Jaccard similarity of two texts. Its
//! 112 values are cut into 14 bands of 8 (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets",
//! 3.4). Two texts of similarity s have a band in common with probability 1 - (1 - s^8)^14: 56 % of
//! the texts at .70, 92 % at .80, 1 % at .40. [`Clusters`] joins the texts that have a band in common.
//!
//! ```
//! use text::near_duplicates::{Clusters, Signature};
//!
//! let storm = "The storm of Monday night felled forty trees on the only road to the sea";
//! let texts = [
//!     storm.to_owned(),
//!     "A recipe for bread needs flour, water, salt and a little patience".to_owned(),
//!     format!("{storm}."),
//! ];
//! let signatures: Vec<Signature> = texts.iter().filter_map(|text| Signature::of(text)).collect();
//! let mut clusters = Clusters::new(3);
//! assert!(signatures[0].has_band_of(&signatures[2]));
//! clusters.join(0, 2);
//! assert_eq!((0..3).map(|text| clusters.first(text)).collect::<Vec<_>>(), [0, 1, 0]);
//! ```
//!
//! Parameters and words are those of FineWeb (Penedo et al., 2024) and of its tool, datatrove's
//! `MinhashDedupSignature`: 14 bands of 8 values, five words, lower case, no punctuation, and each run
//! of digits is one 0. These differences make signatures of the two incomparable:
//!
//! - Words are runs of letters and digits, and each letter of a script without spaces is a word.
//!   datatrove asks a tokenizer of NLTK, by default that for English.
//! - Letters keep their accents. datatrove removes them after a decomposition of Unicode.
//! - A run of words is hashed by a function of this module, and permuted by multiplication modulo 2^64,
//!   of which the high 32 bits are kept (Dietzfelbinger et al., 1997). datatrove takes the first four
//!   bytes of SHA-1, and multiplies modulo 2^61 - 1.
//!
//! As there, a text of fewer than five words has no signature. Equal texts have equal signatures in all
//! versions of this module that write the same [`VERSION`].
//!
//! The module compares no meanings: a translation is not a near duplicate. It finds no passage that two
//! otherwise different texts share.

mod clusters;
mod mix;
mod signature;
mod words;

pub use clusters::Clusters;
pub use signature::{BANDS, BYTES, ROWS, SHINGLE_WORDS, Signature, VALUES, VERSION};
