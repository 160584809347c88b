//! Times as people, crawlers and programs write them.

use std::time::Duration;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Utc};

use crate::partition::YEARS;

/// Years of numbers that are read as a date (`20111024`). As seconds or milliseconds they would be
/// times of 1970 and 1976, before the first page of the web.
const WRITTEN_YEARS: std::ops::RangeInclusive<i32> = 1990..=2099;

/// Whether something that changed at `modified` is at least as old as `age`. A clock that is ahead makes nothing old.
pub(crate) fn is_older(modified: DateTime<Utc>, age: Duration, now: DateTime<Utc>) -> bool {
    let old = now.signed_duration_since(modified).to_std();
    old.is_ok_and(|old| old >= age)
}

/// Returns microseconds since 1970, UTC, or `None` if `text` is not a time of the years 1 to 9999.
///
/// - `2011-10-24T12:00:00Z`, with any offset; `2011-10-24 12:00:00` and `2011-10-24`, which are UTC
/// - `Mon, 24 Oct 2011 12:00:00 GMT`, as in headers of HTTP
/// - a number, as in [`time_of_number`], or seconds with a fraction
///
/// ```
/// assert_eq!(tables::time_of_text("1970-01-01 00:00:01"), Some(1_000_000));
/// assert_eq!(tables::time_of_text("yesterday"), None);
/// ```
pub fn time_of_text(text: &str) -> Option<i64> {
    let text = text.trim();
    let is_digit = |byte: u8| byte.is_ascii_digit();
    if !text.is_empty() && text.bytes().all(is_digit) {
        return time_of_number(text.parse().ok()?);
    }
    if text.contains('.') && text.bytes().all(|byte| is_digit(byte) || byte == b'.') {
        return time_of_fraction(text.parse().ok()?);
    }
    of_text(text).filter(|micros| is_possible_time(*micros))
}

/// Returns microseconds since 1970, UTC, or `None` if `number` is not a time. The number of digits decides:
///
/// - 14: `YYYYMMDDhhmmss`, as web archives write it
/// - 8 and 12: `YYYYMMDD` and `YYYYMMDDhhmm`, if it is a date of the years 1990 to 2099
/// - up to 11: seconds since 1970; 12 and 13: milliseconds; 15 and 16: microseconds; 18 and 19: nanoseconds
pub fn time_of_number(number: i64) -> Option<i64> {
    let digits = number.checked_abs()?.checked_ilog10().unwrap_or(0) + 1;
    let micros = match (written(number, digits), digits) {
        (Some(time), _) => Some(time.and_utc().timestamp_micros()),
        (None, ..=11) => number.checked_mul(1_000_000),
        (None, 12 | 13) => number.checked_mul(1_000),
        (None, 15 | 16) => Some(number),
        (None, 18 | 19) => Some(number.div_euclid(1_000)),
        (None, _) => None,
    };
    micros.filter(|micros| is_possible_time(*micros))
}

/// Returns microseconds since 1970, UTC, of seconds with a fraction, or of a number as in
/// [`time_of_number`].
pub fn time_of_fraction(number: f64) -> Option<i64> {
    const SECONDS: f64 = 1e11;
    if number.abs() < SECONDS && number.fract() != 0.0 {
        // Below 1e17, where conversion only rounds.
        return Some((number * 1e6).round() as i64);
    }
    let is_whole = number.abs() < 9e18;
    is_whole.then(|| time_of_number(number as i64))?
}

/// Whether a time is of the years 1 to 9999, whose dates have ten letters.
pub fn is_possible_time(micros: i64) -> bool {
    DateTime::from_timestamp_micros(micros).is_some_and(|time| YEARS.contains(&time.year()))
}

/// The time whose digits are a number.
fn written(number: i64, digits: u32) -> Option<NaiveDateTime> {
    let padded = match digits {
        8 => number.checked_mul(1_000_000)?,
        12 => number.checked_mul(100)?,
        14 => number,
        _ => return None,
    };
    let time = NaiveDateTime::parse_from_str(&padded.to_string(), "%Y%m%d%H%M%S").ok()?;
    (digits == 14 || WRITTEN_YEARS.contains(&time.year())).then_some(time)
}

fn of_text(text: &str) -> Option<i64> {
    let text = text.strip_suffix("UTC").map_or(text, str::trim_end);
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_micros());
    }
    for format in ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z"] {
        if let Ok(time) = DateTime::parse_from_str(text, format) {
            return Some(time.timestamp_micros());
        }
    }
    let local = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    for format in [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M",
    ] {
        if let Ok(time) = NaiveDateTime::parse_from_str(local, format) {
            return Some(time.and_utc().timestamp_micros());
        }
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(date.and_time(NaiveTime::MIN).and_utc().timestamp_micros());
    }
    let time = DateTime::parse_from_rfc2822(text).ok()?;
    Some(time.timestamp_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_319_457_600_000_000;

    #[test]
    fn all_forms_of_one_time_are_equal() {
        for text in [
            "2011-10-24T12:00:00Z",
            "2011-10-24T14:00:00+02:00",
            "2011-10-24T14:00:00.000+0200",
            "2011-10-24 14:00:00+02",
            "2011-10-24T12:00:00",
            "2011-10-24T12:00Z",
            " 2011-10-24 12:00:00.000 ",
            "2011-10-24 12:00:00 UTC",
            "2011-10-24 12:00",
            "201110241200",
            "20111024120000",
            "Mon, 24 Oct 2011 12:00:00 GMT",
            "1319457600",
            "1319457600.0",
            "1319457600000",
            "1319457600000000",
            "1319457600000000000",
        ] {
            assert_eq!(time_of_text(text), Some(NOON), "{text}");
        }
        for text in ["2011-10-24", "20111024"] {
            assert_eq!(
                time_of_text(text),
                Some(NOON - 12 * 3_600_000_000),
                "{text}"
            );
        }
    }

    #[test]
    fn numbers_are_times_by_their_digits() {
        for (number, micros) in [
            (0, Some(0)),
            (-1, Some(-1_000_000)),
            // A number of eight digits that is not a date is seconds.
            (20_111_324, Some(20_111_324_000_000)),
            // Milliseconds and microseconds before September 2001 have a digit less.
            (946_684_800_000, Some(946_684_800_000_000)),
            (946_684_800_000_000, Some(946_684_800_000_000)),
            (99_999_999_999_999, None),
            (i64::MIN, None),
            (i64::MAX, Some(i64::MAX / 1_000)),
        ] {
            assert_eq!(time_of_number(number), micros, "{number}");
        }
        assert_eq!(time_of_fraction(1_319_457_600.5), Some(NOON + 500_000));
        assert_eq!(time_of_fraction(1_319_457_600_000.0), Some(NOON));
        for number in [f64::NAN, f64::INFINITY, -1e300] {
            assert_eq!(time_of_fraction(number), None, "{number}");
        }
    }

    #[test]
    fn other_texts_are_not_times() {
        for text in [
            "",
            ".",
            "1.2.3",
            "yesterday",
            "24.10.2011",
            "2011-13-01",
            "-1",
            "99999999999999",
            "10000-01-01T00:00:00Z",
            "9999999999999999999",
        ] {
            assert_eq!(time_of_text(text), None, "{text}");
        }
    }
}
