//! Character references: `&eacute;`, `&#233;`, `&#xe9;`.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state>

use std::borrow::Cow;

use web_atoms::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The context of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Text,
    /// The value of an attribute. Here a name without `;` before a letter, digit or `=` is
    /// not a reference: `?a=1&copy=2` is a URL with two parameters.
    Value,
}

/// The characters of a reference. Some names give two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) first: char,
    pub(crate) second: Option<char>,
    /// Bytes of the reference in the source.
    pub(crate) length: usize,
}

/// Length of the longest name in bytes, its `;` included.
const NAME_BYTES: usize = 32;

/// Reads the reference at the start of a source that begins with `&`. Returns `None` if the
/// `&` begins no reference.
pub(crate) fn reference(source: &[u8], place: Place) -> Option<Reference> {
    match source.get(1)? {
        b'#' => numeric(source),
        first if first.is_ascii_alphanumeric() => named(source, place),
        _ => None,
    }
}

/// Decodes the references in the value of an attribute.
pub(crate) fn value(text: &str) -> Cow<'_, str> {
    decode(text, Place::Value)
}

/// Decodes the references in text outside of tags.
#[cfg(any(test, feature = "reference"))]
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    decode(text, Place::Text)
}

fn decode(text: &str, place: Place) -> Cow<'_, str> {
    let Some(mut ampersand) = text.find('&') else {
        return Cow::Borrowed(text);
    };
    let mut decoded = String::new();
    let mut rest = text;
    loop {
        decoded.push_str(&rest[..ampersand]);
        rest = &rest[ampersand..];
        let skipped = match reference(rest.as_bytes(), place) {
            Some(reference) => {
                decoded.push(reference.first);
                decoded.extend(reference.second);
                reference.length
            }
            None => {
                decoded.push('&');
                1
            }
        };
        rest = &rest[skipped..];
        match rest.find('&') {
            Some(next) => ampersand = next,
            None => break,
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// The named character reference state.
fn named(source: &[u8], place: Place) -> Option<Reference> {
    let name = &source[1..source.len().min(1 + NAME_BYTES)];
    let letters = name.iter().position(|byte| !byte.is_ascii_alphanumeric());
    let letters = letters.unwrap_or(name.len());
    let longest = letters + usize::from(name.get(letters) == Some(&b';'));
    // The longest match counts. Most names in pages are complete, so try the longest first.
    (1..=longest)
        .rev()
        .find_map(|length| {
            let name = str::from_utf8(&name[..length]).ok()?;
            // The table also has every prefix of a name, mapped to NUL.
            let (first, second) = *NAMED_ENTITIES.get(name)?;
            let first = char::from_u32(first).filter(|first| *first != '\0')?;
            Some(Reference {
                first,
                second: char::from_u32(second).filter(|second| *second != '\0'),
                length: 1 + length,
            })
        })
        .filter(|found| {
            let next = source.get(found.length);
            let continues = next.is_some_and(|next| *next == b'=' || next.is_ascii_alphanumeric());
            place == Place::Text || source[found.length - 1] == b';' || !continues
        })
}

/// The numeric character reference state and those that follow it.
fn numeric(source: &[u8]) -> Option<Reference> {
    let (radix, start) = match source.get(2)? {
        b'x' | b'X' => (16, 3),
        _ => (10, 2),
    };
    let mut code = 0_u32;
    let mut at = start;
    while let Some(digit) = source
        .get(at)
        .and_then(|byte| char::from(*byte).to_digit(radix))
    {
        code = code.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return None;
    }
    let length = at + usize::from(source.get(at) == Some(&b';'));
    Some(Reference {
        first: character(code),
        second: None,
        length,
    })
}

/// The numeric character reference end state: the character of a number. Numbers of C1
/// control characters are read as windows-1252, invalid ones as U+FFFD.
fn character(code: u32) -> char {
    let windows = match code {
        0x80..=0x9f => C1_REPLACEMENTS[code as usize - 0x80],
        _ => None,
    };
    windows
        .or(char::from_u32(code))
        .filter(|character| *character != '\0')
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str, place: Place) -> Option<(String, usize)> {
        let found = reference(source.as_bytes(), place)?;
        let text = std::iter::once(found.first).chain(found.second);
        Some((text.collect(), found.length))
    }

    #[test]
    fn the_longest_name_is_matched() {
        let text = |source| read(source, Place::Text);
        assert_eq!(text("&notin;x"), Some(("∉".into(), 7)));
        assert_eq!(text("&notit;"), Some(("¬".into(), 4)));
        assert_eq!(text("&NotEqualTilde;"), Some(("≂\u{338}".into(), 15)));
        let longest = "&CounterClockwiseContourIntegral;";
        assert_eq!(text(longest), Some(("∳".into(), longest.len())));
        for none in ["&", "& ", "&x", "&am", "&;", "&notareference;"[..3].into()] {
            assert_eq!(text(none), None, "{none}");
        }
    }

    #[test]
    fn every_name_is_read() {
        let names = NAMED_ENTITIES.entries().filter(|(_, to)| to.0 != 0);
        let mut seen = 0;
        for (name, to) in names {
            let found = reference(format!("&{name}").as_bytes(), Place::Value);
            let found = found.expect("a reference");
            assert_eq!((found.first as u32, found.length), (to.0, 1 + name.len()));
            seen += 1;
        }
        assert_eq!(seen, 2_231);
    }

    #[test]
    fn numeric_references_give_characters() {
        let text = |source| read(source, Place::Text).map(|(text, _)| text);
        assert_eq!(text("&#233;"), Some("é".into()));
        assert_eq!(text("&#xE9x"), Some("é".into()));
        assert_eq!(text("&#150;&#x81;"), Some("–".into()));
        assert_eq!(text("&#x81;"), Some("\u{81}".into()));
        for beyond in ["&#0;", "&#xd800;", "&#x110000;", "&#99999999999999999999;"] {
            assert_eq!(text(beyond), Some("\u{fffd}".into()), "{beyond}");
        }
        for none in ["&#", "&#;", "&#x", "&#xg", "&#a"] {
            assert_eq!(text(none), None, "{none}");
        }
    }

    #[test]
    fn a_url_parameter_in_a_value_is_not_a_reference() {
        let read = "?a=1&copy=2&lt=3&amp;b&amp c&eacute;&x&";
        assert_eq!(value(read), "?a=1&copy=2&lt=3&b& cé&x&");
        assert_eq!(value("none"), "none");
    }
}
