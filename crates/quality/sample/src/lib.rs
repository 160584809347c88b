//! A crawl archive to try things on: thirty news sites that do not exist.
//!
//! The pages are made to be as hard as real ones. Sites differ in language,
//! charset, markup, addresses and size; pages have navigation, boxes with other
//! pages' headlines, teasers, adverts, reader comments, scripts, and tags that do
//! not match; feeds list one page under several addresses, pages are fetched
//! again, templates change in mid-stream, and some rows are no pages at all. The
//! text that a reader would want is known ([`Page::gold`]). On the whole, the
//! heuristics of the URL Tree paper do as well here as on real blogs; a test
//! holds this.
//!
//! ```
//! use chrono::NaiveDate;
//! use sample::{SampleOptions, pages};
//!
//! let first = NaiveDate::from_ymd_opt(2011, 10, 24).ok_or("no date")?;
//! let last = NaiveDate::from_ymd_opt(2011, 10, 25).ok_or("no date")?;
//! let options = SampleOptions { first, last, pages: 100, seed: 1 };
//!
//! let archive: Vec<_> = pages(&options).collect();
//! assert!((80..120).contains(&archive.len()));
//! assert!(archive.is_sorted_by_key(|page| page.fetched_at));
//! # Ok::<(), &'static str>(())
//! ```
//!
//! **The same for ever.** The archive is a function of its options, byte for
//! byte, and a test holds the digest of one.
//!
//! **The law of ranges.** Each page is drawn from the seed, its site, its day and
//! its number of that day, at so many pages per day: `pages` divided by the days
//! of the range, rounded down, and at least 1. Two archives of one seed and the
//! same number of pages per day have the same pages on the days they share.
//! Designs change and sites open on days of the calendar, not of the range.
//!
//! **Gold.** Every row that shows a whole article has gold, duplicates and
//! refetched pages the same as the page they repeat. Lists of articles and all
//! broken rows have none, a page that was cut off in the middle included.
//!
//! **Memory.** The iterator holds the pages of one day, and the stories (not the
//! pages) of the week before it.
//!
//! **Files.** With the feature `archive`, `write_sample` writes the pages as Parquet
//! files that a job reads, and the gold texts beside them. Without it the crate knows
//! neither Arrow nor object stores.
//!
//! What it deliberately does not do: it makes no claim about what real archives contain beyond what the tests
//! measure; it has no third-party text, so its sentences are grammatical and mean
//! nothing. All hosts are under `.example`, which nobody can register. A site has
//! at most 90,000 stories a day.

mod address;
#[cfg(feature = "archive")]
mod archive;
mod boxes;
mod broken;
mod days;
mod dice;
mod html;
mod language;
mod page;
mod site;
mod sites;
mod story;
mod template;

use chrono::NaiveDate;

#[cfg(feature = "archive")]
pub use archive::{SampleError, Written, write_sample};

/// Which archive is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// The first date, UTC.
    pub first: NaiveDate,
    /// The last date, included.
    pub last: NaiveDate,
    /// About how many rows the archive has, broken ones and duplicates included.
    pub pages: u64,
    /// Another seed gives other stories, templates and errors.
    pub seed: u64,
}

/// One row of the archive: the columns of `schemas/archive.sql`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// When the page was fetched: microseconds since 1970, UTC.
    pub fetched_at: i64,
    /// The URL that was asked for.
    pub request_url: Option<String>,
    /// The URL that answered, after redirects. A few rows have none, or one that
    /// is no URL.
    pub url: Option<String>,
    /// The page as fetched: in the site's charset, empty, or not HTML at all.
    pub html: Vec<u8>,
    /// The title of the feed item that led here; none on sites without a feed.
    pub title: Option<String>,
    /// The Content-Type header, as far as it was kept.
    pub content_type: Option<String>,
    /// Its charset parameter, where it was kept apart.
    pub http_charset: Option<String>,
    /// The status of the response.
    pub http_status: Option<i32>,
    /// What an extractor should find in it. None where there is no whole article.
    pub gold: Option<Gold>,
}

/// The text of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    /// Title and body of the article, one block per line.
    pub text: String,
    /// ISO 639-1.
    pub lang: &'static str,
    /// The domain of the page: `norwick-post.example`.
    pub site: &'static str,
}

/// The days of the archive, each with its pages in time order: one day is in
/// memory at a time.
pub fn days(options: &SampleOptions) -> impl Iterator<Item = (NaiveDate, Vec<Page>)> + use<> {
    days::Days::new(options)
}

/// The pages of an archive in time order. Empty where `last` is before `first`.
pub fn pages(options: &SampleOptions) -> impl Iterator<Item = Page> + use<> {
    days(options).flat_map(|(_, pages)| pages)
}
