//! A feed, and why bytes are none.

use boundary::ParserPanic;

use crate::item::Item;

/// Most items of a feed. The rest is left out: feeds list the newest first.
pub const MAX_ITEMS: usize = 10_000;

/// A feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feed {
    /// Title.
    pub title: Option<String>,
    /// Items, in the order of the feed.
    pub items: Vec<Item>,
}

/// Bytes that are not a feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FeedError {
    /// The root is of no known format.
    #[error("neither RSS, Atom nor JSON Feed")]
    Format,
    /// XML or JSON with an error.
    #[error("a broken feed: {0}")]
    Broken(String),
    /// The parser panicked.
    #[error(transparent)]
    Parser(#[from] ParserPanic),
}
