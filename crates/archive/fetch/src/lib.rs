//! Polls feeds, and writes the pages of their new items into an archive: Parquet files that a job reads.
//!
//! [`fetch`] polls each feed of a list that is due, fetches the pages of items that are new, and commits
//! the result. [`stay`] does so again and again. Below the output:
//!
//! ```text
//! OUTPUT/date=2011-10-24/feeds-0000000007.parquet     pages of the seventh commit, in time order
//! OUTPUT/_feeds/state-0000000007.parquet              the state of all feeds after it
//! OUTPUT/_feeds/failures/feeds-0000000007.parquet     feeds and pages that failed, with the reason
//! OUTPUT/_feeds/staged/                               objects of a commit that is not published yet
//! ```
//!
//! **A commit** is the creation of the state's object, which fails if there is one with its number. The
//! rows are staged before it and copied to their final names after it, which the next call does if the
//! process was killed in between. So rows are in the archive if and only if their items are in the state,
//! whenever the process dies, and of two processes one stops with an error.
//!
//! **A request** goes to http and https only. The addresses of a host are checked for every request,
//! redirects included, and those that are not public are refused: a feed cannot reach a service inside
//! the network of the crawler. A host gets one request at a time, with a delay between two. robots.txt
//! is read once per poll and host. [`Limits`] bound size, time and redirects of a request.
//!
//! A feed or a page that fails stops no other. A page is tried in three polls.
//!
//! ```
//! use feeds::FeedList;
//! use fetch::{Options, SystemClock, fetch};
//! use tables::Location;
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().display().to_string();
//! // An address of the own network is refused, so this sends no request.
//! let list = FeedList::parse("http://127.0.0.1/rss")?;
//! let output = Location::parse(&folder)?;
//! let options = Options::new("crawler@example.org")?;
//! let runtime = tokio::runtime::Runtime::new()?;
//! let report = runtime.block_on(fetch(&list, &output, &options, &SystemClock))?;
//! assert_eq!((report.polled, report.failures["address"]), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate runs no script, sends no cookie, uses no proxy and follows no link of a page. It does not decode charsets:
//! the HTML is stored as received, without its content encoding.

mod address;
mod clock;
mod commit;
mod error;
mod failure;
mod follow;
mod hosts;
mod options;
mod poll;
mod report;
mod round;
mod rows;
mod state_file;
mod web;

pub use clock::{Clock, SystemClock, TimeFrom};
pub use error::FetchError;
pub use failure::Failure;
pub use options::{ContactError, Limits, Options};
pub use report::Report;
pub use round::{fetch, stay};

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
