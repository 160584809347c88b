//! Pages that do not belong to a site.

use chrono::DateTime;

/// A page that does not belong here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// The page is of another domain.
    #[error("{url} is a page of {found}; this site is {expected}. Make a Site for each domain")]
    OtherDomain {
        /// The response URL.
        url: String,
        /// Its domain.
        found: String,
        /// The domain of the site.
        expected: String,
    },
    /// The page was fetched before the last page that was added.
    #[error(
        "{url} was fetched at {fetched_at}, before the last page, which was fetched at {last}. \
         Sort the pages by time"
    )]
    Order {
        /// The response URL.
        url: String,
        /// Its time.
        fetched_at: String,
        /// The time of the last page.
        last: String,
    },
    /// Pages that were pushed wait for their labels.
    #[error("{0} pages wait for the end of their batch. Finish or discard them first")]
    Waiting(usize),
}

impl SiteError {
    pub(crate) fn order(url: &str, fetched_at: i64, last: i64) -> Self {
        Self::Order {
            url: url.to_owned(),
            fetched_at: time_text(fetched_at),
            last: time_text(last),
        }
    }
}

fn time_text(micros: i64) -> String {
    let time = DateTime::from_timestamp_micros(micros);
    time.map_or_else(|| format!("{micros} µs"), |time| time.to_rfc3339())
}
