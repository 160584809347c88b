//! Decoding: the charset of a page, and its bytes as text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::limits::{Limit, Warning};
use crate::prescan;
use crate::sniff::{PageError, reject_non_text};

/// The source of a page's charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharsetSource {
    /// The byte order mark.
    Bom,
    /// The Content-Type header of the HTTP response.
    Http,
    /// A `meta` element or an XML declaration in the page.
    Meta,
    /// No usable charset is declared, and the bytes are valid UTF-8.
    Utf8,
    /// No usable charset is declared, and the bytes are not UTF-8: detected from the bytes.
    Detected,
}

impl CharsetSource {
    /// A stable name: `bom`, `http`, `meta`, `utf8`, `detected`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bom => "bom",
            Self::Http => "http",
            Self::Meta => "meta",
            Self::Utf8 => "utf8",
            Self::Detected => "detected",
        }
    }
}

/// Length of the prefix searched for a declaration, in bytes, as in browsers.
const PRESCAN: usize = 1024;

/// Length of the prefix searched for a late declaration, in bytes. Browsers follow a
/// declaration at any position. Here a late one is used only if the charset would otherwise
/// be detected. A longer prefix finds more of them and costs a second prescan of such pages.
const LATE_PRESCAN: usize = 64 << 10;

/// Length of the prefix given to the detector, in bytes. See [`DETECT_BYTES`].
const DETECT_PREFIX: usize = 16 << 10;

/// Bytes given to the detector after the prefix: the surroundings of non-ASCII bytes. More
/// bytes make the detection surer and slower: the detector runs at 35 MB/s (measured), a
/// fifth of the tokenizer's speed.
const DETECT_BYTES: usize = 48 << 10;

/// A decoded page.
pub(crate) struct Decoded<'b> {
    pub(crate) text: Cow<'b, str>,
    pub(crate) charset: &'static str,
    pub(crate) source: CharsetSource,
    pub(crate) warnings: Vec<Warning>,
}

/// Decodes at most `limit` bytes of a page.
pub(crate) fn decode<'b>(
    bytes: &'b [u8],
    http_charset: Option<&str>,
    limit: usize,
) -> Result<Decoded<'b>, PageError> {
    let whole = bytes.len();
    let cut = whole > limit;
    let bytes = &bytes[..whole.min(limit)];
    let bom = Encoding::for_bom(bytes);
    let label = http_charset
        .map(|label| label.trim_matches(['"', '\'', ' ']))
        .unwrap_or_default();
    let http = Encoding::for_label_no_replacement(label.as_bytes());
    let wide = bom
        .map(|(encoding, _)| encoding)
        .or(http)
        .is_some_and(is_utf_16);
    let bytes = bom.map_or(bytes, |(_, length)| &bytes[length..]);
    reject_non_text(bytes, wide)?;

    let mut warnings = Vec::new();
    if http.is_none() && !label.is_empty() {
        let label = label
            .chars()
            .filter(char::is_ascii_graphic)
            .take(40)
            .collect();
        warnings.push(Warning::UnknownCharset { label });
    }
    let whole_characters = if cut { whole_characters(bytes) } else { bytes };
    let utf8 = Utf8::classify(whole_characters);
    let (encoding, source, denied) = match bom {
        Some((encoding, _)) => (encoding, CharsetSource::Bom, None),
        None => decide(whole_characters, utf8, http),
    };
    if let Some(denied) = denied {
        let (declared, decoded) = (denied.name(), encoding.name());
        warnings.push(Warning::CharsetMismatch { declared, decoded });
    }
    let (text, errors) = match utf8 {
        _ if cut => decode_prefix(bytes, encoding),
        Utf8::Valid(text) if encoding == UTF_8 => (Cow::Borrowed(text), false),
        _ => encoding.decode_without_bom_handling(bytes),
    };
    if errors {
        let count = text.matches(char::REPLACEMENT_CHARACTER).count();
        warnings.push(Warning::UndecodableCharacters { count });
    }
    if cut {
        warnings.push(Warning::Cut {
            limit: Limit::PageBytes,
            at: limit,
            of: whole,
        });
    }
    Ok(Decoded {
        text,
        charset: encoding.name(),
        source,
        warnings,
    })
}

/// The bytes without an incomplete UTF-8 character at their end.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

/// Decodes the prefix of a page. An incomplete character at its end is not an error.
fn decode_prefix(bytes: &[u8], encoding: &'static Encoding) -> (Cow<'static, str>, bool) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let room = decoder
        .max_utf8_buffer_length(bytes.len())
        .unwrap_or(bytes.len() * 3);
    let mut text = String::with_capacity(room);
    let (_, _, errors) = decoder.decode_to_string(bytes, &mut text, false);
    (Cow::Owned(text), errors)
}

type Decision = (&'static Encoding, CharsetSource, Option<&'static Encoding>);

/// The order of the HTML standard: the HTTP header, the page's declaration, then detection.
/// One rule is added: a declaration that the bytes prove wrong is ignored, because it would
/// garble every non-ASCII character. The third value is the first declaration ignored.
fn decide(bytes: &[u8], utf8: Utf8<'_>, http: Option<&'static Encoding>) -> Decision {
    let mut denied = None;
    let mut believe = |encoding: &&'static Encoding| {
        // Markup in UTF-16 always has NUL bytes.
        let believed = !utf8.denies(encoding) && (!is_utf_16(encoding) || bytes.contains(&0));
        if !believed {
            denied.get_or_insert(*encoding);
        }
        believed
    };
    if let Some(encoding) = http.filter(&mut believe) {
        return (encoding, CharsetSource::Http, None);
    }
    let declared = |length: usize| prescan::declared(&bytes[..bytes.len().min(length)]);
    if let Some(encoding) = declared(PRESCAN).filter(&mut believe) {
        return (encoding, CharsetSource::Meta, denied);
    }
    if matches!(utf8, Utf8::Valid(_) | Utf8::Cut(_)) {
        return (UTF_8, CharsetSource::Utf8, denied);
    }
    if let Some(encoding) = declared(LATE_PRESCAN).filter(&mut believe) {
        return (encoding, CharsetSource::Meta, denied);
    }
    (detect(bytes), CharsetSource::Detected, denied)
}

fn is_utf_16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// The validity of bytes as UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Utf8<'b> {
    Valid(&'b str),
    /// Valid up to an incomplete last character, and not all ASCII: the valid text.
    Cut(&'b str),
    /// Some sequences of non-ASCII bytes are valid, some are not.
    Mixed,
    /// No sequence of non-ASCII bytes is valid.
    Never,
}

impl<'b> Utf8<'b> {
    fn classify(bytes: &'b [u8]) -> Self {
        // encoding_rs validates faster than the standard library, but does not locate errors.
        if let Some(Cow::Borrowed(text)) =
            UTF_8.decode_without_bom_handling_and_without_replacement(bytes)
        {
            return Self::Valid(text);
        }
        let cut = str::from_utf8(bytes)
            .err()
            .filter(|error| error.error_len().is_none());
        let cut = cut.and_then(|error| str::from_utf8(&bytes[..error.valid_up_to()]).ok());
        if bytes.utf8_chunks().all(|chunk| chunk.valid().is_ascii()) {
            Self::Never
        } else {
            cut.map_or(Self::Mixed, Self::Cut)
        }
    }

    /// Whether the bytes prove that they are not in this encoding.
    ///
    /// Non-ASCII text in a single-byte charset is practically never valid UTF-8 by chance. If
    /// a page is declared UTF-8 and no sequence is valid, decoding it as UTF-8 would lose
    /// every non-ASCII character.
    ///
    /// In a charset of two bytes, such as GBK, three bytes are a character of UTF-8 by chance in one of
    /// some seventy cases (a first byte of 16 in 126, two more of 64 in 190). Characters of two bytes
    /// are not counted: short words in GBK are valid UTF-8 of such characters.
    fn denies(self, encoding: &'static Encoding) -> bool {
        match self {
            Self::Valid(text) | Self::Cut(text) if encoding.is_single_byte() => !text.is_ascii(),
            Self::Valid(text) | Self::Cut(text) => encoding != UTF_8 && has_wide_letters(text),
            Self::Mixed => false,
            Self::Never => encoding == UTF_8,
        }
    }
}

/// Characters of three bytes that prove UTF-8: a text in GBK has eight of them by chance in one of 10^14
/// cases.
const WIDE_LETTERS: usize = 8;

/// Returns whether a text has enough characters of three bytes or more to be no other charset.
fn has_wide_letters(text: &str) -> bool {
    let wide = text.chars().filter(|letter| letter.len_utf8() > 2);
    wide.take(WIDE_LETTERS).count() == WIDE_LETTERS
}

/// Detects a legacy charset. The bytes are known not to be UTF-8.
fn detect(bytes: &[u8]) -> &'static Encoding {
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
    detector.guess(None, Utf8Detection::Deny)
}
