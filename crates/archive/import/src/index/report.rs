//! The counts of an import by an index.

use std::collections::BTreeMap;

use crawl_index::Counts;

use crate::Report;

/// The counts of an import by an index. Records and pages are those of all calls with this plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexReport {
    /// Records that were asked for: those that were got, are missing or are wrong.
    pub asked: u64,
    /// Records that were got.
    pub got: u64,
    /// Records that were got, and have no digest to compare.
    pub got_without_digest: u64,
    /// Records that were not received, by reason.
    pub missing: BTreeMap<String, u64>,
    /// Records that are not those of the index, by reason.
    pub wrong: BTreeMap<String, u64>,
    /// Records that earlier calls have asked for.
    pub asked_earlier: u64,
    /// Requests of this call, all attempts counted.
    pub requests: u64,
    /// Bytes that this call has received.
    pub received_bytes: u64,
    /// The rows of the archive.
    pub archive: Report,
}

impl IndexReport {
    /// Whether no record is a page or repeats one.
    pub fn is_unusable(&self) -> bool {
        self.archive.pages == 0 && self.archive.revisits == 0
    }

    pub(crate) fn count(&mut self, counts: &Counts) {
        self.asked = counts.asked();
        self.got = counts.got;
        self.got_without_digest = counts.got_without_digest;
        self.missing = (counts.missing.iter())
            .map(|(reason, count)| (reason.to_string(), *count))
            .collect();
        self.wrong = (counts.wrong.iter())
            .map(|(reason, count)| (reason.to_string(), *count))
            .collect();
    }
}
