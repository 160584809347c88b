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
//! - [`Plan`] joins records of a file that are near each other into a [`Request`] each, and refuses records without a place.
//! - [`Pace`] says when a host may be asked: few requests at a time, waits after refusals, a budget a day.
//! - [`check`] compares an answer with the request, and the WARC record in it with the index: every record ends as got, missing or
//!   wrong.
//! - [`Progress`] is the text that a program writes to continue at the next record after it was killed.
//!
//! All of them are functions of values, without a network, files and a clock.
//!
//! ```
//! use crawl_index::{Line, Plan, PlanLimits, Selection, Target, read};
//! use url_key::Keyer;
//!
//! let index = br#"com,example)/ 20111024120000 {"url": "http://example.com/", "mime": "text/html",
//! com,example)/ 20111024120000 {"url": "http://example.com/", "mime": "text/html", "status": "200", "filename": "a.warc.gz", "offset": "500", "length": "300"}
//! com,example,news)/trees 20111024120500 {"url": "http://news.example.com/trees", "mime": "text/html", "status": "200", "filename": "a.warc.gz", "offset": "900", "length": "100"}
//! org,example)/ 20111024120700 {"url": "http://example.org/", "mime": "text/html", "status": "200", "filename": "b.warc.gz", "offset": "0", "length": "100"}"#;
//! let keyer = Keyer::default();
//! let domain = Target::domain("example.com", &keyer)?;
//! let selection = Selection::new(keyer, [domain]);
//!
//! let (mut records, mut errors) = (Vec::new(), Vec::new());
//! for line in read(index) {
//!     match line {
//!         Ok(Line::Record(record)) if selection.left_out(&record).is_none() => records.push(record),
//!         Ok(_) => {}
//!         Err(error) => errors.push(error),
//!     }
//! }
//! assert_eq!(errors.len(), 1);
//!
//! let plan = Plan::new(records, PlanLimits::default());
//! assert_eq!(plan.totals().records, 2);
//! assert_eq!(plan.requests[0].range(), "bytes=500-999");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate sends no request, and reads neither WARC files nor the columnar index of Common Crawl: the program that does brings
//! each row as a [`Record`]. It does not guess the length of a record that the index leaves out, does not follow revisits to the
//! record that they repeat, and does not check paths of files, which are the index's: a program joins them to an address
//! of its user.

mod cdx;
mod check;
mod json;
mod pace;
mod plan;
mod progress;
mod reader;
mod record;
mod selection;
mod surt;
mod target;

pub use check::{Answer, Counts, Head, Missing, Outcome, Wrong, check};
pub use feeds::{Backoff, retry_after};
pub use pace::{Ended, Manners, Next, Pace, Spent};
pub use plan::{Plan, PlanLimits, Planned, Refused, RefusedReason, Request, Totals};
pub use progress::{Progress, ProgressError};
pub use reader::{Reader, read};
pub use record::{Line, LineError, LineReason, Pointer, Record};
pub use selection::{Content, LeftOut, Selected, Selection};
pub use surt::KeyRange;
pub use target::{ServerQuery, Target, TargetError};

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
