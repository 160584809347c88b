//! What is known before a page is labelled.

use serde::{Deserialize, Serialize};

/// Pages of a site that are inserted before the first of them is labelled: `tree.batching`
/// of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Batch {
    /// One page: the paper's online setting.
    Page,
    /// A whole UTC day of the site.
    #[default]
    Date,
    /// Everything there is: full look-ahead.
    Run,
}

impl Batch {
    /// The batch that a page of `date`, in days since 1970, is in. Every page is one of
    /// its own with [`Batch::Page`], whatever its number.
    pub fn of_date(self, date: i32) -> i64 {
        match self {
            Self::Date => i64::from(date),
            Self::Page | Self::Run => 0,
        }
    }
}
