//! Golds of many pages in one JSON file.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::Reason;
use crate::{File, GoldError, GoldPage, decode};

/// One gold, under the names that its parts have in use.
#[derive(Deserialize)]
struct Entry {
    #[serde(alias = "articleBody", alias = "gold_text", alias = "plaintext")]
    text: String,
    #[serde(alias = "page_id")]
    id: Option<String>,
    url: Option<String>,
    title: Option<String>,
    #[serde(alias = "language")]
    lang: Option<String>,
}

impl Entry {
    fn page(self, id: String) -> GoldPage {
        GoldPage {
            id,
            url: self.url,
            title: self.title,
            lang: self.lang,
            charset: None,
            html: None,
            text: self.text,
        }
    }
}

/// Golds from JSON Lines: objects with the gold as `text`, `gold_text`, `plaintext`
/// or `articleBody`, and optionally `url`, `title` and `lang`. A page is named by
/// `page_id` or `id`, else by its `url`. Other members are passed over, so the
/// files of [Bevendorff 2023] can be read, and golds of one's own.
///
/// [`GoldPage::html`] is left empty: [`pair`](crate::pair) says which page is whose.
///
/// ```
/// use gold::{File, json_lines};
///
/// let bytes = br#"{"page_id": "1f", "plaintext": "Trees fell.", "source": ["cetd", "BBC_1"]}
/// {"url": "http://a.eu/", "gold_text": "Storm", "lang": "en"}"#;
/// let pages = json_lines(File { name: "gold.jsonl", bytes })?;
/// assert_eq!((pages[0].id.as_str(), pages[0].text.as_str()), ("1f", "Trees fell."));
/// assert_eq!((pages[1].id.as_str(), pages[1].lang.as_deref()), ("http://a.eu/", Some("en")));
/// # Ok::<(), gold::GoldError>(())
/// ```
///
/// # Errors
///
/// If the file is not UTF-8 or not JSON, an object has no text, two, or no name,
/// or two objects have the same name.
pub fn json_lines(file: File<'_>) -> Result<Vec<GoldPage>, GoldError> {
    let text = decode::utf8(file)?;
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut pages = Vec::new();
    let (mut line, mut read) = (1, 0);
    let mut entries = serde_json::Deserializer::from_str(text).into_iter::<Entry>();
    while let Some(entry) = entries.next() {
        let mut entry = entry.map_err(|error| in_json(file, error))?;
        let end = entries.byte_offset();
        line += text[read..end].matches('\n').count();
        read = end;
        let Some(id) = entry.id.take().or_else(|| entry.url.clone()) else {
            return Err(Reason::NoId.in_line(file, line));
        };
        if let Some(first) = lines.insert(id.clone(), line) {
            return Err(Reason::SecondGold { id, first }.in_line(file, line));
        }
        pages.push(entry.page(id));
    }
    Ok(pages)
}

/// Golds from one JSON object, by the id of their page. A gold is a text, or an
/// object as in [`json_lines`]: `ground-truth.json` of the
/// article-extraction-benchmark is of this form.
///
/// ```
/// use gold::{File, json};
///
/// let bytes = br#"{"1f": {"articleBody": "Trees fell.", "url": "http://a.eu/"}, "2": "Storm"}"#;
/// let pages = json(File { name: "ground-truth.json", bytes })?;
/// assert_eq!((pages[0].id.as_str(), pages[0].url.as_deref()), ("1f", Some("http://a.eu/")));
/// assert_eq!(pages[1].text, "Storm");
/// # Ok::<(), gold::GoldError>(())
/// ```
///
/// # Errors
///
/// If the file is not UTF-8 or not JSON of this form, a gold has no text or two, or
/// an id comes twice.
pub fn json(file: File<'_>) -> Result<Vec<GoldPage>, GoldError> {
    let text = decode::utf8(file)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    (deserializer.deserialize_map(Pages))
        .and_then(|pages| deserializer.end().map(|()| pages))
        .map_err(|error| in_json(file, error))
}

fn in_json(file: File<'_>, error: serde_json::Error) -> GoldError {
    let line = error.line();
    Reason::Json(error).in_line(file, line)
}

/// Every member of an object: a map would drop all but the last of one name.
struct Pages;

impl<'de> Visitor<'de> for Pages {
    type Value = Vec<GoldPage>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of golds by page")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut seen = HashSet::new();
        let mut pages = Vec::new();
        while let Some(id) = members.next_key::<String>()? {
            if !seen.insert(id.clone()) {
                return Err(A::Error::custom(format_args!("a second gold for {id}")));
            }
            let Gold(entry) = members.next_value()?;
            pages.push(entry.page(id));
        }
        Ok(pages)
    }
}

/// A text, or an object with one.
struct Gold(Entry);

impl<'de> Deserialize<'de> for Gold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GoldVisitor).map(Gold)
    }
}

struct GoldVisitor;

impl<'de> Visitor<'de> for GoldVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or an object with one")
    }

    fn visit_str<E>(self, text: &str) -> Result<Entry, E> {
        Ok(Entry {
            text: text.to_owned(),
            id: None,
            url: None,
            title: None,
            lang: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Entry, A::Error> {
        Entry::deserialize(MapAccessDeserializer::new(members))
    }
}
