//! Records and rows that cannot be used.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Most rows of an input whose place and reason are written. An input with more has another format, or
/// is broken from some place on; all of them are counted.
const MAX_QUARANTINED: usize = 100_000;

/// A kind of input, which decides the columns that say where a page is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A WARC or ARC file.
    Records,
    /// A list of pages.
    List,
}

/// A record or a row that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quarantined {
    /// The file of the record, if it is not the input.
    pub(crate) file: Option<Arc<str>>,
    /// Offset of the record, or row of the list.
    pub(crate) position: i64,
    /// Id of the record, or path of the file.
    pub(crate) name: Option<String>,
    /// Type of the record. A row has none.
    pub(crate) record_type: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) reason: String,
    /// The reason without what differs from row to row.
    pub(crate) kind: String,
}

/// The records or rows of an input that cannot be used.
#[derive(Debug, Default)]
pub(crate) struct Quarantine {
    /// The first of them.
    pub(crate) rows: Vec<Quarantined>,
    /// All of them, by kind of the reason.
    pub(crate) counts: BTreeMap<String, u64>,
}

impl Quarantine {
    /// Counts `row`, and keeps it if there are not too many.
    pub(crate) fn add(&mut self, row: Quarantined) {
        *self.counts.entry(row.kind.clone()).or_default() += 1;
        if self.rows.len() < MAX_QUARANTINED {
            self.rows.push(row);
        }
    }
}
