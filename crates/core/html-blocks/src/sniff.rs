//! Detection of input that is not an HTML page.

/// Why the input is not an HTML page. A page without text is not an error: it has no blocks.
///
/// The job writes the `Display` text into its quarantine table, so the texts are stable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// No bytes, or only whitespace.
    #[error("the page is empty ({bytes} bytes, none but whitespace)")]
    Empty {
        /// Length of the page in bytes.
        bytes: usize,
    },
    /// The signature of a binary format, or too many NUL bytes.
    #[error("the page is not text: {found}")]
    Binary {
        /// The name of the format, or `NUL bytes`.
        found: &'static str,
    },
}

impl PageError {
    /// A stable code: `empty_html` or `binary_html`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "empty_html",
            Self::Binary { .. } => "binary_html",
        }
    }
}

/// Signatures of formats that crawls find in place of HTML. No text starts with one.
const FORMATS: &[(&[u8], &str)] = &[
    (b"%PDF-", "PDF"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh91AY&SY", "bzip2"),
    (b"PK\x03\x04", "ZIP"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"RIFF", "RIFF"),
    (b"OggS\0", "Ogg"),
    (b"ID3\x03", "MP3"),
    (b"ID3\x04", "MP3"),
    (b"wOFF", "WOFF"),
    (b"wOF2", "WOFF2"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE document"),
    (b"\x7fELF", "ELF"),
    (b"\0asm", "WebAssembly"),
];

/// Length of the prefix in which NULs are counted, in bytes.
const SAMPLE: usize = 1024;

/// Returns an error for empty and for binary input. `wide` says that the page is UTF-16 by its
/// byte order mark or HTTP charset, where every second byte may be NUL.
pub(crate) fn reject_non_text(bytes: &[u8], wide: bool) -> Result<(), PageError> {
    if bytes.trim_ascii().is_empty() {
        return Err(PageError::Empty { bytes: bytes.len() });
    }
    if let Some((_, found)) = FORMATS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(PageError::Binary { found });
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let nuls = sample.iter().filter(|byte| **byte == 0).count();
    // Real pages contain stray NULs, but never one byte in ten.
    if !wide && nuls * 10 > sample.len() {
        return Err(PageError::Binary { found: "NUL bytes" });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_whitespace_is_empty() {
        assert_eq!(
            reject_non_text(b" \r\n\t", false),
            Err(PageError::Empty { bytes: 4 })
        );
        assert_eq!(
            reject_non_text(b"", false).unwrap_err().reason(),
            "empty_html"
        );
    }

    #[test]
    fn a_binary_format_is_named() {
        let refused = reject_non_text(b"%PDF-1.4\n...", false).unwrap_err();
        assert_eq!(refused, PageError::Binary { found: "PDF" });
        assert_eq!(refused.reason(), "binary_html");
        assert_eq!(reject_non_text(b"<p>%PDF-1.4", false), Ok(()));
    }

    #[test]
    fn dense_nuls_are_binary_and_stray_ones_are_not() {
        assert_eq!(
            reject_non_text(b"a\0b\0c\0", false),
            Err(PageError::Binary { found: "NUL bytes" })
        );
        assert_eq!(reject_non_text(b"a\0b\0c\0", true), Ok(()));
        assert_eq!(
            reject_non_text(b"<p>one stray \0 in a page of text</p>", false),
            Ok(())
        );
    }
}
