//! Chooses the dates of a page.

use crate::found::{Found, Source};
use crate::machine::machine;
use crate::meta_names::{MODIFIED, PUBLISHED};
use crate::moment::Moment;
use crate::of_path::of_path;
use crate::reader::{Element, Kind};
use crate::select::{Said, source_of};
use crate::written::{Years, written};

impl Said<'_> {
    /// When the page was published.
    pub(crate) fn published(&self) -> Option<Found<Moment>> {
        let structured = self.structured.published.as_deref();
        let declared = structured
            .and_then(|text| self.moment(text, Years::Short))
            .map(|date| Found::new(date, Source::JsonLd))
            .or_else(|| self.dated_meta(&PUBLISHED))
            .or_else(|| {
                let is = |element: &Element| element.kind == Kind::Published;
                self.element(Source::Microdata, Years::Short, is)
            });
        if let Some(declared) = declared {
            // A time in UTC can be of the next day. The address has the day of the author.
            let next_day = |path: &Found<Moment>| {
                let apart = declared.value.date.signed_duration_since(path.value.date);
                declared.value.offset_minutes == Some(0) && apart.num_days().abs() == 1
            };
            let exact = self.in_path(true).filter(next_day);
            return Some(exact.unwrap_or(declared));
        }
        self.in_path(false)
            .or_else(|| self.shown(Years::Full))
            .or_else(|| self.shown(Years::Short))
            .or_else(|| self.in_path(true))
            .or_else(|| self.beside(Kind::Time, false))
            .or_else(|| self.beside(Kind::DateClass, false))
    }

    /// When the page was last changed.
    pub(crate) fn modified(&self) -> Option<Found<Moment>> {
        let structured = self.structured.modified.as_deref();
        structured
            .and_then(|text| self.moment(text, Years::Short))
            .map(|date| Found::new(date, Source::JsonLd))
            .or_else(|| self.dated_meta(&MODIFIED))
            .or_else(|| {
                let is = |element: &Element| element.kind == Kind::Modified;
                self.element(Source::Microdata, Years::Short, is)
            })
            .or_else(|| self.changed_on(Years::Full))
            .or_else(|| self.changed_on(Years::Short))
            .or_else(|| self.beside(Kind::DateClass, true))
    }

    /// The date of publication that people see.
    fn shown(&self, years: Years) -> Option<Found<Moment>> {
        let of_kind = |kind| move |element: &Element| element.kind == kind && !changed(element);
        let published =
            |element: &Element| of_kind(Kind::Time)(element) && published_class(element);
        self.element(Source::Time, years, published)
            .or_else(|| self.element(Source::Time, years, of_kind(Kind::Time)))
            .or_else(|| self.element(Source::Class, years, of_kind(Kind::DateClass)))
            .or_else(|| self.element(Source::Class, years, of_kind(Kind::AuthorClass)))
            .or_else(|| self.text(years, false))
    }

    /// The date of a change that people see.
    fn changed_on(&self, years: Years) -> Option<Found<Moment>> {
        let of_kind = |kind| move |element: &Element| element.kind == kind && changed(element);
        self.element(Source::Time, years, of_kind(Kind::Time))
            .or_else(|| self.element(Source::Class, years, of_kind(Kind::DateClass)))
            .or_else(|| self.text(years, true))
    }

    /// The date of the first element of a kind beside the article: pages wrap their dates in `aside` too.
    fn beside(&self, kind: Kind, of_change: bool) -> Option<Found<Moment>> {
        let elements = self.read.elements.iter();
        let mut elements = elements.filter(|element| {
            element.aside && element.kind == kind && changed(element) == of_change
        });
        let date = elements.find_map(|element| self.dated(element, Years::Short))?;
        let source = if kind == Kind::Time {
            Source::Time
        } else {
            Source::Class
        };
        Some(Found::new(date, source))
    }

    fn in_path(&self, in_title: bool) -> Option<Found<Moment>> {
        let date = of_path(self.address?.path(), in_title)?;
        let believable = date.believable(self.fetched_on);
        believable.then(|| Found::new(date, Source::Url))
    }

    fn moment(&self, text: &str, years: Years) -> Option<Moment> {
        machine(text, &self.reading, years).filter(|moment| moment.believable(self.fetched_on))
    }

    fn written(&self, text: &str, years: Years) -> Option<Moment> {
        written(text, &self.reading, years).filter(|moment| moment.believable(self.fetched_on))
    }

    /// The date in the first of these `meta` that has one.
    fn dated_meta(&self, names: &[&str]) -> Option<Found<Moment>> {
        names.iter().find_map(|name| {
            let of_name = self.read.metas.iter().filter(|(of, _)| of == name);
            let mut dates = of_name.filter_map(|(_, content)| self.moment(content, Years::Short));
            dates.next().map(|date| Found::new(date, source_of(name)))
        })
    }

    /// The date of an element: its value for machines, or its text.
    fn dated(&self, element: &Element, years: Years) -> Option<Moment> {
        let value = Some(element.value.as_str()).filter(|value| !value.is_empty());
        value
            .and_then(|value| self.moment(value, years))
            .or_else(|| self.written(&element.text, years))
    }

    /// The date of the first element that `is`, those after the first heading before the others.
    fn element(
        &self,
        source: Source,
        years: Years,
        is: impl Fn(&Element) -> bool,
    ) -> Option<Found<Moment>> {
        for after_heading in [true, false] {
            let elements = self.read.elements.iter();
            let mut elements = elements.filter(|element| {
                element.after_heading == after_heading && !element.aside && is(element)
            });
            if let Some(date) = elements.find_map(|element| self.dated(element, years)) {
                return Some(Found::new(date, source));
            }
        }
        None
    }

    /// A date in a short text near the first heading.
    fn text(&self, years: Years, of_change: bool) -> Option<Found<Moment>> {
        let mut texts = self
            .read
            .near_texts()
            .iter()
            .filter(|text| text.len() <= 120);
        texts.find_map(|text| {
            let moment = self.written(text, years)?;
            (says_changed(text) == of_change).then_some(Found::new(moment, Source::Text))
        })
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

/// Whether an element has the date of a change. The words before it are surer than its class.
fn changed(element: &Element) -> bool {
    if says_published(&element.before) {
        return false;
    }
    let of_class = ["updated", "modified", "revised", "lastmod"];
    let is_published = element.class.contains("publish");
    (of_class.iter().any(|part| element.class.contains(part)) && !is_published)
        || says_changed(&element.text)
}

/// Whether a text ends by announcing a date of publication: "Published on".
fn says_published(before: &str) -> bool {
    let words = [
        "published",
        "posted",
        "veröffentlicht",
        "erschienen",
        "publié",
        "publicado",
        "pubblicato",
        "gepubliceerd",
        "opublikowano",
        "опубликовано",
        "publicerad",
        "发布",
    ];
    let before = before.to_lowercase();
    words.iter().any(|word| before.contains(word)) && !says_changed(&before)
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
