//! HTML pages about a job.
//!
//! | page | what it shows |
//! |---|---|
//! | [`Overview`] | the dates of a job: pages, duplicates by step, quarantine, speed, memory |
//! | [`domains_page`] | all domains, in a table that can be sorted and searched |
//! | [`DomainPage`] | a site: its content along the stream, URL tree, DOM paths, boilerplate, worst pages |
//! | [`quarantine_page`] | the rows that could not be processed |
//! | [`BlocksPage`] | a page: its text, its original, and block by block what is kept, what is dropped, and why |
//! | [`SqlPage`] | a query and its rows, or the reason why it has none |
//! | [`MarkPage`] | a mark of a DOM path, and what it changes |
//! | [`MessagePage`] | the reason why a page is missing |
//!
//! A page is part of one of two [`Site`]s: a folder of files, or the live pages of a server.
//!
//! A page is a function of its data: it reads no table and no clock, and equal data give equal bytes.
//!
//! ```
//! use report::{Block, BlocksPage, Fetched, Site};
//!
//! let block = Block {
//!     text: "<script>alert(1)</script> is escaped.".to_owned(),
//!     is_content: true,
//!     reason: "unique",
//!     meaning: "Kept: few pages have it.",
//!     count: 1,
//!     support: 40,
//!     node: "www.news.example/sport".to_owned(),
//!     dom_path: "div.story>p".to_owned(),
//!     link_chars: 0,
//! };
//! let page = BlocksPage {
//!     url: "http://www.news.example/sport/1".to_owned(),
//!     fetches: vec![Fetched::default()],
//!     text: block.text.clone(),
//!     blocks: vec![block],
//!     original: Some("<p>&lt;script>alert(1)&lt;/script> is escaped.".to_owned()),
//!     ..BlocksPage::default()
//! };
//! let html = page.to_html(Site::Files)?;
//! assert!(html.contains("&#60;script&#62;") && !html.contains("<script"));
//! # Ok::<(), report::ReportError>(())
//! ```
//!
//! # Untrusted texts
//!
//! Texts, URLs and titles are of crawled pages. They are escaped, characters that change the direction of
//! writing or that are not text become U+FFFD ([`visible`]), and the policy of each page allows neither foreign
//! requests nor foreign scripts, should an escape be missing. No address of a crawled page is a link: links lead
//! to other pages of the site alone.
//!
//! [`BlocksPage`] embeds the HTML of a page in a frame with `sandbox` and its own policy. The policy of the page
//! around it is in force there too, so the original has no style sheet, no image and no script.
//!
//! # Non-goals
//!
//! It reads no tables and sends nothing: `urltree` runs the queries and writes the files, and the crate `serve`
//! answers requests.

mod blocks_page;
mod charts;
mod domain_page;
mod error;
mod format;
mod head;
mod mark_page;
mod message_page;
mod original;
mod overview;
mod policy;
mod show;
mod site;
mod sql_page;
mod table;
mod table_pages;

pub use blocks_page::{Block, BlocksPage, Facts, Fetched};
pub use domain_page::{DomainDay, DomainPage, DroppedBlock, PathSums, WorstPage, domain_file};
pub use error::ReportError;
pub use format::visible;
pub use mark_page::{MarkOutcome, MarkPage};
pub use message_page::MessagePage;
pub use overview::{Count, Day, Overview};
pub use site::{
    LIVE_ICON, LIVE_POLICY, LIVE_SCRIPT, LIVE_STYLE, Site, domain_address, page_address,
};
pub use sql_page::{Cut, Outcome, ResultColumn, ResultRows, SqlPage, TableColumns, Value};
pub use table_pages::{DomainRow, QuarantineRow, domains_page, quarantine_page};

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
