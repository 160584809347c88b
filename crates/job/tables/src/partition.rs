use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use chrono::{Datelike, Days, Months, NaiveDate};
use serde::{Deserialize, Serialize};

/// Years of a possible time. Their dates have ten letters, so a folder is named after four digits of a year.
pub(crate) const YEARS: RangeInclusive<i32> = 1..=9999;

const EPOCH: NaiveDate = match NaiveDate::from_ymd_opt(1970, 1, 1) {
    Some(epoch) => epoch,
    None => panic!("1970-01-01 is a date"),
};

/// Converts days since 1970-01-01, as in Arrow's `Date32`, to a date. Days outside
/// chrono's calendar become its first or last date.
pub fn date_from_days(days: i32) -> NaiveDate {
    let offset = Days::new(u64::from(days.unsigned_abs()));
    let date = if days >= 0 {
        EPOCH.checked_add_days(offset)
    } else {
        EPOCH.checked_sub_days(offset)
    };
    date.unwrap_or(if days >= 0 {
        NaiveDate::MAX
    } else {
        NaiveDate::MIN
    })
}

/// Converts a date to days since 1970-01-01, as in Arrow's `Date32`.
pub fn days_from_date(date: NaiveDate) -> i32 {
    // chrono's calendar has 5e5 years, which are 1.9e8 days.
    i32::try_from(date.signed_duration_since(EPOCH).num_days()).unwrap_or(i32::MAX)
}

/// The dates in one partition of the output tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize, Serialize)]
pub enum Partitioning {
    /// One date.
    #[default]
    Day,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

impl Partitioning {
    /// Returns the name of the partition column.
    pub fn column(self) -> &'static str {
        match self {
            Self::Day => "date",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// Returns the value of the partition column for `date`: `2011-10-24`, `2011-10` or
    /// `2011`.
    pub fn value(self, date: NaiveDate) -> String {
        match self {
            Self::Day => date.format("%Y-%m-%d").to_string(),
            Self::Month => date.format("%Y-%m").to_string(),
            Self::Year => date.format("%Y").to_string(),
        }
    }

    /// Returns all dates of the partition that contains `date`.
    pub fn dates(self, date: NaiveDate) -> DateRange {
        let first = match self {
            Self::Day => Some(date),
            Self::Month => date.with_day(1),
            Self::Year => NaiveDate::from_ymd_opt(date.year(), 1, 1),
        }
        .unwrap_or(date);
        let next = match self {
            Self::Day => first.checked_add_days(Days::new(1)),
            Self::Month => first.checked_add_months(Months::new(1)),
            Self::Year => first.checked_add_months(Months::new(12)),
        };
        DateRange {
            first,
            // The last partition ends at the end of chrono's calendar.
            last: next
                .and_then(|next| next.pred_opt())
                .unwrap_or(NaiveDate::MAX),
        }
    }

    /// Returns the dates of the partition with this value, the inverse of
    /// [`Partitioning::value`].
    pub fn parse_value(self, value: &str) -> Option<DateRange> {
        let first = match self {
            Self::Day => value.to_owned(),
            Self::Month => format!("{value}-01"),
            Self::Year => format!("{value}-01-01"),
        };
        Some(self.dates(first.parse().ok()?))
    }

    /// Returns the smallest range of whole partitions that contains `range`.
    pub fn covering(self, range: DateRange) -> DateRange {
        DateRange {
            first: self.dates(range.first).first,
            last: self.dates(range.last).last,
        }
    }

    /// Returns the partitions that contain `dates`, which are in order.
    pub fn containing(self, dates: impl IntoIterator<Item = NaiveDate>) -> Vec<DateRange> {
        let mut partitions: Vec<_> = dates.into_iter().map(|date| self.dates(date)).collect();
        partitions.dedup();
        partitions
    }
}

impl FromStr for Partitioning {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "day" => Ok(Self::Day),
            "month" => Ok(Self::Month),
            "year" => Ok(Self::Year),
            other => Err(format!(
                "`{other}` is not a partition; expected day, month or year"
            )),
        }
    }
}

impl fmt::Display for Partitioning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
        })
    }
}

/// A non-empty range of UTC days, both ends inclusive. Its serialised form is its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(into = "String", try_from = "String")]
pub struct DateRange {
    first: NaiveDate,
    last: NaiveDate,
}

/// A text that is not a range of dates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DateRangeError {
    /// Not a calendar date of the years 1 to 9999.
    #[error("`{text}` is not a date; expected YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD")]
    NoDate {
        /// The part that is not a date.
        text: String,
    },
    /// The range ends before it starts.
    #[error("the range {first}..{last} is reversed; did you mean {last}..{first}?")]
    Reversed {
        /// The date before the dots.
        first: NaiveDate,
        /// The date after the dots.
        last: NaiveDate,
    },
}

impl DateRange {
    /// Creates the range from `first` to `last`, both inclusive.
    ///
    /// # Errors
    /// [`DateRangeError::Reversed`] if `last` is before `first`.
    pub fn new(first: NaiveDate, last: NaiveDate) -> Result<Self, DateRangeError> {
        if last < first {
            return Err(DateRangeError::Reversed { first, last });
        }
        Ok(Self { first, last })
    }

    /// Creates the range from `first` to `last`, both inclusive, or `first` alone if
    /// `last` is earlier.
    pub fn between(first: NaiveDate, last: NaiveDate) -> Self {
        Self {
            first,
            last: last.max(first),
        }
    }

    /// Returns the first day.
    pub fn first(self) -> NaiveDate {
        self.first
    }

    /// Returns the last day.
    pub fn last(self) -> NaiveDate {
        self.last
    }

    /// Whether `date` is in the range.
    pub fn contains(self, date: NaiveDate) -> bool {
        self.first <= date && date <= self.last
    }

    /// Returns the range from the first day of this range to the last day of `later`.
    pub fn through(self, later: Self) -> Self {
        Self {
            first: self.first,
            last: self.last.max(later.last),
        }
    }
}

impl FromStr for DateRange {
    type Err = DateRangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // chrono reads 2.6e5 years.
        let date = |text: &str| {
            let date = NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d").ok();
            date.filter(|date| YEARS.contains(&date.year()))
                .ok_or_else(|| DateRangeError::NoDate {
                    text: text.trim().to_owned(),
                })
        };
        match text.split_once("..") {
            Some((first, last)) => Self::new(date(first)?, date(last)?),
            None => date(text).map(|day| Self {
                first: day,
                last: day,
            }),
        }
    }
}

impl TryFrom<String> for DateRange {
    type Error = DateRangeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<DateRange> for String {
    fn from(range: DateRange) -> Self {
        range.to_string()
    }
}

impl fmt::Display for DateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}..{}", self.first, self.last)
        }
    }
}

/// Appends `dates`, which must begin no earlier than all `ranges`. Merges it with the last range
/// if it begins in it or on the following day.
pub fn add_adjacent(ranges: &mut Vec<DateRange>, dates: DateRange) {
    match ranges.last_mut() {
        Some(last) if dates.first().pred_opt() <= Some(last.last()) => *last = last.through(dates),
        _ => ranges.push(dates),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> DateRange {
        text.parse().unwrap()
    }

    #[test]
    fn a_range_is_parsed_and_a_reversed_one_is_refused() {
        assert_eq!(range("2011-10-24").first(), range("2011-10-24").last());
        assert_eq!(
            range("2011-10-24..2011-12-19").to_string(),
            "2011-10-24..2011-12-19"
        );
        let reversed = "2011-12-19..2011-10-24"
            .parse::<DateRange>()
            .unwrap_err()
            .to_string();
        assert!(
            reversed.contains("did you mean 2011-10-24..2011-12-19"),
            "{reversed}"
        );
        for text in ["2011-02-30", "+262142-12-31", "-0001-01-01", "0000-12-31"] {
            let error = text.parse::<DateRange>().unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn partitions_cover_calendar_months_and_years() {
        let requested = range("2011-10-24..2011-12-19");
        assert_eq!(
            Partitioning::Month.covering(requested),
            range("2011-10-01..2011-12-31")
        );
        assert_eq!(
            Partitioning::Year.covering(requested),
            range("2011-01-01..2011-12-31")
        );
        assert_eq!(Partitioning::Day.covering(requested), requested);
        let days = requested.first().iter_days().take(57);
        let months = Partitioning::Month.containing(days);
        let expected = [
            "2011-10-01..2011-10-31",
            "2011-11-01..2011-11-30",
            "2011-12-01..2011-12-31",
        ];
        assert_eq!(months, expected.map(range));
    }

    #[test]
    fn partitions_at_the_ends_of_the_calendar_contain_their_dates() {
        for date in [NaiveDate::MIN, NaiveDate::MAX] {
            for partitioning in [Partitioning::Day, Partitioning::Month, Partitioning::Year] {
                let partition = partitioning.dates(date);
                assert!(partition.contains(date), "{partitioning} of {date}");
                assert_eq!(partitioning.containing([date]), [partition]);
            }
        }
    }

    #[test]
    fn a_partition_value_parses_to_its_dates() {
        let date = "2011-10-24".parse().unwrap();
        for partitioning in [Partitioning::Day, Partitioning::Month, Partitioning::Year] {
            let value = partitioning.value(date);
            let dates = partitioning.parse_value(&value);
            assert_eq!(dates, Some(partitioning.dates(date)), "{value}");
            assert_eq!(partitioning.parse_value("soon"), None);
        }
    }

    #[test]
    fn days_count_from_1970_in_both_directions() {
        for text in ["1969-12-31", "1970-01-01", "2011-10-24"] {
            let date = text.parse().unwrap();
            assert_eq!(date_from_days(days_from_date(date)), date);
        }
        assert_eq!(days_from_date("1969-12-31".parse().unwrap()), -1);
    }
}
