//! A date with its time.

use std::fmt;

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use serde::{Deserialize, Serialize};

/// First year that is believed: the web is from 1991, and pages have dates of texts before it.
const FIRST_YEAR: i32 = 1990;

/// A date of a page, with its time if the page has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Moment {
    /// The date as written: the day where the page was published.
    pub date: NaiveDate,
    /// The time as written.
    pub time: Option<NaiveTime>,
    /// Minutes that the written time is ahead of UTC; `None` if the page does not say.
    pub offset_minutes: Option<i32>,
}

impl Moment {
    pub(crate) fn day(date: NaiveDate) -> Self {
        Self {
            date,
            time: None,
            offset_minutes: None,
        }
    }

    /// The moment in UTC. A time without an offset is taken as UTC, and a date without a time begins
    /// at midnight.
    pub fn utc(&self) -> NaiveDateTime {
        let local = self.date.and_time(self.time.unwrap_or_default());
        let offset = TimeDelta::minutes(self.offset_minutes.unwrap_or(0).into());
        local.checked_sub_signed(offset).unwrap_or(local)
    }

    /// Whether the date can be that of a page fetched on `fetched_on`: not before 1990 and at most a day
    /// later, which time zones explain.
    pub(crate) fn believable(&self, fetched_on: NaiveDate) -> bool {
        self.date.year() >= FIRST_YEAR
            && fetched_on.succ_opt().is_none_or(|limit| self.date <= limit)
    }
}

/// ISO 8601: `2012-03-01T10:00:00+01:00`, shortened to what is known.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.date)?;
        let Some(time) = self.time else {
            return Ok(());
        };
        write!(f, "T{}", time.format("%H:%M:%S"))?;
        match self.offset_minutes {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                let minutes = minutes.abs();
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}
