//! References to characters: `&amp;`, `&rsquo;`, `&#8217;`.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;
use quick_xml::escape::resolve_html5_entity;

/// The text that a reference stands for, by its name between `&` and `;`. Names are those of HTML,
/// which feeds use without a declaration. A name that a document type declares is `None`.
pub(crate) fn resolved(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return resolve_html5_entity(name).map(str::to_owned);
    };
    let number = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    Some(match number.ok()? {
        0 => return None,
        number => char::from_u32(number)
            .map_or('\u{fffd}', without_control)
            .to_string(),
    })
}

/// The letter that a control character is in windows-1252. Servers write its bytes as numbers of
/// Unicode, which HTML allows.
fn without_control(letter: char) -> char {
    match u8::try_from(letter) {
        Ok(byte @ 0x80..=0x9f) => {
            let letters = [byte];
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(&letters);
            text.chars().next().unwrap_or(letter)
        }
        _ => letter,
    }
}

/// A text with the letters of windows-1252 in place of control characters.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    match text.contains(|letter| matches!(letter, '\u{80}'..='\u{9f}')) {
        true => Cow::Owned(text.chars().map(without_control).collect()),
        false => Cow::Borrowed(text),
    }
}

/// A text with its references resolved. Other ampersands stay.
pub(crate) fn unescaped(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        unescaped += before;
        let name = after.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '#');
        let name = name
            .filter(|end| after[*end..].starts_with(';'))
            .map(|end| &after[..end]);
        rest = match name.and_then(|name| Some((name, resolved(name)?))) {
            Some((name, text)) => {
                unescaped += &text;
                &after[name.len() + 1..]
            }
            None => {
                unescaped.push('&');
                after
            }
        };
    }
    unescaped + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_and_other_ampersands_stay() {
        for (text, expected) in [
            ("Caf&eacute; &mdash; open", "Café — open"),
            ("&lt;b&gt; &amp;amp; &quot;&apos;", "<b> &amp; \"'"),
            ("&#8217;&#x2019;&#X2019;", "’’’"),
            ("&#146;", "’"),
            ("&#0;&#xd800;&#99999999999;", "&#0;\u{fffd}&#99999999999;"),
            (
                "R&D; a & b, &unknown; ?a=1&copy=2&",
                "R&D; a & b, &unknown; ?a=1&copy=2&",
            ),
            ("", ""),
        ] {
            assert_eq!(unescaped(text), expected);
        }
        assert_eq!(without_controls("don\u{92}t"), "don’t");
    }
}
