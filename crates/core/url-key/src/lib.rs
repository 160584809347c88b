//! URL keys: one normalised URL for all URLs of a page.
//!
//! A page has many URLs: with and without a tracking parameter, with `http` and `https`, with
//! different escapes. This crate maps all of them to one [`UrlKey`], so rows of an archive with
//! equal keys are one page. It also gives the [`Domain`] of the page and its [`Branch`], the
//! path in the domain's URL Tree.
//!
//! It implements section 3 of Sluban and Grčar, "URL Tree: Efficient Unsupervised Content
//! Extraction from Streams of Web Documents" (CIKM 2013), cited as [P 3]. [O Xn] cites a fact
//! about the authors' implementation ("the original"), where the paper leaves a choice open.
//!
//! The worked example of the paper, from response URL to key:
//!
//! ```
//! use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};
//!
//! let rules = RuleSet::parse("^http://abcnews\\.go\\.com(/|\\?|$)\tid")?;
//! let keyer = Keyer::new(KeyOptions::default(), rules, Blocklist::default())?;
//!
//! let page = keyer.parse(
//!     "https://abcnews.go.com/kabc/story/?section=news/local/los_angeles&id=8691010#top",
//! )?;
//! assert!(!keyer.needs_title(&page));
//!
//! let key = keyer.key(&page, None);
//! assert_eq!(key.text, "http://abcnews.go.com/kabc/story?id=8691010");
//! assert_eq!(key.domain.as_str(), "go.com");
//! assert_eq!(key.branch().items(), ["com", "go", "abcnews", "kabc", "story"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The steps
//!
//! 1. *Redirects.* The input is the response URL: the crawler has followed redirects.
//! 2. *Encoding.* [`Keyer::parse`] parses the URL as browsers do (the `url` crate, WHATWG),
//!    decodes it, groups and sorts its parameters, and prints it with one spelling for each
//!    character. The result, with all parameters, is [`UrlKey::normalized`]. `escape.rs`
//!    describes the escapes.
//! 3. *Rules.* The first rule of the [`RuleSet`] that applies decides which parameters stay. If
//!    no rule applies, [`Keyer::key`] drops the query, and [`Keyer::key_with_parts`] keeps the
//!    parts that its caller does not know as noise. One parameter does not come from the URL: `_cid_`,
//!    the [`content_id`] of the page's title. It identifies pages at URLs such as front pages,
//!    where different pages appear over time.
//!
//! Parsing needs no title. [`Keyer::needs_title`] says whether [`Keyer::key`] depends on it.
//!
//! # Properties
//!
//! - A key is a valid URL of the form `http://host[:port]/segments[?kept]`: no
//!   trailing slash, no fragment, no user-info, host in lower case (names
//!   outside ASCII in punycode), path in the case it came in.
//! - Keys are unambiguous: the key of a key is the same key, and the normalised URL of
//!   [`UrlKey::normalized`] is the same URL. Keys with a content id are the exception, because
//!   the content id is not part of the URL.
//! - A key is a pure function of the URL, the title and the [`Keyer`]. Time and space are linear
//!   in the length of the URL, except for the sorting of its parameters.
//!
//! # SURT
//!
//! [`Surt`] is the key of a URL in the indexes of web archives. It keeps all parameters, and joins
//! pages with an index.
//!
//! # Non-goals
//!
//! - It follows no redirects, fetches no pages and reads no canonical links.
//! - It does not guess which parameters identify a page. Rules say so, or its caller.
//! - It accepts only `http` and `https`. Any other scheme is an error.

mod address;
mod blocklist;
mod branch;
mod domain;
mod duplicate;
mod entries;
mod escape;
mod hash;
mod keyer;
mod noise;
mod options;
mod page_url;
mod part;
mod parts;
mod path_pattern;
mod query;
mod rules;
mod surt;
mod title;

pub use blocklist::Blocklist;
pub use branch::Branch;
pub use domain::{Domain, Grouping, OptionsError};
pub use duplicate::{DuplicateCandidate, DuplicateReason, duplicate_reason};
pub use entries::entries;
pub use hash::hash;
pub use keyer::{Keyer, UrlKey};
pub use options::{KeyOptions, Reading, Scheme};
pub use page_url::{PageUrl, UrlError};
pub use part::{PartKind, UrlPart};
pub use parts::{UrlParts, may_have_parts, plain_host};
pub use path_pattern::PathPattern;
pub use rules::{RuleError, RuleSet};
pub use surt::{Surt, reversed_host, without_www};
pub use title::content_id;

/// Compiles and runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
