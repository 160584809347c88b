//! The block of a record as a capture or a revisit.

use crate::blocks::Block;
use crate::body::{self, without_chunks};
use crate::digest::{self, Check};
use crate::entry::{Capture, Limits, Origin, Reason, RecordError};
use crate::header::{Header, RecordType};
use crate::html;
use crate::http::{self, Head};
use crate::warning::Warning;

/// A record whose content is read, but not what it has to do with other records of its file.
#[derive(Debug)]
pub struct Decoded {
    pub(crate) record_type: RecordType,
    pub(crate) origin: Origin,
    pub(crate) content_type: Option<String>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) found: Option<Found>,
}

impl Decoded {
    /// `WARC-Payload-Digest` of a capture, or the SHA-1 of its payload.
    pub fn payload_digest(&self) -> Option<&str> {
        let found = self.found.as_ref()?;
        Some(&found.capture.payload_digest)
    }

    /// Bytes of the body.
    pub fn bytes(&self) -> usize {
        self.found
            .as_ref()
            .map_or(0, |found| found.capture.body.len())
    }
}

/// A capture or a revisit, and its names of other records.
#[derive(Debug)]
pub(crate) struct Found {
    /// Without its position, and without what other records say.
    pub(crate) capture: Capture,
    /// Target of a redirect.
    pub(crate) redirect: Option<String>,
    /// The capture that a revisit repeats.
    pub(crate) repeated: Option<Repeated>,
}

/// The names of the capture that a revisit repeats.
#[derive(Debug)]
pub(crate) struct Repeated {
    pub(crate) id: Option<String>,
    pub(crate) digest: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) time: Option<i64>,
}

/// Reads the content of blocks. Each block is read by itself, so threads can share a decoder.
#[derive(Debug, Clone, Copy)]
pub struct Decoder {
    max_body_bytes: usize,
    /// Whether only HTML has a body.
    html_only: bool,
}

/// The body of a capture.
struct Body {
    content_type: Option<String>,
    is_html: bool,
    bytes: Vec<u8>,
}

impl Decoder {
    /// Creates a decoder of all bodies.
    pub fn new(limits: Limits) -> Self {
        Self {
            max_body_bytes: limits.body_bytes,
            html_only: false,
        }
    }

    /// Captures have a body only if they are HTML. Other bodies are neither decoded nor compared with
    /// the limit.
    #[must_use]
    pub fn html_only(mut self) -> Self {
        self.html_only = true;
        self
    }

    /// Reads the content of `block`.
    ///
    /// # Errors
    /// The reason why the record is not used.
    pub fn decode(&self, block: Block) -> Result<Decoded, RecordError> {
        let Block {
            mut header,
            origin,
            bytes,
        } = block;
        let mut warnings = std::mem::take(&mut header.warnings);
        match self.found(&mut header, bytes, &mut warnings) {
            Ok(found) => {
                warnings.sort_unstable();
                warnings.dedup();
                Ok(Decoded {
                    record_type: header.record_type,
                    origin,
                    content_type: header.content_type.filter(|_| found.is_none()),
                    warnings,
                    found,
                })
            }
            Err(reason) => Err(RecordError {
                origin,
                record_type: Some(header.record_type),
                reason,
            }),
        }
    }

    /// Reads a record that [may be a capture](Header::may_be_capture). One without a type gets that of its block.
    fn found(
        &self,
        header: &mut Header,
        block: Vec<u8>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Found>, Reason> {
        if header.record_type == RecordType::Unknown {
            header.record_type = match Head::parse(&block) {
                Some(_) => RecordType::Response,
                None if html::begins_as_html(&block) => RecordType::Resource,
                None => return Ok(None),
            };
        }
        if !header.may_be_capture() {
            return Ok(None);
        }
        let Some(url) = header.url.clone() else {
            return Err(Reason::Header("it has no WARC-Target-URI"));
        };
        let fetched_at = header.time.ok_or(Reason::Date)?;
        let head = head(header, &block, warnings)?;
        check_block(header, &block, head.bytes, warnings)?;
        let payload_digest = match &header.payload_digest {
            Some(digest) => digest.clone(),
            None => digest::sha1_of(&block[head.bytes..]),
        };
        let repeated = (header.record_type == RecordType::Revisit).then(|| Repeated {
            id: header.refers_to_id.clone(),
            digest: header.payload_digest.clone(),
            url: header.refers_to_url.clone(),
            time: header.refers_to_time,
        });
        let body = match repeated {
            Some(_) => Body {
                content_type: head.content_type().map(|(value, _)| value),
                is_html: false,
                bytes: Vec::new(),
            },
            None => self.body(header, &head, block, warnings)?,
        };
        let redirect = match head.status {
            Some(301 | 302 | 303 | 307 | 308) => head.get("location").map(str::to_owned),
            _ => None,
        };
        let capture = Capture {
            url,
            fetched_at,
            status: head.status,
            charset: body.content_type.as_deref().and_then(http::charset),
            content_type: body.content_type,
            is_html: body.is_html,
            x_robots_tag: head.all("x-robots-tag", "\n"),
            tdm_reservation: head.get("tdm-reservation").map(str::to_owned),
            body: body.bytes,
            request_url: None,
            payload_digest,
            position: 0,
            repeats: None,
        };
        Ok(Some(Found {
            capture,
            redirect,
            repeated,
        }))
    }

    /// Takes the body out of a block, and compares its digest.
    fn body(
        &self,
        header: &Header,
        head: &Head,
        mut block: Vec<u8>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Body, Reason> {
        let transfer = head.all("transfer-encoding", ",").unwrap_or_default();
        let transfer = transfer.to_ascii_lowercase();
        let is_chunked = transfer.contains("chunked");
        let payload = &block[head.bytes..];
        let dechunked = is_chunked.then(|| without_chunks(payload)).flatten();
        if is_chunked && dechunked.is_none() && !payload.is_empty() {
            warnings.push(Warning::NotChunked);
        }
        // The transfer may be compressed too, after the content.
        let transfer = transfer
            .split(',')
            .filter(|coding| coding.trim() != "chunked");
        let content = head.all("content-encoding", ",");
        let encodings: Vec<&str> = content.as_deref().into_iter().chain(transfer).collect();
        let encodings = encodings.join(",");
        let encodings = Some(encodings.as_str()).filter(|encodings| !encodings.is_empty());
        if !header.partial
            && let Some(stored) = &header.payload_digest
        {
            let plain = dechunked.as_deref().unwrap_or(payload);
            let candidates = [payload, plain, &block];
            self.check_payload(stored, candidates, encodings, warnings)?;
        }
        let content_type = match head.content_type() {
            Some((value, is_several)) => {
                if is_several {
                    warnings.push(Warning::SeveralTypes);
                }
                Some(value)
            }
            None => None,
        };
        let is_html = html::is_html(content_type.as_deref());
        let is_html = is_html == Some(true) || {
            let start = body::beginning(dechunked.as_deref().unwrap_or(payload), encodings);
            match is_html {
                None => html::begins_as_html(&start),
                _ => html::is_certainly_html(&start),
            }
        };
        let bytes = if is_html || !self.html_only {
            let encoded = dechunked.unwrap_or_else(|| {
                block.drain(..head.bytes);
                block
            });
            let (bytes, is_encoded) = body::decode(encoded, encodings, self.max_body_bytes)?;
            if !is_encoded {
                warnings.push(Warning::NotEncoded);
            }
            bytes
        } else {
            Vec::new()
        };
        Ok(Body {
            content_type,
            is_html,
            bytes,
        })
    }

    /// Compares the payload digest with the payload, the payload without its chunks, and the block.
    /// Crawlers disagree on whether chunks, content encoding and head are part of the payload.
    fn check_payload(
        &self,
        stored: &str,
        [payload, plain, block]: [&[u8]; 3],
        encodings: Option<&str>,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), Reason> {
        let is_of = |bytes: &[u8]| digest::check(stored, bytes) == Check::Right;
        match digest::check(stored, payload) {
            Check::Right => return Ok(()),
            Check::Unknown => {
                warnings.push(Warning::UnknownDigest);
                return Ok(());
            }
            Check::Wrong => {}
        }
        if plain.len() != payload.len() && is_of(plain) {
            return Ok(());
        }
        let is_of_decoded = || {
            let decoded = body::decode(plain.to_vec(), encodings, self.max_body_bytes);
            decoded.is_ok_and(|(decoded, _)| is_of(&decoded))
        };
        if is_of(block) || encodings.is_some() && is_of_decoded() {
            warnings.push(Warning::OtherDigest);
            return Ok(());
        }
        Err(Reason::Digest("WARC-Payload-Digest"))
    }
}

/// Compares the block digest with the block, or with the payload that begins at `start`.
fn check_block(
    header: &Header,
    block: &[u8],
    start: usize,
    warnings: &mut Vec<Warning>,
) -> Result<(), Reason> {
    let Some(stored) = header.block_digest.as_deref().filter(|_| !header.partial) else {
        return Ok(());
    };
    match digest::check(stored, block) {
        Check::Right => {}
        Check::Unknown => warnings.push(Warning::UnknownDigest),
        Check::Wrong if digest::check(stored, &block[start..]) == Check::Right => {
            warnings.push(Warning::OtherDigest);
        }
        Check::Wrong => return Err(Reason::Digest("WARC-Block-Digest")),
    }
    Ok(())
}

/// Reads the head of a block. A block without a head is its body.
fn head(header: &Header, block: &[u8], warnings: &mut Vec<Warning>) -> Result<Head, Reason> {
    let content_type = header.content_type.as_deref();
    let says_http = content_type.is_some_and(is_http);
    let is_response = match header.record_type {
        RecordType::Revisit => return Ok(Head::parse(block).unwrap_or_default()),
        RecordType::Resource | RecordType::Conversion => says_http,
        _ => true,
    };
    if !is_response {
        return Ok(Head::of_type(content_type));
    }
    match Head::parse(block) {
        Some(head) => {
            if !says_http && !header.arc {
                warnings.push(Warning::ContentType);
            }
            if !head.is_standard {
                warnings.push(Warning::StatusLine);
            }
            Ok(head)
        }
        None if html::begins_as_html(block) => {
            warnings.push(Warning::StatusLine);
            // The page of a server of HTTP/0.9, or of a crawler that left out the head.
            Ok(Head::of_type(content_type.filter(|it| !is_http(it))))
        }
        None if says_http || header.arc || content_type.is_none() => Err(Reason::Http),
        None => {
            warnings.push(Warning::ContentType);
            Ok(Head::of_type(content_type))
        }
    }
}

/// Whether the type of a record is that of a message of HTTP.
fn is_http(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    ["application/http", "message/http"]
        .iter()
        .any(|http| essence.eq_ignore_ascii_case(http))
}

impl Header {
    /// Whether the record can be a capture or a revisit: its block has what its address gave, and the
    /// address is one of the web. A response of HTTP may have a broken address.
    pub(crate) fn may_be_capture(&self) -> bool {
        let has_content = matches!(
            self.record_type,
            RecordType::Response
                | RecordType::Revisit
                | RecordType::Resource
                | RecordType::Conversion
                | RecordType::Unknown
        );
        let is_web = |url: &str| {
            let scheme = url.split(':').next().unwrap_or_default();
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        };
        let says_http = self.content_type.as_deref().is_some_and(is_http);
        let is_http = self.record_type == RecordType::Response && !self.arc && says_http;
        has_content && (is_http || self.url.as_deref().is_some_and(is_web))
    }
}
