//! Times as people and crawlers write them.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime};

/// Returns microseconds since 1970, UTC, or `None` if `text` is not a time of the years 1 to 9999.
///
/// - `2011-10-24T12:00:00Z`, with any offset; `2011-10-24 12:00:00` and `2011-10-24`, which are UTC
/// - `20111024120000`, as web archives write it
/// - `Mon, 24 Oct 2011 12:00:00 GMT`, as in headers of HTTP
/// - `1319457600`: seconds since 1970, or milliseconds (13 digits) or microseconds (16 digits)
pub(crate) fn micros(text: &str) -> Option<i64> {
    let text = text.trim();
    let micros = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        of_digits(text)?
    } else {
        of_text(text)?
    };
    is_possible(micros).then_some(micros)
}

/// Whether a time is of the years 1 to 9999, whose dates have ten letters.
pub(crate) fn is_possible(micros: i64) -> bool {
    DateTime::from_timestamp_micros(micros).is_some_and(|time| (1..=9999).contains(&time.year()))
}

fn of_digits(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    match text.len() {
        14 => {
            let time = NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%S").ok()?;
            Some(time.and_utc().timestamp_micros())
        }
        1..=11 => number.checked_mul(1_000_000),
        13 => number.checked_mul(1_000),
        16 => Some(number),
        _ => None,
    }
}

fn of_text(text: &str) -> Option<i64> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_micros());
    }
    for format in ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"] {
        if let Ok(time) = NaiveDateTime::parse_from_str(text, format) {
            return Some(time.and_utc().timestamp_micros());
        }
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        let time = date.and_hms_opt(0, 0, 0)?;
        return Some(time.and_utc().timestamp_micros());
    }
    let time = DateTime::parse_from_rfc2822(text).ok()?;
    Some(time.timestamp_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_one_time_are_equal() {
        for text in [
            "2011-10-24T12:00:00Z",
            "2011-10-24T14:00:00+02:00",
            "2011-10-24T12:00:00",
            " 2011-10-24 12:00:00.000 ",
            "20111024120000",
            "Mon, 24 Oct 2011 12:00:00 GMT",
            "1319457600",
            "1319457600000",
            "1319457600000000",
        ] {
            assert_eq!(micros(text), Some(1_319_457_600_000_000), "{text}");
        }
        assert_eq!(micros("2011-10-24"), Some(1_319_414_400_000_000));
    }

    #[test]
    fn other_texts_are_not_times() {
        for text in [
            "",
            "yesterday",
            "24.10.2011",
            "2011-13-01",
            "201110241200",
            "-1",
            "99999999999999",
            "10000-01-01T00:00:00Z",
            "9999999999999999999",
        ] {
            assert_eq!(micros(text), None, "{text}");
        }
    }
}
