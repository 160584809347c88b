//! The end of a batch, and the time that eviction counts from.

use crate::Batching;

/// The batches of one domain.
///
/// The time of a batch is that of its newest page that was inserted, into the tree or
/// among the known keys. Duplicates do not advance the clock, so eviction depends only
/// on rows that a job stores. (The original lets duplicates count [O F1].)
#[derive(Debug)]
pub(crate) struct BatchClock {
    batching: Batching,
    open: Option<i64>,
    newest: Option<i64>,
}

impl BatchClock {
    pub(crate) fn new(batching: Batching) -> Self {
        Self {
            batching,
            open: None,
            newest: None,
        }
    }

    /// Begins `batch` unless it is open, which ends the batch before.
    pub(crate) fn begin(&mut self, batch: i64) -> BatchStart {
        if self.batching != Batching::Page && self.open == Some(batch) {
            return BatchStart::Open;
        }
        self.open = Some(batch);
        BatchStart::New {
            ended: self.newest.take(),
        }
    }

    /// Counts an inserted page.
    pub(crate) fn advance(&mut self, time_micros: i64) {
        self.newest = self.newest.max(Some(time_micros));
    }
}

/// Whether a page begins a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchStart {
    /// The batch is open already.
    Open,
    /// The page is the first of its batch.
    New {
        /// The time of the batch before, in microseconds since 1970, if anything was
        /// inserted since the one before that ended.
        ended: Option<i64>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_without_insertions_ends_without_a_time() {
        let mut clock = BatchClock::new(Batching::Date);
        assert_eq!(clock.begin(1), BatchStart::New { ended: None });
        clock.advance(20);
        clock.advance(10);
        assert_eq!(clock.begin(1), BatchStart::Open);
        assert_eq!(clock.begin(2), BatchStart::New { ended: Some(20) });
        assert_eq!(clock.begin(3), BatchStart::New { ended: None });
    }

    #[test]
    fn every_page_begins_a_batch_in_the_online_setting() {
        let mut clock = BatchClock::new(Batching::Page);
        assert_eq!(clock.begin(0), BatchStart::New { ended: None });
        clock.advance(10);
        assert_eq!(clock.begin(0), BatchStart::New { ended: Some(10) });
    }
}
