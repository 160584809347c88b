//! Rows of the archive.

use crate::site::{Declared, Site};

/// A row of the archive: the columns of `schemas/archive.sql`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The time of the fetch: microseconds since 1970, UTC.
    pub fetched_at: i64,
    /// The requested URL.
    pub request_url: Option<String>,
    /// The response URL, after redirects. In a few rows it is missing or invalid.
    pub url: Option<String>,
    /// The response body: HTML in the site's charset, empty, or not HTML.
    pub html: Vec<u8>,
    /// The title of the feed item; `None` on sites without a feed.
    pub title: Option<String>,
    /// The Content-Type header, with or without its charset parameter.
    pub content_type: Option<String>,
    /// The charset parameter of the header, if the crawler stores it separately.
    pub http_charset: Option<String>,
    /// The status of the response.
    pub http_status: Option<i32>,
    /// The text to extract. `None` if the page has no whole text.
    pub gold: Option<Gold>,
}

/// The gold text of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    /// Title and text, one block per line. A site of another kind than news has its own rules, see
    /// the [crate](crate).
    pub text: String,
    /// The language, as an ISO 639-1 code.
    pub lang: &'static str,
    /// The domain of the page, such as `norwick-post.example`.
    pub site: &'static str,
}

/// Returns the row of a successful fetch, without feed title and gold text.
pub(crate) fn fetched(
    site: &Site,
    at: i64,
    request_url: String,
    url: String,
    html: Vec<u8>,
) -> Page {
    let charset = site.charset.name();
    Page {
        fetched_at: at,
        request_url: Some(request_url),
        url: Some(url),
        html,
        title: None,
        content_type: Some(match site.declared {
            Declared::ContentType => format!("text/html; charset={charset}"),
            _ => "text/html".to_owned(),
        }),
        http_charset: (site.declared == Declared::HttpCharset).then(|| charset.to_owned()),
        http_status: Some(200),
        gold: None,
    }
}
