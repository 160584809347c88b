//! URL keys: one name for all addresses of one page.
//!
//! A page is reached under many addresses: with and without a tracking
//! parameter, over `http` and `https`, with an escape spelt one way or another.
//! This crate turns each of them into the same [`UrlKey`], so that two rows of
//! an archive with equal keys are one page, and says to which [`Domain`] and to
//! which branch of that domain's URL Tree the page belongs. It implements
//! section 3 of Sluban and Grčar, "URL Tree: Efficient Unsupervised Content
//! Extraction from Streams of Web Documents" (CIKM 2013), cited as [P 3].
//! Marks such as [O A5] name a fact about the authors' published
//! implementation, where the paper leaves a choice open.
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
//! 1. *Redirects* are followed by whoever fetched the page: the input is the
//!    response URL.
//! 2. *Encoding.* [`Keyer::parse`] reads the URL as browsers do (the `url`
//!    crate, WHATWG), decodes it, groups and sorts its parameters and prints it
//!    again with one spelling for everything. The result, all parameters still
//!    there, is [`UrlKey::normalized`]. What is escaped and why is told in one
//!    place, `escape.rs`.
//! 3. *Rules.* The first rule of the [`RuleSet`] whose expression matches and
//!    whose parameters are all present decides which parameters stay. Without
//!    one the query goes. One parameter does not come from the URL: `_cid_`,
//!    the [`content_id`] of the page's title, for addresses such as front pages
//!    under which different pages appear over time.
//!
//! Parsing needs no title. [`Keyer::needs_title`] tells for which pages one
//! must be fetched before [`Keyer::key`] can be asked.
//!
//! # Properties
//!
//! - A key is a valid URL of the form `http://host[:port]/segments[?kept]`: no
//!   trailing slash, no fragment, no user-info, host in lower case (names
//!   outside ASCII in punycode), path in the case it came in.
//! - Keys are unambiguous: reading a printed key gives the same key again, and
//!   reading [`UrlKey::normalized`] gives the same normalised URL. The exception
//!   are keys with a content id, which is no part of the page's address.
//! - Everything is a pure function of the URL, the title and the [`Keyer`].
//!   Time and space are linear in the URL, up to sorting its parameters.
//!
//! # What it does not do
//!
//! It follows no redirects, fetches no page and knows no canonical links. It
//! does not guess which parameters identify a page: that is what rules say. It
//! keys pages of the web only: any scheme but `http` and `https` is an error.

mod blocklist;
mod branch;
mod domain;
mod duplicate;
mod escape;
mod keyer;
mod page_url;
mod query;
mod rules;
mod title;

pub use blocklist::Blocklist;
pub use branch::Branch;
pub use domain::{Domain, Grouping, OptionsError};
pub use duplicate::{DuplicateCandidate, DuplicateReason, duplicate_reason};
pub use keyer::{KeyOptions, Keyer, Scheme, UrlKey};
pub use page_url::{PageUrl, UrlError};
pub use rules::{RuleError, RuleSet};
pub use title::content_id;
