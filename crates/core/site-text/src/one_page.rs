//! One page of an unknown site.

use std::sync::Arc;

use chrono::NaiveDate;
use html_blocks::{BlockOptions, PageError};
use site_replay::{Labelling, SiteReplay};
use url_tree::{Entry, WindowOptions};

use crate::page::{PageId, Status};
use crate::page_text::PageText;
use crate::parsed_page::{LAST_DATE, Observed, ParsedPage, Source};

/// The branch of the only page.
const BRANCH: [&str; 1] = ["page"];

/// Labels a page of which nothing else is known: as the first page of its site.
///
/// `url` is the address to which the page's own addresses are relative; it does not decide labels.
/// `charset` is the charset parameter of the Content-Type header. Metadata has no dates after
/// `fetched_on`; without it, any date is believed.
///
/// # Errors
/// Returns a [`PageError`] for empty and for binary bytes.
pub fn extract_page(
    html: &[u8],
    url: Option<&str>,
    charset: Option<&str>,
    fetched_on: Option<NaiveDate>,
    options: &BlockOptions,
) -> Result<PageText, PageError> {
    let source = Source {
        html,
        charset,
        url: url.unwrap_or_default(),
        fetched_on: fetched_on.unwrap_or(LAST_DATE),
    };
    let parsed = ParsedPage::parse(source, options, Observed::All)?;
    let mut site = SiteReplay::new(BRANCH.len(), Labelling::Template, WindowOptions::default());
    let entry = Entry {
        time_micros: 0,
        branch: &BRANCH,
        hashes: &parsed.hashes,
    };
    site.insert(entry, parsed.outline());
    let outline = site.take_outline();
    let labels = site.label(&BRANCH, &parsed.hashes, outline.as_ref());
    let id = PageId {
        url: source.url.to_owned(),
        fetched_at: None,
    };
    let page = PageText::empty(Arc::new(id), Status::Unique, None);
    Ok(page.with_blocks(parsed, &labels))
}
