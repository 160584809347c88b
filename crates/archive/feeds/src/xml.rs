//! RSS and Atom.
//!
//! The reader takes XML that is not well-formed: elements that are not closed, end tags of no
//! element, bare signs of markup. It stops where the text is cut off, and the items before are read.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use crate::date;
use crate::feed::{Feed, FeedError, MAX_ITEMS};
use crate::item::Item;
use crate::names::{Element, Field, Space};
use crate::references::{resolved, unescaped, without_controls};
use crate::repair::repaired;

/// Most elements inside one another. Feeds have fewer than 20, and HTML that is not escaped some more.
const MAX_DEPTH: usize = 1_000;
/// Elements of HTML that have no end tag.
const VOID: [&str; 10] = [
    "area", "br", "col", "embed", "hr", "img", "input", "meta", "param", "wbr",
];

/// Reads RSS or Atom.
pub(crate) fn read(text: &str, url: &Url) -> Result<Feed, FeedError> {
    let text = repaired(text);
    let mut reader = Reader::from_str(&text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut walk = Walk::new(url);
    let problem = loop {
        if walk.items.len() >= MAX_ITEMS {
            break None;
        }
        match reader.read_event() {
            Ok(Event::Eof) if walk.open.is_empty() => break None,
            Ok(Event::Eof) => break Some("it is cut off".to_owned()),
            // A page that shows a feed, as an error page, is not a feed.
            Ok(Event::Start(tag)) if !walk.is_feed && is_page(&tag) => break None,
            Ok(event) if walk.open.len() < MAX_DEPTH => walk.event(&event),
            Ok(_) => {
                break Some(format!(
                    "more than {MAX_DEPTH} elements are inside one another"
                ));
            }
            Err(error) => break Some(error.to_string()),
        }
    };
    match (walk.is_feed, problem) {
        (false, _) => Err(FeedError::Format),
        (true, Some(problem)) if walk.items.is_empty() => Err(FeedError::Broken(problem)),
        (true, _) => Ok(Feed {
            title: walk.title.map(|(_, title)| title),
            items: walk.items,
        }),
    }
}

fn is_page(tag: &BytesStart<'_>) -> bool {
    tag.name().as_ref().eq_ignore_ascii_case(b"html")
}

/// A value and its rank: depth below the item, and rank of the element.
type Ranked<T> = Option<((usize, u8), T)>;

/// Takes a value whose rank is lower than that of the present one.
fn offer<T>(place: &mut Ranked<T>, rank: (usize, u8), value: T) {
    if place.as_ref().is_none_or(|(present, _)| rank < *present) {
        *place = Some((rank, value));
    }
}

/// An element that is open.
#[derive(Debug)]
struct Open {
    /// With its prefix, in lower case.
    name: String,
    element: Element,
    /// Number of namespaces and bases before it.
    outside: (usize, usize),
}

/// An item that is open.
#[derive(Debug, Default)]
struct Building {
    depth: usize,
    title: Ranked<String>,
    description: Ranked<String>,
    published: Ranked<DateTime<Utc>>,
    link: Ranked<Url>,
}

/// A field that is open.
#[derive(Debug)]
struct Capture {
    depth: usize,
    field: Field,
    rank: u8,
    /// Whether its markup is elements, so that its text is escaped.
    is_xhtml: bool,
    text: String,
}

/// The state of a reader within a feed.
#[derive(Debug)]
struct Walk<'a> {
    url: &'a Url,
    is_feed: bool,
    title: Ranked<String>,
    items: Vec<Item>,
    open: Vec<Open>,
    /// Prefixes and their namespaces, and values of `xml:base`, the innermost last.
    spaces: Vec<(String, Space)>,
    bases: Vec<Url>,
    item: Option<Building>,
    capture: Option<Capture>,
}

impl<'a> Walk<'a> {
    fn new(url: &'a Url) -> Self {
        Self {
            url,
            is_feed: false,
            title: None,
            items: Vec::new(),
            open: Vec::new(),
            spaces: Vec::new(),
            bases: Vec::new(),
            item: None,
            capture: None,
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag, false),
            Event::Empty(tag) => self.start(tag, true),
            Event::End(tag) => {
                self.end(&String::from_utf8_lossy(tag.name().as_ref()).to_lowercase())
            }
            Event::Text(text) => self.text(&String::from_utf8_lossy(text)),
            Event::CData(text) => self.text(&String::from_utf8_lossy(text)),
            Event::GeneralRef(name) => {
                let name = String::from_utf8_lossy(name);
                self.text(&resolved(&name).unwrap_or_else(|| format!("&{name};")));
            }
            _ => (),
        }
    }

    fn text(&mut self, text: &str) {
        let Some(capture) = &mut self.capture else {
            return;
        };
        let text = match text.contains('\r') {
            true => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
            false => Cow::Borrowed(text),
        };
        match capture.is_xhtml {
            true => capture.text += &quick_xml::escape::partial_escape(&*text),
            false => capture.text += &text,
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, is_empty: bool) {
        let name = String::from_utf8_lossy(tag.name().as_ref()).to_lowercase();
        let attributes = attributes(tag);
        let outside = (self.spaces.len(), self.bases.len());
        self.declare(&attributes);
        let (prefix, local) = name.split_once(':').unwrap_or(("", &name));
        let mut element = Element::of(self.space(prefix), local);
        if self.begins_item(element, &name) {
            self.close_item();
            self.item = Some(self.building(&attributes));
        } else if let Some(capture) = &mut self.capture {
            element = Element::Other;
            let is_wrapper = local == "div" && self.open.len() == capture.depth + 1;
            if !is_wrapper {
                let raw = String::from_utf8_lossy(tag.attributes_raw());
                let end = if is_empty { "/>" } else { ">" };
                capture.text += &format!("<{local}{}{end}", raw.trim_end_matches('/'));
            }
            if is_empty || VOID.contains(&local) {
                self.spaces.truncate(outside.0);
                self.bases.truncate(outside.1);
                return;
            }
        } else {
            element = self.begin(element, &attributes);
        }
        // A link with its address has no content, also where its end is missing.
        let is_link = local == "link" && value(&attributes, &["href"]).is_some();
        let is_empty = is_empty || is_link;
        self.open.push(Open {
            name,
            element,
            outside,
        });
        if is_empty {
            self.close(self.open.len() - 1);
        }
    }

    /// Whether an element begins an item, also where the item before is not closed.
    fn begins_item(&self, element: Element, name: &str) -> bool {
        let is_same = |item: &Building| {
            self.open
                .get(item.depth)
                .is_some_and(|open| open.name == name)
        };
        element == Element::Item && self.is_feed && self.item.as_ref().is_none_or(is_same)
    }

    /// Closes an item without an end tag.
    fn close_item(&mut self) {
        if let Some(depth) = self.item.as_ref().map(|item| item.depth) {
            self.close(depth);
        } else if let Some(depth) = self.capture.as_ref().map(|capture| capture.depth) {
            self.close(depth);
        }
    }

    fn building(&self, attributes: &[(String, String)]) -> Building {
        let mut item = Building {
            depth: self.open.len(),
            ..Building::default()
        };
        // RDF has the address of an item here, and CDF its link.
        let link = value(attributes, &["rdf:about", "about", "href"]);
        if let Some(link) = link.and_then(|link| self.web_page(link)) {
            offer(&mut item.link, (0, 4), link);
        }
        item
    }

    /// Begins an element outside of fields.
    fn begin(&mut self, element: Element, attributes: &[(String, String)]) -> Element {
        let is_apart = self.open.iter().any(|open| open.element == Element::Apart);
        match element {
            Element::Root => {
                self.is_feed = true;
                Element::Root
            }
            Element::Field(field, rank) if self.is_feed && !is_apart => {
                self.begin_field(field, rank, attributes);
                Element::Other
            }
            // An item within an item is none.
            Element::Item => Element::Other,
            element => element,
        }
    }

    fn begin_field(&mut self, field: Field, rank: u8, attributes: &[(String, String)]) {
        if self.item.is_none() && field != Field::Title {
            return;
        }
        if field == Field::Link {
            let relation = value(attributes, &["rel"]).unwrap_or("alternate");
            // Other relations are feeds and files.
            if relation.rsplit('/').next() != Some("alternate") {
                return;
            }
            if let Some(href) = value(attributes, &["href", "url", "uri"]) {
                let is_page = value(attributes, &["type"]).is_none_or(|kind| kind.contains("html"));
                return self.offer_link(href, self.open.len(), rank + u8::from(!is_page));
            }
        }
        let is_permanent = value(attributes, &["ispermalink"]).is_none_or(|value| value == "true");
        if field == Field::Guid && !is_permanent {
            return;
        }
        let kind = value(attributes, &["type", "mode"]).unwrap_or_default();
        self.capture = Some(Capture {
            depth: self.open.len(),
            field,
            rank,
            is_xhtml: kind.contains("xhtml") || kind == "xml",
            text: String::new(),
        });
    }

    fn end(&mut self, name: &str) {
        let inside = self.capture.as_ref().map_or(0, |capture| capture.depth);
        let is_named = |open: &Open| open.name == name;
        if let Some(at) = self.open[inside..].iter().rposition(is_named) {
            return self.close(inside + at);
        }
        // The end tag of a field is missing, and the item or the feed ends.
        let is_outer =
            |open: &Open| is_named(open) && matches!(open.element, Element::Item | Element::Root);
        if let Some(at) = self.open[..inside].iter().rposition(is_outer) {
            self.close(at);
        }
    }

    /// Closes an element and those within it.
    fn close(&mut self, at: usize) {
        if let Some(capture) = self.capture.take_if(|capture| capture.depth >= at) {
            self.finish_field(capture);
        } else if let (Some(capture), Some(open)) = (&mut self.capture, self.open.get(at)) {
            let local = open.name.rsplit(':').next().unwrap_or_default();
            let is_wrapper = local == "div" && at == capture.depth + 1;
            if !is_wrapper {
                capture.text += &format!("</{local}>");
            }
        }
        if let Some(item) = self.item.take_if(|item| item.depth >= at) {
            self.items.push(finished(item));
        }
        let outside = self.open.get(at).map(|open| open.outside);
        if let Some((spaces, bases)) = outside {
            self.spaces.truncate(spaces);
            self.bases.truncate(bases);
        }
        self.open.truncate(at);
    }

    fn finish_field(&mut self, capture: Capture) {
        let Capture {
            depth,
            field,
            rank,
            text,
            ..
        } = capture;
        let text = &without_controls(text.trim());
        if text.is_empty() {
            return;
        }
        let Some(item) = &mut self.item else {
            return offer(&mut self.title, (depth, rank), text.to_string());
        };
        let rank = (depth - item.depth, rank);
        match field {
            Field::Title => offer(&mut item.title, rank, text.to_string()),
            Field::Description => offer(&mut item.description, rank, text.to_string()),
            Field::Date => {
                // The last date of a rank is the latest of an item that was revised.
                let is_taken = item.published.is_none_or(|(present, _)| rank <= present);
                if let (Some(date), true) = (date::read(text), is_taken) {
                    item.published = Some((rank, date));
                }
            }
            Field::Link => self.offer_link(text, depth, rank.1),
            Field::Guid | Field::Id => {
                if let Some(link) = self.web_page(text) {
                    self.offer_link(link.as_str(), depth, rank.1);
                }
            }
        }
    }

    fn offer_link(&mut self, link: &str, depth: usize, rank: u8) {
        let base = self.bases.last().unwrap_or(self.url);
        if let (Ok(link), Some(item)) = (base.join(link.trim()), &mut self.item) {
            offer(
                &mut item.link,
                (depth.saturating_sub(item.depth), rank),
                link,
            );
        }
    }

    /// An absolute address of the web.
    fn web_page(&self, link: &str) -> Option<Url> {
        let url = Url::parse(link).ok()?;
        matches!(url.scheme(), "http" | "https").then_some(url)
    }

    /// Adds the namespaces and the base that an element declares.
    fn declare(&mut self, attributes: &[(String, String)]) {
        for (key, value) in attributes {
            let prefix = match key.strip_prefix("xmlns") {
                Some("") => "",
                Some(prefix) if prefix.starts_with(':') => &prefix[1..],
                _ => continue,
            };
            let space = Space::of(value).unwrap_or_else(|| Space::of_prefix(prefix));
            self.spaces.push((prefix.to_owned(), space));
        }
        if let Some(base) = value(attributes, &["xml:base"]) {
            let outer = self.bases.last().unwrap_or(self.url);
            if let Ok(base) = outer.join(base.trim()) {
                self.bases.push(base);
            }
        }
    }

    fn space(&self, prefix: &str) -> Space {
        let known = self.spaces.iter().rfind(|(known, _)| known == prefix);
        known.map_or_else(|| Space::of_prefix(prefix), |(_, space)| *space)
    }
}

fn finished(item: Building) -> Item {
    let link = item.link.map(|(_, link)| String::from(link));
    let title = item.title.map(|(_, title)| title);
    let description = item.description.map(|(_, description)| description);
    Item::new(
        link,
        title,
        description,
        item.published.map(|(_, date)| date),
    )
}

/// The attributes of a tag: names in lower case, and values.
fn attributes(tag: &BytesStart<'_>) -> Vec<(String, String)> {
    let mut attributes = tag.html_attributes();
    let attributes = attributes.with_checks(false).filter_map(Result::ok);
    let texts = attributes.map(|attribute| {
        let key = String::from_utf8_lossy(attribute.key.as_ref()).to_lowercase();
        (key, unescaped(&String::from_utf8_lossy(&attribute.value)))
    });
    texts.collect()
}

/// The value of the first attribute that has one of `names`.
fn value<'a>(attributes: &'a [(String, String)], names: &[&str]) -> Option<&'a str> {
    let find = |name: &&str| attributes.iter().find(|(key, _)| key == name);
    let (_, value) = names.iter().find_map(find)?;
    Some(value.trim())
}
