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
//! use template::{LayoutBlock, BlockCounts, Outline, Reason, Template};
//!
//! let block = |path, common_prefix, chars, link_chars| LayoutBlock { path, common_prefix, chars, link_chars, marks: 0, title: 0, figures: 0 };
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
//! The rules apply in this order. The first that applies gives the [`Reason`].
//!
//! | rule | a block is |
//! |---|---|
//! | [`Rule::OwnTitle`] | content, if it repeats the page's `<title>` and is not on most pages |
//! | [`Rule::Comments`] | boilerplate below an element named after comments or reviews |
//! | [`Rule::Discussions`] | not boilerplate by that rule on a page that is a thread or a ticket |
//! | [`Rule::SkipElements`] | boilerplate below `nav`, `aside`, `footer`, `form`, `header` and the like |
//! | [`Rule::Headers`] | not boilerplate by that rule, if it is a heading or a sentence of a `header` in the main branch |
//! | [`Rule::MainBranch`] | boilerplate outside of the one element that contains the main text |
//! | [`Rule::SentencesLead`] | what the element with most sentences has, if that is the main branch of an unknown site |
//! | [`Rule::Leads`] | not boilerplate by that rule, if it is a lead: sentences between the page's title and the main branch |
//! | [`Rule::OtherArticles`] | boilerplate in whole other articles below the page's own |
//! | [`Rule::Teasers`] | boilerplate in teasers of other pages, below the text of an article |
//! | [`Rule::LinkSlots`] | boilerplate at a DOM path whose text is link text |
//! | [`Rule::Lists`] | not boilerplate by that rule on a page that is a list of links |
//! | [`Rule::Figures`] | content in a row of a table of figures, if hardly any other page has the row with its digits |
//! | [`Rule::FamiliarPaths`] | boilerplate, if it is a line at a DOM path whose lines return on many pages |
//! | [`Rule::Units`] | content, if it repeats in a paragraph or a list with other text |
//! | [`Rule::Repetition`] | boilerplate, if more than a quarter of the pages contain it |
//! | [`Rule::ContentSlots`] | content in spite of that, at a DOM path where less than a tenth of the text repeats |
//! | [`Rule::Headings`] | content in spite of that, if it is a heading right before a text, or the label of a row or column of text |
//!
//! On a site of fewer than ten pages, [`Rule::Prior`] corrects these labels, see [`prior`], and by
//! [`Rule::Copies`] the later copies of a long text of the page are boilerplate. Two more
//! reasons, for blocks at DOM paths that a reader has marked ([`marks`]), are given by the caller of the template.
//!
//! **The main branch** is the element that contains the main text. The search starts at
//! `body` and goes down. The weight of an element is its text on this page that no other rule
//! removes. The text mass of a path is the sum, over the pages of the window, of the square
//! roots of these weights. Because of the roots, many pages count more than one long page.
//! The search goes to the child with the greatest mass, as long as this is at least four
//! fifths of the mass of the parent. If several elements of a page have one path, only the
//! heaviest counts. The search therefore ends above a list of equal elements.
//!
//! [`Rule::TitleLeads`] has priority over the masses: the search goes to a child that
//! contains the page's own title and a third of the text. With this rule it finds the main
//! text of the first page of a site, of a page with five articles, and of the first page of
//! a new template.
//!
//! **Paths of few pages** have little evidence. On up to four pages a fifth of the text is
//! enough for [`Rule::TitleLeads`], or half of the sentences. On a page without elements of HTML 5 that divide
//! it, the search goes to the child with three fifths of the sentences ([`Rule::SentencesLead`]): lists of names
//! and ratings beside a short article can have more text. On the only page with the path, a `figcaption` is
//! boilerplate ([`Rule::SkipElements`]), and the search does not leave an element that has a
//! sixth of its text in its own paragraphs.
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
mod discussion;
mod element;
mod element_code;
mod figures;
mod label;
mod layout;
mod lead;
mod main_branch;
mod main_text;
pub mod marks;
mod other_articles;
mod outline;
mod page_paths;
pub mod prior;
mod punctuation;
mod reason;
mod rules;
mod site;
mod stored;
mod teasers;
mod title;
mod units;
mod varint;
mod words;

pub use block_counts::{BlockCounts, first_equal};
pub use element::{element_name, path_key};
pub use layout::Layout;
pub use outline::{LayoutBlock, Outline};
pub use page_paths::{DomPath, PagePaths};
pub use reason::Reason;
pub use rules::{Rule, Rules};
pub use site::Template;
pub use title::Title;
pub use varint::BytesError;

/// Compiles and runs the code of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
