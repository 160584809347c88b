//! A site in memory.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use site_text::{Fetched, PageText, SiteError};

use crate::errors::{InternalError, site_exception};
use crate::html::Html;
use crate::page::Page;
use crate::settings::site_settings;

/// A site behind a mutex. `urltree.Site` has the documentation.
#[pyclass(frozen, module = "urltree")]
pub(crate) struct Site {
    site: Mutex<site_text::Site>,
}

/// An error of a call that ran detached from the interpreter.
enum Failed {
    Site(SiteError),
    Poisoned,
}

impl From<SiteError> for Failed {
    fn from(error: SiteError) -> Self {
        Self::Site(error)
    }
}

impl<T> From<PoisonError<T>> for Failed {
    fn from(_: PoisonError<T>) -> Self {
        Self::Poisoned
    }
}

impl Failed {
    fn raised(self) -> PyErr {
        match self {
            Self::Site(error) => site_exception(&error),
            Self::Poisoned => InternalError::new_err(
                "an earlier call panicked in the middle of a change; make another Site",
            ),
        }
    }
}

impl Site {
    fn lock(&self) -> Result<MutexGuard<'_, site_text::Site>, Failed> {
        Ok(self.site.lock()?)
    }

    /// Runs `call` with the site and a page, detached from the interpreter.
    fn with_page<T: Send>(
        &self,
        py: Python<'_>,
        page: &Argument<'_>,
        call: impl Send + FnOnce(&mut site_text::Site, &Fetched<'_>) -> Result<T, SiteError>,
    ) -> PyResult<T> {
        let html = Html::of(page.html)?;
        let fetched = Fetched {
            url: page.url,
            html: html.as_ref().map(Html::bytes),
            charset: html.as_ref().and_then(|html| html.charset(page.charset)),
            title: page.title,
            fetched_at: page.fetched_at,
        };
        py.detach(|| Ok(call(&mut *self.lock()?, &fetched)?))
            .map_err(Failed::raised)
    }
}

/// The arguments of a page.
struct Argument<'a> {
    url: &'a str,
    html: &'a Bound<'a, PyAny>,
    fetched_at: Option<i64>,
    charset: Option<&'a str>,
    title: Option<&'a str>,
}

#[pymethods]
impl Site {
    /// Creates a site. `settings` are `KEY=VALUE`.
    #[new]
    #[pyo3(signature = (domain, job, settings))]
    fn new(
        py: Python<'_>,
        domain: Option<&str>,
        job: Option<PathBuf>,
        settings: Vec<String>,
    ) -> PyResult<Self> {
        let settings = Arc::new(site_settings(py, job.as_deref(), &settings)?);
        let site = match domain {
            Some(domain) => site_text::Site::of_domain(settings, domain),
            None => site_text::Site::new(settings),
        };
        Ok(Self {
            site: Mutex::new(site),
        })
    }

    /// The domain, or None before the first page.
    #[getter]
    fn domain(&self, py: Python<'_>) -> PyResult<Option<String>> {
        py.detach(|| Ok(self.lock()?.domain().map(str::to_owned)))
            .map_err(Failed::raised)
    }

    /// Learns from a page. Returns its status.
    #[pyo3(signature = (url, html, fetched_at, charset, title))]
    fn add(
        &self,
        py: Python<'_>,
        url: &str,
        html: &Bound<'_, PyAny>,
        fetched_at: Option<i64>,
        charset: Option<&str>,
        title: Option<&str>,
    ) -> PyResult<&'static str> {
        let page = Argument {
            url,
            html,
            fetched_at,
            charset,
            title,
        };
        let status = self.with_page(py, &page, site_text::Site::add)?;
        Ok(status.as_str())
    }

    /// Labels a page by what is known, after learning from it if `add`.
    #[pyo3(signature = (url, html, fetched_at, charset, title, add))]
    #[allow(clippy::too_many_arguments)]
    fn extract(
        &self,
        py: Python<'_>,
        url: &str,
        html: &Bound<'_, PyAny>,
        fetched_at: Option<i64>,
        charset: Option<&str>,
        title: Option<&str>,
        add: bool,
    ) -> PyResult<Page> {
        let page = Argument {
            url,
            html,
            fetched_at,
            charset,
            title,
        };
        let page = self.with_page(py, &page, |site, fetched| match add {
            true => site.extract(fetched),
            false => site.look(fetched),
        })?;
        Ok(Page::new(page))
    }

    /// Learns from a page. Returns the pages that are labelled now.
    #[pyo3(signature = (url, html, fetched_at, charset, title))]
    fn push(
        &self,
        py: Python<'_>,
        url: &str,
        html: &Bound<'_, PyAny>,
        fetched_at: Option<i64>,
        charset: Option<&str>,
        title: Option<&str>,
    ) -> PyResult<Vec<Page>> {
        let page = Argument {
            url,
            html,
            fetched_at,
            charset,
            title,
        };
        let pages = self.with_page(py, &page, site_text::Site::push)?;
        Ok(as_pages(pages))
    }

    /// Labels the pages that wait.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<Page>> {
        py.detach(|| Ok(self.lock()?.finish()))
            .map(as_pages)
            .map_err(Failed::raised)
    }

    /// Forgets the labels that pages wait for.
    fn discard(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            self.lock()?.discard();
            Ok(())
        })
        .map_err(Failed::raised)
    }
}

fn as_pages(pages: Vec<PageText>) -> Vec<Page> {
    pages.into_iter().map(Page::new).collect()
}
