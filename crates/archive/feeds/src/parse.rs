//! The items of a feed from its bytes.

use std::panic::{UnwindSafe, catch_unwind};

use url::Url;

use crate::item::Item;
use crate::{charset, json, xml};

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
}

/// Reads the feed at `url`. `charset` is that of the header `Content-Type`.
///
/// # Errors
/// [`FeedError`]. RSS and Atom with an error give the items before it.
pub fn parse(bytes: &[u8], charset: Option<&str>, url: &Url) -> Result<Feed, FeedError> {
    bounded(|| read(bytes, charset, url))
}

/// Ends a panic of a parser, which would end the polls of all other feeds.
fn bounded(read: impl FnOnce() -> Result<Feed, FeedError> + UnwindSafe) -> Result<Feed, FeedError> {
    catch_unwind(read).unwrap_or_else(|_| Err(FeedError::Broken("the parser panicked".to_owned())))
}

fn read(bytes: &[u8], charset: Option<&str>, url: &Url) -> Result<Feed, FeedError> {
    let text = charset::decode(bytes, charset);
    // Servers print warnings before a feed.
    let start = text.find(['<', '{']).ok_or(FeedError::Format)?;
    match &text[start..] {
        json if json.starts_with('{') => json::read(json, url),
        xml => xml::read(xml, url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_parser_is_an_error_of_its_feed() {
        let result = bounded(|| panic!("a parser"));
        assert_eq!(
            result,
            Err(FeedError::Broken("the parser panicked".to_owned()))
        );
    }
}
