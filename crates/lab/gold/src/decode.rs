//! Decoding of gold files.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::error::GoldErrorKind;
use crate::{File, GoldError};

/// Decodes a file by its byte order mark, or with [`mixed`] if there is none.
pub(crate) fn text(file: File<'_>) -> Result<String, GoldError> {
    let (encoding, mark) = Encoding::for_bom(file.bytes).unwrap_or((UTF_8, 0));
    let bytes = &file.bytes[mark..];
    if encoding != UTF_8 {
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes);
        return match text {
            Some(text) => Ok(text.into_owned()),
            None => Err(GoldErrorKind::NotUtf16.for_file(file)),
        };
    }
    match bytes.iter().position(|byte| *byte == 0) {
        Some(offset) => Err(GoldErrorKind::NotText { offset }.at_byte(file, bytes, offset)),
        None => Ok(mixed(bytes)),
    }
}

/// Decodes valid UTF-8 as UTF-8 and every other byte as windows-1252.
///
/// Annotators saved some gold files in the encoding of their editor, and pasted such
/// text into others.
pub(crate) fn mixed(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let (other, _) = WINDOWS_1252.decode_without_bom_handling(chunk.invalid());
        text.push_str(&other);
    }
    text
}

/// Returns the text of a file that must be UTF-8.
pub(crate) fn utf8(file: File<'_>) -> Result<&str, GoldError> {
    let bytes = file.bytes.strip_prefix(b"\xEF\xBB\xBF");
    let bytes = bytes.unwrap_or(file.bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        GoldErrorKind::NotUtf8 { offset }.at_byte(file, bytes, offset)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Result<String, String> {
        let name = "7.txt";
        text(File { name, bytes }).map_err(|error| error.to_string())
    }

    #[test]
    fn all_encodings_of_the_published_sets_are_decoded() {
        assert_eq!(decoded("caf\u{e9} \u{10d}".as_bytes()).unwrap(), "café č");
        assert_eq!(decoded(b"\xEF\xBB\xBFcaf\xC3\xA9").unwrap(), "café");
        assert_eq!(decoded(b"caf\xE9 \x93bar\x94").unwrap(), "café “bar”");
        assert_eq!(decoded(b"\xFF\xFEc\0a\0f\0\xE9\0").unwrap(), "café");
        assert_eq!(decoded(b"\xFE\xFF\0c\0a\0f\0\xE9").unwrap(), "café");
        assert_eq!(decoded(b"").unwrap(), "");
    }

    #[test]
    fn an_invalid_byte_leaves_its_neighbours_intact() {
        assert_eq!(
            decoded(b"m\xC3\xA9nage-\xC3 -trois, \xE2\x80\"").unwrap(),
            "ménage-Ã -trois, â€\""
        );
    }

    #[test]
    fn binary_or_invalid_files_are_refused_with_file_and_line() {
        assert_eq!(
            decoded(b"one\ntw\0o").unwrap_err(),
            "7.txt:2: not a text file: byte 6 is zero"
        );
        assert!(decoded(b"c\0a\0f\0").is_err());
        // Half of a surrogate pair.
        assert_eq!(
            decoded(b"\xFF\xFE\x3D\xD8").unwrap_err(),
            "7.txt: invalid UTF-16 after a UTF-16 byte order mark"
        );
        let json = File {
            name: "a.json",
            bytes: b"{\n\"\xE9\"",
        };
        let error = utf8(json).expect_err("not UTF-8").to_string();
        assert_eq!(error, "a.json:2: not UTF-8: byte 3 is invalid");
    }
}
