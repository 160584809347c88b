//! Items of RSS, Atom and JSON feeds, and the decisions of a reader that polls them.
//!
//! - [`parse`] reads RSS 0.90 to 2.0, RDF, Atom and JSON Feed into [`Item`]s. The digest of an item
//!   covers its title, description and date, as in the paper `[P 2]`: an article that was revised is a
//!   new item, and the same article under another link is not.
//! - [`FeedState`] is what a reader stores about a feed between two polls: validators, digests, time of
//!   the next poll. Its methods say which items are new and what follows from each answer.
//! - [`Schedule`] spaces polls, with a jitter that depends on the URL of the feed alone.
//! - [`FeedList`] is the file that names the feeds.
//!
//! All of them are functions of values: a poll can be replayed without a network and without a clock.
//!
//! ```
//! use feeds::{FeedState, ItemResult, Schedule, Validators, parse};
//!
//! let url = "http://www.gazette.example/rss".parse()?;
//! let xml = b"<rss version='2.0'><channel><item><title>Trees fell</title>\
//!     <link>/2011/10/24/trees</link><description>A storm.</description></item></channel></rss>";
//! let items = parse(xml, None, &url)?.items;
//! assert_eq!(items[0].link.as_deref(), Some("http://www.gazette.example/2011/10/24/trees"));
//!
//! let mut state = FeedState::default();
//! assert_eq!(state.new_items(&items).len(), 1);
//! let stored = [(items[0].digest, ItemResult::Done)];
//! let now = chrono::DateTime::from_timestamp(1_319_450_400, 0).unwrap_or_default();
//! let poll = Schedule::default().poll(url.as_str(), now);
//! state.after_items(&items, &stored, Validators::default(), &poll);
//! assert!(state.new_items(&items).is_empty());
//! assert!(!state.is_due(now));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate sends no request and reads no file. It finds no feeds on web pages, and ignores the content
//! of items: the text comes from the page that the link names.

mod charset;
mod date;
mod feed;
mod item;
mod json;
mod list;
mod names;
mod parse;
mod references;
mod repair;
mod schedule;
mod seen;
mod state;
mod xml;

pub use feed::{Feed, FeedError, MAX_ITEMS};
pub use item::{Item, ItemDigest};
pub use list::{FeedList, ListError, ListedFeed};
pub use parse::parse;
pub use schedule::{Backoff, Poll, Schedule, retry_after};
pub use seen::Seen;
pub use state::{FeedState, ItemResult, Meaning, Validators};

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
