//! Chooses between what a page says in several places.

use std::fmt;

use chrono::NaiveDate;
use url::Url;

use crate::author;
use crate::json_ld::{self, Structured};
use crate::meta_names::{AUTHOR, DESCRIPTION, IMAGE, MODIFIED, PUBLISHED, SITE};
use crate::moment::{Moment, Order, machine, of_path, written};
use crate::reader::{Element, Kind, MetadataReader};

/// Where a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Source {
    /// A script with schema.org data.
    JsonLd,
    /// `<meta property="og:...">` and `article:...`.
    OpenGraph,
    /// Another `<meta>`.
    Meta,
    /// `<link rel="canonical">`.
    Link,
    /// An element with an `itemprop`.
    Microdata,
    /// A `<time>` element.
    Time,
    /// The page's address.
    Url,
    /// An element whose class or id names a date or an author.
    Class,
    /// The text near the first heading.
    Text,
}

impl Source {
    /// A stable code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsonLd => "json_ld",
            Self::OpenGraph => "open_graph",
            Self::Meta => "meta",
            Self::Link => "link",
            Self::Microdata => "microdata",
            Self::Time => "time",
            Self::Url => "url",
            Self::Class => "class",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A value and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// Where it was found.
    pub source: Source,
}

impl<T> Found<T> {
    fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }
}

/// The metadata of a page. `None` means that it says nothing that can be believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// When the text was first published.
    pub published_at: Option<Found<Moment>>,
    /// When the text was last changed.
    pub modified_at: Option<Found<Moment>>,
    /// The names of the authors, separated by `, `.
    pub author: Option<Found<String>>,
    /// The name of the site or of the publisher.
    pub site_name: Option<Found<String>>,
    /// A summary, whitespace collapsed.
    pub description: Option<Found<String>>,
    /// The address that the page gives itself: absolute, `http` or `https`.
    pub canonical_url: Option<Found<String>>,
    /// The address of the picture of the page: absolute, `http` or `https`.
    pub image: Option<Found<String>>,
    /// The language that the page declares (`<html lang>`), as written.
    pub html_lang: Option<String>,
}

impl Metadata {
    /// The date of the page: of its publication, else of its last change.
    pub fn date(&self) -> Option<NaiveDate> {
        let found = self.published_at.as_ref().or(self.modified_at.as_ref());
        found.map(|found| found.value.date)
    }
}

impl MetadataReader {
    /// Chooses the metadata of the page that was observed. `url` is its address, and `fetched_on` the day
    /// of the fetch in UTC: later dates are refused.
    pub fn finish(self, url: &str, fetched_on: NaiveDate) -> Metadata {
        let address = Url::parse(url).ok();
        let order = match self.html_lang.as_deref().map(str::to_ascii_lowercase) {
            Some(lang)
                if lang == "en" || lang.starts_with("en-us") || lang.starts_with("en_us") =>
            {
                Order::MonthFirst
            }
            None => Order::MonthFirst,
            _ => Order::DayFirst,
        };
        let page = Said {
            structured: json_ld::read(&self.scripts),
            read: &self,
            address: address.as_ref(),
            order,
            fetched_on,
        };
        let site_name = page.site_name();
        Metadata {
            published_at: page.published(),
            modified_at: page.modified(),
            author: page.author(site_name.as_ref().map(|site| site.value.as_str())),
            description: page.description(),
            canonical_url: page.canonical(),
            image: page.image(),
            site_name,
            html_lang: self
                .html_lang
                .clone()
                .filter(|lang| !lang.is_empty() && lang.len() <= 35),
        }
    }

    /// The first content of the first of these names, with its source.
    fn meta(&self, names: &[&str]) -> Option<(&str, Source)> {
        names.iter().find_map(|name| {
            let (name, content) = self.metas.iter().find(|(of, _)| of == name)?;
            Some((content.as_str(), source_of(name)))
        })
    }
}

fn source_of(name: &str) -> Source {
    if name.starts_with("og:") || name.starts_with("article:") {
        Source::OpenGraph
    } else {
        Source::Meta
    }
}

/// A page and what limits its values.
struct Said<'r> {
    structured: Structured,
    read: &'r MetadataReader,
    address: Option<&'r Url>,
    order: Order,
    fetched_on: NaiveDate,
}

impl Said<'_> {
    fn moment(&self, text: &str) -> Option<Moment> {
        machine(text, self.order).filter(|moment| moment.believable(self.fetched_on))
    }

    fn written(&self, text: &str) -> Option<Moment> {
        written(text, self.order).filter(|moment| moment.believable(self.fetched_on))
    }

    /// The date in the first of these `meta` that has one.
    fn dated_meta(&self, names: &[&str]) -> Option<Found<Moment>> {
        names.iter().find_map(|name| {
            let of_name = self.read.metas.iter().filter(|(of, _)| of == name);
            let mut dates = of_name.filter_map(|(_, content)| self.moment(content));
            dates.next().map(|date| Found::new(date, source_of(name)))
        })
    }

    /// The date of an element: its value for machines, or its text.
    fn dated(&self, element: &Element) -> Option<Moment> {
        let value = Some(element.value.as_str()).filter(|value| !value.is_empty());
        value
            .and_then(|value| self.moment(value))
            .or_else(|| self.written(&element.text))
    }

    /// The date of the first element that `is`, those after the first heading before the others.
    fn element(&self, source: Source, is: impl Fn(&Element) -> bool) -> Option<Found<Moment>> {
        for after_heading in [true, false] {
            let elements = self.read.elements.iter();
            let mut elements = elements.filter(|element| {
                element.after_heading == after_heading && !element.aside && is(element)
            });
            if let Some(date) = elements.find_map(|element| self.dated(element)) {
                return Some(Found::new(date, source));
            }
        }
        None
    }

    /// The date of the first element that `is` beside the article: pages wrap their dates in `aside` too.
    fn element_beside(
        &self,
        source: Source,
        is: impl Fn(&Element) -> bool,
    ) -> Option<Found<Moment>> {
        let elements = self.read.elements.iter();
        let mut elements = elements.filter(|element| element.aside && is(element));
        let date = elements.find_map(|element| self.dated(element))?;
        Some(Found::new(date, source))
    }

    fn published(&self) -> Option<Found<Moment>> {
        let structured = self.structured.published.as_deref();
        let structured = structured.and_then(|text| self.moment(text));
        let declared = structured
            .map(|date| Found::new(date, Source::JsonLd))
            .or_else(|| self.dated_meta(&PUBLISHED))
            .or_else(|| self.element(Source::Microdata, |element| element.kind == Kind::Published));
        let path = |before_title| {
            let path = self
                .address
                .and_then(|url| of_path(url.path(), before_title));
            path.filter(|date| date.believable(self.fetched_on))
        };
        if let Some(declared) = declared {
            // A time in UTC can be of the next day. The address has the day of the author.
            let next_day = |path: &Moment| {
                let apart = declared.value.date.signed_duration_since(path.date);
                declared.value.offset_minutes == Some(0) && apart.num_days().abs() == 1
            };
            let exact = path(true).filter(next_day);
            return Some(exact.map_or(declared, |date| Found::new(date, Source::Url)));
        }
        let of_kind = |kind| move |element: &Element| element.kind == kind && !changed(element);
        path(false)
            .map(|date| Found::new(date, Source::Url))
            .or_else(|| {
                let is = |element: &Element| element.kind == Kind::Time && published_class(element);
                self.element(Source::Time, is)
            })
            .or_else(|| self.element(Source::Time, of_kind(Kind::Time)))
            .or_else(|| self.element(Source::Class, of_kind(Kind::DateClass)))
            .or_else(|| self.element(Source::Class, of_kind(Kind::AuthorClass)))
            .or_else(|| self.text(false))
            .or_else(|| path(true).map(|date| Found::new(date, Source::Url)))
            .or_else(|| self.element_beside(Source::Time, of_kind(Kind::Time)))
            .or_else(|| self.element_beside(Source::Class, of_kind(Kind::DateClass)))
    }

    fn modified(&self) -> Option<Found<Moment>> {
        let structured = self.structured.modified.as_deref();
        let structured = structured.and_then(|text| self.moment(text));
        structured
            .map(|date| Found::new(date, Source::JsonLd))
            .or_else(|| self.dated_meta(&MODIFIED))
            .or_else(|| self.element(Source::Microdata, |element| element.kind == Kind::Modified))
            .or_else(|| {
                self.element(Source::Time, |element| {
                    element.kind == Kind::Time && changed(element)
                })
            })
            .or_else(|| {
                self.element(Source::Class, |element| {
                    element.kind == Kind::DateClass && changed(element)
                })
            })
            .or_else(|| self.text(true))
            .or_else(|| {
                self.element_beside(Source::Class, |element| {
                    element.kind == Kind::DateClass && changed(element)
                })
            })
    }

    /// A date in a short text after the first heading.
    fn text(&self, of_change: bool) -> Option<Found<Moment>> {
        let mut texts = self
            .read
            .near_texts()
            .iter()
            .filter(|text| text.len() <= 120);
        texts.find_map(|text| {
            let moment = self.written(text)?;
            (says_changed(text) == of_change).then_some(Found::new(moment, Source::Text))
        })
    }

    /// The author: first one that is not the site itself.
    fn author(&self, site: Option<&str>) -> Option<Found<String>> {
        let site = site.or(self.structured.site.as_deref());
        self.author_but(site).or_else(|| self.author_but(None))
    }

    /// The author, unless it has the name of the site.
    fn author_but(&self, site: Option<&str>) -> Option<Found<String>> {
        let names =
            |names: &[&str], source| author::join(names, site).map(|name| Found::new(name, source));
        let structured: Vec<&str> = self.structured.authors.iter().map(String::as_str).collect();
        if let Some(found) = names(&structured, Source::JsonLd) {
            return Some(found);
        }
        for name in AUTHOR {
            let of_name: Vec<&str> = (self.read.metas.iter().filter(|(of, _)| of == name))
                .map(|(_, content)| content.as_str())
                .collect();
            let of_name = if name == "twitter:data1" {
                let label = self.read.meta(&["twitter:label1"]);
                let says = label.is_some_and(|(label, _)| author::says_author(label));
                if says { of_name } else { Vec::new() }
            } else {
                of_name
            };
            if let Some(found) = names(&of_name, source_of(name)) {
                return Some(found);
            }
        }
        for (kind, source) in [
            (Kind::Author, Source::Microdata),
            (Kind::AuthorClass, Source::Class),
        ] {
            for after_heading in [true, false] {
                let elements = self.read.elements.iter();
                let elements = elements.filter(|element| {
                    element.kind == kind && !element.aside && element.after_heading == after_heading
                });
                for element in elements {
                    let text = if element.value.is_empty() {
                        &element.text
                    } else {
                        &element.value
                    };
                    if let Some(found) = names(&[author::without_date(text)], source) {
                        return Some(found);
                    }
                }
            }
        }
        let texts = self.read.near_texts();
        texts.iter().enumerate().find_map(|(at, text)| {
            let next = texts.get(at + 1).map(String::as_str);
            let name = author::in_byline(text).or_else(|| author::after_label(text, next))?;
            names(&[name], Source::Text)
        })
    }

    fn site_name(&self) -> Option<Found<String>> {
        let from_meta = self.read.meta(&SITE);
        let from_meta =
            from_meta.and_then(|(name, source)| Some(Found::new(collapsed(name)?, source)));
        let structured = || {
            Some(Found::new(
                collapsed(self.structured.site.as_deref()?)?,
                Source::JsonLd,
            ))
        };
        from_meta.or_else(structured)
    }

    fn description(&self) -> Option<Found<String>> {
        let from_meta = self.read.meta(&DESCRIPTION);
        let from_meta =
            from_meta.and_then(|(text, source)| Some(Found::new(collapsed(text)?, source)));
        let structured = || {
            Some(Found::new(
                collapsed(self.structured.description.as_deref()?)?,
                Source::JsonLd,
            ))
        };
        from_meta.or_else(structured)
    }

    fn canonical(&self) -> Option<Found<String>> {
        let link = self
            .read
            .canonical
            .as_deref()
            .and_then(|href| self.absolute(href));
        let link = link.map(|url| Found::new(url, Source::Link));
        link.or_else(|| {
            let (url, source) = self.read.meta(&["og:url"])?;
            Some(Found::new(self.absolute(url)?, source))
        })
    }

    fn image(&self) -> Option<Found<String>> {
        let from_meta = self.read.meta(&IMAGE);
        let from_meta =
            from_meta.and_then(|(url, source)| Some(Found::new(self.absolute(url)?, source)));
        let structured = || {
            Some(Found::new(
                self.absolute(self.structured.image.as_deref()?)?,
                Source::JsonLd,
            ))
        };
        from_meta.or_else(structured)
    }

    /// An address of the web, absolute.
    fn absolute(&self, href: &str) -> Option<String> {
        let joined = match self.address {
            Some(base) => base.join(href.trim()),
            None => Url::parse(href.trim()),
        };
        let joined = joined.ok()?;
        matches!(joined.scheme(), "http" | "https").then(|| joined.into())
    }
}

fn published_class(element: &Element) -> bool {
    let says = [
        "publish",
        "posted",
        "pubdate",
        "entry-date",
        "post-date",
        "created",
    ];
    says.iter().any(|part| element.class.contains(part)) && !changed(element)
}

/// Whether an element has the date of a change.
fn changed(element: &Element) -> bool {
    let of_class = ["updated", "modified", "revised", "lastmod"];
    let is_published = element.class.contains("publish");
    (of_class.iter().any(|part| element.class.contains(part)) && !is_published)
        || says_changed(&element.text)
}

/// Whether a text says that its date is that of a change.
fn says_changed(text: &str) -> bool {
    let text = text.to_lowercase();
    let words = [
        "updated",
        "modified",
        "revised",
        "edited",
        "reviewed",
        "aktualisiert",
        "geändert",
        "mis à jour",
        "modifié",
        "actualizado",
        "aggiornato",
        "atualizado",
        "bijgewerkt",
        "aktualizacja",
        "обновлено",
        "更新",
        "ενημέρωση",
    ];
    words.iter().any(|word| text.contains(word))
}

/// A text with its whitespace collapsed; `None` if it is empty.
fn collapsed(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}
