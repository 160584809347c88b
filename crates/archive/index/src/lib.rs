//! Indexes of web crawls, and plans of the byte ranges that chosen records need.
//!
//! A crawl is some hundred terabytes in files, and its index says where each page is. This crate decides how the pages of some
//! sites are read out of it, in the order of the steps:
//!
//! - [`Reader`] reads lines of CDX (7, 9 or 11 fields, or those of a header), CDXJ and the JSON of CDX servers into a [`Record`]
//!   each, and lines of `ZipNum` and WACZ, which point to lines, into a [`Pointer`]. A line that cannot be read is a [`LineError`],
//!   and reading continues at the next one.
//! - [`Selection`] chooses records by domain, host, prefix, time and content, with a reason for each that is left out. It has the
//!   ranges of keys of a sorted index and the questions to a CDX server that have the chosen records.
//!
//! All of them are functions of values, without a network, files and a clock.
//!
//! The crate sends no request, and reads neither WARC files nor the columnar index of Common Crawl: the program that does brings
//! each row as a [`Record`]. It does not guess the length of a record that the index leaves out, does not follow revisits to the
//! record that they repeat, and does not check paths of files, which are the index's: a program joins them to an address
//! of its user.

mod cdx;
mod json;
mod reader;
mod record;
mod selection;
mod surt;
mod target;

pub use reader::{Reader, read};
pub use record::{Line, LineError, LineReason, Pointer, Record};
pub use selection::{Content, LeftOut, Selected, Selection};
pub use surt::KeyRange;
pub use target::{ServerQuery, Target, TargetError};
