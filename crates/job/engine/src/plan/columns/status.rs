//! The state of a row of the plan, and its use in Site.

use arrow::array::{Array, Int32Array, StringArray};
use datafusion::common::{internal_datafusion_err, internal_err};
use datafusion::error::Result;

/// The state of a row in the plan: the `status` column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// First of its URL key.
    Unique,
    /// A later row with the same URL key.
    Duplicate,
    /// A duplicate that is parsed to find out whether it has unseen text.
    RevisionCandidate,
    /// A duplicate with unseen text.
    Revision,
    /// A row with a blocklisted URL.
    Blocklisted,
    /// A row that cannot be processed.
    Quarantined,
    /// A duplicate that is parsed, because what it says about the parts of its URL is audited.
    Audited,
    /// A row of the prior state, by which duplicates are found.
    Known,
    /// Not a row of the archive: Site decides about the pages of this base.
    Base,
    /// Not a row of the archive: what the pages of a domain showed about the parts of URLs.
    Learned,
}

impl Status {
    /// All of them in the order of their numbers, with their names in the tables.
    pub(crate) const ALL: [(Self, &'static str); 10] = [
        (Self::Unique, "unique"),
        (Self::Duplicate, "duplicate"),
        (Self::RevisionCandidate, "revision_candidate"),
        (Self::Revision, "revision"),
        (Self::Blocklisted, "blocklisted"),
        (Self::Quarantined, "quarantined"),
        (Self::Audited, "audited"),
        (Self::Known, "known"),
        (Self::Base, "base"),
        (Self::Learned, "learned"),
    ];

    /// The name of the status in the tables.
    pub(crate) fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    fn from_i32(number: i32) -> Result<Self> {
        let found = usize::try_from(number).ok();
        let found = found.and_then(|at| Self::ALL.get(at));
        let found = found.ok_or_else(|| internal_datafusion_err!("{number} is not a row status"));
        Ok(found?.0)
    }
}

/// The `status` column of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Statuses<'a>(&'a Int32Array);

impl<'a> Statuses<'a> {
    pub(crate) fn new(column: &'a Int32Array) -> Self {
        Self(column)
    }

    pub(crate) fn get(&self, row: usize) -> Result<Status> {
        if self.0.is_null(row) {
            return internal_err!("a row has no status");
        }
        Status::from_i32(self.0.value(row))
    }

    /// The names of the statuses of `rows`.
    pub(crate) fn names(&self, rows: &[u32]) -> Result<StringArray> {
        let names = rows
            .iter()
            .map(|row| self.get(*row as usize).map(Status::as_str));
        names.map(|name| name.map(Some)).collect()
    }
}

/// The use of a row in Site: the `phase` column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// An entry of a window in the prior state. It is inserted and not emitted.
    WindowEntry = 0,
    /// A page of this run. It is inserted into tree and template, and labelled after all pages of
    /// its batch are inserted.
    Page = 1,
    /// A row that is not a page.
    PassThrough = 2,
}

impl Phase {
    pub(crate) fn from_i32(number: i32) -> Result<Self> {
        [Self::WindowEntry, Self::Page, Self::PassThrough]
            .into_iter()
            .find(|phase| *phase as i32 == number)
            .ok_or_else(|| internal_datafusion_err!("{number} is not a phase"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_is_at_its_number() {
        for (number, (status, _)) in Status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, number);
        }
    }

    #[test]
    fn a_row_without_a_status_is_an_error_and_not_a_unique_page() {
        let last = Status::ALL.len() as i32 - 1;
        let column = Int32Array::from(vec![Some(0), Some(last), None, Some(last + 1), Some(-1)]);
        let statuses = Statuses::new(&column);
        assert_eq!(statuses.get(0).unwrap(), Status::Unique);
        assert_eq!(statuses.get(1).unwrap(), Status::Learned);
        for row in 2..5 {
            assert!(statuses.get(row).is_err(), "row {row}");
        }
    }
}
