//! Transfer encoding and content encoding of a body.

use std::io::{self, BufRead, BufReader, Read};

use boundary::{ParserPanic, guarded};

use crate::entry::Reason;
use crate::html::{LOOKED_AT, begins_as_html};

/// Buffer of the brotli decoder, in bytes.
const BROTLI_BUFFER: usize = 4 << 10;
/// Most content encodings of one response. A higher number would only serve hostile responses.
const MAX_ENCODINGS: usize = 4;

/// Removes the chunks of `Transfer-Encoding: chunked`. Returns `None` if `body` has no chunks:
/// many crawlers store the header and remove the chunks. A truncated last chunk is kept, and so are
/// bytes after the chunks that are none.
pub(crate) fn without_chunks(body: &[u8]) -> Option<Vec<u8>> {
    let mut rest = body;
    let mut out = Vec::new();
    let mut seen = false;
    while !rest.is_empty() {
        let Some((size, content)) = chunk_size(rest) else {
            if !seen {
                return None;
            }
            out.extend_from_slice(rest);
            break;
        };
        if size == 0 {
            break;
        }
        if size >= content.len() {
            out.extend_from_slice(content);
            break;
        }
        let (chunk, after) = content.split_at(size);
        let after = after.strip_prefix(b"\r").unwrap_or(after);
        match after.strip_prefix(b"\n") {
            Some(after) => rest = after,
            // The first line is a number by chance.
            None if !seen && !after.is_empty() => return None,
            None => rest = after,
        }
        out.extend_from_slice(chunk);
        seen = true;
    }
    Some(out)
}

/// Reads the line before a chunk. Returns the bytes of the chunk and what is behind the line.
fn chunk_size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().take(1024).position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let size = line.split(';').next().unwrap_or_default().trim();
    let size = usize::from_str_radix(size, 16)
        .ok()
        .filter(|_| !size.starts_with('+'))?;
    Some((size, &bytes[end + 1..]))
}

/// Removes the content encodings of a body: those in `encodings`, the value of `Content-Encoding`.
///
/// # Errors
/// Where the result has more than `max_bytes`, or the bytes are broken from the start. A body that
/// is already decoded, as some crawlers store it, is returned as it is.
pub fn decoded(
    body: Vec<u8>,
    encodings: Option<&str>,
    max_bytes: usize,
) -> Result<Vec<u8>, Reason> {
    Ok(decode(body, encodings, max_bytes)?.0)
}

/// Removes the content encodings of a body. Returns also whether it had each of them.
pub(crate) fn decode(
    mut body: Vec<u8>,
    encodings: Option<&str>,
    max_bytes: usize,
) -> Result<(Vec<u8>, bool), Reason> {
    let encodings = names(encodings);
    let mut is_encoded = true;
    if encodings.len() > MAX_ENCODINGS {
        return Err(Reason::ContentEncoding(encodings.join(", ")));
    }
    for encoding in encodings.iter().rev() {
        if body.is_empty() {
            break;
        }
        if matches!(
            encoding.as_str(),
            "compress" | "x-compress" | "dcb" | "dcz" | "exi"
        ) {
            return Err(Reason::ContentEncoding(encoding.clone()));
        }
        // Servers send `null` or `utf-8`. Browsers ignore such names.
        let Some(forms) = Form::of(encoding, &body) else {
            continue;
        };
        if forms.is_empty() || begins_as_html(&body) {
            is_encoded = false;
            continue;
        }
        match read_any(forms, &body, max_bytes) {
            Outcome::All(decoded) => body = decoded,
            Outcome::TooLarge => return Err(Reason::TooLarge(max_bytes as u64)),
            Outcome::Panicked(panic) => return Err(Reason::Parser(panic.to_string())),
            Outcome::Broken(..) if is_text(&body) => is_encoded = false,
            // Bytes before an error are kept, as a browser does.
            Outcome::Broken(decoded, _) if !decoded.is_empty() => body = decoded,
            Outcome::Broken(_, error) => {
                return Err(Reason::ContentEncoding(format!("{encoding}: {error}")));
            }
        }
    }
    if body.len() > max_bytes {
        return Err(Reason::TooLarge(max_bytes as u64));
    }
    Ok((body, is_encoded))
}

/// Returns the first bytes of a body without its encodings, or fewer if they are broken.
pub(crate) fn beginning(body: &[u8], encodings: Option<&str>) -> Vec<u8> {
    let encodings = names(encodings);
    if encodings.is_empty() || begins_as_html(body) {
        return body[..body.len().min(LOOKED_AT)].to_vec();
    }
    let mut bytes: Box<dyn Read + '_> = Box::new(body);
    for (layer, encoding) in encodings.iter().rev().take(MAX_ENCODINGS).enumerate() {
        // The bytes below the first layer are not known yet.
        let start = if layer == 0 { body } else { &[] };
        if let Some([form, ..]) = Form::of(encoding, start) {
            bytes = form.reader(BufReader::new(bytes));
        }
    }
    let mut out = Vec::new();
    // Bytes before an error are enough.
    let _ = guarded("the beginning of a body", body, || {
        bytes.take(LOOKED_AT as u64).read_to_end(&mut out)
    });
    out
}

/// The encodings of a value, in lower case.
fn names(encodings: Option<&str>) -> Vec<String> {
    (encodings.unwrap_or_default().split(','))
        .map(|encoding| encoding.trim().to_ascii_lowercase())
        .filter(|encoding| !encoding.is_empty() && encoding != "identity")
        .collect()
}

/// A form of compressed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Gzip,
    Zlib,
    Deflate,
    Brotli,
    Zstd,
}

impl Form {
    /// The forms to try for a body with an encoding: none if the body has none of them, and `None` if
    /// the encoding is not known. A body that is not known is empty.
    fn of(encoding: &str, body: &[u8]) -> Option<&'static [Self]> {
        let begins = |magic: &[u8]| body.is_empty() || body.starts_with(magic);
        let is_gzip = begins(&[0x1f, 0x8b]);
        Some(match encoding {
            "gzip" | "x-gzip" if is_gzip => &[Self::Gzip],
            "zstd" if begins(&[0x28, 0xb5, 0x2f, 0xfd]) => &[Self::Zstd],
            "gzip" | "x-gzip" | "zstd" => &[],
            "deflate" if is_gzip && !body.is_empty() => &[Self::Gzip],
            // HTTP means zlib. Some servers send the deflate stream without its frame.
            "deflate" => &[Self::Zlib, Self::Deflate],
            "br" => &[Self::Brotli],
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zlib | Self::Deflate => "deflate",
            Self::Brotli => "brotli",
            Self::Zstd => "zstd",
        }
    }

    fn reader<'a>(self, bytes: impl BufRead + 'a) -> Box<dyn Read + 'a> {
        match self {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(bytes)),
            Self::Zlib => Box::new(flate2::bufread::ZlibDecoder::new(bytes)),
            Self::Deflate => Box::new(flate2::bufread::DeflateDecoder::new(bytes)),
            Self::Brotli => Box::new(brotli_decompressor::Decompressor::new(bytes, BROTLI_BUFFER)),
            Self::Zstd => match zstd::stream::read::Decoder::with_buffer(bytes) {
                Ok(decoder) => Box::new(decoder),
                Err(_) => Box::new(io::empty()),
            },
        }
    }
}

/// The result of a decoder.
enum Outcome {
    All(Vec<u8>),
    TooLarge,
    /// The bytes before an error.
    Broken(Vec<u8>, io::Error),
    Panicked(ParserPanic),
}

/// Decodes `body` as the first of `forms` that it is, or as far as the first goes that gives bytes.
fn read_any(forms: &[Form], body: &[u8], max_bytes: usize) -> Outcome {
    let mut broken = Outcome::Broken(Vec::new(), io::ErrorKind::InvalidData.into());
    for form in forms {
        let read = guarded(form.name(), body, || read(form.reader(body), max_bytes));
        match (read.unwrap_or_else(Outcome::Panicked), &broken) {
            (Outcome::Broken(bytes, error), Outcome::Broken(before, _)) => {
                if before.is_empty() {
                    broken = Outcome::Broken(bytes, error);
                }
            }
            (outcome, _) => return outcome,
        }
    }
    broken
}

/// Reads all bytes, unless there are more than `max_bytes`.
fn read(decoder: impl Read, max_bytes: usize) -> Outcome {
    let mut out = Vec::new();
    let end = decoder.take(max_bytes as u64 + 1).read_to_end(&mut out);
    match end {
        _ if out.len() > max_bytes => Outcome::TooLarge,
        Ok(_) => Outcome::All(out),
        Err(error) => Outcome::Broken(out, error),
    }
}

/// Whether bytes are those of a text and not compressed: the first ones have no control character.
fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    // Escape is a letter of ISO-2022-JP.
    let is_allowed = |byte: &u8| !byte.is_ascii_control() || b"\t\n\r\x0c\x1b".contains(byte);
    start.iter().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const TEXT: &[u8] = b"<p>Trees fell on the road to the sea. Trees fell on the road.</p>";

    fn written<W: Write>(mut encoder: W, finish: fn(W) -> io::Result<Vec<u8>>) -> Vec<u8> {
        encoder.write_all(TEXT).unwrap();
        finish(encoder).unwrap()
    }

    #[test]
    fn every_encoding_is_removed() {
        let level = flate2::Compression::default();
        let gzip = written(flate2::write::GzEncoder::new(Vec::new(), level), |e| {
            e.finish()
        });
        let zlib = written(flate2::write::ZlibEncoder::new(Vec::new(), level), |e| {
            e.finish()
        });
        let raw = written(flate2::write::DeflateEncoder::new(Vec::new(), level), |e| {
            e.finish()
        });
        let zstd = zstd::encode_all(TEXT, 3).unwrap();
        for (encoding, bytes) in [
            ("gzip", gzip.clone()),
            ("x-gzip", gzip.clone()),
            ("deflate", zlib),
            ("deflate", raw),
            ("zstd", zstd),
            ("identity", TEXT.to_vec()),
            ("gzip", TEXT.to_vec()),
            ("", TEXT.to_vec()),
            ("null", TEXT.to_vec()),
        ] {
            assert_eq!(
                decoded(bytes, Some(encoding), 1000),
                Ok(TEXT.to_vec()),
                "{encoding}"
            );
        }
        let twice = zstd::encode_all(gzip.as_slice(), 3).unwrap();
        assert_eq!(decoded(twice, Some("gzip, zstd"), 1000), Ok(TEXT.to_vec()));
    }

    #[test]
    fn a_body_that_is_decoded_already_stays_as_it_is() {
        let text = b"Trees fell on the road to the sea, and one of them on a house.";
        for encoding in ["gzip", "deflate", "br", "zstd", "gzip, br"] {
            for body in [TEXT, text, b"{\"a\": 1}"] {
                let found = decode(body.to_vec(), Some(encoding), 1000);
                assert_eq!(found, Ok((body.to_vec(), false)), "{encoding}");
                assert_eq!(beginning(TEXT, Some(encoding)), TEXT, "{encoding}");
            }
        }
        let binary = [&[0x1f_u8, 0x8b, 8][..], &[0xff; 100]].concat();
        assert!(decode(binary, Some("gzip"), 1000).is_err());
    }

    #[test]
    fn the_beginning_of_a_body_is_decoded() {
        let gzip = written(
            flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default()),
            |encoder| encoder.finish(),
        );
        assert_eq!(beginning(&gzip[..gzip.len() - 6], Some("gzip")), TEXT);
        let twice = zstd::encode_all(gzip.as_slice(), 3).unwrap();
        assert_eq!(beginning(&twice, Some("gzip, zstd")), TEXT);
    }

    #[test]
    fn brotli_is_removed() {
        // Output of the program `brotli` for "hello".
        let hello = [0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03];
        assert_eq!(
            decoded(hello.to_vec(), Some("br"), 1000),
            Ok(b"hello".to_vec())
        );
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![0; 10 << 20];
        let bomb = zstd::encode_all(zeros.as_slice(), 3).unwrap();
        assert!(bomb.len() < 10_000);
        assert_eq!(
            decoded(bomb, Some("zstd"), 1 << 20),
            Err(Reason::TooLarge(1 << 20))
        );
    }

    #[test]
    fn chunks_are_removed_where_there_are_any() {
        let chunks = b"4;x=y\r\nTree\r\n5\r\ns fel\r\n0\r\n\r\n";
        assert_eq!(without_chunks(chunks), Some(b"Trees fel".to_vec()));
        assert_eq!(
            without_chunks(b"4\r\nTree\r\n5\r\ns f"),
            Some(b"Trees f".to_vec())
        );
        for (body, expected) in [
            (&b"0\r\n\r\n"[..], Some(&b""[..])),
            (b"4 \r\nTree\r\n0\r\n\r\n", Some(b"Tree")),
            (b"4\nTree\n0\n\n", Some(b"Tree")),
            (b"4\r\nTree\r\n<p>s", Some(b"Tree<p>s")),
            (b"<html>\n</html>", None),
            (b"1\r\nxyz123!@#", None),
            (b"33hello world!", None),
        ] {
            assert_eq!(without_chunks(body).as_deref(), expected, "{body:?}");
        }
    }
}
