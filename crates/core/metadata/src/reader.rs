//! Collects what a page says about itself, while its blocks are built.

use html_blocks::{Observer, Opened, TextBlock};

use crate::found::{Found, Source};
use crate::json_ld::SCRIPT_BYTES;
use crate::licence::licence_at;

/// Bytes of the text of an element that are kept.
const TEXT_BYTES: usize = 300;
/// Bytes of the text before an element that are kept.
const BEFORE_BYTES: usize = 40;
/// Elements that are kept per page. Lists of articles have hundreds of dates.
const FOUND: usize = 200;
/// Short texts before and after the first heading that are kept.
const TEXTS_BEFORE: usize = 20;
const TEXTS_AFTER: usize = 60;
/// Links to licences that are kept.
const LICENCES: usize = 50;
/// Elements whose text is being read at one time.
const OPEN: usize = 8;

/// Observes a page for its metadata. Give it to [`html_blocks::page_with`], and then call
/// [`MetadataReader::finish`](crate::MetadataReader::finish).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataReader {
    /// Contents of `meta`, with their names in lower case.
    pub(crate) metas: Vec<(String, String)>,
    pub(crate) canonical: Option<String>,
    pub(crate) html_lang: Option<String>,
    /// Licences that links lead to, in source order.
    pub(crate) licences: Vec<Found<String>>,
    pub(crate) scripts: Vec<String>,
    pub(crate) elements: Vec<Element>,
    /// The short texts around the first heading: the last ones before it, and those after it.
    texts: Vec<String>,
    /// The first short texts of the page, for a page without a heading.
    first_texts: Vec<String>,
    script_bytes: usize,
    /// The open script is JSON-LD.
    in_json: bool,
    /// Elements in boilerplate: the depth of the outermost one.
    aside: Option<usize>,
    reading: Vec<Reading>,
    /// The open `article` that no other has inside: its depth.
    outermost: Option<usize>,
    /// The depth of the open `article` that is the page's: the first one, or the one with the first heading.
    article: Option<usize>,
    articles: usize,
    /// The text before the next element, in its block.
    before: String,
    /// The elements before the first `h1` are before the article.
    headings: usize,
    texts_after_heading: usize,
}

/// An element that can have a date or an author.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) kind: Kind,
    /// A value for machines: `datetime`, `content` or `title`.
    pub(crate) value: String,
    pub(crate) text: String,
    /// Class and id, in lower case.
    pub(crate) class: String,
    /// The text before it in its block: "Published on".
    pub(crate) before: String,
    /// Inside of `aside`, `footer`, `nav`, comments, or lists of other articles.
    pub(crate) aside: bool,
    /// A heading of the page is before it.
    pub(crate) after_heading: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `itemprop="datePublished"` and its like.
    #[default]
    Published,
    Modified,
    /// `itemprop="author"`.
    Author,
    /// `time`.
    Time,
    /// A class or an id that names a date.
    DateClass,
    /// `rel="author"`.
    AuthorLink,
    /// A class or an id that names an author.
    AuthorClass,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Reading {
    element: usize,
    end: End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// Elements of this depth and deeper are closed.
    Depth(usize),
    /// The end tag of an inline element.
    Name(String),
}

impl MetadataReader {
    /// Returns the short texts near the place where an article begins: the first `h1`, or the begin of
    /// a page without one.
    pub(crate) fn near_texts(&self) -> &[String] {
        if self.headings == 0 {
            &self.first_texts
        } else {
            &self.texts
        }
    }

    fn close(&mut self, depth: usize) {
        self.reading
            .retain(|reading| !matches!(reading.end, End::Depth(open) if open >= depth));
        for open in [&mut self.aside, &mut self.outermost, &mut self.article] {
            *open = open.filter(|open| *open < depth);
        }
    }

    /// Notes a link to the text of a licence.
    fn read_licence(&mut self, tag: &Opened<'_>) {
        let href = tag.attribute("href").unwrap_or_default();
        let Some(name) = licence_at(&href).filter(|_| self.licences.len() < LICENCES) else {
            return;
        };
        // `rel="cc:license"` is of RDFa.
        let says = |attribute| {
            let value = tag.attribute(attribute).unwrap_or_default();
            let mut names = value.split_ascii_whitespace().map(str::to_ascii_lowercase);
            names.any(|name| name == "license" || name.ends_with(":license"))
        };
        let source = match tag.name() {
            _ if says("rel") => Source::Link,
            _ if says("itemprop") => Source::Microdata,
            "a" | "area" => Source::Anchor,
            _ => return,
        };
        self.licences.push(Found::new(name, source));
    }

    fn read_meta(&mut self, tag: &Opened<'_>) {
        let Some(content) = tag.attribute("content") else {
            return;
        };
        let content = content.trim();
        if content.is_empty() || content.len() > 4096 || self.metas.len() == FOUND {
            return;
        }
        for attribute in ["property", "name", "itemprop", "http-equiv"] {
            if let Some(name) = tag.attribute(attribute) {
                let names = name.split_ascii_whitespace();
                let metas = names.map(|name| (name.to_ascii_lowercase(), content.to_owned()));
                self.metas.extend(metas);
                return;
            }
        }
    }

    /// Notes an element that can have a date or an author, and reads its text.
    fn element(&mut self, tag: &Opened<'_>, class: String) {
        if self.elements.len() == FOUND || self.reading.len() == OPEN {
            return;
        }
        let property = tag.attribute("itemprop").unwrap_or_default();
        let property = |name: &str| {
            property
                .split_ascii_whitespace()
                .any(|of| of.eq_ignore_ascii_case(name))
        };
        let rel = tag.attribute("rel").unwrap_or_default();
        let title_has_time =
            || (tag.attribute("title")).is_some_and(|title| begins_with_time(&title));
        let kind = if property("datePublished") || property("dateCreated") {
            Kind::Published
        } else if property("dateModified") {
            Kind::Modified
        } else if property("author") || property("creator") {
            Kind::Author
        } else if tag.name() == "time" {
            Kind::Time
        } else if rel.split_ascii_whitespace().any(|rel| rel == "author") {
            Kind::AuthorLink
        } else if author_class(&class) {
            Kind::AuthorClass
        } else if date_class(&class) || title_has_time() {
            Kind::DateClass
        } else {
            return;
        };
        let value = ["datetime", "content"]
            .iter()
            .find_map(|name| tag.attribute(name));
        let value = value.or_else(|| {
            tag.attribute("title")
                .filter(|_| matches!(kind, Kind::DateClass | Kind::Published))
        });
        self.elements.push(Element {
            kind,
            value: value.unwrap_or_default().trim().to_owned(),
            text: String::new(),
            class,
            before: self.before.clone(),
            aside: self.aside.is_some(),
            after_heading: self.headings > 0,
        });
        let end = match tag.depth() {
            Some(depth) => End::Depth(depth),
            None if matches!(tag.name(), "meta" | "link" | "img" | "input" | "br") => return,
            None => End::Name(tag.name().to_owned()),
        };
        self.reading.push(Reading {
            element: self.elements.len() - 1,
            end,
        });
    }
}

/// Whether a class or id, in lower case, names an author. It is read by words: `authorization`, `authority`
/// and `underwriters` are others.
fn author_class(class: &str) -> bool {
    let words = || class.split(|c: char| !c.is_alphanumeric());
    let pair = |first: &str, second: &str| {
        let mut pairs = words().zip(words().skip(1));
        pairs.any(|pair| pair == (first, second))
    };
    words().any(is_author_word)
        || pair("by", "line")
        || pair("posted", "by")
        || pair("submitted", "by")
        || pair("written", "by")
        || pair("fn", "n")
}

/// Whether a word of a class, in lower case, names an author: `author`, `postauthor`, `authorname`.
fn is_author_word(word: &str) -> bool {
    const NAMES: [&str; 5] = ["author", "autor", "auteur", "autore", "writer"];
    const AROUND: [&str; 23] = [
        "s", "es", "post", "posts", "entry", "article", "blog", "story", "news", "page", "content",
        "by", "name", "names", "link", "info", "meta", "date", "line", "url", "text", "data",
        "field",
    ];
    let compound = |name: &str| {
        word.strip_prefix(name)
            .or_else(|| word.strip_suffix(name))
            .is_some_and(|rest| rest.is_empty() || AROUND.contains(&rest))
    };
    matches!(
        word,
        "username"
            | "postedby"
            | "writtenby"
            | "contributor"
            | "contributors"
            | "verfasser"
            | "redakteur"
    ) || word.contains("byline")
        || NAMES.into_iter().any(compound)
}

/// Whether a class or id, in lower case, names a date.
fn date_class(class: &str) -> bool {
    class.split([' ', '-', '_']).any(|word| {
        matches!(
            word,
            "date"
                | "dates"
                | "datetime"
                | "pubdate"
                | "published"
                | "posted"
                | "time"
                | "timestamp"
                | "datum"
                | "fecha"
                | "data"
                | "meta"
                | "byline"
                | "dateline"
                | "updated"
                | "publish"
                | "postdate"
                | "lastmod"
                | "postdetails"
                | "postinfo"
        ) || word.starts_with("date")
            || word.ends_with("date")
            || word.ends_with("metadata")
    })
}

/// Whether a text begins with a time of ISO 8601: `2006-08-18T12:55:53Z in Timeline`, as trackers write it
/// into `title`.
fn begins_with_time(text: &str) -> bool {
    let bytes = text.trim_start().as_bytes();
    let shape = b"0000-00-00T00:00";
    bytes.len() >= shape.len()
        && shape.iter().zip(bytes).all(|(shape, byte)| match shape {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

/// Whether an element is beside the article: its dates and authors are of other articles or of comments.
/// A footer inside of the page's article is that of the article.
fn beside(name: &str, class: &str, in_article: bool) -> bool {
    if in_article && (name == "footer" || class.contains("footer")) {
        return BESIDE
            .iter()
            .any(|part| *part != "footer" && class.contains(part));
    }
    matches!(name, "aside" | "footer" | "nav") || BESIDE.iter().any(|part| class.contains(part))
}

/// Parts of classes of elements beside the article.
const BESIDE: [&str; 12] = [
    "comment",
    "related",
    "sidebar",
    "widget",
    "footer",
    "recommend",
    "popular",
    "recent",
    "carousel",
    "trending",
    "more-",
    "teaser",
];

/// Adds a text as browsers show it: its whitespace is one space. Templates end a line between a name and the
/// next element, so a line end at the begin or the end of the text is kept.
fn push_line(out: &mut String, text: &str) {
    let words = text.trim();
    let begin = &text[..text.len() - text.trim_start().len()];
    let end = &text[begin.len() + words.len()..];
    let space = |white: &str| match white {
        "" => "",
        white if white.contains('\n') => "\n",
        _ => " ",
    };
    out.push_str(space(begin));
    for (at, word) in words.split_whitespace().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
    if !words.is_empty() {
        out.push_str(space(end));
    }
}

impl Observer for MetadataReader {
    fn start(&mut self, tag: &Opened<'_>) {
        if let Some(depth) = tag.depth() {
            self.close(depth);
        }
        match tag.name() {
            "meta" => {
                self.read_meta(tag);
                if tag.attribute("itemprop").is_some() {
                    self.element(tag, String::new());
                }
                return;
            }
            "link" => {
                let is = |rel: &str| {
                    let value = tag.attribute("rel").unwrap_or_default();
                    value
                        .split_ascii_whitespace()
                        .any(|of| of.eq_ignore_ascii_case(rel))
                };
                if self.canonical.is_none() && is("canonical") {
                    self.canonical = tag.attribute("href").map(|href| href.trim().to_owned());
                }
                self.read_licence(tag);
                return;
            }
            "html" => self.html_lang = tag.attribute("lang").map(|lang| lang.trim().to_owned()),
            "script" => {
                let kind = tag.attribute("type").unwrap_or_default();
                self.in_json = kind.trim().eq_ignore_ascii_case("application/ld+json");
                return;
            }
            "h1" => {
                // The article with the first heading is that of the page.
                if self.headings == 0 && self.outermost.is_some() {
                    self.article = self.outermost;
                }
                self.headings += 1;
            }
            "article" if self.outermost.is_none() => {
                self.outermost = tag.depth();
                self.articles += 1;
                self.article = self.outermost.filter(|_| self.articles == 1);
            }
            "a" | "area" => self.read_licence(tag),
            "img" | "br" | "svg" | "input" | "style" => return,
            _ => {}
        }
        let class = tag.attribute("class").unwrap_or_default();
        let id = tag.attribute("id").unwrap_or_default();
        let class = [class, id]
            .map(|value| value.to_ascii_lowercase())
            .join(" ");
        let class = class.trim().to_owned();
        if self.aside.is_none()
            && beside(tag.name(), &class, self.article.is_some())
            && !matches!(tag.name(), "body" | "html")
        {
            self.aside = tag.depth();
        }
        self.element(tag, class);
    }

    fn end(&mut self, name: &str, open: usize, _: usize) {
        self.in_json &= name != "script";
        self.close(open + 1);
        let ends = |reading: &Reading| matches!(&reading.end, End::Name(of) if of == name);
        if let Some(at) = self.reading.iter().rposition(ends) {
            self.reading.truncate(at);
        }
    }

    fn text(&mut self, text: &str, _: usize) {
        for reading in &self.reading {
            let read = &mut self.elements[reading.element].text;
            if read.len() < TEXT_BYTES {
                push_line(read, &text[..text.floor_char_boundary(TEXT_BYTES)]);
            }
        }
        let text = text.trim();
        if !text.is_empty() {
            self.before.clear();
            self.before
                .push_str(&text[..text.floor_char_boundary(BEFORE_BYTES)]);
        }
    }

    fn script(&mut self, source: &str) {
        if self.in_json && self.script_bytes + source.len() <= SCRIPT_BYTES {
            self.script_bytes += source.len();
            self.scripts.push(source.to_owned());
        }
    }

    fn block(&mut self, block: &TextBlock) {
        for reading in &self.reading {
            self.elements[reading.element].text.push('\n');
        }
        self.before.clear();
        if self.aside.is_some() || block.text.len() > TEXT_BYTES {
            return;
        }
        if self.headings == 0 {
            if self.first_texts.len() < TEXTS_AFTER {
                self.first_texts.push(block.text.clone());
            }
            // Of the texts before the first heading, the last are the nearest to it.
            if self.texts.len() == TEXTS_BEFORE {
                self.texts.remove(0);
            }
            self.texts.push(block.text.clone());
        } else if self.texts_after_heading < TEXTS_AFTER {
            self.texts_after_heading += 1;
            self.texts.push(block.text.clone());
        }
    }
}
