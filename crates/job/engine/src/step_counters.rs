//! The rows and bytes that a worker has processed, for its metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Output of the steps that a process ran for any job, since it started.
#[derive(Debug, Default)]
pub struct StepCounters(Mutex<BTreeMap<&'static str, StepCount>>);

/// Output of one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepCount {
    /// Rows.
    pub rows: u64,
    /// Bytes of these rows in memory.
    pub bytes: u64,
}

impl StepCounters {
    /// Returns the output of each step that had any, by name.
    pub fn counts(&self) -> BTreeMap<&'static str, StepCount> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.clone()
    }

    pub(crate) fn add(&self, step: &'static str, rows: usize, bytes: usize) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(step).or_default();
        count.rows += rows as u64;
        count.bytes += bytes as u64;
    }
}
