//! The two sites that pages are part of, and the addresses of their pages.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The site that a page is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// A folder of files. Each file has its style, its script and its policy inside.
    Files,
    /// The pages of a server. They name [`LIVE_STYLE`], [`LIVE_SCRIPT`] and [`LIVE_ICON`] as `style.css`,
    /// `table.js` and `icon.svg`, and the server sends [`LIVE_POLICY`].
    Live,
}

/// The style of all live pages.
pub const LIVE_STYLE: &str = concat!(
    include_str!("../templates/base.css"),
    include_str!("../templates/report.css"),
    include_str!("../templates/blocks.css"),
    include_str!("../templates/live.css")
);

/// The script of live pages with a large table.
pub const LIVE_SCRIPT: &str = crate::table::SCRIPT;

/// The icon of live pages.
pub const LIVE_ICON: &str = include_str!("../templates/icon.svg");

/// The content security policy of live pages: style, script, icon and the frame with an original are of the server, forms are
/// sent to it, and nothing else is requested or executed.
pub const LIVE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
     frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The content security policy of the original of a crawled page in the frame of a live page: its own styles and the images in it
/// are shown, and nothing is requested or executed. The policy of the page around the frame lets it go nowhere else.
pub const ORIGINAL_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'self'; sandbox";

/// Returns the address of the page of a domain on a live site.
///
/// ```
/// assert_eq!(report::domain_address("a&b.example"), "domain?name=a%26b%2Eexample");
/// ```
pub fn domain_address(domain: &str) -> String {
    format!("domain?name={}", encoded(domain))
}

/// Returns the address of the blocks of a page on a live site. `at` is the time of a fetch as it is printed.
///
/// ```
/// let address = report::page_address("javascript:alert(1)", Some("2011-10-24"));
/// assert_eq!(address, "page?url=javascript%3Aalert%281%29&at=2011%2D10%2D24");
/// ```
pub fn page_address(url: &str, at: Option<&str>) -> String {
    let url = encoded(url);
    match at {
        Some(at) => format!("page?url={url}&at={}", encoded(at)),
        None => format!("page?url={url}"),
    }
}

/// Returns the address of the original of a page on a live site.
pub(crate) fn original_address(url: &str, at: Option<&str>) -> String {
    page_address(url, at).replacen("page", "original", 1)
}

/// Returns the address of the pages of a domain on a live site.
pub(crate) fn search_address(domain: &str) -> String {
    format!("search?domain={}", encoded(domain))
}

/// Returns the address of the form on a live site that marks a DOM path of a page.
pub(crate) fn mark_address(url: &str, at: Option<&str>, path: &str) -> String {
    let (url, path) = (encoded(url), encoded(path));
    format!(
        "mark?url={url}&at={}&path={path}",
        encoded(at.unwrap_or_default())
    )
}

/// Returns the address of the form on a live site with a query in it.
pub(crate) fn query_address(sql: &str) -> String {
    format!("sql?query={}", encoded(sql))
}

fn encoded(text: &str) -> impl std::fmt::Display {
    utf8_percent_encode(text, NON_ALPHANUMERIC)
}

impl Site {
    /// The pages that every page leads to.
    pub(crate) fn pages(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Files => &[
                ("Overview", "index.html"),
                ("Domains", "domains.html"),
                ("Quarantine", "quarantine.html"),
            ],
            Self::Live => &[
                ("Overview", "./"),
                ("Domains", "domains"),
                ("Pages", "search"),
                ("Quarantine", "quarantine"),
                ("SQL", "sql"),
            ],
        }
    }

    pub(crate) fn domains(self) -> &'static str {
        match self {
            Self::Files => "domains.html",
            Self::Live => "domains",
        }
    }

    pub(crate) fn quarantine(self) -> &'static str {
        match self {
            Self::Files => "quarantine.html",
            Self::Live => "quarantine",
        }
    }
}
