//! The one spelling of every character of a key.
//!
//! Path segments, parameter names and values are form-decoded: `+` is a space,
//! `%XX` are bytes of UTF-8, invalid ones become U+FFFD [O A5, A6]. Printed
//! again, everything stays as it is, letters of all scripts included, but for
//! characters that would read as something else. This is where keys
//! deliberately differ from the original's, which escapes `%`, `/`, `?` in the
//! path and `%`, `,`, `&`, `=` in the query, joins repeated parameters with
//! commas and gives those without a name the name `null` [O A5, A7, A9, A10].
//! Such keys are not URLs, or not those they were made from: here a key reads
//! back as itself.
//!
//! - A space is `%20`: a raw one is lost at the end of a URL, and `+` is a space
//!   to form decoding only.
//! - `+` is `%2B`: left alone it would come back as a space.
//! - `#` is `%23`, in the path `\` is `%5C`: they would end or split the URL.
//! - Control characters are escaped: URL parsers drop tabs and line ends.
//! - `,` is an ordinary character. A repeated parameter is printed repeatedly,
//!   values sorted: `a=1&a=2`.
//! - A part without `=` is printed as it came, `?278725`; rules call it `null`.
//!   Empty parts (`?a=1&&b=2`) say nothing and are dropped.
//! - Values and names are in the order of their code points, where the original
//!   sorts by the rules of the server's culture [O A11].

use std::borrow::Cow;
use std::fmt::Write;

use percent_encoding::percent_decode;

/// Where a piece of text is printed, which decides what ends it.
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

/// Appends decoded `text` to `out` so that [`decode`] gives it back.
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
    fn every_ascii_character_reads_back_as_itself() {
        for place in [Place::Path, Place::Query] {
            let text: String = (0..=0x9f_u8).map(char::from).collect();
            let mut printed = String::new();
            print(&mut printed, &text, place);
            assert_eq!(decode(&printed), text);
        }
    }

    #[test]
    fn letters_stay_and_invalid_bytes_become_one_character() {
        assert_eq!(decode("caf%C3%A9+au%20lait"), "café au lait");
        assert_eq!(decode("caf%E9"), "caf\u{fffd}");
        let mut printed = String::new();
        print(&mut printed, "日本/a b+c%", Place::Path);
        assert_eq!(printed, "日本%2Fa%20b%2Bc%25");
    }
}
