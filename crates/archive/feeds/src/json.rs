//! JSON Feed.

use serde_json::{Map, Value};
use url::Url;

use crate::date;
use crate::feed::{Feed, FeedError, MAX_ITEMS};
use crate::item::Item;

/// Reads a JSON Feed. A value of another type than the format's is its text or is missing.
pub(crate) fn read(text: &str, url: &Url) -> Result<Feed, FeedError> {
    let feed: Value =
        serde_json::from_str(text).map_err(|error| FeedError::Broken(error.to_string()))?;
    let version = feed
        .get("version")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let items = feed.get("items").and_then(Value::as_array);
    let (true, Some(items)) = (version.contains("jsonfeed.org/version/"), items) else {
        return Err(FeedError::Format);
    };
    let items = items.iter().filter_map(Value::as_object).take(MAX_ITEMS);
    Ok(Feed {
        title: feed.as_object().and_then(|feed| field(feed, "title")),
        items: items.map(|item| read_item(item, url)).collect(),
    })
}

fn read_item(item: &Map<String, Value>, base: &Url) -> Item {
    let field = |name: &str| field(item, name);
    let id = field("id").filter(|id| id.starts_with("http://") || id.starts_with("https://"));
    let links = [field("url"), field("external_url"), id]
        .into_iter()
        .flatten();
    let link = links.filter_map(|link| base.join(&link).ok()).next();
    let dates = ["date_published", "date_modified"].into_iter();
    let published = dates.filter_map(|name| date::read(&field(name)?)).next();
    Item::new(
        link.map(String::from),
        field("title"),
        field("summary"),
        published,
    )
}

fn field(object: &Map<String, Value>, name: &str) -> Option<String> {
    let text = match object.get(name)? {
        Value::String(text) => text.trim().to_owned(),
        value @ (Value::Number(_) | Value::Bool(_)) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}
