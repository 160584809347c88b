//! Percent-encoding of keys: each character has exactly one spelling.
//!
//! Path segments, parameter names and values are form-decoded: `+` is a space, `%XX` are bytes
//! of UTF-8, and invalid bytes become U+FFFD [O A5, A6]. When a key is printed, only characters
//! with another meaning in a URL are escaped. Letters of all scripts stay as they are.
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

/// Form-decodes one path segment, parameter name or value.
pub(crate) fn decode(text: &str) -> String {
    let spaced = if text.contains('+') {
        Cow::Owned(text.replace('+', " "))
    } else {
        Cow::Borrowed(text)
    };
    percent_decode(spaced.as_bytes())
        .decode_utf8_lossy()
        .into_owned()
}

/// Appends a decoded text to `out`, escaped so that [`decode`] returns it.
pub(crate) fn print(out: &mut String, text: &str, place: Place) {
    let mut printed = 0;
    for (at, character) in text.char_indices() {
        if place.must_escape(character) {
            out.push_str(&text[printed..at]);
            printed = at + character.len_utf8();
            for byte in text[at..printed].bytes() {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out.push_str(&text[printed..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_and_control_characters_decode_to_themselves() {
        for place in [Place::Path, Place::Query] {
            let text: String = (0..=0x9f_u8).map(char::from).collect();
            let mut printed = String::new();
            print(&mut printed, &text, place);
            assert_eq!(decode(&printed), text);
        }
    }

    #[test]
    fn letters_are_kept_and_invalid_bytes_replaced() {
        assert_eq!(decode("caf%C3%A9+au%20lait"), "café au lait");
        assert_eq!(decode("caf%E9"), "caf\u{fffd}");
        let mut printed = String::new();
        print(&mut printed, "日本/a b+c%", Place::Path);
        assert_eq!(printed, "日本%2Fa%20b%2Bc%25");
    }
}
