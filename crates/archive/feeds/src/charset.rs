//! The text of a feed from its bytes.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes at the start of a feed in which its XML declaration is looked for.
const DECLARATION_BYTES: usize = 1024;

/// Decodes a feed. A byte order mark decides. Without one, the first of these that decodes all bytes:
/// UTF-8 if the declared charset has one byte per letter, `charset` of the header, the XML
/// declaration, UTF-8. If none does, the one with the fewest invalid bytes, or the charset that the
/// bytes look like if most letters would be invalid.
pub(crate) fn decode(bytes: &[u8], charset: Option<&str>) -> String {
    if let Some(encoding) = marked(bytes) {
        return encoding.decode(bytes).0.into_owned();
    }
    let named = |label: &str| Encoding::for_label(label.trim().as_bytes());
    let declared = [charset, declared(bytes)].map(|label| label.and_then(named));
    let declared: Vec<_> = declared.into_iter().flatten().collect();
    // A server names one charset for all of its files. Letters of UTF-8 are other letters in it.
    let is_of_bytes = declared.first().is_none_or(|first| first.is_single_byte());
    if let (true, Ok(text)) = (is_of_bytes, std::str::from_utf8(bytes)) {
        return text.to_owned();
    }
    let mut best = Decoded::new(UTF_8, bytes);
    for encoding in declared.into_iter().rev() {
        let decoded = Decoded::new(encoding, bytes);
        if decoded.invalid <= best.invalid {
            best = decoded;
        }
    }
    if best.invalid * 2 > best.letters {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, true);
        best = Decoded::new(detector.guess(None, Utf8Detection::Allow), bytes);
    }
    best.text
}

/// A text, and how much of it is invalid.
struct Decoded {
    text: String,
    /// Letters that are not of ASCII.
    letters: usize,
    /// Invalid ones of these.
    invalid: usize,
}

impl Decoded {
    fn new(encoding: &'static Encoding, bytes: &[u8]) -> Self {
        let text = encoding.decode_without_bom_handling(bytes).0.into_owned();
        let letters = || text.chars().filter(|letter| !letter.is_ascii());
        let (letters, invalid) = (
            letters().count(),
            letters().filter(|letter| *letter == '\u{fffd}').count(),
        );
        Self {
            text,
            letters,
            invalid,
        }
    }
}

/// The encoding of a byte order mark, or of `<?` in UTF-16.
fn marked(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, b'?', 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, b'?', ..] => Some(UTF_16BE),
        _ => Encoding::for_bom(bytes).map(|(encoding, _)| encoding),
    }
}

/// The charset that the XML declaration names.
fn declared(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let start = memchr::memmem::find(head, b"<?xml")?;
    let end = start + memchr::memmem::find(&head[start..], b"?>")?;
    let declaration = std::str::from_utf8(&head[start..end]).ok()?;
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|quote| "'\"".contains(*quote))?;
    let label = rest[1..].split(quote).next()?;
    // Bytes in which the declaration can be read are not UTF-16.
    (!label.to_ascii_lowercase().starts_with("utf-16")).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_is_found() {
        let latin1 = b"<a>caf\xe9</a>";
        let utf8 = "<a>café</a>".as_bytes();
        let polish = b"<?xml version='1.0' encoding='iso-8859-2'?><a>\xb1</a>";
        let russian =
            b"<?xml version=\"1.0\" encoding=\"windows-1251\"?><a>\xcf\xe0\xf0\xee\xec</a>";
        let undeclared = b"<a>\xcf\xe0\xf0\xee\xec \xed\xe0 \xee\xf1\xf2\xf0\xee\xe2 \xe2\xe5\xf7\xe5\xf0\xee\xec</a>";
        let japanese = b"<?xml version='1.0' encoding='shift_jis'?><a>\x93\x87</a>";
        let mut damaged = "<a>café, über, naïve</a>".as_bytes().to_vec();
        damaged.insert(3, 0xff);
        let utf16 = |mark: &str| -> Vec<u8> {
            let text = format!("{mark}<?xml version='1.0' encoding='utf-16'?><a>é</a>");
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        };
        for (bytes, charset, inside) in [
            (&latin1[..], None, "café"),
            (latin1, Some("iso-8859-1"), "café"),
            (latin1, Some("utf-8"), "café"),
            (utf8, None, "café"),
            (utf8, Some("iso-8859-1"), "café"),
            (utf8, Some("no charset"), "café"),
            (polish, None, "ą"),
            (polish, Some("iso-8859-5"), "Б"),
            (russian, Some("utf-8"), "Паром"),
            (undeclared, None, "Паром на остров вечером"),
            (undeclared, Some("utf-8"), "Паром на остров вечером"),
            (japanese, Some("utf-8"), "島"),
            // One invalid byte does not change the charset.
            (&damaged, None, "\u{fffd}café, über, naïve"),
            (&damaged, Some("utf-8"), "\u{fffd}café, über, naïve"),
            (&utf16("\u{feff}"), None, "é"),
            (&utf16(""), None, "é"),
            (
                "<?xml version='1.0' encoding='utf-16'?><a>é</a>".as_bytes(),
                None,
                "é",
            ),
            (
                "\u{feff}<?xml version='1.0'?><a>é</a>".as_bytes(),
                None,
                "é",
            ),
        ] {
            let text = decode(bytes, charset);
            let found = text
                .split_once("<a>")
                .and_then(|(_, rest)| rest.strip_suffix("</a>"));
            assert_eq!(found, Some(inside), "{charset:?} {text}");
        }
        assert_eq!(decode(b"<?xml", None), "<?xml");
        assert_eq!(decode(b"", None), "");
    }
}
