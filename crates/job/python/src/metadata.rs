//! Metadata of a page.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use metadata::{Found, Moment};
use pyo3::prelude::*;

use crate::pickled::{pickled, unpickled};

/// Dates, author, site and the like, as the page declares them.
#[pyclass(frozen, module = "urltree")]
pub(crate) struct Metadata {
    said: metadata::Metadata,
    /// When the text was published, or None.
    #[pyo3(get)]
    published_at: Option<DateTime<Utc>>,
    /// When the text was last changed, or None.
    #[pyo3(get)]
    modified_at: Option<DateTime<Utc>>,
    /// Names of the authors, separated by a comma and a space, or None.
    #[pyo3(get)]
    author: Option<String>,
    /// Name of the site or of the publisher, or None.
    #[pyo3(get)]
    site_name: Option<String>,
    /// Summary of the page, or None.
    #[pyo3(get)]
    description: Option<String>,
    /// URL that the page gives itself, or None.
    #[pyo3(get)]
    canonical_url: Option<String>,
    /// URL of the picture of the page, or None.
    #[pyo3(get)]
    image: Option<String>,
    /// Licence that the page links to, in the form of SPDX, such as CC-BY-SA-4.0, or None.
    #[pyo3(get)]
    licence: Option<String>,
    /// Language that the page declares, or None.
    #[pyo3(get)]
    html_lang: Option<String>,
    /// Where each value was found: json_ld, open_graph, meta, link, microdata, time, url, class, text or anchor.
    #[pyo3(get)]
    sources: BTreeMap<&'static str, &'static str>,
}

impl Metadata {
    pub(crate) fn new(said: metadata::Metadata) -> Self {
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
            said,
        }
    }
}

#[pymethods]
impl Metadata {
    /// Makes metadata of the state of a pickle.
    #[new]
    fn of_state(state: &str) -> PyResult<Self> {
        unpickled(state).map(Self::new)
    }

    fn __getnewargs__(&self) -> PyResult<(String,)> {
        Ok((pickled(&self.said)?,))
    }

    fn __repr__(&self) -> String {
        let published = self.published_at.map(|at| at.to_rfc3339());
        format!(
            "Metadata(published_at={published:?}, author={:?}, site_name={:?})",
            self.author, self.site_name
        )
    }
}
