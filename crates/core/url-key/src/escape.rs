//! Percent-encoding of keys: each character has exactly one spelling.
//!
//! Path segments, parameter names and values are form-decoded: `+` is a space, `%XX` are bytes [O A6].
//! When a key is printed, only characters with another meaning in a URL are escaped, and bytes
//! that are not UTF-8. Letters of all scripts stay as they are.
//!
//! Addresses in GBK or windows-1251 are escapes of bytes that are not UTF-8. Different bytes are
//! different addresses, so each byte stays `%XX`. In the original they become U+FFFD [O A5], and with
//! [`Reading::Original`] here too.
//!
//! Keys differ from those of the original here on purpose. The original escapes `%`, `/`, `?`
//! in the path and `%`, `,`, `&`, `=` in the query, joins repeated parameters with commas, and
//! names parameters without a name `null` [O A5, A7, A9, A10]. The results are not URLs, or are
//! URLs of other pages. A key of this crate parses to itself.
//!
//! - A space is `%20`. A raw space is lost at the end of a URL, and `+` means a space only in
//!   form decoding.
//! - `+` is `%2B`. A raw `+` would be decoded to a space.
//! - `#` is `%23`, and `\` in the path is `%5C`. They would end or split the URL.
//! - Control characters are escaped. URL parsers drop tabs and line ends.
//! - `,` is not escaped. A repeated parameter is printed repeatedly, with its values sorted:
//!   `a=1&a=2`.
//! - A part without `=` is printed unchanged: `?278725`. Rules name it `null`. Empty parts
//!   (`?a=1&&b=2`) are dropped.
//! - Names and values are sorted by code points. The original sorts by the culture of its
//!   server [O A11].

use std::borrow::Cow;
use std::fmt::Write;

use percent_encoding::percent_decode;

use crate::options::Reading;

/// The component of a URL that a text is printed into, which decides the escaped characters.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Path,
    Query,
}

impl Place {
    fn must_escape(self, character: char) -> bool {
        match character {
            '%' | '+' | '#' | ' ' => true,
            '/' | '?' | '\\' => matches!(self, Place::Path),
            '&' | '=' => matches!(self, Place::Query),
            _ => character.is_control(),
        }
    }
}

/// A decoded path segment, parameter name or value: bytes, which are mostly UTF-8.
///
/// The order is that of the bytes, which for UTF-8 is the order of code points.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Decoded(Vec<u8>);

impl Decoded {
    /// Form-decodes one path segment, parameter name or value.
    pub(crate) fn new(text: &str, reading: Reading) -> Self {
        let spaced = if text.contains('+') {
            Cow::Owned(text.replace('+', " "))
        } else {
            Cow::Borrowed(text)
        };
        let bytes = percent_decode(spaced.as_bytes());
        Self(match reading {
            Reading::Server => bytes.collect(),
            Reading::Original => bytes.decode_utf8_lossy().into_owned().into_bytes(),
        })
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text, if the bytes are UTF-8.
    pub(crate) fn utf8(&self) -> Option<&str> {
        str::from_utf8(&self.0).ok()
    }

    /// The text as readers and rules see it: a byte that is not UTF-8 is `%XX`.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self.utf8() {
            Some(text) => text.into(),
            None => {
                let mut shown = String::new();
                self.write(&mut shown, |_| false);
                shown.into()
            }
        }
    }

    /// Appends the text to `out`, escaped so that [`new`](Self::new) returns it.
    pub(crate) fn print(&self, out: &mut String, place: Place) {
        self.write(out, |character| place.must_escape(character));
    }

    /// Appends the text, with escapes for bytes that are not UTF-8 and for some characters.
    fn write(&self, out: &mut String, must_escape: impl Fn(char) -> bool) {
        for chunk in self.0.utf8_chunks() {
            let text = chunk.valid();
            let mut printed = 0;
            for (at, character) in text.char_indices() {
                if must_escape(character) {
                    out.push_str(&text[printed..at]);
                    printed = at + character.len_utf8();
                    escape(out, &text.as_bytes()[at..printed]);
                }
            }
            out.push_str(&text[printed..]);
            escape(out, chunk.invalid());
        }
    }
}

fn escape(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "%{byte:02X}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str) -> Decoded {
        Decoded::new(text, Reading::Server)
    }

    fn printed(text: &str) -> String {
        let mut out = String::new();
        decode(text).print(&mut out, Place::Path);
        out
    }

    #[test]
    fn ascii_and_control_characters_decode_to_themselves() {
        for place in [Place::Path, Place::Query] {
            let text: String = (0..=0x9f_u8).map(char::from).collect();
            let decoded = Decoded(text.into_bytes());
            let mut printed = String::new();
            decoded.print(&mut printed, place);
            assert_eq!(decode(&printed), decoded);
        }
    }

    #[test]
    fn letters_are_kept() {
        assert_eq!(decode("caf%C3%A9+au%20lait").text(), "café au lait");
        assert_eq!(printed("日本%2fa+b%2bc%"), "日本%2Fa%20b%2Bc%25");
    }

    #[test]
    fn bytes_that_are_not_utf_8_stay_escapes() {
        for (text, shown, expected) in [
            ("caf%e9", "caf%E9", "caf%E9"),
            ("%CE%C4%41", "%CE%C4A", "%CE%C4A"),
            // A character of UTF-8 between bytes of other charsets.
            ("%d0%d0%b0%d0", "%D0а%D0", "%D0а%D0"),
            // Surrogates, and characters that are cut, are not UTF-8.
            ("%ED%A0%80", "%ED%A0%80", "%ED%A0%80"),
            ("%E6%97", "%E6%97", "%E6%97"),
            ("%25CE", "%CE", "%25CE"),
            ("%EF%BF%BD", "\u{fffd}", "\u{fffd}"),
        ] {
            assert_eq!(decode(text).text(), shown, "{text}");
            assert_eq!(printed(text), expected, "{text}");
            assert_eq!(printed(expected), expected, "{text}");
        }
    }

    #[test]
    fn the_original_replaces_invalid_bytes() {
        let decoded = Decoded::new("caf%E9", Reading::Original);
        assert_eq!(decoded.text(), "caf\u{fffd}");
    }
}
