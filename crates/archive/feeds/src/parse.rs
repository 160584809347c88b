//! The items of a feed from its bytes.

use feed_rs::model::{Entry, Link};
use feed_rs::parser::{Builder, ParseErrorKind, ParseFeedError};
use url::Url;

use crate::charset;
use crate::item::Item;
use crate::root;

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
/// [`FeedError`]. A feed that is cut off or broken anywhere gives no items, as in the authors' code `[O H2]`.
pub fn parse(bytes: &[u8], charset: Option<&str>, url: &Url) -> Result<Feed, FeedError> {
    let text = charset::decode(bytes, charset);
    // Servers print warnings before a feed.
    let start = text.find(['<', '{']).ok_or(FeedError::Format)?;
    let text = root::known(&text[start..]);
    let parser = Builder::new().base_uri(Some(url.as_str())).build();
    let feed = parser.parse(text.as_bytes()).map_err(|error| match error {
        ParseFeedError::ParseError(ParseErrorKind::NoFeedRoot) => FeedError::Format,
        ParseFeedError::JsonUnsupportedVersion(_) => FeedError::Format,
        error => FeedError::Broken(error.to_string()),
    })?;
    let items = feed.entries.into_iter().take(MAX_ITEMS);
    Ok(Feed {
        title: feed.title.map(|title| title.content),
        items: items.map(|entry| item(entry, url)).collect(),
    })
}

fn item(entry: Entry, base: &Url) -> Item {
    let link = page_link(&entry.links).or_else(|| {
        // The identifier of RSS stands in for a missing link.
        let id = entry.id.trim();
        (id.starts_with("http://") || id.starts_with("https://")).then_some(id)
    });
    let link = link.and_then(|link| base.join(link.trim()).ok());
    let text = |text: Option<feed_rs::model::Text>| {
        let text = text.map(|text| text.content);
        text.filter(|text| !text.trim().is_empty())
    };
    Item::new(
        link.map(String::from),
        text(entry.title),
        text(entry.summary),
        entry.published.or(entry.updated),
    )
}

/// The link to the page: `alternate`, which is the meaning of a link without a relation too.
fn page_link(links: &[Link]) -> Option<&str> {
    let is_page = |link: &&Link| {
        let is_alternate = link.rel.as_deref().is_none_or(|rel| rel == "alternate");
        is_alternate && link.target.is_none()
    };
    let is_html = |link: &&&Link| {
        let kind = link.media_type.as_deref();
        kind.is_none_or(|kind| kind.contains("html"))
    };
    let pages: Vec<&Link> = links.iter().filter(is_page).collect();
    let html = pages.iter().find(is_html);
    Some(html.or(pages.first())?.href.as_str())
}
