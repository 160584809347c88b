//! The verdicts of a chunk about the parts of its URLs.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use tables::{DateRange, days_from_date};
use url_key::{Keyer, PageUrl, UrlKey, UrlParts, may_have_parts};
use url_parameters::{KeyDates, SlotChange, Verdict, Verdicts};

use crate::settings::Settings;
use crate::spec::Queries;

/// A row of the archive: object and position.
pub(crate) type RowPosition = (String, i64);

/// Verdicts about the parts of URLs on each date of a chunk, and the pages that were compared.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Learned {
    pub(crate) verdicts: Verdicts,
    /// Rows with the content of an earlier page, with the position of that page: `source#row`.
    pub(crate) same_content: HashMap<RowPosition, String>,
    /// Rows that were compared and have no text. They are not the first page of any key.
    pub(crate) without_text: HashSet<RowPosition>,
    /// The rows for `url_parameters`, by domain. No step reads them.
    #[serde(skip)]
    pub(crate) changes: Vec<(String, SlotChange)>,
}

impl Learned {
    /// The key of a page on `date`, in days since 1970.
    pub(crate) fn key(
        &self,
        settings: &Settings,
        url: &PageUrl,
        title: Option<&str>,
        date: i32,
    ) -> UrlKey {
        if settings.site.queries == Queries::Drop {
            return settings.site.keyer.key(url, title);
        }
        self.key_on(&settings.site.keyer, url, title, date)
    }

    /// Whether a row was compared and has no text.
    pub(crate) fn has_no_text(&self, (source, row): (&str, i64)) -> bool {
        !self.without_text.is_empty() && self.without_text.contains(&(source.to_owned(), row))
    }

    /// The position of the page with the content of this row.
    pub(crate) fn original(&self, source: &str, row: i64) -> Option<&str> {
        if self.same_content.is_empty() {
            return None;
        }
        let position = (source.to_owned(), row);
        self.same_content.get(&position).map(String::as_str)
    }

    fn key_on(&self, keyer: &Keyer, url: &PageUrl, title: Option<&str>, date: i32) -> UrlKey {
        if self.verdicts.is_empty() {
            return keyer.key_with_parts(url, title, |_, _| false);
        }
        keyer.key_with_parts(url, title, |parts, kind| {
            self.verdicts.of(parts, kind, date) == Verdict::Noise
        })
    }

    /// The keys of the page at `url` on the dates from `first` to the end of `chunk`, if its URL
    /// has parts that nothing but a verdict decides about.
    ///
    /// `key` is the key of the page on `date`, the date of the page.
    pub(crate) fn keys(
        &self,
        settings: &Settings,
        (url, key, date): (&str, &str, i32),
        first: i32,
        chunk: DateRange,
    ) -> Vec<(KeyDates, String)> {
        let last = days_from_date(chunk.last());
        if !self.verdicts.may_change((url, key), date, last) {
            return Vec::new();
        }
        let Some((url, parts)) = parts(&settings.site.keyer, url) else {
            return Vec::new();
        };
        let end = last.saturating_add(1);
        let first = first.max(days_from_date(chunk.first()));
        let dates = self.verdicts.key_dates(&parts, first, end);
        dates
            .into_iter()
            .map(|dates| {
                let key = self
                    .key_on(&settings.site.keyer, &url, None, dates.from)
                    .text;
                (dates, key)
            })
            .collect()
    }
}

/// Parses a URL that has parts. Returns `None` for any other, mostly without parsing it.
pub(crate) fn parts(keyer: &Keyer, url: &str) -> Option<(PageUrl, UrlParts)> {
    if !may_have_parts(url) {
        return None;
    }
    let url = keyer.parse(url).ok()?;
    let parts = keyer.parts(&url)?;
    (!parts.parts.is_empty()).then_some((url, parts))
}
