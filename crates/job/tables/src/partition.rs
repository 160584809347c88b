use std::fmt;
use std::str::FromStr;

use chrono::{Datelike, Days, Months, NaiveDate};

const EPOCH: NaiveDate = match NaiveDate::from_ymd_opt(1970, 1, 1) {
    Some(epoch) => epoch,
    None => panic!("1970-01-01 is a date"),
};

/// The date that is `days` after 1970-01-01, as Arrow's `Date32` counts;
/// outside chrono's calendar, its nearest end.
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

/// Days from 1970-01-01 to `date`, as Arrow's `Date32` counts.
pub fn days_from_date(date: NaiveDate) -> i32 {
    // chrono's calendar spans 5e5 years, 1.9e8 days: it fits.
    i32::try_from(date.signed_duration_since(EPOCH).num_days()).unwrap_or(i32::MAX)
}

/// Which dates one partition of the output tables holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
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
    /// The partition column.
    pub fn column(self) -> &'static str {
        match self {
            Self::Day => "date",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The partition that holds `date`: `2011-10-24`, `2011-10` or `2011`.
    pub fn value(self, date: NaiveDate) -> String {
        match self {
            Self::Day => date.format("%Y-%m-%d").to_string(),
            Self::Month => date.format("%Y-%m").to_string(),
            Self::Year => date.format("%Y").to_string(),
        }
    }

    /// All dates of the partition that holds `date`.
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
            // The last partition of chrono's calendar ends with it.
            last: next
                .and_then(|next| next.pred_opt())
                .unwrap_or(NaiveDate::MAX),
        }
    }

    /// The dates of the partition with this value, as [`Partitioning::value`]
    /// writes it.
    pub fn parse_value(self, value: &str) -> Option<DateRange> {
        let first = match self {
            Self::Day => value.to_owned(),
            Self::Month => format!("{value}-01"),
            Self::Year => format!("{value}-01-01"),
        };
        Some(self.dates(first.parse().ok()?))
    }

    /// The smallest range of whole partitions that holds `range`.
    pub fn covering(self, range: DateRange) -> DateRange {
        DateRange {
            first: self.dates(range.first).first,
            last: self.dates(range.last).last,
        }
    }

    /// The partitions of `range` in order.
    pub fn partitions(self, range: DateRange) -> Vec<DateRange> {
        let mut partitions = Vec::new();
        let mut next = Some(range.first);
        while let Some(date) = next.filter(|date| *date <= range.last) {
            let partition = self.dates(date);
            next = partition.last.succ_opt();
            partitions.push(partition);
        }
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
                "`{other}` is no partition; expected day, month or year"
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

/// A range of UTC days, both ends inclusive; never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DateRange {
    first: NaiveDate,
    last: NaiveDate,
}

/// A text that is no range of dates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DateRangeError {
    /// Not a calendar date.
    #[error("`{text}` is no date; expected YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD")]
    NoDate {
        /// The part that is no date.
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
    /// The days from `first` to `last`, both included.
    ///
    /// # Errors
    /// [`DateRangeError::Reversed`] where `last` is before `first`.
    pub fn new(first: NaiveDate, last: NaiveDate) -> Result<Self, DateRangeError> {
        if last < first {
            return Err(DateRangeError::Reversed { first, last });
        }
        Ok(Self { first, last })
    }

    /// The days from `first` to `last`, both included; `first` alone if `last` is earlier.
    pub fn between(first: NaiveDate, last: NaiveDate) -> Self {
        Self {
            first,
            last: last.max(first),
        }
    }

    /// The first day.
    pub fn first(self) -> NaiveDate {
        self.first
    }

    /// The last day.
    pub fn last(self) -> NaiveDate {
        self.last
    }

    /// Is `date` in the range?
    pub fn contains(self, date: NaiveDate) -> bool {
        self.first <= date && date <= self.last
    }

    /// From the first day of this range to the last day of `later`.
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
        let date = |text: &str| {
            NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d").map_err(|_| DateRangeError::NoDate {
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

impl fmt::Display for DateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}..{}", self.first, self.last)
        }
    }
}

/// Appends `dates`, which are later than all of `ranges`, and merges them with the last
/// range if they begin on the day after it.
pub fn add_adjacent(ranges: &mut Vec<DateRange>, dates: DateRange) {
    match ranges.last_mut() {
        Some(last) if last.last().succ_opt() == Some(dates.first()) => *last = last.through(dates),
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
    fn ranges_read_both_ends_and_refuse_what_is_none() {
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
        let error = "2011-02-30".parse::<DateRange>().unwrap_err().to_string();
        assert!(error.contains("2011-02-30"), "{error}");
    }

    #[test]
    fn partitions_cover_calendar_months_and_years() {
        let asked = range("2011-10-24..2011-12-19");
        assert_eq!(
            Partitioning::Month.covering(asked),
            range("2011-10-01..2011-12-31")
        );
        assert_eq!(
            Partitioning::Year.covering(asked),
            range("2011-01-01..2011-12-31")
        );
        assert_eq!(Partitioning::Day.covering(asked), asked);
        assert_eq!(Partitioning::Day.partitions(asked).len(), 57);
        let months = Partitioning::Month.partitions(range("2011-10-01..2012-02-29"));
        assert_eq!(months.len(), 5);
        assert_eq!(months[4], range("2012-02-01..2012-02-29"));
    }

    #[test]
    fn partitions_at_the_ends_of_the_calendar_hold_their_dates() {
        for date in [NaiveDate::MIN, NaiveDate::MAX] {
            for partitioning in [Partitioning::Day, Partitioning::Month, Partitioning::Year] {
                let partition = partitioning.dates(date);
                assert!(partition.contains(date), "{partitioning} of {date}");
                assert_eq!(partitioning.partitions(partition), [partition]);
            }
        }
    }

    #[test]
    fn the_value_of_a_partition_names_its_dates() {
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
