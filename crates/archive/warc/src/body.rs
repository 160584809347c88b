//! Transfer encoding and content encoding of a body.

use std::io::{self, Read};

use crate::entry::Reason;

/// Buffer of the brotli decoder, in bytes.
const BROTLI_BUFFER: usize = 4 << 10;
/// Most content encodings of one response. A higher number would only serve hostile responses.
const MAX_ENCODINGS: usize = 4;

/// Removes the chunks of `Transfer-Encoding: chunked`. Returns `None` if `body` has no chunks:
/// many crawlers store the header and remove the chunks. A truncated last chunk is kept.
pub(crate) fn without_chunks(body: &[u8]) -> Option<Vec<u8>> {
    let mut rest = body;
    let mut out = Vec::new();
    let mut seen = false;
    loop {
        let Some(end) = rest.iter().take(1024).position(|byte| *byte == b'\n') else {
            return seen.then_some(out);
        };
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        rest = &rest[end + 1..];
        seen = true;
        if size == 0 {
            return Some(out);
        }
        if size >= rest.len() {
            out.extend_from_slice(rest);
            return Some(out);
        }
        out.extend_from_slice(&rest[..size]);
        rest = &rest[size..];
        rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    }
}

/// Removes the content encodings of a body: those in `encodings`, the value of `Content-Encoding`.
///
/// # Errors
/// Where the result has more than `max_bytes`, or the bytes are broken from the start. A body that
/// is already decoded, as some crawlers store it, is returned as it is.
pub fn decoded(
    mut body: Vec<u8>,
    encodings: Option<&str>,
    max_bytes: usize,
) -> Result<Vec<u8>, Reason> {
    let encodings: Vec<String> = (encodings.unwrap_or_default().split(','))
        .map(|encoding| encoding.trim().to_ascii_lowercase())
        .filter(|encoding| !encoding.is_empty() && encoding != "identity")
        .collect();
    if encodings.len() > MAX_ENCODINGS {
        return Err(Reason::ContentEncoding(encodings.join(", ")));
    }
    for encoding in encodings.iter().rev() {
        if body.is_empty() {
            break;
        }
        let of = |decoded: io::Result<Option<Vec<u8>>>| match decoded {
            Ok(Some(decoded)) => Ok(decoded),
            Ok(None) => Err(Reason::TooLarge(max_bytes as u64)),
            Err(error) => Err(Reason::ContentEncoding(format!("{encoding}: {error}"))),
        };
        let bytes = body.as_slice();
        body = match encoding.as_str() {
            "gzip" | "x-gzip" if !bytes.starts_with(&[0x1f, 0x8b]) => continue,
            "gzip" | "x-gzip" => of(read(flate2::read::MultiGzDecoder::new(bytes), max_bytes))?,
            // HTTP means zlib. Some servers send the deflate stream without its frame.
            "deflate" => match read(flate2::read::ZlibDecoder::new(bytes), max_bytes) {
                Err(_) => of(read(flate2::read::DeflateDecoder::new(bytes), max_bytes))?,
                framed => of(framed)?,
            },
            "br" => of(read(
                brotli_decompressor::Decompressor::new(bytes, BROTLI_BUFFER),
                max_bytes,
            ))?,
            "zstd" => {
                let decoder = zstd::stream::read::Decoder::with_buffer(bytes);
                of(decoder.and_then(|decoder| read(decoder, max_bytes)))?
            }
            "compress" | "x-compress" | "dcb" | "dcz" | "exi" => {
                return Err(Reason::ContentEncoding(encoding.clone()));
            }
            // Servers send `null` or `utf-8`. Browsers ignore such names.
            _ => continue,
        };
    }
    if body.len() > max_bytes {
        return Err(Reason::TooLarge(max_bytes as u64));
    }
    Ok(body)
}

/// Reads all bytes, or `None` if there are more than `max_bytes`. Bytes before an error are kept, as
/// a browser does.
fn read(mut decoder: impl Read, max_bytes: usize) -> io::Result<Option<Vec<u8>>> {
    let mut out = Vec::new();
    let end = (&mut decoder)
        .take(max_bytes as u64 + 1)
        .read_to_end(&mut out);
    if out.len() > max_bytes {
        return Ok(None);
    }
    match end {
        Err(error) if out.is_empty() => Err(error),
        _ => Ok(Some(out)),
    }
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
        assert_eq!(without_chunks(b"<html>\n</html>"), None);
    }
}
