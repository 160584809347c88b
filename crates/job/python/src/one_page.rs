//! One page of an unknown site.

use chrono::NaiveDate;
use html_blocks::BlockOptions;
use pyo3::prelude::*;

use crate::html::Html;
use crate::page::Page;

/// Labels a page of which nothing else is known. None for a page that is not HTML: empty or binary.
#[pyfunction]
#[pyo3(signature = (html, url, charset, fetched_on))]
pub(crate) fn extract_page(
    py: Python<'_>,
    html: &Bound<'_, PyAny>,
    url: Option<&str>,
    charset: Option<&str>,
    fetched_on: Option<NaiveDate>,
) -> PyResult<Option<Page>> {
    let Some(html) = Html::of(html)? else {
        return Ok(None);
    };
    let options = BlockOptions::default();
    let page = py.detach(|| {
        let charset = html.charset(charset);
        site_text::extract_page(html.bytes(), url, charset, fetched_on, &options)
    });
    Ok(page.ok().map(Page::new))
}
