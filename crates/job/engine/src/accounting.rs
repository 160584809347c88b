//! What became of every row of the archive, by date.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use tables::Table;

use crate::error::EngineError;
use crate::metrics::PlanMetrics;

/// The status under which objects that cannot be opened are counted: their
/// rows are in no other count.
pub(crate) const UNREADABLE_OBJECT: &str = "unreadable_object";

/// What a chunk left: data files that no table names yet, and its account.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// New data files by table.
    pub(crate) files: BTreeMap<Table, Vec<String>>,
    /// What became of the rows.
    pub(crate) account: Account,
    /// What the operators of its plans cost.
    pub(crate) metrics: PlanMetrics,
}

/// Counts of one status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Archive rows.
    pub rows: u64,
    /// Bytes of HTML that were read for them.
    pub html_bytes: u64,
    /// Bytes of text they gave.
    pub text_bytes: u64,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.html_bytes += other.html_bytes;
        self.text_bytes += other.text_bytes;
    }
}

/// Counts by date, status, and cause: the step that merged duplicates, or the
/// reason of a quarantine.
#[derive(Debug, Clone, Default)]
pub struct Account {
    tallies: BTreeMap<NaiveDate, BTreeMap<(String, String), Tally>>,
}

impl Account {
    pub(crate) fn tally(rows: u64, html_bytes: u64, text_bytes: u64) -> Tally {
        Tally {
            rows,
            html_bytes,
            text_bytes,
        }
    }

    pub(crate) fn add(&mut self, date: NaiveDate, status: &str, cause: Option<&str>, tally: Tally) {
        let key = (status.to_owned(), cause.unwrap_or_default().to_owned());
        let date = self.tallies.entry(date).or_default();
        date.entry(key).or_default().add(tally);
    }

    /// Takes the dates of `other`, in place of its own where it has them.
    pub(crate) fn replace(&mut self, other: Self) {
        self.tallies.extend(other.tallies);
    }

    /// Rows of `status` on `date`.
    pub(crate) fn on(&self, date: NaiveDate, status: &str) -> Tally {
        let mut sum = Tally::default();
        for ((found, _), tally) in self.tallies.get(&date).into_iter().flatten() {
            if found == status {
                sum.add(*tally);
            }
        }
        sum
    }

    /// Everything on `date` but objects that could not be opened: those have
    /// no rows.
    pub(crate) fn rows_on(&self, date: NaiveDate) -> Tally {
        let mut sum = Tally::default();
        for ((status, _), tally) in self.tallies.get(&date).into_iter().flatten() {
            if status != UNREADABLE_OBJECT {
                sum.add(*tally);
            }
        }
        sum
    }

    /// Rows of `status` on all dates, by cause.
    pub fn total(&self, status: &str) -> BTreeMap<String, Tally> {
        let mut sums: BTreeMap<String, Tally> = BTreeMap::new();
        for ((found, cause), tally) in self.tallies.values().flatten() {
            if found == status {
                sums.entry(cause.clone()).or_default().add(*tally);
            }
        }
        sums
    }

    /// Everything on all dates but objects that could not be opened.
    pub fn rows(&self) -> Tally {
        let mut sum = Tally::default();
        for date in self.tallies.keys() {
            sum.add(self.rows_on(*date));
        }
        sum
    }

    /// Checks that what was written adds up to what `archive` has, per date.
    ///
    /// # Errors
    /// [`EngineError::Accounting`] for the first date that does not add up.
    pub(crate) fn check(&self, archive: &BTreeMap<NaiveDate, u64>) -> Result<(), EngineError> {
        let dates: std::collections::BTreeSet<_> =
            archive.keys().chain(self.tallies.keys()).copied().collect();
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

    fn account() -> (NaiveDate, Account) {
        let date = "2011-10-24".parse().unwrap();
        let mut account = Account::default();
        account.add(date, "unique", None, Account::tally(3, 30, 3));
        account.add(date, "duplicate", Some("rule"), Account::tally(1, 0, 0));
        account.add(
            date,
            UNREADABLE_OBJECT,
            Some("unreadable_object"),
            Account::tally(1, 0, 0),
        );
        (date, account)
    }

    #[test]
    fn a_row_too_few_or_too_many_is_refused() {
        let (date, account) = account();
        assert!(account.check(&BTreeMap::from([(date, 4)])).is_ok());
        for rows in [3, 5] {
            let error = account.check(&BTreeMap::from([(date, rows)])).unwrap_err();
            assert!(
                error.to_string().starts_with("2011-10-24: the archive has"),
                "{error}"
            );
        }
    }

    #[test]
    fn rows_on_a_date_the_archive_does_not_have_are_refused() {
        let (_, account) = account();
        assert!(account.check(&BTreeMap::new()).is_err());
    }

    #[test]
    fn a_date_of_the_archive_without_any_output_is_refused() {
        let (date, account) = account();
        let next = date.succ_opt().unwrap();
        let archive = BTreeMap::from([(date, 4), (next, 1)]);
        assert!(account.check(&archive).is_err());
    }
}
