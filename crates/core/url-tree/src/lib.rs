//! The URL Tree: which text blocks of a site are boilerplate.
//!
//! Pages of one site share a template, and the pages of one section of it
//! share more of it. The URL Tree [P 4] counts, for every part of a site's
//! URL space, how many documents were seen there and how many of them
//! contained each text block. A block that other documents contain too is
//! boilerplate; a block of this document alone is content. Nothing is
//! trained, and no language is assumed.
//!
//! ```text
//! http://www.news.eu/politics/europe/a.html        n   c("Home")  c("Storm in ...")
//!   eu > news                    domain node      40      40           1
//!     www                                         40      40           1
//!       politics                                  12      12           1
//!         europe                 leaf              6       6           1
//! ```
//!
//! A [`DomainReplay`] is the state of one domain (public suffix plus one label):
//! its tree and the window of documents that the tree counts. Documents are
//! inserted first and labelled afterwards, one at a time or a batch at a time;
//! [`DomainReplay::end_batch`] then forgets what has left the window.
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
//! assert_eq!(labels.blocks[0].verdict, Verdict::Boilerplate); // in 6 of 6 documents
//! assert_eq!(labels.blocks[1].verdict, Verdict::Content); // in this document only
//! assert_eq!((labels.node.depth, labels.node.support), (4, 6)); // decided at "politics"
//! ```
//!
//! # The same state from stored entries
//!
//! A window is always a suffix of the domain's stream, and the tree is a pure
//! function of the window: after [`DomainReplay::end_batch`] every counter is
//! what it would be in a fresh replay into which only the entries of the
//! window were inserted. A night therefore needs no stored tree, only the rows
//! that [`window_start`] selects, and gives the labels an uninterrupted run
//! would have given. The authors' implementation differs here: its removal
//! stops at a node whose last document leaves, so counts of revisions can stay
//! behind or be lost [O F3, F4]. This crate removes an entry from its whole
//! branch.
//!
//! # Memory
//!
//! The paper reports 6.5 MB per 1,000 documents [P 6]. Here it is less than a
//! tenth, with labels bit for bit those of plain counters: of a block there is a
//! counter only where several entries have it, where a label can look, and where
//! it is not equal to the parent's. Each hash is stored once; a new block of a
//! page takes some 30 bytes, and that is most of it, so that a domain whose pages
//! bring twenty new blocks takes twice as much as one whose pages bring ten.
//! [`DomainReplay::heap_bytes`] says what a domain takes. What was needed for the
//! largest window so far is kept for the next.
//!
//! # What it deliberately does not do
//!
//! - It sees neither HTML nor text nor URLs: blocks come as hashes, a page's
//!   place in the tree comes as a branch (host labels reversed, then path
//!   segments).
//! - It does not detect duplicates. A caller that accepts revisions of known
//!   pages asks [`revision_hashes`] and inserts with
//!   [`DomainReplay::insert_revision`].
//! - It keeps no more than one domain. Domains are independent of each other.
//! - It reads no clock. "Now" is the newest time of a batch.
//!
//! References: [P n] is section n of Sluban & Grčar, "URL Tree: Efficient
//! Unsupervised Content Extraction from Streams of Web Documents", CIKM 2013;
//! [O Xn] is a fact about the implementation its authors published.

mod block_list;
mod counters;
mod heap;
mod heuristic;
mod ids;
mod nodes;
mod replay;
mod revision;
mod tree;
mod vocabulary;
mod window;

pub use heap::HeapBytes;
pub use heuristic::{Heuristic, N_MIN, UnknownHeuristic, Verdict};
pub use ids::BlockHash;
pub use replay::{BlockLabel, DomainReplay, Entry, NodeCounts, SelectedNode, TreeLabels};
pub use revision::{UNSEEN_CHARS, revision_hashes, unseen_chars};
pub use window::{DAY_MICROS, WindowOptions, window_start};
