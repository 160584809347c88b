//! The counts of a fetch.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};

/// The counts of a fetch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Feeds of the list.
    pub feeds: u64,
    /// Feeds that were due.
    pub polled: u64,
    /// Feeds that are as they were.
    pub not_modified: u64,
    /// Items whose pages were requested for the first time.
    pub new_items: u64,
    /// Rows of the archive.
    pub pages: u64,
    /// Bytes of HTML in the rows.
    pub html_bytes: u64,
    /// Feeds that failed.
    pub failed_feeds: u64,
    /// Feeds and pages that failed, by reason.
    pub failures: BTreeMap<&'static str, u64>,
    /// First and last UTC date of the rows.
    pub dates: Option<(NaiveDate, NaiveDate)>,
    /// When the next feed is due.
    pub next_poll: Option<DateTime<Utc>>,
}

impl Report {
    /// Whether feeds were due, and all failed.
    pub fn is_unusable(&self) -> bool {
        self.polled > 0 && self.failed_feeds == self.polled
    }

    /// All failures.
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    pub(crate) fn add_date(&mut self, date: NaiveDate) {
        self.dates = Some(match self.dates {
            Some((first, last)) => (first.min(date), last.max(date)),
            None => (date, date),
        });
    }
}
