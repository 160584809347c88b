//! The pages of a WARC or ARC file.

use std::io::{self, Read};
use std::num::NonZeroUsize;

use tables::Location;
use tokio::sync::mpsc::UnboundedSender;
use warc::{Block, Blocks, Decoded, Decoder, Limits, RecordError};

use crate::Options;
use crate::error::ImportError;
use crate::found::Found;
use crate::inputs::Input;
use crate::manifest::Manifest;
use crate::ordered::{self, Weighed};
use crate::source::{Source, Watch};
use crate::spool::TemporaryFolder;
use crate::write::{self, Content};

/// Imports `input` and writes its manifest. `before` is the manifest of an earlier state of the input.
pub(crate) async fn import(
    input: Input,
    before: Option<Manifest>,
    output: Location,
    options: Options,
    progress: UnboundedSender<u64>,
) -> Result<Manifest, ImportError> {
    let folder = TemporaryFolder(options.spill_dir);
    let (content, bytes) = content(&input, options.limits, &folder, progress).await?;
    write::write(content, &input, bytes, before.as_ref(), &output, &folder).await
}

/// Reads the content of `input`, and the number of its bytes.
pub(crate) async fn content(
    input: &Input,
    limits: Limits,
    folder: &TemporaryFolder,
    progress: UnboundedSender<u64>,
) -> Result<(Content, u64), ImportError> {
    let watch = Watch::default();
    let source = Source::open(input, progress, watch.clone()).await?;
    let folder = folder.clone();
    let content = tokio::task::spawn_blocking(move || read(source, limits, &folder, THREADS));
    let content = content.await.map_err(|_| write::ended(input))?;
    watch.check(input)?;
    let content = content.map_err(|source| ImportError::Spool {
        input: input.label.clone(),
        source,
    })?;
    Ok((content, watch.bytes()))
}

/// Threads that read the content of records, beside the one that decompresses the file and the one that keeps the pages.
/// Reading the content takes half the time of decompressing, or as long where records have two digests.
const THREADS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// Reads all records. Waits for the store, so it runs on a blocking thread.
fn read(
    source: impl Read,
    limits: Limits,
    folder: &TemporaryFolder,
    threads: NonZeroUsize,
) -> io::Result<Content> {
    let mut found = Found::new(folder)?;
    let decoder = Decoder::new(limits).html_only();
    let decode = |block: Result<Block, RecordError>| decoder.decode(block?);
    ordered::in_order(Blocks::new(source, limits), threads, decode, |record| {
        found.add(record)
    })?;
    found.content()
}

impl Weighed for Result<Block, RecordError> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, Block::bytes)
    }
}

impl Weighed for Result<Decoded, RecordError> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, Decoded::bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A compressed record with `lines` in its header.
    fn record(kind: &str, number: usize, lines: &str, block: &[u8]) -> Vec<u8> {
        let header = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{kind}-{number}>\r\n\
             WARC-Target-URI: http://a.example/{number}\r\n{lines}\
             Content-Type: application/http\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        gzip(&[header.as_bytes(), block, b"\r\n\r\n"].concat())
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    const DATE: &str = "WARC-Date: 2011-10-24T12:00:00Z\r\n";

    /// Records of every kind, in the sizes that divide them among threads in many ways.
    fn file() -> Vec<u8> {
        let mut file = Vec::new();
        for number in 0..402 {
            let html = format!("<html><p>Trees {number}. ").repeat(1 + number % 17 * 300);
            let html = html.as_bytes();
            let block = |status: &str, headers: &str, body: &[u8]| {
                let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{headers}\r\n");
                [head.as_bytes(), body].concat()
            };
            let page = block("200 OK", "", html);
            let before = number.saturating_sub(13);
            file.extend(match number % 13 {
                0 => {
                    let chunks = format!("{:x}\r\n", html.len());
                    let chunks = [chunks.as_bytes(), html, b"\r\n0\r\n\r\n"].concat();
                    let block = block("200 OK", "Transfer-Encoding: chunked\r\n", &chunks);
                    record("response", number, DATE, &block)
                }
                1 => {
                    let block = block("200 OK", "Content-Encoding: gzip\r\n", &gzip(html));
                    record("response", number, DATE, &block)
                }
                2 => {
                    let block = block("200 OK", "Content-Encoding: gzip\r\n", b"\x1f\x8b\x08\xff");
                    record("response", number, DATE, &block)
                }
                3 => {
                    let id = format!(
                        "{DATE}WARC-Refers-To: <urn:uuid:response-{}>\r\n",
                        number - 3
                    );
                    record("revisit", number, &id, &block("304 Not Modified", "", b""))
                }
                4 => record("revisit", number, DATE, &page),
                5 => record("continuation", number, DATE, html),
                6 => record("response", number, "", &page),
                7 => {
                    let digest = format!("{DATE}WARC-Payload-Digest: sha1:{}\r\n", "A".repeat(32));
                    record("response", number, &digest, &page)
                }
                8 => {
                    let mut broken = record("response", number, DATE, &page);
                    let middle = broken.len() / 2;
                    broken.truncate(middle);
                    broken
                }
                // The broken record before it takes it along.
                9 => record("request", number, DATE, b"GET / HTTP/1.1\r\n\r\n"),
                10 => {
                    let to = format!("Location: /{}\r\n", number + 1);
                    record("response", number, DATE, &block("302 Found", &to, b"moved"))
                }
                11 => record("response", number, DATE, &page),
                _ => {
                    let digest = warc::payload_digest(format!("{before}").as_bytes());
                    let digest = format!("{DATE}WARC-Payload-Digest: {digest}\r\n");
                    let kind = if number % 2 == 0 {
                        "revisit"
                    } else {
                        "response"
                    };
                    let block = block("200 OK", "", format!("{number}").as_bytes());
                    record(kind, number, &digest, &block)
                }
            });
        }
        file.truncate(file.len() - 9);
        file
    }

    /// All that was found, and the bodies.
    fn state(content: &Content) -> Vec<String> {
        let bodies = content.pages.iter().map(|page| page.body);
        let bodies = content.bodies.column(bodies).unwrap();
        let mut state: Vec<String> = (content.pages.iter().zip(&bodies))
            .map(|(page, body)| format!("{page:?} {body:?}"))
            .collect();
        state.extend((content.quarantine.rows.iter()).map(|row| format!("{row:?}")));
        state.extend((content.revisits.iter()).map(|row| format!("{row:?}")));
        state.push(format!(
            "{:?} {:?}",
            content.counts, content.quarantine.counts
        ));
        state
    }

    /// Reads a file without threads.
    fn state_of_one(file: impl Read) -> Vec<String> {
        let (limits, folder) = (Limits::default(), TemporaryFolder::default());
        let mut found = Found::new(&folder).unwrap();
        let decoder = Decoder::new(limits).html_only();
        for block in Blocks::new(file, limits) {
            found
                .add(block.and_then(|block| decoder.decode(block)))
                .unwrap();
        }
        state(&found.content().unwrap())
    }

    fn state_of(file: impl Read, threads: usize) -> Vec<String> {
        let threads = NonZeroUsize::new(threads).unwrap();
        let found = read(
            file,
            Limits::default(),
            &TemporaryFolder::default(),
            threads,
        );
        state(&found.unwrap())
    }

    #[test]
    fn the_rows_are_equal_for_any_number_of_threads() {
        let file = file();
        let expected = state_of_one(&file[..]);
        let counts = expected.last().unwrap();
        for kind in [
            "truncated",
            "another digest",
            "no WARC-Date",
            "the Content-Encoding cannot be removed",
            "continuation",
            "revisit",
        ] {
            assert!(counts.contains(kind), "{kind} is not in {counts}");
        }
        assert!(expected.iter().any(|row| row.contains("request_url: Some")));
        for threads in 1..4 {
            assert_eq!(state_of(&file[..], threads), expected, "{threads}");
        }
    }

    #[test]
    fn a_store_that_fails_ends_the_file_where_it_fails() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionAborted.into())
            }
        }
        let file = file();
        let half = || (&file[..file.len() / 2]).chain(Fails);
        let expected = state_of_one(half());
        assert!(expected.last().unwrap().contains("the file cannot be read"));
        assert_eq!(state_of(half(), 2), expected);
    }
}
