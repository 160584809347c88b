//! The items of a feed from its bytes.

use boundary::guarded;
use url::Url;

use crate::feed::{Feed, FeedError};
use crate::{charset, json, xml};

/// Reads the feed at `url`. `charset` is that of the header `Content-Type`.
///
/// # Errors
/// [`FeedError`]. RSS and Atom with an error give the items before it.
pub fn parse(bytes: &[u8], charset: Option<&str>, url: &Url) -> Result<Feed, FeedError> {
    // A panic would end the polls of all other feeds.
    guarded("feeds", bytes, || read(bytes, charset, url))?
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
