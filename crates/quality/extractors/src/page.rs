//! Pages, and the site they are from.

use std::collections::HashMap;
use std::sync::OnceLock;

use url::Url;

use crate::ExtractError;
use crate::dom::Dom;
use crate::parse::parse;
use crate::site::SegmentTable;

/// A page: its URL and its HTML, decoded. It is parsed when an extractor first
/// asks for its tree, and then never again.
#[derive(Debug)]
pub struct Page<'a> {
    url: &'a str,
    html: &'a str,
    dom: OnceLock<Dom>,
    address: OnceLock<Result<Address, url::ParseError>>,
}

impl<'a> Page<'a> {
    /// Reads nothing yet. Methods that look at one page alone never read `url`.
    #[must_use]
    pub fn new(url: &'a str, html: &'a str) -> Self {
        Self {
            url,
            html,
            dom: OnceLock::new(),
            address: OnceLock::new(),
        }
    }

    /// Where the page was fetched.
    #[must_use]
    pub fn url(&self) -> &'a str {
        self.url
    }

    /// The source, decoded.
    #[must_use]
    pub fn html(&self) -> &'a str {
        self.html
    }

    pub(crate) fn dom(&self) -> &Dom {
        self.dom.get_or_init(|| parse(self.html))
    }

    /// Looks at the tree, and keeps it only if it was there before.
    pub(crate) fn glance<T>(&self, look: impl FnOnce(&Dom) -> T) -> T {
        match self.dom.get() {
            Some(dom) => look(dom),
            None => look(&parse(self.html)),
        }
    }

    pub(crate) fn address(&self) -> Result<&Address, ExtractError> {
        (self.address.get_or_init(|| Address::of(self.url)))
            .as_ref()
            .map_err(|source| ExtractError::Url {
                url: self.url.to_owned(),
                source: *source,
            })
    }
}

/// Pages of one site, for the methods that compare a page with others. It may
/// hold the page that is extracted; it is known by its URL and passed over.
#[derive(Debug, Default)]
pub struct Site<'a> {
    pages: Vec<Page<'a>>,
    places: OnceLock<HashMap<String, usize>>,
    segments: OnceLock<SegmentTable>,
}

impl<'a> Site<'a> {
    /// Pages are parsed when a method wants one. Of several pages with one URL
    /// the first is used.
    #[must_use]
    pub fn new(pages: Vec<Page<'a>>) -> Self {
        Self {
            pages,
            ..Self::default()
        }
    }

    /// The pages in the order they were given.
    #[must_use]
    pub fn pages(&self) -> &[Page<'a>] {
        &self.pages
    }

    /// The pages by the keys of their addresses. A page whose URL is none has no
    /// place: nothing can link to it.
    pub(crate) fn places(&self) -> &HashMap<String, usize> {
        self.places.get_or_init(|| {
            let mut places = HashMap::new();
            for (place, page) in self.pages.iter().enumerate() {
                if let Ok(address) = page.address() {
                    places.entry(address.key.clone()).or_insert(place);
                }
            }
            places
        })
    }

    /// The texts of all pages with the number of pages each is on.
    pub(crate) fn segments(&self) -> &SegmentTable {
        self.segments.get_or_init(|| SegmentTable::of(&self.pages))
    }
}

/// A URL as far as it says which page is meant.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) url: Url,
    /// Host, path and query; scheme, `www.`, fragment and a slash at the end do
    /// not tell pages apart.
    pub(crate) key: String,
    /// Without `www.`.
    pub(crate) host: String,
    /// The path without its last segment.
    pub(crate) folders: Vec<String>,
}

impl Address {
    fn of(url: &str) -> Result<Self, url::ParseError> {
        Ok(Self::new(Url::parse(url)?))
    }

    pub(crate) fn new(url: Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
        let path = url.path().trim_end_matches('/');
        let mut folders: Vec<String> = (path.split('/').skip(1)).map(str::to_owned).collect();
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
