//! Metadata of a page: date, author, site, description, address, picture, licence.
//!
//! Each value has its [`Source`], so that a reader of the table can decide what to believe.
//!
//! ```
//! use html_blocks::{BlockOptions, page_with};
//! use metadata::{MetadataReader, Source};
//!
//! let html = b"<html lang=en><title>Tea</title><meta property=og:site_name content='Tea Times'>
//!              <h1>Tea</h1><p>By Ann Leaf</p><time datetime=2012-03-01T10:00:00+01:00>March 1</time>";
//! let (_, reader) = page_with(html, None, &BlockOptions::default(), MetadataReader::default())?;
//! let fetched_on = chrono::NaiveDate::from_ymd_opt(2012, 3, 9).ok_or("no such day")?;
//! let said = reader.finish("http://tea.example/2012/", fetched_on);
//!
//! let published = said.published_at.ok_or("no date")?;
//! assert_eq!(published.value.to_string(), "2012-03-01T10:00:00+01:00");
//! assert_eq!(published.source, Source::Time);
//! assert_eq!(said.author.ok_or("no author")?.value, "Ann Leaf");
//! assert_eq!(said.site_name.ok_or("no site")?.value, "Tea Times");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which source wins
//!
//! For dates: JSON-LD of an article, `meta`, microdata, the address (`/2012/03/01/`), `time`, elements whose
//! class names a date, short texts around the first heading. Elements in `aside`, `footer`, comments and
//! lists of other articles come last. For authors: JSON-LD, `meta`, microdata, classes, bylines; the name
//! of the site is an author only as the last choice. Values for machines come first.
//!
//! For licences: JSON-LD, `rel="license"`, microdata, `meta`, and other links to the text of a licence if all of them lead to the
//! same one: a page about licences has many. Names are those of [`licence_at`].
//!
//! # Refused values
//!
//! Dates before 1990, and dates more than a day after the fetch: the day is for time zones. Names that are
//! addresses or accounts such as `admin`. Addresses that are not `http` or `https`.
//!
//! # Dates
//!
//! ISO 8601, RFC 2822, seconds since 1970, and dates in sixteen languages that write months as words, or
//! with 年月日. In `3/4/2012` the month is first if the page declares American English or plain English,
//! or no language.
//!
//! # Opt-out
//!
//! [`MetadataReader::opt_out`] gives what robots directives and the TDM Reservation Protocol forbid.
//!
//! # Non-goals
//!
//! - It looks at one page. It does not learn at which DOM path a site has its date: on 23,166 pages of 21 sites,
//!   the 54 without a date have none.
//! - It does not read scripts other than JSON-LD, and it fetches nothing.

mod author;
mod dates;
mod found;
mod json;
mod json_ld;
mod licence;
mod machine;
mod meta_names;
mod moment;
mod months;
mod of_path;
mod opt_out;
mod reader;
mod reading;
mod select;
mod written;

pub use found::{Found, Source};
pub use licence::licence_at;
pub use moment::Moment;
pub use opt_out::UseHeaders;
pub use reader::MetadataReader;
pub use select::Metadata;

/// Compiles and runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
