//! Gold texts of many pages in one JSON file.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::GoldErrorKind;
use crate::{File, GoldError, GoldPage, decode};

/// One gold text. The aliases are the member names that published files use.
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
    fn into_page(self, id: String) -> GoldPage {
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

/// Reads gold texts from JSON Lines.
///
/// Each object has the gold text as `text`, `gold_text`, `plaintext` or `articleBody`,
/// and optionally `url`, `title` and `lang`. The id of the page is `page_id` or `id`, or
/// else its `url`. Other members are ignored. The files of [Bevendorff 2023] have this
/// form, and a user's own gold texts may have it.
///
/// [`GoldPage::html`] is `None`: [`pair`](crate::pair) finds the page of each gold text.
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
/// If the file is not UTF-8 or not JSON, if an object has no id, no text or two texts,
/// or if two objects have the same id.
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
            return Err(GoldErrorKind::NoId.at_line(file, line));
        };
        if let Some(first) = lines.insert(id.clone(), line) {
            return Err(GoldErrorKind::SecondGold { id, first }.at_line(file, line));
        }
        pages.push(entry.into_page(id));
    }
    Ok(pages)
}

/// Reads gold texts from one JSON object, whose keys are the ids of the pages.
///
/// A value is a text, or an object as in [`json_lines`]. `ground-truth.json` of the
/// article-extraction-benchmark has this form.
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
/// If the file is not UTF-8 or not JSON of this form, if a gold object has no text or two
/// texts, or if an id occurs twice.
pub fn json(file: File<'_>) -> Result<Vec<GoldPage>, GoldError> {
    let text = decode::utf8(file)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer
        .deserialize_map(Pages)
        .and_then(|pages| deserializer.end().map(|()| pages))
        .map_err(|error| in_json(file, error))
}

fn in_json(file: File<'_>, error: serde_json::Error) -> GoldError {
    let line = error.line();
    GoldErrorKind::Json(error).at_line(file, line)
}

/// Deserialises every member of an object. A map would keep only the last of two members
/// with the same key.
struct Pages;

impl<'de> Visitor<'de> for Pages {
    type Value = Vec<GoldPage>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of gold texts by page id")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut seen = HashSet::new();
        let mut pages = Vec::new();
        while let Some(id) = members.next_key::<String>()? {
            if !seen.insert(id.clone()) {
                return Err(A::Error::custom(format_args!(
                    "a second gold text for page {id}"
                )));
            }
            let Gold(entry) = members.next_value()?;
            pages.push(entry.into_page(id));
        }
        Ok(pages)
    }
}

/// A gold text that is a string, or an object with one.
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
        f.write_str("a text or an object with a text")
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
