//! Row accounting: every archive row ends in one count, by date.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use tables::Table;

use crate::error::EngineError;
use crate::metrics::PlanMetrics;

/// The status of objects that cannot be opened: their rows are in no other count.
pub(crate) const UNREADABLE_OBJECT: &str = "unreadable_object";

/// The output of a unit, or of all units of a chunk, before its commit.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct UnitOutput {
    /// New data files by table; no version of a table names them yet.
    pub(crate) files: BTreeMap<Table, Vec<String>>,
    /// The counts of the rows.
    pub(crate) accounting: RowAccounting,
    /// The metrics of the plans, when they have run.
    #[serde(skip)]
    pub(crate) metrics: PlanMetrics,
}

impl UnitOutput {
    /// Adds the output of another unit.
    pub(crate) fn add(&mut self, other: Self) {
        for (table, files) in other.files {
            self.files.entry(table).or_default().extend(files);
        }
        self.accounting.add_all(&other.accounting);
        self.metrics.add(other.metrics);
    }
}

/// Counts of one status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RowCounts {
    /// Archive rows.
    pub rows: u64,
    /// Bytes of HTML that were read for the rows.
    pub html_bytes: u64,
    /// Bytes of text that were written for the rows.
    pub text_bytes: u64,
}

impl RowCounts {
    pub(crate) fn new(rows: u64, html_bytes: u64, text_bytes: u64) -> Self {
        Self {
            rows,
            html_bytes,
            text_bytes,
        }
    }

    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.html_bytes += other.html_bytes;
        self.text_bytes += other.text_bytes;
    }
}

/// Counts by date, status and cause. The cause is the step that merged a duplicate, or the
/// reason of a quarantine.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct RowAccounting {
    counts: BTreeMap<NaiveDate, BTreeMap<(String, String), RowCounts>>,
}

impl RowAccounting {
    pub(crate) fn add(
        &mut self,
        date: NaiveDate,
        status: &str,
        cause: Option<&str>,
        counts: RowCounts,
    ) {
        let key = (status.to_owned(), cause.unwrap_or_default().to_owned());
        let date = self.counts.entry(date).or_default();
        date.entry(key).or_default().add(counts);
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (date, status, cause, counts) in other.counts() {
            self.add(date, status, Some(cause), counts);
        }
    }

    /// Returns each date, status and cause with its counts. The cause is empty if there is none.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (NaiveDate, &str, &str, RowCounts)> {
        self.counts.iter().flat_map(|(date, counts)| {
            let counts = counts.iter();
            counts.map(|((status, cause), counts)| (*date, &**status, &**cause, *counts))
        })
    }

    /// Replaces the counts of the dates that `other` has, and adds its other dates.
    pub(crate) fn replace(&mut self, other: Self) {
        self.counts.extend(other.counts);
    }

    /// Counts of `status` on `date`.
    pub(crate) fn on(&self, date: NaiveDate, status: &str) -> RowCounts {
        self.sum(date, |found| found == status)
    }

    /// Counts of all rows on `date`. Objects that cannot be opened are not in it: they have
    /// no rows.
    pub(crate) fn rows_on(&self, date: NaiveDate) -> RowCounts {
        self.sum(date, |status| status != UNREADABLE_OBJECT)
    }

    fn sum(&self, date: NaiveDate, is_counted: impl Fn(&str) -> bool) -> RowCounts {
        let mut sum = RowCounts::default();
        for ((status, _), counts) in self.counts.get(&date).into_iter().flatten() {
            if is_counted(status) {
                sum.add(*counts);
            }
        }
        sum
    }

    /// Counts of `status` on all dates, by cause.
    pub fn total(&self, status: &str) -> BTreeMap<String, RowCounts> {
        let mut sums: BTreeMap<String, RowCounts> = BTreeMap::new();
        for ((found, cause), counts) in self.counts.values().flatten() {
            if found == status {
                sums.entry(cause.clone()).or_default().add(*counts);
            }
        }
        sums
    }

    /// Counts of all rows on all dates, without objects that cannot be opened.
    pub fn rows(&self) -> RowCounts {
        let mut sum = RowCounts::default();
        for date in self.counts.keys() {
            sum.add(self.rows_on(*date));
        }
        sum
    }

    /// Checks that the rows that were written equal the rows of `archive`, per date.
    ///
    /// # Errors
    /// [`EngineError::Accounting`] for the first date whose rows differ.
    pub(crate) fn check(&self, archive: &BTreeMap<NaiveDate, u64>) -> Result<(), EngineError> {
        let dates: BTreeSet<_> = archive.keys().chain(self.counts.keys()).copied().collect();
        for date in dates {
            let expected = archive.get(&date).copied().unwrap_or(0);
            let written = self.rows_on(date).rows;
            if expected != written {
                return Err(EngineError::Accounting {
                    date,
                    archive: expected,
                    written,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounting() -> (NaiveDate, RowAccounting) {
        let date = "2011-10-24".parse().unwrap();
        let mut accounting = RowAccounting::default();
        for (status, cause, counts) in [
            ("unique", None, RowCounts::new(3, 30, 3)),
            ("duplicate", Some("rule"), RowCounts::new(1, 0, 0)),
            (
                UNREADABLE_OBJECT,
                Some("unreadable_object"),
                RowCounts::new(1, 0, 0),
            ),
        ] {
            accounting.add(date, status, cause, counts);
        }
        (date, accounting)
    }

    #[test]
    fn a_missing_or_extra_row_is_refused() {
        let (date, accounting) = accounting();
        assert!(accounting.check(&BTreeMap::from([(date, 4)])).is_ok());
        for rows in [3, 5] {
            let error = accounting
                .check(&BTreeMap::from([(date, rows)]))
                .unwrap_err();
            assert!(
                error.to_string().starts_with("2011-10-24: the archive has"),
                "{error}"
            );
        }
    }

    #[test]
    fn rows_on_a_date_without_archive_rows_are_refused() {
        let (_, accounting) = accounting();
        assert!(accounting.check(&BTreeMap::new()).is_err());
    }

    #[test]
    fn an_archive_date_without_output_is_refused() {
        let (date, accounting) = accounting();
        let next = date.succ_opt().unwrap();
        let archive = BTreeMap::from([(date, 4), (next, 1)]);
        assert!(accounting.check(&archive).is_err());
    }
}
