//! The charset that a page declares.
//!
//! This is the prescan of the HTML standard. It reads raw bytes well enough to find a
//! declaration before the bytes can be decoded.
//! <https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding>

use encoding_rs::{Encoding, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem::find};

use crate::attributes::{Attributes, space};

/// The charset of the first `<meta charset>` or `<meta http-equiv=content-type>` with a known
/// label, else that of an XML declaration.
pub(crate) fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    meta(bytes).or_else(|| xml(bytes))
}

fn meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while let Some(angle) = memchr(b'<', &bytes[at..]) {
        at += angle;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            // The dashes of `<!--` may also close the comment: `<!-->`.
            at += 2 + find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            let mut attributes = Attributes::new(bytes, at + 5);
            if let Some(encoding) = meta_charset(&mut attributes) {
                return Some(encoding);
            }
            at = attributes.position();
        } else if matches!(rest, [_, letter, ..] | [_, b'/', letter, ..] if letter.is_ascii_alphabetic())
        {
            at += rest.iter().position(|byte| space(*byte) || *byte == b'>')?;
            let mut attributes = Attributes::new(bytes, at);
            attributes.by_ref().for_each(drop);
            at = attributes.position();
        } else if matches!(rest, [_, b'!' | b'/' | b'?', ..]) {
            at += memchr(b'>', rest)?;
        } else {
            at += 1;
        }
    }
    None
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5
        && rest[..5].eq_ignore_ascii_case(b"<meta")
        && (space(rest[5]) || rest[5] == b'/')
}

fn meta_charset(attributes: &mut Attributes) -> Option<&'static Encoding> {
    let mut pragma = false;
    let mut charset = None;
    let mut content = None;
    for (name, value) in attributes {
        match name.to_ascii_lowercase().as_slice() {
            b"http-equiv" => pragma |= value.eq_ignore_ascii_case(b"content-type"),
            b"content" if content.is_none() => content = charset_in(value).and_then(lookup),
            b"charset" if charset.is_none() => charset = lookup(value),
            _ => {}
        }
    }
    charset.or(content.filter(|_| pragma))
}

/// The label after `charset=` in the `content` of a meta element.
fn charset_in(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let name = rest
            .windows(7)
            .position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[name + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            return Some(quoted_or_word(value.trim_ascii_start()));
        }
    }
}

fn quoted_or_word(value: &[u8]) -> &[u8] {
    let (value, ends): (&[u8], &[u8]) = match value {
        [b'"', inner @ ..] => (inner, b"\""),
        [b'\'', inner @ ..] => (inner, b"'"),
        _ => (value, b"\t\n\x0c\r ;"),
    };
    let end = value.iter().position(|byte| ends.contains(byte));
    &value[..end.unwrap_or(value.len())]
}

/// The label in `<?xml version="1.0" encoding="...">` at the first byte.
fn xml(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let value = &declaration[find(declaration, b"encoding")? + 8..];
    let value = value
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let quote = *value.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let value = &value[1..];
    lookup(&value[..value.iter().position(|byte| *byte == quote)?])
}

/// The encoding of a label. A declaration that was read as ASCII cannot be in UTF-16, so the
/// label of UTF-16 means UTF-8, and that of x-user-defined windows-1252 (as in the standard).
fn lookup(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label_no_replacement(label)?;
    Some(if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        // Maps UTF-16 to UTF-8 and every other encoding to itself.
        encoding.output_encoding()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(page: &str) -> Option<&'static str> {
        declared(page.as_bytes()).map(Encoding::name)
    }

    #[test]
    fn a_meta_element_declares_a_charset() {
        assert_eq!(name("<meta charset=utf-8>"), Some("UTF-8"));
        assert_eq!(
            name("<html><META name=x charset = 'Latin1' >"),
            Some("windows-1252")
        );
        assert_eq!(
            name("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=koi8-r\">"),
            Some("KOI8-R")
        );
        assert_eq!(
            name("<meta content='text/html;charset=\"gbk\"' http-equiv=content-type>"),
            Some("GBK")
        );
    }

    #[test]
    fn text_like_a_declaration_is_ignored() {
        assert_eq!(name("<!-- <meta charset=koi8-r> --><p>"), None);
        assert_eq!(name("<p title='<meta charset=koi8-r>'>"), None);
        assert_eq!(
            name("<meta name=description content='charset=koi8-r'>"),
            None
        );
        assert_eq!(name("<metal charset=koi8-r>"), None);
        assert_eq!(name("<meta charset=no-such>"), None);
    }

    #[test]
    fn a_cut_declaration_is_ignored() {
        assert_eq!(name("<meta charset=iso-8859-1"), None);
        assert_eq!(name("<meta charset='iso-8859-1"), None);
        assert_eq!(name("<meta charset=koi8-r "), Some("KOI8-R"));
    }

    #[test]
    fn the_first_declaration_with_a_known_label_counts() {
        assert_eq!(
            name("<meta charset=nope><meta charset=sjis>"),
            Some("Shift_JIS")
        );
        assert_eq!(name("<!--><meta charset=sjis>"), Some("Shift_JIS"));
    }

    #[test]
    fn a_declared_utf_16_means_utf_8() {
        assert_eq!(name("<meta charset=utf-16le>"), Some("UTF-8"));
        assert_eq!(name("<meta charset=x-user-defined>"), Some("windows-1252"));
    }

    #[test]
    fn an_xml_declaration_counts_without_a_meta_element() {
        let xml = "<?xml version='1.0' encoding='iso-8859-2'?>";
        assert_eq!(name(xml), Some("ISO-8859-2"));
        assert_eq!(name(&format!("{xml}<meta charset=koi8-r>")), Some("KOI8-R"));
        assert_eq!(name(" <?xml encoding='iso-8859-2'?>"), None);
    }
}
