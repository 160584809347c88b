//! The URL Tree: finds the boilerplate among the text blocks of a site.
//!
//! Pages of one site share a template, and pages of one section share more of it. The URL
//! Tree [P 4] has a node per part of a site's URL space. Each node counts its pages and,
//! per text block, the pages that contain the block. A block that several pages contain is
//! boilerplate; a block of a single page is content. The method needs no training and is
//! independent of language.
//!
//! ```text
//! http://www.news.eu/politics/europe/a.html        n   c("Home")  c("Storm in ...")
//!   eu > news                    domain node      40      40           1
//!     www                                         40      40           1
//!       politics                                  12      12           1
//!         europe                 leaf              6       6           1
//! ```
//!
//! A [`DomainReplay`] is the state of one domain (public suffix plus one label): its tree
//! and the window of pages that the tree counts. A caller inserts the pages of a batch,
//! labels them, and calls [`DomainReplay::end_batch`], which evicts the entries that have
//! left the window. A batch has one page or more.
//!
//! ```
//! use url_tree::{BlockHash, DomainReplay, Entry, Heuristic, Verdict, WindowOptions};
//!
//! let menu: BlockHash = [1; 16];
//! let story = |page: u8| -> BlockHash { [100 + page; 16] };
//!
//! // Two branch items, "eu" and "news", lead to the domain node.
//! let mut replay = DomainReplay::new(2, Heuristic::Strict, WindowOptions::default());
//! let branch = ["eu", "news", "www", "politics"];
//! for page in 0..6 {
//!     replay.insert(Entry {
//!         time_micros: i64::from(page),
//!         branch: &branch,
//!         hashes: &[menu, story(page)],
//!     });
//! }
//!
//! let labels = replay.label(&branch, &[menu, story(5)]);
//! assert_eq!(labels.blocks[0].verdict, Verdict::Boilerplate); // in 6 of 6 pages
//! assert_eq!(labels.blocks[1].verdict, Verdict::Content); // in this page only
//! assert_eq!((labels.node.depth, labels.node.support), (4, 6)); // decided at "politics"
//! ```
//!
//! The example `clean_a_site` starts from the texts and URLs of a small site.
//!
//! # Recovery from stored entries
//!
//! The window is a suffix of the domain's stream, and the tree is a function of the window
//! alone. After [`DomainReplay::end_batch`] every counter equals that of a new replay into
//! which only the entries of the window were inserted. A nightly run therefore stores no
//! tree. It inserts the rows that [`window_start`] selects and gives the labels of an
//! uninterrupted run.
//!
//! The authors' implementation differs: its removal stops at a node whose last page leaves,
//! so counts of revisions can remain or be lost [O F3, F4]. This crate removes an entry
//! from its whole branch.
//!
//! # Memory
//!
//! The paper reports 6.5 MB per 1,000 pages [P 6]. This crate needs less than a tenth, and
//! its labels equal those of plain counters bit for bit. A block has a counter only at
//! nodes where several entries contain it, where a label can read it, and where it differs
//! from the parent's. Each hash is stored once. A new block of a page takes about 30 bytes.
//! These bytes dominate: a domain with twenty new blocks per page takes twice as much as
//! one with ten.
//!
//! [`DomainReplay::heap_bytes`] returns the memory of a domain. Allocations are not
//! returned when a window shrinks; they are reused.
//!
//! # Non-goals
//!
//! - It reads no HTML, text or URLs. A block is a hash, and the place of a page in the tree
//!   is a branch: the host labels reversed, then the path segments.
//! - It does not detect duplicates. A caller that accepts revisions of known pages calls
//!   [`revision_hashes`] and then [`DomainReplay::insert_revision`].
//! - It has the state of one domain only. Domains are independent of each other.
//! - It reads no clock. The newest time of a batch is the current time.
//!
//! References: [P n] is section n of Sluban & Grčar, "URL Tree: Efficient Unsupervised
//! Content Extraction from Streams of Web Documents", CIKM 2013; [O Xn] is a fact about
//! the implementation that its authors published.

mod block_list;
mod counters;
mod heap;
mod heuristic;
mod ids;
pub mod interner;
mod nodes;
mod replay;
mod revision;
mod tree;
mod vocabulary;
mod window;

pub use heap::HeapBytes;
pub use heuristic::{C_MAX, Constants, Heuristic, N_MIN, UnknownHeuristic, Verdict};
pub use ids::BlockHash;
pub use replay::{BlockLabel, DomainReplay, Entry, NodeCounts, SelectedNode, TreeLabels};
pub use revision::{UNSEEN_CHARS, revision_hashes, unseen_chars};
pub use window::{DAY_MICROS, WindowOptions, window_start};

/// Compiles and runs the code of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
