//! Options of the archive.

use chrono::NaiveDate;

/// The options of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// The first date, UTC.
    pub first: NaiveDate,
    /// The last date, inclusive.
    pub last: NaiveDate,
    /// The approximate number of rows of the thirty general sites, including broken rows
    /// and duplicates. The other news sites add about a sixth, and the sites of
    /// other kinds about a fifth.
    pub pages: u64,
    /// The seed of stories, templates and errors.
    pub seed: u64,
}
