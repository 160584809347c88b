//! The template of a site, learned from its pages: which part of a page is content.
//!
//! Pages of a site come out of one template, and the template gives every part of a
//! page a place: `div.main>article.post>p`. Such a place is a *slot*. What a site
//! shows in a slot says more than any single block: one slot has the text that no
//! other page has, another the same links on every page. A [`Template`] counts, slot
//! by slot, over the pages of a window, and labels the blocks of a page by what their
//! slots have shown, by where on the page they stand, and by how many pages have the
//! same block.
//!
//! ```
//! use template::{LayoutBlock, BlockCounts, Outline, Reason, Template};
//!
//! let block = |path, common_prefix, chars, link_chars| LayoutBlock { path, common_prefix, chars, link_chars, title: 0 };
//! // A menu, a story of two paragraphs, and a box of links to other pages.
//! let page = [
//!     block("ul.menu>li", 0, 4, 4),
//!     block("div.story>p", 0, 400, 0),
//!     block("div.story>p", 1, 300, 20),
//!     block("div.more>p", 0, 60, 60),
//! ];
//! let outline = Outline::new(&page);
//! // Of three pages all have the menu; the other blocks are of this page alone.
//! let counts = BlockCounts { pages: 3, blocks: &[3, 1, 1, 1] };
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
//! In this order; the first that applies is the [`Reason`].
//!
//! | rule | a block is |
//! |---|---|
//! | [`Rule::OwnTitle`] | content, if it is what the page's `<title>` says and not on nearly all pages |
//! | [`Rule::Comments`] | boilerplate under an element named after comments |
//! | [`Rule::SkipElements`] | boilerplate under `nav`, `aside`, `footer`, `form` and the like |
//! | [`Rule::MainBranch`] | boilerplate outside of the one element that holds the main text |
//! | [`Rule::LinkSlots`] | boilerplate in a slot whose text is link text |
//! | [`Rule::Repetition`] | boilerplate, if more than a quarter of the pages have it |
//! | [`Rule::ContentSlots`] | content in spite of that, in a slot where hardly anything repeats |
//!
//! **The main branch** is found from `body` downwards. An element has on each page the
//! weight of the text that no other rule takes away, and over the pages of the window
//! a mass, the sum of the square roots of these weights: square roots, so that many
//! pages count more than one long one. The way goes to the child of the greatest mass,
//! as long as it keeps four fifths of its parent's. Of several elements in one slot
//! it is the heaviest of the page, and only its weight counts towards the mass, so that
//! the way ends above a list of equals. One thing overrides masses
//! ([`Rule::TitleLeads`]): a child that holds the page's own title and a third of the
//! text is taken, whatever stands beside it. So the first page of a site finds its main
//! text, and so does a page with five articles, and the first page of a new template.
//!
//! **Slots of few pages** say little of the site. Up to four pages, a fifth of the text is
//! enough to lead. On the only page that has the slot, a `figcaption` is no part of the
//! text ([`Rule::SkipElements`]), and the way does not leave an element of which a sixth
//! of the text stands in paragraphs of its own.
//!
//! # The same state from stored pages
//!
//! What a page adds are its [`PagePaths`], a function of the page and of the counts at
//! the time it came. Sums are over whole numbers, so [`Template::forget`] takes exactly
//! that away again, and the state depends on the pages of the window alone: not on
//! those before, nor on the order in which they came.
//!
//! # What it deliberately does not do
//!
//! - It counts no blocks: how many pages have a block is the business of a URL Tree,
//!   and comes as [`BlockCounts`].
//! - It has no window of its own. Whoever has one says how many pages to
//!   [forget](Template::forget).
//! - It knows nothing of a site's URLs. Sections of different templates differ in their
//!   slots; counts per section were measured and gained nothing.
//! - It does not tell bylines, dates, and captions that a site has on many pages, from
//!   the main text that they stand in: gold standards do not agree on them.

mod counters;
mod element;
mod label;
mod layout;
mod main_branch;
mod outline;
mod page_paths;
mod rules;
mod site;
mod stored;
mod title;
mod varint;

pub use label::Reason;
pub use layout::Layout;
pub use outline::{LayoutBlock, Outline};
pub use page_paths::{DomPath, PagePaths};
pub use rules::{Rule, Rules};
pub use site::Template;
pub use stored::BytesError;
pub use title::Title;

/// How many pages of the site have the blocks of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCounts<'c> {
    /// Pages of the site so far, this one included: `n`.
    pub pages: u32,
    /// Per block of the page, those of them that have it: `c`.
    pub blocks: &'c [u32],
}

impl BlockCounts<'_> {
    /// Whether more pages have the block than one would by chance: more than a
    /// quarter. Of few pages it is any other.
    fn is_repeated(self, block: usize) -> bool {
        self.blocks[block] > (self.pages / 4).max(1)
    }

    /// Whether so many pages have the block that it belongs to the site: more than three
    /// quarters. Teasers bring a block of one page to many.
    fn is_on_most_pages(self, block: usize) -> bool {
        self.blocks[block] > (self.pages - self.pages.div_ceil(4)).max(1)
    }
}
