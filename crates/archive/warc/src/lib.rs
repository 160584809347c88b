//! Reads WARC and ARC files, and turns their responses into captures of pages.
//!
//! - [`Records`] reads WARC 0.17 to 1.1 and ARC version 1 and 2 from any [`std::io::Read`]: not
//!   compressed, gzip (a member per record, or one for the whole file) or zstd (also with a dictionary
//!   in the first frame). Each record is an [`Entry`] with its type, or a [`RecordError`] with offset
//!   and reason. After an error, reading continues at the next record. If a record claims more bytes than it has, the records inside these
//!   bytes are read too.
//! - [`Capture`] is a response, a resource or a conversion: URL, time, status, type, charset, and the
//!   body without transfer encoding and content encoding. A [`Limits`] bounds the memory of one record.
//! - A page that a redirect of the same file leads to has the redirecting URL as `request_url`.
//! - A revisit has the position of the capture that it repeats, if that is in the same file before it:
//!   by record id, by digest, or by URL and time. Otherwise it is a [`Revisit`] with these.
//! - [`Records`] has three parts, which threads can divide among them: [`Blocks`] cuts a file into records,
//!   [`Decoder`] reads the content of each by itself, and [`Links`] connects them in the order of the file.
//! - Forms that the standards do not have are read where they have one meaning, and each is a
//!   [`Warning`] of its entry.
//!
//! ```
//! use warc::{Limits, Records};
//!
//! let file = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n\
//!     WARC-Date: 2011-10-24T12:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
//!     Content-Type: application/http\r\nContent-Length: 49\r\n\r\n\
//!     HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hi\r\n\r\n";
//! let mut records = Records::new(&file[..], Limits::default());
//! let entry = records.next().unwrap().unwrap();
//! let capture = entry.capture.unwrap();
//! assert_eq!(capture.url, "http://a.example/");
//! assert_eq!(capture.status, Some(200));
//! assert_eq!(capture.body, b"<p>Hi");
//! assert!(records.next().is_none());
//! ```
//!
//! The crate `fastwarc` 2.0 is not used. It reads no ARC, and its decoding of bodies ends a file at the
//! first body whose chunks a crawler has removed, as in four of fourteen real files. It depends on
//! `encoding` 0.2, which has been without maintenance since 2016 (RUSTSEC-2021-0153).
//!
//! The crate does not write WARC files, has no index, and reads no segmented records: a continuation is
//! an entry without a capture. It is synchronous, and has no threads.

mod blocks;
mod body;
mod capture;
mod digest;
mod entry;
mod frames;
mod header;
mod html;
mod http;
mod inside;
mod letters;
mod links;
mod records;
mod stream;
mod time;
mod warning;

pub use blocks::{Block, Blocks};
pub use body::decoded as decoded_body;
pub use capture::{Decoded, Decoder};
pub use digest::{same as same_digest, sha1_of as payload_digest};
pub use entry::{Capture, Entry, Limits, Origin, Reason, RecordError, Revisit};
pub use header::RecordType;
pub use html::{begins_as_html, is_html};
pub use links::Links;
pub use records::Records;
pub use time::seconds_of_digits;
pub use warning::Warning;
