//! HTML pages about a job.
//!
//! | page | what it shows |
//! |---|---|
//! | [`Overview`] | the texts of a job, sites that need a look, the last run, and its dates: pages, duplicates, quarantine, speed, memory |
//! | [`domains_page`] | all domains, in a table that can be sorted and searched |
//! | [`DomainPage`] | a site: its content along the stream, newest and worst pages, URL tree, DOM paths, boilerplate |
//! | [`pages_page`] | the pages with a text in their URL, title or text |
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
//! [`BlocksPage`] shows the HTML of a page in a frame with `sandbox`. A file has it inside, under its own policy, so the original has
//! no style, no image and no script there. A live page asks its server for it ([`without_links`]), which sends it with
//! [`ORIGINAL_POLICY`]: styles and images inside of the HTML are shown, and nothing is requested.
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
mod listed;
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
mod texts;

pub use blocks_page::{Block, BlocksPage, Facts, Fetched};
pub use domain_page::{DomainDay, DomainPage, DroppedBlock, PathSums, domain_file};
pub use error::ReportError;
pub use format::visible;
pub use listed::{Count, ListedPage};
pub use mark_page::{MarkOutcome, MarkPage};
pub use message_page::MessagePage;
pub use original::without_links;
pub use overview::{Day, Overview};
pub use site::{
    LIVE_ICON, LIVE_POLICY, LIVE_SCRIPT, LIVE_STYLE, ORIGINAL_POLICY, Site, domain_address,
    page_address,
};
pub use sql_page::{Cut, Outcome, ResultColumn, ResultRows, SqlPage, TableColumns, Value};
pub use table_pages::{
    DomainRow, QuarantineRow, Searched, domains_page, pages_page, quarantine_page,
};
pub use texts::{LastRun, SiteOfRun, Texts};

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
