//! How a page is cut into blocks.

use crate::elements::SplitList;
use crate::limits::PageLimits;
use crate::text::Joining;

/// Options for the blocks of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockOptions {
    /// Which tags end a block.
    pub split: SplitList,
    /// How the pieces of one block are joined.
    pub joining: Joining,
    /// Which pages are read with the text in `noscript`.
    pub noscript: Noscript,
    /// The limits of a page.
    pub limits: PageLimits,
}

/// Which pages are read with the text in `noscript`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noscript {
    /// Pages that scripts write: at most 2,000 characters outside of links and `noscript`, more
    /// than twice as many with `noscript`, and 20 tags in it. Forums such as Discourse have
    /// their posts there for crawlers.
    #[default]
    ScriptedPages,
    /// No page.
    Never,
}
