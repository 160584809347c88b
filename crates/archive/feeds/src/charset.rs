//! The text of a feed from its bytes.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Bytes at the start of a feed in which its XML declaration is looked for.
const DECLARATION_BYTES: usize = 1024;

/// Decodes a feed. In this order: a byte order mark, UTF-8 if the bytes are valid UTF-8 and the
/// declared charset has one byte per letter, `charset` of the header, the XML declaration, UTF-8 if
/// the bytes are valid, windows-1252. The XML declaration is cut off, because it may name another charset.
pub(crate) fn decode(bytes: &[u8], charset: Option<&str>) -> String {
    let (declared, start) = declaration(bytes);
    let named = |label: &str| Encoding::for_label(label.trim().as_bytes());
    let declared = charset.and_then(named).or_else(|| declared.and_then(named));
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    let encoding = match (Encoding::for_bom(bytes), declared) {
        (Some((marked, _)), _) => marked,
        (None, Some(declared)) if is_utf8 && declared.is_single_byte() => UTF_8,
        (None, Some(declared)) => declared,
        (None, None) if is_utf8 => UTF_8,
        (None, None) => WINDOWS_1252,
    };
    // UTF-16 has its declaration in UTF-16, where it was not found.
    let (text, _, _) = encoding.decode(&bytes[start..]);
    let text = match text.trim_start().strip_prefix("<?xml") {
        Some(rest) if start == 0 => rest.split_once("?>").map_or(&*text, |(_, rest)| rest),
        _ => &*text,
    };
    text.trim_start_matches('\u{feff}').to_owned()
}

/// The charset that the XML declaration names, and where the rest of the bytes starts.
fn declaration(bytes: &[u8]) -> (Option<&str>, usize) {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let Some(start) = memchr::memmem::find(head, b"<?xml") else {
        return (None, 0);
    };
    let Some(end) = memchr::memmem::find(&head[start..], b"?>") else {
        return (None, 0);
    };
    let end = start + end;
    let declaration = std::str::from_utf8(&head[start..end]).unwrap_or_default();
    let name = declaration.split_once("encoding").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|quote| "'\"".contains(*quote))?;
        rest[1..].split(quote).next()
    });
    // A byte order mark is cut off with the declaration, so it must be looked at before.
    match Encoding::for_bom(bytes) {
        Some((encoding, _)) if encoding != UTF_8 => (None, 0),
        _ => (name, end + 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_is_found() {
        let latin1 = b"<a>caf\xe9</a>";
        let utf8 = "<a>café</a>".as_bytes();
        let declared = b"<?xml version='1.0' encoding='iso-8859-2'?><a>\xb1</a>";
        let mut utf16 = vec![0xff, 0xfe];
        let text = "<?xml version='1.0' encoding='utf-16'?><a>é</a>";
        utf16.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        for (bytes, charset, text) in [
            (&latin1[..], None, "<a>café</a>"),
            (latin1, Some("iso-8859-1"), "<a>café</a>"),
            (utf8, None, "<a>café</a>"),
            // A header of the server, for all of its files.
            (utf8, Some("iso-8859-1"), "<a>café</a>"),
            (utf8, Some("no charset"), "<a>café</a>"),
            (declared, None, "<a>ą</a>"),
            (declared, Some("iso-8859-5"), "<a>Б</a>"),
            (&utf16, None, "<a>é</a>"),
            (
                "\u{feff}<?xml version='1.0'?><a>é</a>".as_bytes(),
                None,
                "<a>é</a>",
            ),
            (b"<?xml", None, "<?xml"),
            (b"", None, ""),
        ] {
            assert_eq!(decode(bytes, charset), text, "{charset:?} {bytes:?}");
        }
    }
}
