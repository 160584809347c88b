//! The rows that pages are about, as conditions of SQL.

use tables::DateRange;

/// The rows that pages are about; all by default.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Selection<'a> {
    pub(crate) dates: Option<DateRange>,
    pub(crate) domain: Option<&'a str>,
}

impl Selection<'_> {
    /// The SQL condition for rows of the selection, in a table with domains.
    pub(super) fn condition(self) -> String {
        format!("{} AND {}", self.of_dates(), self.of_domain())
    }

    /// The SQL condition for rows of the domain.
    pub(super) fn of_domain(self) -> String {
        match self.domain {
            Some(domain) => format!("domain = {}", quoted(domain)),
            None => "TRUE".to_owned(),
        }
    }

    /// The SQL condition for rows of the dates.
    pub(super) fn of_dates(self) -> String {
        match self.dates {
            Some(dates) => {
                format!(
                    "date BETWEEN DATE '{}' AND DATE '{}'",
                    dates.first(),
                    dates.last()
                )
            }
            None => "TRUE".to_owned(),
        }
    }
}

/// A text as a literal of SQL.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
