//! A labelled page.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use markdown::MarkdownOptions;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use site_text::{LabelledBlock, Language, PageText};

use crate::errors::InternalError;
use crate::metadata::Metadata;
use crate::pickled::{pickled, unpickled};

/// A page with labels: its blocks, text, Markdown and metadata.
#[pyclass(frozen, module = "urltree")]
pub(crate) struct Page {
    page: Arc<PageText>,
    text: PyOnceLock<Py<PyString>>,
    language: PyOnceLock<Option<Language>>,
}

/// Which blocks are kept, beside content.
#[derive(Clone, Copy)]
struct Kept {
    comments: bool,
    tables: bool,
}

impl Kept {
    fn keeps(self, block: &LabelledBlock) -> bool {
        let is_kept = block.reason.is_content()
            || self.comments && block.reason == site_text::Reason::Comments;
        is_kept && (self.tables || !is_in_table(&block.dom_path))
    }
}

/// Whether an element of a DOM path is a table.
fn is_in_table(dom_path: &str) -> bool {
    let mut elements = dom_path.split('>');
    elements.any(|element| site_text::element_name(element) == "table")
}

impl Page {
    pub(crate) fn new(page: PageText) -> Self {
        Self {
            page: Arc::new(page),
            text: PyOnceLock::new(),
            language: PyOnceLock::new(),
        }
    }

    fn detected(&self, py: Python<'_>) -> Option<Language> {
        let page = &self.page;
        let detected = self
            .language
            .get_or_init(py, || py.detach(|| page.language()));
        *detected
    }
}

#[pymethods]
impl Page {
    /// Makes a page of the state of a pickle.
    #[new]
    fn of_state(state: &str) -> PyResult<Self> {
        unpickled(state).map(Self::new)
    }

    fn __getnewargs__(&self) -> PyResult<(String,)> {
        Ok((pickled(&*self.page)?,))
    }

    /// The response URL, as it was given.
    #[getter]
    fn url(&self) -> &str {
        &self.page.id.url
    }

    /// The time of the fetch, UTC, or None.
    #[getter]
    fn fetched_at(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp_micros(self.page.id.fetched_at?)
    }

    /// The normalised URL that identifies the page; empty if the URL is not one.
    #[getter]
    fn url_key(&self) -> &str {
        &self.page.url_key
    }

    /// unique, duplicate, revision, known, not_added, blocklisted or quarantined.
    #[getter]
    fn status(&self) -> &'static str {
        self.page.status.as_str()
    }

    /// Whether another page has the URL key or the content of this page.
    #[getter]
    fn is_duplicate(&self) -> bool {
        self.page.duplicate_of.is_some()
    }

    /// The URL of that page, or None.
    #[getter]
    fn duplicate_of(&self) -> Option<&str> {
        let first = self.page.duplicate_of.as_deref()?;
        Some(&first.url)
    }

    /// Why the page is quarantined, or None.
    #[getter]
    fn problem(&self) -> Option<&str> {
        self.page.problem.as_deref()
    }

    /// The title of the page, or None.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.page.title.as_deref()
    }

    /// The content blocks, one per line.
    #[getter]
    fn text(&self, py: Python<'_>) -> Py<PyString> {
        let text = self.text.get_or_init(py, || {
            let text = py.detach(|| self.page.text());
            PyString::new(py, &text).unbind()
        });
        text.clone_ref(py)
    }

    /// The content blocks as Markdown, with emphasis and without links and images.
    #[getter]
    fn markdown(&self, py: Python<'_>) -> PyResult<String> {
        self.to_markdown(py, true, false, false, false, true)
    }

    /// The content blocks one per line: with comments, without tables.
    #[pyo3(signature = (*, comments=false, tables=true))]
    fn to_text(&self, py: Python<'_>, comments: bool, tables: bool) -> String {
        let kept = Kept { comments, tables };
        let page = &self.page;
        py.detach(|| page.text_of(|block| kept.keeps(block)))
    }

    /// The content blocks as Markdown. Addresses are absolute if the page has a URL.
    #[pyo3(signature = (*, emphasis=true, links=false, images=false, comments=false, tables=true))]
    fn to_markdown(
        &self,
        py: Python<'_>,
        emphasis: bool,
        links: bool,
        images: bool,
        comments: bool,
        tables: bool,
    ) -> PyResult<String> {
        let options = MarkdownOptions::default()
            .with_emphasis(emphasis)
            .with_links(links)
            .with_images(images);
        let kept = Kept { comments, tables };
        let page = &self.page;
        let written = py.detach(|| page.markdown_of(&options, |block| kept.keeps(block)));
        written.map_err(|error| InternalError::new_err(format!("{}: {error}", page.id.url)))
    }

    /// All text blocks in source order, content and boilerplate.
    #[getter]
    fn blocks(&self) -> Vec<Block> {
        self.page.blocks.iter().cloned().map(Block).collect()
    }

    /// Dates, author, site and the like, as the page declares them, or None for a page without blocks.
    #[getter]
    fn metadata(&self) -> Option<Metadata> {
        self.page.metadata.clone().map(Metadata::new)
    }

    /// Language of the text: ISO 639-1, or 639-3 without two letters. None if the text is too short.
    #[getter]
    fn language(&self, py: Python<'_>) -> Option<&'static str> {
        self.detected(py).map(|language| language.code)
    }

    /// How sure that is, 0 to 1, or None; above .9 it is reliable.
    #[getter]
    fn language_score(&self, py: Python<'_>) -> Option<f64> {
        self.detected(py).map(|language| f64::from(language.score))
    }

    /// Pages that were counted at the node that decided.
    #[getter]
    fn support(&self) -> u32 {
        self.page.support
    }

    /// URL Tree node whose counts decided: a host and a path below it.
    #[getter]
    fn node(&self) -> &str {
        &self.page.node
    }

    /// WHATWG name of the charset that the bytes were decoded with; empty without blocks.
    #[getter]
    fn charset(&self) -> &str {
        &self.page.charset
    }

    /// Source of the charset: bom, http, meta, utf8 or detected.
    #[getter]
    fn charset_source(&self) -> &str {
        &self.page.charset_source
    }

    /// Limits that cut the page, and doubts about it.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.page.warnings.clone()
    }

    fn __repr__(&self) -> String {
        let PageText {
            id, status, blocks, ..
        } = &*self.page;
        let content = (blocks.iter())
            .filter(|block| block.reason.is_content())
            .count();
        let (url, status, blocks) = (&id.url, status.as_str(), blocks.len());
        format!("Page({url:?}, status={status:?}, {content} of {blocks} blocks are content)")
    }
}

/// A text block with its label.
#[pyclass(frozen, module = "urltree")]
pub(crate) struct Block(LabelledBlock);

#[pymethods]
impl Block {
    /// Makes a block of the state of a pickle.
    #[new]
    fn of_state(state: &str) -> PyResult<Self> {
        unpickled(state).map(Self)
    }

    fn __getnewargs__(&self) -> PyResult<(String,)> {
        Ok((pickled(&self.0)?,))
    }

    /// The text, without line ends. Never empty.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// content or boilerplate.
    #[getter]
    fn label(&self) -> &'static str {
        if self.is_content() {
            "content"
        } else {
            "boilerplate"
        }
    }

    /// Whether the block is content.
    #[getter]
    fn is_content(&self) -> bool {
        self.0.reason.is_content()
    }

    /// Why: the rule that decided, such as own_title, unique, link_slot or repeated.
    #[getter]
    fn reason(&self) -> &'static str {
        self.0.reason.as_str()
    }

    /// Pages and revisions of the deciding node that have the block.
    #[getter]
    fn count(&self) -> u32 {
        self.0.count
    }

    /// Pages of the deciding node.
    #[getter]
    fn support(&self) -> u32 {
        self.0.support
    }

    /// Elements from body down to the block, with their classes and ids: div.content#top>p.
    #[getter]
    fn dom_path(&self) -> &str {
        &self.0.dom_path
    }

    /// Characters inside links.
    #[getter]
    fn link_chars(&self) -> u32 {
        self.0.link_chars
    }

    fn __repr__(&self) -> String {
        let text: String = self.0.text.chars().take(40).collect();
        format!("Block({:?}, reason={:?})", text, self.reason())
    }
}
