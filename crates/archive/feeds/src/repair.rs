//! The repair of a feed before it is read as XML.

use std::borrow::Cow;

use memchr::memchr_iter;
use memchr::memmem::find;

/// Escapes each `<` that begins no markup (`a < b`, `<3`), which would swallow the text after it.
pub(crate) fn repaired(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut repaired = String::new();
    let (mut copied, mut skipped) = (0, 0);
    for at in memchr_iter(b'<', bytes) {
        if at < skipped {
            continue;
        }
        let rest = &bytes[at + 1..];
        match section(rest) {
            Some(length) => skipped = at + 1 + length,
            None if is_markup(rest) => (),
            None => {
                repaired += &text[copied..at];
                repaired += "&lt;";
                copied = at + 1;
            }
        }
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(repaired + &text[copied..]),
    }
}

/// The length of a comment, a CDATA section or an instruction, in which `<` is a letter.
fn section(rest: &[u8]) -> Option<usize> {
    let sections: [(&[u8], &[u8]); 3] = [(b"!--", b"-->"), (b"![CDATA[", b"]]>"), (b"?", b"?>")];
    let (start, end) = sections
        .into_iter()
        .find(|(start, _)| rest.starts_with(start))?;
    let inside = &rest[start.len()..];
    let length = find(inside, end).map_or(inside.len(), |at| at + end.len());
    Some(start.len() + length)
}

fn is_markup(rest: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || *byte >= 0x80;
    match rest {
        [b'/', name, ..] => is_name(name),
        [b'!', letter, ..] => letter.is_ascii_alphabetic(),
        [name, ..] => is_name(name),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signs_that_begin_no_markup_are_escaped() {
        for (text, expected) in [
            ("<a>1 < 2 <3</a>", "<a>1 &lt; 2 &lt;3</a>"),
            (
                "<a><![CDATA[1 < 2]]> < </a>",
                "<a><![CDATA[1 < 2]]> &lt; </a>",
            ),
            ("<!-- < --><a>&lt;</a>", "<!-- < --><a>&lt;</a>"),
            (
                "<!DOCTYPE a><?b < ?><é/></ >",
                "<!DOCTYPE a><?b < ?><é/>&lt;/ >",
            ),
            ("<![CDATA[ < ", "<![CDATA[ < "),
            ("<", "&lt;"),
            ("", ""),
        ] {
            assert_eq!(repaired(text), expected);
        }
    }
}
