//! Metadata of a page.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use metadata::{Found, Moment};
use pyo3::prelude::*;

/// Dates, author, site and the like, as the page declares them.
#[pyclass(frozen, get_all, module = "urltree")]
pub(crate) struct Metadata {
    /// When the text was published, or None.
    published_at: Option<DateTime<Utc>>,
    /// When the text was last changed, or None.
    modified_at: Option<DateTime<Utc>>,
    /// Names of the authors, separated by a comma and a space, or None.
    author: Option<String>,
    /// Name of the site or of the publisher, or None.
    site_name: Option<String>,
    /// Summary of the page, or None.
    description: Option<String>,
    /// URL that the page gives itself, or None.
    canonical_url: Option<String>,
    /// URL of the picture of the page, or None.
    image: Option<String>,
    /// Licence that the page links to, in the form of SPDX, such as CC-BY-SA-4.0, or None.
    licence: Option<String>,
    /// Language that the page declares, or None.
    html_lang: Option<String>,
    /// Where each value was found: json_ld, open_graph, meta, link, microdata, time, url, class, text or anchor.
    sources: BTreeMap<&'static str, &'static str>,
}

impl Metadata {
    pub(crate) fn new(said: &metadata::Metadata) -> Self {
        let mut sources = BTreeMap::new();
        let mut text = |name, found: &Option<Found<String>>| {
            let found = found.as_ref()?;
            sources.insert(name, found.source.as_str());
            Some(found.value.clone())
        };
        let author = text("author", &said.author);
        let site_name = text("site_name", &said.site_name);
        let description = text("description", &said.description);
        let canonical_url = text("canonical_url", &said.canonical_url);
        let image = text("image", &said.image);
        let licence = text("licence", &said.licence);
        let mut time = |name, found: &Option<Found<Moment>>| {
            let found = found.as_ref()?;
            sources.insert(name, found.source.as_str());
            Some(found.value.utc().and_utc())
        };
        Self {
            published_at: time("published_at", &said.published_at),
            modified_at: time("modified_at", &said.modified_at),
            author,
            site_name,
            description,
            canonical_url,
            image,
            licence,
            html_lang: said.html_lang.clone(),
            sources,
        }
    }
}

#[pymethods]
impl Metadata {
    fn __repr__(&self) -> String {
        let published = self.published_at.map(|at| at.to_rfc3339());
        format!(
            "Metadata(published_at={published:?}, author={:?}, site_name={:?})",
            self.author, self.site_name
        )
    }
}
