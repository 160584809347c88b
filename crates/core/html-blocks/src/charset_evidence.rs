//! The counts by which the charset of a page is decided.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding, GBK, ISO_2022_JP, SHIFT_JIS, UTF_16BE, UTF_16LE,
};

/// Non-ASCII sequences of a page that are counted. A lower value costs less, and lets the head of a page
/// decide about the rest.
const SEQUENCES: usize = 512;

/// Sequences of non-ASCII bytes, as UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Utf8Counts {
    /// Characters.
    valid: usize,
    /// Characters of three bytes or more, which are counted in `valid` too.
    wide: usize,
    /// Invalid sequences.
    invalid: usize,
}

impl Utf8Counts {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut counts = Self::default();
        for chunk in bytes.utf8_chunks() {
            let starting_at = |least: u8| {
                let text = chunk.valid().bytes();
                text.filter(|byte| *byte >= least).count()
            };
            counts.valid += starting_at(0xc2);
            counts.wide += starting_at(0xe0);
            counts.invalid += usize::from(!chunk.invalid().is_empty());
            if counts.valid + counts.invalid >= SEQUENCES {
                break;
            }
        }
        counts
    }

    /// Whether a declaration of UTF-8 is followed. Text in another charset has a few sequences that are
    /// UTF-8 by chance: one in seven in GBK, fewer in others.
    pub(crate) fn allow_utf8(self) -> bool {
        self.valid >= self.invalid
    }

    /// Whether the bytes are UTF-8, whatever is declared.
    ///
    /// Non-ASCII text in a charset of one byte is practically never valid UTF-8 by chance. In a charset
    /// of two bytes, such as GBK, two bytes are a character of UTF-8 by chance in one of seven
    /// cases, and three bytes in one of seventy (a first byte of 16 in 126, two more of 64 in
    /// 190). So short words in GBK may be valid UTF-8, and a text has that many by chance in one of 10^13
    /// cases.
    pub(crate) fn prove_utf8(self, declared: Option<&'static Encoding>) -> bool {
        /// Valid sequences per invalid one.
        const SHARE: usize = 4;
        /// Characters, wide ones twice.
        const WEIGHT: usize = 16;
        let is_multi_byte = declared.is_some_and(|declared| !declared.is_single_byte());
        self.valid > 0
            && self.valid >= SHARE * self.invalid
            && (!is_multi_byte || self.valid + self.wide >= WEIGHT)
    }

    /// Whether more sequences are UTF-8 than not.
    pub(crate) fn prefer_utf8(self) -> bool {
        self.valid > self.invalid
    }
}

/// The charset that the structure of the bytes proves: UTF-16 without a byte order mark, or the escape
/// sequences of ISO-2022-JP.
pub(crate) fn proved(bytes: &[u8], is_ascii: bool) -> Option<&'static Encoding> {
    utf_16(bytes).or_else(|| {
        let has_escapes = is_ascii && memchr::memmem::find(bytes, b"\x1b$").is_some();
        let decodes = || {
            ISO_2022_JP
                .decode_without_bom_handling_and_without_replacement(bytes)
                .is_some()
        };
        (has_escapes && decodes()).then_some(ISO_2022_JP)
    })
}

/// UTF-16 whose markup has a NUL in every second byte and in no other.
pub(crate) fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    /// Length of the prefix in which NULs are counted, in bytes.
    const SAMPLE: usize = 1024;
    let bytes = &bytes[..bytes.len().min(SAMPLE)];
    let first = bytes
        .iter()
        .find(|byte| **byte != 0 && !byte.is_ascii_whitespace());
    if first != Some(&b'<') || !bytes[..bytes.len().min(64)].contains(&0) {
        return None;
    }
    let units = bytes.len() / 2;
    let nuls = |side: usize| bytes.chunks_exact(2).filter(|unit| unit[side] == 0).count();
    match (nuls(0), nuls(1)) {
        (0, high) if high * 4 >= units => Some(UTF_16LE),
        (high, 0) if high * 4 >= units => Some(UTF_16BE),
        _ => None,
    }
}

/// Pieces of a page that have its non-ASCII bytes, each from one ASCII byte before to three after.
pub(crate) struct Sample(Vec<u8>);

impl Sample {
    /// Takes pieces from the start of a page until they have `budget` bytes.
    pub(crate) fn of(bytes: &[u8], budget: usize) -> Self {
        /// ASCII bytes between two pieces. A character of two bytes may end with one.
        const GAP: usize = 3;
        let mut sample = Vec::with_capacity(budget + GAP);
        let mut at = 0;
        while sample.len() < budget {
            let next = at + Encoding::ascii_valid_up_to(&bytes[at..]);
            if next == bytes.len() {
                break;
            }
            let start = next.saturating_sub(1).max(at);
            let end = bytes.len().min(start + budget);
            let mut ascii = 0;
            let piece = bytes[start + 1..end].iter().position(|byte| {
                ascii = if byte.is_ascii() { ascii + 1 } else { 0 };
                ascii == GAP
            });
            at = piece.map_or(end, |length| start + 1 + length + 1);
            sample.extend_from_slice(&bytes[start..at]);
            sample.push(b'\n');
        }
        Self(sample)
    }

    /// The text of the sample in a charset, as counts.
    pub(crate) fn read_as(&self, encoding: &'static Encoding) -> Reading {
        let (text, _) = encoding.decode_without_bom_handling(&self.0);
        Reading::of(&text, encoding.is_single_byte())
    }

    /// The charset of two bytes that the sample is in, but for a few invalid sequences. The detector
    /// excludes a charset at its first error.
    fn with_errors(&self) -> Option<&'static Encoding> {
        let read = [GBK, BIG5, EUC_JP, SHIFT_JIS, EUC_KR].map(|charset| {
            let valid = without_errors(charset, &self.0);
            (charset, self.0.len() - valid.len(), valid)
        });
        let is_detected = |charset: &'static Encoding, valid: &[u8]| {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
            detector.feed(valid, true);
            detector.guess(None, Utf8Detection::Deny) == charset
        };
        // An error has one or two bytes, and a page has a few of them.
        let found = read.into_iter().filter(|(charset, removed, valid)| {
            removed * 32 < self.0.len() && is_detected(charset, valid)
        });
        found
            .min_by_key(|(_, removed, _)| *removed)
            .map(|(charset, ..)| charset)
    }
}

/// The bytes without those that are invalid in a charset.
fn without_errors(encoding: &'static Encoding, bytes: &[u8]) -> Vec<u8> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = [0; 1024];
    let mut valid = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let (result, read, _) = decoder.decode_to_utf8_without_replacement(rest, &mut text, true);
        valid.extend_from_slice(&rest[..read]);
        rest = &rest[read..];
        match result {
            DecoderResult::InputEmpty => return valid,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(length, after) => {
                let end = valid.len().saturating_sub(usize::from(after));
                let start = end.saturating_sub(usize::from(length));
                valid.drain(start..end);
            }
        }
    }
}

/// Counts of the text of a [`Sample`] in one charset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Non-ASCII characters.
    letters: usize,
    /// Characters that no text has at their place.
    pub(crate) odd: usize,
    /// Invalid sequences, which are counted in `odd` too.
    pub(crate) replaced: usize,
}

impl Reading {
    /// Counts a text. In a charset of one byte, a byte without meaning that stands alone says nothing.
    fn of(text: &str, is_single_byte: bool) -> Self {
        let mut reading = Self::default();
        let (mut before, mut last) = (' ', ' ');
        for character in text.chars() {
            let is_alone = is_single_byte && last.is_ascii() && !last.is_alphabetic();
            let is_garbled = matches!(character, char::REPLACEMENT_CHARACTER | '\u{80}'..='\u{9f}');
            reading.letters += usize::from(!character.is_ascii());
            let is_pair_of_ascii = character.is_ascii() && last.is_ascii();
            let says_nothing = is_pair_of_ascii || (is_alone && is_garbled);
            if !says_nothing {
                reading.replaced += usize::from(character == char::REPLACEMENT_CHARACTER);
                reading.odd += usize::from(is_garbled || is_odd(before, last, character));
            }
            (before, last) = (last, character);
        }
        reading
    }

    /// Whether the text is probably in another charset.
    pub(crate) fn is_doubtful(self) -> bool {
        (self.odd >= 4 && self.odd * 8 > self.letters)
            || (self.replaced >= 2 && self.replaced * 32 > self.letters)
    }
}

/// Whether a character is one that texts do not have after the `last` and the one `before`. It or
/// the last one is not ASCII.
fn is_odd(before: char, last: char, character: char) -> bool {
    match character {
        // Ideographs, kana and Hangul may follow each other in any order.
        '\u{2e80}'..='\u{d7ff}' => return false,
        // A wrong charset gives letters of private use, and the katakana that Shift_JIS has in single bytes.
        '\u{e000}'..='\u{f8ff}' | '\u{ff61}'..='\u{ff9f}' => return true,
        _ => {}
    }
    match (last.is_alphabetic(), character.is_alphabetic()) {
        (true, true) => is_odd_pair(before, last, character),
        // `Ã©` and `ÖÐ¹ú` are letters with symbols between them.
        (true, false) => !last.is_ascii() && is_symbol(character),
        (false, true) => is_symbol(last) && !character.is_ascii(),
        (false, false) => false,
    }
}

/// Whether two letters are not neighbours in words.
fn is_odd_pair(before: char, last: char, character: char) -> bool {
    let (left, right) = (alphabet(last), alphabet(character));
    match (left, right) {
        (None, _) | (_, None) => false,
        (Some(left), Some(right)) if left != right => true,
        _ if character.is_uppercase() => {
            last.is_lowercase() || !(last.is_ascii() || character.is_ascii())
        }
        // Words of Latin letters, of which the third in a row has a mark.
        (Some(Alphabet::Latin), _) => {
            let has_mark = |letter: char| !letter.is_ascii() && letter.is_alphabetic();
            has_mark(before) && has_mark(last) && has_mark(character)
        }
        _ => false,
    }
}

/// Whether a character is neither a letter nor a mark that is written next to letters.
fn is_symbol(character: char) -> bool {
    !character.is_ascii()
        && !character.is_alphabetic()
        && !matches!(character,
            '\u{a0}' | '\u{ab}' | '\u{ad}' | '\u{b4}' | '\u{b7}' | '\u{bb}'
            | '\u{300}'..='\u{36f}' | '\u{590}'..='\u{6ff}' | '\u{e00}'..='\u{e7f}'
            | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Thai,
}

fn alphabet(letter: char) -> Option<Alphabet> {
    Some(match letter {
        ..'\u{250}' | '\u{1e00}'..='\u{1eff}' => Alphabet::Latin,
        '\u{370}'..='\u{3ff}' => Alphabet::Greek,
        '\u{400}'..='\u{52f}' => Alphabet::Cyrillic,
        '\u{590}'..='\u{5ff}' => Alphabet::Hebrew,
        '\u{600}'..='\u{6ff}' => Alphabet::Arabic,
        '\u{e00}'..='\u{e7f}' => Alphabet::Thai,
        _ => return None,
    })
}

/// Length of the prefix given to the detector, in bytes. See [`DETECT_BYTES`].
const DETECT_PREFIX: usize = 16 << 10;

/// Bytes given to the detector after the prefix: the surroundings of non-ASCII bytes. More
/// bytes make the detection surer and slower: the detector runs at 35 MB/s (measured), a
/// fifth of the tokenizer's speed.
const DETECT_BYTES: usize = 48 << 10;

/// Detects a legacy charset. The bytes are known not to be UTF-8.
pub(crate) fn detect(bytes: &[u8], sample: &Sample) -> &'static Encoding {
    /// Bytes given to the detector on either side of a non-ASCII byte.
    const CONTEXT: usize = 8;
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let (prefix, rest) = bytes.split_at(bytes.len().min(DETECT_PREFIX));
    detector.feed(prefix, false);
    let mut at = 0;
    let mut budget = DETECT_BYTES;
    while let Some(next) = rest[at..].iter().position(|byte| !byte.is_ascii()) {
        if budget == 0 {
            break;
        }
        let start = (at + next).saturating_sub(CONTEXT).max(at);
        let end = rest.len().min(at + next + 1 + CONTEXT).min(start + budget);
        detector.feed(&rest[start..end], false);
        budget -= end - start;
        at = end;
    }
    detector.feed(b"", true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let reading = sample.read_as(guess);
    if !reading.is_doubtful() {
        return guess;
    }
    let with_errors = sample.with_errors();
    let is_better = |other: &&'static Encoding| sample.read_as(other).odd * 2 < reading.odd;
    with_errors.filter(is_better).unwrap_or(guess)
}
