//! A page.

use std::sync::OnceLock;

use url::Url;

use crate::ExtractError;
use crate::dom::Dom;
use crate::parse::parse;

/// A page: its URL and its decoded HTML. The HTML is parsed once, when an extractor first
/// needs the tree.
#[derive(Debug)]
pub struct Page<'a> {
    url: &'a str,
    html: &'a str,
    dom: OnceLock<Dom>,
    address: OnceLock<Result<Address, url::ParseError>>,
}

impl<'a> Page<'a> {
    /// Creates a page without parsing it. Methods for one page do not use `url`.
    #[must_use]
    pub fn new(url: &'a str, html: &'a str) -> Self {
        Self {
            url,
            html,
            dom: OnceLock::new(),
            address: OnceLock::new(),
        }
    }

    /// The URL of the page.
    #[must_use]
    pub fn url(&self) -> &'a str {
        self.url
    }

    /// The decoded source.
    #[must_use]
    pub fn html(&self) -> &'a str {
        self.html
    }

    pub(crate) fn dom(&self) -> &Dom {
        self.dom.get_or_init(|| parse(self.html))
    }

    /// Applies a function to the tree. A tree that is parsed for this is not kept, so
    /// that a pass over all pages of a site does not hold all trees in memory.
    pub(crate) fn with_dom<T>(&self, apply: impl FnOnce(&Dom) -> T) -> T {
        match self.dom.get() {
            Some(dom) => apply(dom),
            None => apply(&parse(self.html)),
        }
    }

    pub(crate) fn address(&self) -> Result<&Address, ExtractError> {
        self.address
            .get_or_init(|| Address::parse(self.url))
            .as_ref()
            .map_err(|source| ExtractError::Url {
                url: self.url.to_owned(),
                source: *source,
            })
    }
}

/// The URL of a page, with the parts that identify the page.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) url: Url,
    /// Host, port, path and query. Scheme, `www.`, fragment and a slash at the end do not
    /// distinguish pages.
    pub(crate) key: String,
    /// The host without `www.`.
    pub(crate) host: String,
    /// The segments of the path without the last one.
    pub(crate) folders: Vec<String>,
}

impl Address {
    fn parse(url: &str) -> Result<Self, url::ParseError> {
        Ok(Self::new(Url::parse(url)?))
    }

    pub(crate) fn new(url: Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
        let path = url.path().trim_end_matches('/');
        let mut folders: Vec<String> = path.split('/').skip(1).map(str::to_owned).collect();
        folders.pop();
        let mut key = host.clone();
        if let Some(port) = url.port() {
            key.push_str(&format!(":{port}"));
        }
        key.push_str(path);
        if let Some(query) = url.query() {
            key.push('?');
            key.push_str(query);
        }
        Self {
            url,
            key,
            host,
            folders,
        }
    }
}
