//! The pages of a WARC or ARC file.

use std::collections::HashMap;
use std::io::{self, Read};
use std::num::NonZeroUsize;

use tables::Location;
use tokio::sync::mpsc::UnboundedSender;
use warc::{
    Block, Blocks, Decoded, Decoder, Limits, Links, Origin, RecordError, RecordType, Revisit,
    Warning, is_html,
};

use crate::Options;
use crate::error::ImportError;
use crate::inputs::Input;
use crate::manifest::Manifest;
use crate::ordered::{self, Weighed};
use crate::page::Page;
use crate::quarantine::{Kind, Quarantine, Quarantined};
use crate::source::{Source, Watch};
use crate::spool::{Spool, TemporaryFolder};
use crate::write::{self, Content, Counts};

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

/// Most types of content that are counted by name. Hostile files could have more than memory has.
const MAX_TYPES: usize = 200;
/// Most letters of a type of content.
const MAX_TYPE_LETTERS: usize = 80;

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

/// The records of a file that were read so far.
struct Found {
    links: Links,
    spool: Spool,
    pages: Vec<Page>,
    /// Position of a capture -> its page, for revisits.
    captures: HashMap<u64, usize>,
    revisits: Vec<(Origin, Revisit)>,
    counts: Counts,
    quarantine: Quarantine,
}

impl Found {
    fn new(folder: &TemporaryFolder) -> io::Result<Self> {
        Ok(Self {
            links: Links::default(),
            spool: Spool::new(folder)?,
            pages: Vec::new(),
            captures: HashMap::new(),
            revisits: Vec::new(),
            counts: Counts::default(),
            quarantine: Quarantine::default(),
        })
    }

    /// Adds the next record of the file.
    fn add(&mut self, record: Result<Decoded, RecordError>) -> io::Result<()> {
        let entry = match record {
            Ok(decoded) => self.links.entry(decoded),
            Err(error) => {
                self.quarantine.add(quarantined(error));
                return Ok(());
            }
        };
        let record_type = entry.record_type.name();
        self.counts.add_record(record_type, &entry.warnings);
        if let Some(revisit) = entry.revisit {
            let content_type = revisit.content_type.as_deref();
            match is_html(content_type) {
                Some(false) => self.counts.add_other(record_type, content_type),
                _ => self.revisits.push((entry.origin, revisit)),
            }
            return Ok(());
        }
        let Some(capture) = entry.capture else {
            let content_type = entry.content_type.as_deref();
            self.counts.add_other(record_type, content_type);
            return Ok(());
        };
        let repeated = capture.repeats.map(|repeated| self.captures.get(&repeated));
        match repeated {
            Some(Some(page)) => {
                let page = self.pages[*page].repeated(capture, entry.origin);
                self.pages.push(page);
            }
            None if capture.is_html => {
                self.captures.insert(capture.position, self.pages.len());
                let page = Page::new(capture, entry.origin, &mut self.spool)?;
                self.pages.push(page);
            }
            _ => {
                let content_type = capture.content_type.as_deref();
                self.counts.add_other(record_type, content_type);
            }
        }
        Ok(())
    }

    fn content(self) -> io::Result<Content> {
        Ok(Content {
            kind: Kind::Records,
            pages: self.pages,
            bodies: self.spool.finish()?,
            counts: self.counts,
            quarantine: self.quarantine,
            revisits: self.revisits,
        })
    }
}

impl Counts {
    fn add_record(&mut self, record_type: &str, warnings: &[Warning]) {
        *self.records.entry(record_type.to_owned()).or_default() += 1;
        for warning in warnings {
            *self.warnings.entry(warning.to_string()).or_default() += 1;
        }
    }

    /// Counts a record that is not a page, by its type and that of its content.
    fn add_other(&mut self, record_type: &str, content_type: Option<&str>) {
        let essence = content_type.unwrap_or_default().split([';', ',']).next();
        let essence = essence.unwrap_or_default().trim().to_ascii_lowercase();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "/+-_.*".contains(letter);
        let is_name = essence.len() <= MAX_TYPE_LETTERS && essence.chars().all(plain);
        let mut name = match essence.as_str() {
            "" => format!("{record_type} untyped"),
            _ if !is_name => format!("{record_type} of another type"),
            essence => format!("{record_type} {essence}"),
        };
        if self.not_pages.len() >= MAX_TYPES && !self.not_pages.contains_key(&name) {
            name = "other types".to_owned();
        }
        *self.not_pages.entry(name).or_default() += 1;
    }
}

fn quarantined(error: RecordError) -> Quarantined {
    Quarantined {
        position: i64::try_from(error.origin.offset).unwrap_or(i64::MAX),
        name: error.origin.record_id,
        record_type: (error.record_type.as_ref()).map(|of| RecordType::name(of).to_owned()),
        url: error.origin.url,
        kind: error.reason.kind().to_owned(),
        reason: error.reason.to_string(),
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

    #[test]
    fn records_that_are_not_pages_are_counted_by_type_and_content() {
        let mut counts = Counts::default();
        for (record_type, content_type) in [
            ("response", Some("Image/PNG; q=1")),
            ("response", Some("image/png")),
            ("warcinfo", None),
            ("response", Some("caf\u{e9}")),
        ] {
            counts.add_other(record_type, content_type);
        }
        let expected = [
            ("response image/png", 2),
            ("response of another type", 1),
            ("warcinfo untyped", 1),
        ];
        let expected = expected.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(
            counts.not_pages.clone().into_iter().collect::<Vec<_>>(),
            expected
        );
        for number in 0..2 * MAX_TYPES {
            counts.add_other("response", Some(&format!("a/{number}")));
        }
        assert_eq!(counts.not_pages.len(), MAX_TYPES + 1);
        assert_eq!(
            counts.not_pages.values().sum::<u64>(),
            4 + 2 * MAX_TYPES as u64
        );
    }
}
