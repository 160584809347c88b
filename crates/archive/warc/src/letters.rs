//! Bytes of headers as text, and addresses in headers.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns the text of a header. Bytes that are not UTF-8 are `%XX`: in an address they mean these
/// bytes, and two addresses with other bytes stay two.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // A String takes every text.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Cow::Owned(text)
}

/// Returns an address without the angle brackets that WARC 1.0 has in its grammar and some writers
/// follow, and with `%20` for white space in it.
pub(crate) fn address(value: &str) -> Cow<'_, str> {
    let plain = match value.trim().strip_prefix('<') {
        Some(inner) => inner.trim_end_matches('>').trim(),
        None => value.trim(),
    };
    if !plain.contains(char::is_whitespace) {
        return Cow::Borrowed(plain);
    }
    Cow::Owned(plain.replace(|letter: char| letter.is_ascii_whitespace(), "%20"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf_8_are_escaped() {
        for (bytes, expected) in [
            (&b"http://a.example/caf\xe9"[..], "http://a.example/caf%E9"),
            (b"\xc4\xe3\xba\xc3", "%C4%E3%BA%C3"),
            ("caf\u{e9} \u{65e5}".as_bytes(), "caf\u{e9} \u{65e5}"),
            (b"\xc3\xa9\xe9", "\u{e9}%E9"),
            (b"%E9", "%E9"),
        ] {
            assert_eq!(text(bytes), expected);
        }
    }

    #[test]
    fn an_address_has_neither_brackets_nor_white_space() {
        for (value, expected) in [
            ("<http://a.example/>", "http://a.example/"),
            (" < http://a.example/b > ", "http://a.example/b"),
            ("http://a.example/b c\td", "http://a.example/b%20c%20d"),
            ("http://a.example/?q=<b>", "http://a.example/?q=<b>"),
            ("", ""),
        ] {
            assert_eq!(address(value), expected);
        }
    }
}
