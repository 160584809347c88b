//! The number of pages that are inserted before the first of them is labelled.

use serde::{Deserialize, Serialize};

/// The pages of a domain that are inserted before the first of them is labelled:
/// `paper.batching` of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Batching {
    /// One page: the paper's online setting.
    Page,
    /// All pages of a UTC day.
    #[default]
    Date,
    /// All pages of a run: full look-ahead.
    Run,
}

impl Batching {
    /// Returns the batch of a page of `date`, in days since 1970. With
    /// [`Batching::Page`] all pages have one number, and [`SiteStream`](crate::SiteStream)
    /// begins a batch at each of them.
    pub fn batch_of(self, date: i32) -> i64 {
        match self {
            Self::Date => i64::from(date),
            Self::Page | Self::Run => 0,
        }
    }

    /// Returns the batch after whose insertion a page of `date` is labelled: that of
    /// `relabel_days` later, or of `last`, the last date of the run, if that is earlier.
    /// Dates are in days since 1970.
    pub fn label_batch_of(self, date: i32, relabel_days: u32, last: i32) -> i64 {
        self.batch_of(date.saturating_add_unsigned(relabel_days).min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_wait_for_later_days_but_not_beyond_the_run() {
        let label_batch = |date| Batching::Date.label_batch_of(date, 3, 10);
        assert_eq!([1, 7, 9, 10].map(label_batch), [4, 10, 10, 10]);
        assert_eq!(Batching::Run.label_batch_of(1, 3, 10), 0);
    }
}
