//! When the batches of a domain's stream end, and at which time.

use crate::spec::Batch;

/// The batches of one domain. Its time is that of the newest page that was
/// taken in, into the tree or among the known keys: a duplicate moves nothing,
/// so that what is forgotten is a function of what earlier dates leave in the
/// tables. (The original lets duplicates count, O F1.)
#[derive(Debug)]
pub(crate) struct BatchClock {
    batches: Batch,
    open: Option<i64>,
    newest: Option<i64>,
}

impl BatchClock {
    pub(crate) fn new(batches: Batch) -> Self {
        Self {
            batches,
            open: None,
            newest: None,
        }
    }

    /// Whether a page of `batch` begins a batch, and so ends the one before.
    pub(crate) fn begins(&mut self, batch: i64) -> bool {
        let begins = self.batches == Batch::Page || self.open != Some(batch);
        self.open = Some(batch);
        begins
    }

    /// A page of `time_micros` was taken in.
    pub(crate) fn take_in(&mut self, time_micros: i64) {
        self.newest = self.newest.max(Some(time_micros));
    }

    /// The time of the batch that ends here, if anything was taken in.
    pub(crate) fn end(&mut self) -> Option<i64> {
        self.newest.take()
    }
}
