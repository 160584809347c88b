//! The text of the pages of one domain, in memory: HTML in, labelled blocks, text and Markdown out.
//!
//! A [`Site`] is for programs that have their pages in hand. It applies the rules of a job
//! (`site-replay`) without an archive and without tables, so a page gets the text that a job writes
//! for it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use site_text::{Fetched, Site, SiteSettings, Status};
//! use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};
//!
//! let keyer = Keyer::new(KeyOptions::default(), RuleSet::empty(), Blocklist::default())?;
//! let mut site = Site::new(Arc::new(SiteSettings::new(keyer)));
//! for (day, tea) in [(1, "Green"), (2, "Black"), (3, "White")] {
//!     let html = format!("<title>{tea}</title><ul class=menu><li>Home</ul>
//!         <div class=story><h1>{tea}</h1><p>{tea} tea, which is a drink, is cold in the evening.</div>");
//!     let url = format!("http://tea.example/{tea}");
//!     let page = Fetched {
//!         url: &url,
//!         html: Some(html.as_bytes()),
//!         charset: None,
//!         title: None,
//!         fetched_at: Some(day * 86_400_000_000),
//!     };
//!     let page = site.extract(&page)?;
//!     assert_eq!(page.status, Status::Unique);
//!     let text = format!("{tea}\n{tea} tea, which is a drink, is cold in the evening.");
//!     assert_eq!(page.text(), text);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Three ways to give it pages
//!
//! | call | the page is inserted | its labels know |
//! |---|---|---|
//! | [`Site::add`] | yes | it has none: the site learns from the page |
//! | [`Site::extract`] | unless its URL key is known | all pages before it, and itself |
//! | [`Site::push`] and [`Site::finish`] | unless its URL key is known | all pages of its batch too, as in a job |
//!
//! Inserted pages come in time order. [`Site::extract`] of a page that was added labels it by all that is
//! known now, whatever its time: add every page of a site first, then extract each of them, and
//! its labels know the whole site.
//!
//! # Duplicates
//!
//! A page whose URL key is known is not inserted again. It is labelled like any other page, and
//! its [`Status`] says what it is. Keys are computed as in a job: by rules, and by what the pages of
//! the site have shown about parts of their URLs that no rule knows (`url-parameters`).
//!
//! # Memory
//!
//! 1,000 pages of the window take about half a megabyte; it has at most
//! [`WindowOptions::max_pages`](url_tree::WindowOptions) pages. A URL key is kept as long as the lookback says, by
//! default for ever, with the title and the longest blocks by which pages are compared: some 2 KB per page.
//! Texts are kept for the pages of an open batch only.
//!
//! # Non-goals
//!
//! It reads and writes no files, stores no state between processes, and looks at one domain. It does
//! not relabel pages when later days are known (`tree.relabel_days` of a job).

mod error;
mod one_page;
mod page;
mod page_text;
mod parsed_page;
mod site;

pub use error::SiteError;
pub use one_page::extract_page;
pub use page::{Fetched, PageId, Status};
pub use page_text::{LabelledBlock, PageText};
pub use site::Site;
pub use site_replay::SiteSettings;
pub use template::{Reason, element_name};
pub use text::language::Language;

/// Compiles and runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
