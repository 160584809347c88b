//! The items of a feed from its bytes.

use std::panic::{UnwindSafe, catch_unwind};

use url::Url;

use crate::feed::{Feed, FeedError};
use crate::{charset, json, xml};

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
