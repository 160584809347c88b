//! The template of a site, learned from its pages: which text blocks are content.
//!
//! The pages of a site are generated from one template, and each text block has a DOM path in
//! it: `div.main>article.post>p`. A path says more about a block than the block alone. At one
//! path every page has its own text, at another all pages have the same links. A [`Template`]
//! sums the text per path over the pages of a window. It labels the blocks of a page by the
//! sums of their paths, by their positions on the page, and by the number of pages that
//! contain the same block.
//!
//! ```
//! use template::{LayoutBlock, BlockCounts, Outline, Reason, Style, Template};
//!
//! let block = |path, common_prefix, chars, link_chars| LayoutBlock { path, common_prefix, chars, link_chars, marks: 0, title: 0, figures: 0, style: Style::default() };
//! // A menu, a story of two paragraphs, and a box of links to other pages.
//! let page = [
//!     block("ul.menu>li", 0, 4, 4),
//!     block("div.story>p", 0, 400, 0),
//!     block("div.story>p", 1, 300, 20),
//!     block("div.more>p", 0, 60, 60),
//! ];
//! let outline = Outline::new(&page);
//! // All three pages have the menu. The other blocks are on this page only.
//! let counts = BlockCounts { pages: 3, blocks: &[3, 1, 1, 1], first: &[0, 1, 2, 3] };
//!
//! let mut template = Template::default();
//! let paths = template.page_paths(&outline, counts);
//! template.insert(&paths);
//!
//! let labels = template.label(&outline, counts);
//! use Reason::{OffMainBranch, Unique};
//! assert_eq!(labels, [OffMainBranch, Unique, Unique, OffMainBranch]);
//! ```
//!
//! # The rules
//!
//! The first decision that holds is the label of a block. Corrections, which name what they may overturn, follow. A
//! [`Reason`] is one row.
//!
#![doc = include_str!("../rules.md")]
//!
//! On a site of fewer than ten pages the last three rows apply: see [`prior`]. Two more reasons, for blocks at DOM
//! paths that a reader has marked ([`marks`]), are given by the caller of the template. The numbers of the rules are in
//! the module `thresholds`, with their units and effects.
//!
//! **The main branch** is the element that contains the main text. The search starts at
//! `body` and goes down. The weight of an element is its text on this page that no other rule
//! removes. The text mass of a path is the sum, over the pages of the window, of the square
//! roots of these weights. Because of the roots, many pages count more than one long page.
//! The search goes to the child with the greatest mass, as long as this is at least four
//! fifths of the mass of the parent. If several elements of a page have one path, only the
//! heaviest counts. The search therefore ends above a list of equal elements.
//!
//! The title has priority over the masses: the search goes to a child that
//! contains it and a third of the text. So it finds the main
//! text of the first page of a site, of a page with five articles, and of the first page of
//! a new template.
//!
//! **Paths of few pages** have little evidence. On up to four pages a fifth of the text is
//! enough for the child with the title, or half of the sentences. On a page without elements of HTML 5 that divide
//! it, the search goes to the child with three fifths of the sentences: lists of names
//! and ratings beside a short article can have more text. On the only page with the path, the search does not
//! leave an element that has a sixth of its text in its own paragraphs.
//!
//! # Recovery from stored pages
//!
//! A page adds its [`PagePaths`], which are a function of the page and of the counts when it
//! was inserted. All sums are integers, so [`Template::evict`] subtracts exactly what was
//! added. The state depends on the pages of the window only: neither on earlier pages nor on
//! the order of insertion.
//!
//! # Non-goals
//!
//! - It does not count blocks. A URL Tree counts the pages that contain a block, and the
//!   caller passes its numbers as [`BlockCounts`].
//! - It has no limits of a window. The caller decides how many pages to
//!   [evict](Template::evict).
//! - It does not use the URLs of a site. Sections with different templates have different
//!   paths; counts per section were measured and gained nothing.
//! - It does not separate bylines and captions that are different on each page from the main
//!   text around them. Gold standards do not agree on them.

mod block_counts;
mod copies;
mod counters;
mod decisions;
mod discussion;
mod element;
mod element_code;
mod facts;
mod figures;
mod headings;
mod label;
mod layout;
mod lead;
mod lists;
mod main_branch;
mod main_text;
pub mod marks;
mod measures;
mod node;
mod other_articles;
mod outline;
mod page_paths;
mod parts;
pub mod prior;
mod reason;
mod reports;
mod site;
mod stored;
mod style;
mod teasers;
mod thresholds;
mod title;
mod twins;
mod units;
mod unknown;
mod varint;
mod weights;
mod whole_units;
mod words;

pub use block_counts::{BlockCounts, first_equal};
pub use decisions::rules_table;
pub use element::{element_name, path_key};
pub use layout::Layout;
pub use outline::{LayoutBlock, Outline};
pub use page_paths::{DomPath, PagePaths};
pub use reason::Reason;
pub use site::Template;
pub use style::Style;
pub use title::Title;
pub use varint::BytesError;

/// Compiles and runs the code of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
