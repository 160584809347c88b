//! Chooses between what a page says in several places.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::author;
use crate::found::{Found, Source};
use crate::json_ld::{self, Structured};
use crate::licence::licence_at;
use crate::meta_names::{AUTHOR, DESCRIPTION, IMAGE, LANGUAGE, LICENCE, SITE};
use crate::moment::Moment;
use crate::reader::{Element, Kind, MetadataReader};
use crate::reading::{Reading, order_of};

/// The metadata of a page. `None` means that it says nothing that can be believed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The licence of the page, by its address: `CC-BY-SA-4.0`, as [`licence_at`](crate::licence_at) names it.
    pub licence: Option<Found<String>>,
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
        let page = Said {
            structured: json_ld::read(&self.scripts),
            read: &self,
            address: address.as_ref(),
            reading: self.reading(address.as_ref()),
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
            licence: page.licence(),
            site_name,
            html_lang: self
                .html_lang
                .clone()
                .filter(|lang| !lang.is_empty() && lang.len() <= 35),
        }
    }

    /// What decides between readings of a date: the declared language, the address, and at last the page's
    /// other dates.
    fn reading(&self, address: Option<&Url>) -> Reading {
        let declared = self
            .html_lang
            .as_deref()
            .filter(|lang| !lang.trim().is_empty());
        let declared = declared.or_else(|| self.meta(&LANGUAGE).map(|(language, _)| language));
        let elements = self.elements.iter().map(|element| &element.text);
        let mut shown = elements.chain(self.near_texts());
        Reading::new(declared, address, || shown.find_map(|text| order_of(text)))
    }

    /// The first content of the first of these names, with its source.
    fn meta(&self, names: &[&str]) -> Option<(&str, Source)> {
        names.iter().find_map(|name| {
            let (name, content) = self.metas.iter().find(|(of, _)| of == name)?;
            Some((content.as_str(), source_of(name)))
        })
    }
}

pub(crate) fn source_of(name: &str) -> Source {
    if name.starts_with("og:") || name.starts_with("article:") {
        Source::OpenGraph
    } else {
        Source::Meta
    }
}

/// A page and what limits its values.
pub(crate) struct Said<'r> {
    pub(crate) structured: Structured,
    pub(crate) read: &'r MetadataReader,
    pub(crate) address: Option<&'r Url>,
    pub(crate) reading: Reading,
    pub(crate) fetched_on: NaiveDate,
}

impl Said<'_> {
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
        for kind in [Kind::Author, Kind::AuthorLink, Kind::AuthorClass] {
            for after_heading in [true, false] {
                let elements = self.read.elements.iter().filter(|element| {
                    element.kind == kind && !element.aside && element.after_heading == after_heading
                });
                let mut found = elements.filter_map(|element| self.shown_author(element, site));
                if let Some(name) = found.next() {
                    let source = match kind {
                        Kind::Author => Source::Microdata,
                        _ => Source::Class,
                    };
                    return Some(Found::new(name, source));
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

    /// The author in an element: its value for machines, or its text if that can be a name.
    fn shown_author(&self, element: &Element, site: Option<&str>) -> Option<String> {
        let name = match element.value.as_str() {
            "" => author::shown(&element.text)?,
            value => author::without_date(value),
        };
        author::join(&[name], site)
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

    /// The licence: what the page declares, else the one that all its links to licences lead to.
    fn licence(&self) -> Option<Found<String>> {
        let structured = self.structured.licence.as_deref().and_then(licence_at);
        if let Some(name) = structured {
            return Some(Found::new(name, Source::JsonLd));
        }
        let of = |source| (self.read.licences.iter()).filter(move |found| found.source == source);
        let declared = [Source::Link, Source::Microdata];
        if let Some(found) = declared.into_iter().find_map(|source| of(source).next()) {
            return Some(found.clone());
        }
        let metas = self
            .read
            .metas
            .iter()
            .filter(|(name, _)| LICENCE.contains(&&**name));
        if let Some(name) = metas
            .into_iter()
            .find_map(|(_, content)| licence_at(content))
        {
            return Some(Found::new(name, Source::Meta));
        }
        let first = of(Source::Anchor).next()?;
        of(Source::Anchor)
            .all(|found| found == first)
            .then(|| first.clone())
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

/// A text with its whitespace collapsed; `None` if it is empty.
fn collapsed(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}
