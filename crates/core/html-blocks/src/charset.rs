//! Decoding: the charset of a page, and its bytes as text.

use std::borrow::Cow;
use std::cell::OnceCell;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::charset_evidence::{Sample, Utf8Counts, detect, proved, utf_16};
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
    /// No usable charset is declared, and the bytes are UTF-8, but for few of them.
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
        .or_else(|| utf_16(bytes))
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
    let (utf8, valid) = Utf8::classify(whole_characters);
    let marked = bom.map(|(encoding, _)| encoding);
    let (encoding, source, denied) = decide(whole_characters, utf8, marked, http);
    if let Some(denied) = denied {
        let (declared, decoded) = (denied.name(), encoding.name());
        warnings.push(Warning::CharsetMismatch { declared, decoded });
    }
    let (text, errors) = match valid {
        _ if cut => decode_prefix(bytes, encoding),
        Some(text) if encoding == UTF_8 => (Cow::Borrowed(text), false),
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

type Charset = &'static Encoding;

/// The order of the HTML standard: the byte order mark, the HTTP header, the page's declaration, then
/// detection. Some rules are added. A declaration that the bytes prove wrong is ignored, because
/// it would garble every non-ASCII character. One whose text is odd must be better than the text of
/// the detected charset. Of a header and a page that contradict each other, the detected one is
/// followed. The third value is the first declaration ignored.
fn decide(
    bytes: &[u8],
    utf8: Utf8,
    bom: Option<Charset>,
    http: Option<Charset>,
) -> (Charset, CharsetSource, Option<Charset>) {
    let evidence = Evidence::new(bytes, utf8);
    let mut doubted: Vec<(Charset, CharsetSource)> = Vec::new();
    let denied = |doubted: &[(Charset, _)]| doubted.first().map(|(charset, _)| *charset);
    let prescan = |length: usize| prescan::declared(&bytes[..bytes.len().min(length)]);
    let is_contradicted = |header: Charset| {
        let other = prescan(PRESCAN).filter(|other| ![header, UTF_8].contains(other));
        header != UTF_8 && other.is_some_and(|other| evidence.is_detected(other))
    };
    let declared: [(_, &dyn Fn() -> Option<Charset>); 3] = [
        (CharsetSource::Bom, &|| bom),
        (CharsetSource::Http, &|| http),
        (CharsetSource::Meta, &|| prescan(PRESCAN)),
    ];
    for (source, charset) in declared {
        let Some(charset) = charset() else { continue };
        let is_header = source == CharsetSource::Http;
        if evidence.allows(charset) && !(is_header && is_contradicted(charset)) {
            return (charset, source, denied(&doubted));
        }
        doubted.push((charset, source));
    }
    if evidence.proves_utf8() {
        return (UTF_8, CharsetSource::Utf8, denied(&doubted));
    }
    let late = prescan(LATE_PRESCAN);
    let is_new = |charset: &Charset| doubted.iter().all(|(doubted, _)| doubted != charset);
    if let Some(charset) = late.filter(is_new) {
        if evidence.allows(charset) {
            return (charset, CharsetSource::Meta, denied(&doubted));
        }
        doubted.push((charset, CharsetSource::Meta));
    }
    let (charset, source) = evidence.best(&doubted);
    let denied = denied(&doubted).filter(|denied| *denied != charset);
    (charset, source, denied)
}

fn is_utf_16(encoding: Charset) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// The bytes of a page, and what they say about its charset.
struct Evidence<'b> {
    bytes: &'b [u8],
    utf8: Utf8,
    /// Counted if something else than UTF-8 is possible.
    counts: OnceCell<Utf8Counts>,
    /// The only charset that the structure of the bytes allows.
    proved: Option<Charset>,
}

impl<'b> Evidence<'b> {
    fn new(bytes: &'b [u8], utf8: Utf8) -> Self {
        Self {
            bytes,
            utf8,
            counts: OnceCell::new(),
            proved: proved(bytes, utf8 == Utf8::Ascii),
        }
    }

    fn counts(&self) -> Utf8Counts {
        *self.counts.get_or_init(|| Utf8Counts::of(self.bytes))
    }

    /// Whether the bytes may be in a charset that is declared.
    fn allows(&self, charset: Charset) -> bool {
        if let Some(proved) = self.proved {
            return charset == proved;
        }
        if is_utf_16(charset) {
            // Markup in UTF-16 always has NUL bytes.
            return self.bytes.contains(&0);
        }
        match self.utf8 {
            Utf8::Ascii => true,
            Utf8::Valid | Utf8::Cut if charset == UTF_8 => true,
            Utf8::Invalid if charset == UTF_8 => self.counts().allow_utf8(),
            _ if self.counts().prove_utf8(Some(charset)) => false,
            utf8 => {
                let reading = self.sample(CHECKED).read_as(charset);
                let is_worse = utf8 != Utf8::Invalid && reading.replaced > 0;
                !is_worse && !reading.is_doubtful()
            }
        }
    }

    fn proves_utf8(&self) -> bool {
        let is_utf8 = self.utf8 != Utf8::Invalid || self.counts().prove_utf8(None);
        self.proved.is_none() && is_utf8
    }

    /// The best of those that are declared and `doubted`, of the detected charset and of UTF-8.
    fn best(&self, doubted: &[(Charset, CharsetSource)]) -> (Charset, CharsetSource) {
        if let Some(proved) = self.proved {
            return (proved, CharsetSource::Detected);
        }
        let sample = self.sample(COMPARED);
        let detected = (detect(self.bytes, &sample), CharsetSource::Detected);
        let utf8 = self.counts().prefer_utf8();
        let utf8 = utf8.then_some((UTF_8, CharsetSource::Utf8));
        let candidates = doubted.iter().copied().chain([detected]).chain(utf8);
        let read = candidates.map(|found| (found, sample.read_as(found.0).odd));
        let read: Vec<_> = read.collect();
        let least = read.iter().map(|(_, odd)| *odd).min().unwrap_or_default();
        // The detector errs too, so a declaration may be odder to a degree.
        let is_good =
            |at: usize, odd: usize| odd <= if at < doubted.len() { 2 * least } else { least };
        let mut read = read.into_iter().enumerate();
        let best = read.find(|(at, (_, odd))| is_good(*at, *odd));
        best.map_or(detected, |(_, (found, _))| found)
    }

    /// Whether the bytes are detected to be in `other`, which the page declares under another header.
    fn is_detected(&self, other: Charset) -> bool {
        self.utf8 == Utf8::Invalid && detect(self.bytes, &self.sample(COMPARED)) == other
    }

    /// A part of the page in proportion to its length, within bounds.
    fn sample(&self, (least, most): (usize, usize)) -> Sample {
        Sample::of(self.bytes, (self.bytes.len() / 32).clamp(least, most))
    }
}

/// Bytes that a declared charset is checked with. More bytes find more errors, and each costs some
/// ten nanoseconds.
const CHECKED: (usize, usize) = (256, 2048);

/// Bytes that charsets are compared with, where one is doubted or none is declared.
const COMPARED: (usize, usize) = (4096, 4096);

/// The validity of bytes as UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Utf8 {
    Ascii,
    Valid,
    /// Valid up to an incomplete last character, and not all ASCII.
    Cut,
    Invalid,
}

impl Utf8 {
    /// Returns the text, if all of it is valid.
    fn classify(bytes: &[u8]) -> (Self, Option<&str>) {
        // encoding_rs validates faster than the standard library, but does not locate errors.
        if let Some(Cow::Borrowed(text)) =
            UTF_8.decode_without_bom_handling_and_without_replacement(bytes)
        {
            let kind = if text.is_ascii() {
                Self::Ascii
            } else {
                Self::Valid
            };
            return (kind, Some(text));
        }
        let is_cut = str::from_utf8(bytes).is_err_and(|error| {
            error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii()
        });
        (if is_cut { Self::Cut } else { Self::Invalid }, None)
    }
}
