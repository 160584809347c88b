//! Replays the pages of one domain in time order: duplicates, batches, eviction, and a
//! label for each text block.
//!
//! A job, an evaluation, Python and an explained page all run these rules, with the same
//! [`SiteSettings`]. In the order of a job's steps:
//!
//! 1. [`response_problem`] and [`TitleSource`]: which responses are pages, and which
//!    title their URL key is made of.
//! 2. [`KnownKeys`]: whether a page is the first of its URL key within the
//!    [`Lookback`]. [`PageKeys`] decides the same page by page, with what the pages show
//!    about the parts of URLs that no rule knows.
//! 3. [`SiteStream`]: which pages are inserted before a label ([`Batching`]), eviction, revisions,
//!    and ordinals. It drives a [`SiteReplay`]: the URL Tree, which counts on
//!    how many pages a block is, and, with [`Labelling::Template`], a
//!    [`Template`](template::Template), which counts by DOM path.
//!
//! ```
//! use site_replay::{Batching, SiteSettings, SiteStream};
//! use template::{LayoutBlock, Outline, Style};
//! use url_key::{Blocklist, Domain, KeyOptions, Keyer, RuleSet};
//! use url_tree::{Entry, Verdict};
//!
//! let keyer = Keyer::new(KeyOptions::default(), RuleSet::empty(), Blocklist::default())?;
//! let mut settings = SiteSettings::new(keyer);
//! settings.batching = Batching::Page;
//! let mut site = SiteStream::new(&Domain::from_name("news.example"), &settings, 15_000);
//! let branch = ["example", "news", "www"];
//! let block = |path, chars| LayoutBlock { path, common_prefix: 0, chars, link_chars: 0, marks: 0, title: 0, figures: 0, style: Style::default() };
//! let layout = [block("ul.menu>li", 20), block("div.story>p", 400)];
//! for story in 1..=3_u8 {
//!     let hashes = [[0; 16], [story; 16]];
//!     let entry = Entry { time_micros: story.into(), branch: &branch, hashes: &hashes };
//!     let page = site.label_page(entry, 15_000, Some(Outline::new(&layout)));
//!     let blocks = page.labels.labels.blocks;
//!     let verdicts: Vec<Verdict> = blocks.iter().map(|block| block.verdict).collect();
//!     assert_eq!(verdicts, [Verdict::Boilerplate, Verdict::Content]);
//!     // Stored with the page, to restore the window in a later run.
//!     assert!(page.slots.is_some_and(|slots| !slots.paths.is_empty()));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Insertion and labels
//!
//! All pages of a batch are inserted, then all are labelled, in the same order. A batch
//! of one page is the paper's online setting. A page's slots in the template depend on
//! which of its blocks had been seen at its insertion, whatever its batch. (If they
//! depend on the whole batch instead, F1 is equal to three digits, and each page has to
//! be processed once more.)
//!
//! # Marks
//!
//! DOM paths that a reader has marked ([`template::marks`]) decide after the template, and change labels
//! alone. So a replay with other marks learns the same, and a mark that is taken back leaves no trace.
//!
//! # Non-goals
//!
//! It parses no HTML and no URL: `html_blocks` and `url_key` do. It has no heuristics:
//! they are in `url_tree` and `template`. It sorts nothing: the caller gives the pages of
//! a domain in the order of (`fetched_at`, response URL, position in the archive).

mod batching;
mod clock;
mod known_keys;
mod labelling;
mod page_keys;
mod queries;
mod response;
mod settings;
mod site;
mod stream;
mod title;

pub use batching::Batching;
pub use known_keys::{AliasDates, FoundBy, KnownKeys, Lookback, UnknownLookback};
pub use labelling::{Labelling, UnknownLabelling};
pub use page_keys::{Content, KeyedPage, PageKeys, Role, StoredPage};
pub use queries::{Queries, key_after_rule_change};
pub use response::{ResponseProblem, http_charset, response_problem};
pub use settings::SiteSettings;
pub use site::{PageLabels, SiteReplay, marked_reason};
pub use stream::{LabelledPage, Revision, SiteStream};
pub use title::TitleSource;

/// Bytes of a page's encoded [`Layout`](template::Layout) above which the page has no
/// outline and is labelled by the URL Tree alone. A usual page has about 1.5 KB. The
/// limit bounds the sorts of a job, which count batches in rows: 256 pages with layouts
/// of 30 MB do not fit in memory.
pub const MAX_LAYOUT_BYTES: usize = 256 << 10;
