//! Times of records.

use chrono::{Datelike, FixedOffset, NaiveDate, TimeZone};

/// The time of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Time {
    /// Microseconds since 1970, UTC.
    pub(crate) micros: i64,
    /// Whether the standard of the file has this form.
    pub(crate) is_standard: bool,
}

/// Reads the time of an ARC record: 14 digits. Fewer digits are the beginning of a year, month, day,
/// hour or minute, and more digits are cut.
pub(crate) fn of_arc(date: &str) -> Option<Time> {
    let mut time = of_digits(date)?;
    time.is_standard = date.len() == 14;
    Some(time)
}

/// Reads the time of a WARC record: the profile of ISO 8601 that W3CDTF is, from the year to fractions
/// of a second. Other separators and a missing offset, which is then UTC, are read too, and so are the
/// digits of ARC.
pub(crate) fn of_warc(date: &str) -> Option<Time> {
    let date = date.trim();
    if date.len() > 4 && date.bytes().all(|byte| byte.is_ascii_digit()) {
        return of_digits(date);
    }
    let (day, clock) = match date.split_once(['T', 't', ' ']) {
        Some((day, clock)) => (day, Some(clock.trim_start())),
        None => (date, None),
    };
    let mut parts = day.split(['-', '/']).map(number);
    let year = parts.next()??;
    let month = parts.next().unwrap_or(Some(1))?;
    let day = parts.next().unwrap_or(Some(1))?;
    if parts.next().is_some() {
        return None;
    }
    let has_dashes = !date.contains('/');
    let Some(clock) = clock else {
        return at([year, month, day, 0, 0, 0], 0, 0, has_dashes);
    };
    let (clock, east) = match clock.find(['Z', 'z', '+', '-']) {
        Some(end) => (clock[..end].trim_end(), Some(offset(&clock[end..])?)),
        None => (clock, None),
    };
    let mut parts = clock.splitn(3, ':');
    let hour = number(parts.next()?)?;
    let minute = parts.next().map_or(Some(0), number)?;
    let second = parts.next().unwrap_or("0");
    let (second, fraction) = second.split_once(['.', ',']).unwrap_or((second, ""));
    let micros = micros(fraction)?;
    let is_standard = has_dashes && date.contains('T') && east.is_some();
    let parts = [year, month, day, hour, minute, number(second)?];
    at(parts, micros, east.unwrap_or(0), is_standard)
}

/// Reads a time of 14 digits, from year to second, as indexes of web archives have it, in seconds since 1970, UTC. Three more
/// digits are milliseconds, which are cut. Returns `None` for fewer digits, because the time would be another one than that
/// of the record.
pub fn seconds_of_digits(digits: &str) -> Option<i64> {
    let time = (14..=17).contains(&digits.len()).then(|| of_digits(digits));
    Some(time.flatten()?.micros.div_euclid(1_000_000))
}

fn of_digits(digits: &str) -> Option<Time> {
    if !(4..=28).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut parts = [0, 1, 1, 0, 0, 0];
    parts[0] = digits[..4].parse().ok()?;
    let pairs = (4..14).step_by(2);
    for (part, start) in parts[1..].iter_mut().zip(pairs) {
        // Half of a pair says nothing.
        let Some(pair) = digits.get(start..start + 2) else {
            break;
        };
        *part = pair.parse().ok()?;
    }
    at(parts, 0, 0, false)
}

fn number(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Microseconds of the digits behind a decimal point.
fn micros(fraction: &str) -> Option<i64> {
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let six: String = fraction.chars().chain("000000".chars()).take(6).collect();
    six.parse().ok()
}

/// Seconds east of UTC: `Z`, `+02:00`, `+0200` or `+02`.
fn offset(text: &str) -> Option<i32> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return (text.len() == 1).then_some(0),
    };
    let digits = digits.replace(':', "");
    let (hours, minutes) = match digits.len() {
        2 => (digits.as_str(), "0"),
        4 => digits.split_at(2),
        _ => return None,
    };
    let seconds = number(hours)? * 3600 + number(minutes)? * 60;
    Some(sign * i32::try_from(seconds).ok()?)
}

/// The time of year, month, day, hour, minute and second. A leap second is the second before it.
fn at(parts: [u32; 6], micros: i64, offset: i32, is_standard: bool) -> Option<Time> {
    let [year, month, day, hour, minute, second] = parts;
    let second = if second == 60 { 59 } else { second };
    let year = i32::try_from(year).ok()?;
    let date = match NaiveDate::from_ymd_opt(year, month, day) {
        Some(date) => date,
        // The crawler of ClueWeb09 counted days from the beginning of the year.
        None => {
            NaiveDate::from_yo_opt(year, day).filter(|date| date.month() == month && day > 31)?
        }
    };
    let is_standard = is_standard && date.day() == day;
    let time = date.and_hms_opt(hour, minute, second)?;
    let time = FixedOffset::east_opt(offset)?
        .from_local_datetime(&time)
        .single()?;
    Some(Time {
        micros: time.timestamp_micros() + micros,
        is_standard,
    })
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn micros_of(rfc3339: &str) -> i64 {
        let time = DateTime::parse_from_rfc3339(rfc3339).expect("RFC 3339");
        time.timestamp_micros()
    }

    #[test]
    fn an_arc_time_may_have_fewer_and_more_digits() {
        for (digits, expected, is_standard) in [
            ("20140216050221", "2014-02-16T05:02:21Z", true),
            ("201402160502", "2014-02-16T05:02:00Z", false),
            ("2014021605022", "2014-02-16T05:02:00Z", false),
            ("2014021605022142", "2014-02-16T05:02:21Z", false),
            ("20140216050221000", "2014-02-16T05:02:21Z", false),
            ("20140216", "2014-02-16T00:00:00Z", false),
            ("201402", "2014-02-01T00:00:00Z", false),
            ("2014", "2014-01-01T00:00:00Z", false),
            ("20161231235960", "2016-12-31T23:59:59Z", true),
        ] {
            let micros = micros_of(expected);
            let expected = Some(Time {
                micros,
                is_standard,
            });
            assert_eq!(of_arc(digits), expected, "{digits}");
        }
        for other in [
            "",
            "201",
            "99999999999999",
            "20140231000000",
            "2014-02-16",
            "-1",
        ] {
            assert_eq!(of_arc(other), None, "{other}");
        }
    }

    #[test]
    fn the_time_of_an_index_has_seconds() {
        let noon = Some(micros_of("2011-10-24T12:00:00Z") / 1_000_000);
        assert_eq!(seconds_of_digits("20111024120000"), noon);
        assert_eq!(seconds_of_digits("20111024120000999"), noon);
        for other in [
            "",
            "2011102412",
            "2011102412000a",
            "20111324120000",
            "201110241200000000",
        ] {
            assert_eq!(seconds_of_digits(other), None, "{other}");
        }
    }

    #[test]
    fn a_warc_time_has_any_precision() {
        for (date, expected, is_standard) in [
            ("2011-10-24T12:00:00Z", "2011-10-24T12:00:00Z", true),
            ("2011-10-24T12:00:00.5Z", "2011-10-24T12:00:00.5Z", true),
            (
                "2011-10-24T12:00:00.123456789Z",
                "2011-10-24T12:00:00.123456Z",
                true,
            ),
            ("2011-10-24T12:00Z", "2011-10-24T12:00:00Z", true),
            ("2011-10-24T14:00:00+02:00", "2011-10-24T12:00:00Z", true),
            ("2011-10-24T12:00:00+00:00", "2011-10-24T12:00:00Z", true),
            ("2011-10-24T10:30:00-0130", "2011-10-24T12:00:00Z", true),
            ("2011-10-24", "2011-10-24T00:00:00Z", true),
            ("2011-10", "2011-10-01T00:00:00Z", true),
            ("2011", "2011-01-01T00:00:00Z", true),
            ("2011-10-24T12:00:00", "2011-10-24T12:00:00Z", false),
            ("2011-10-24 12:00:00", "2011-10-24T12:00:00Z", false),
            ("2011-10-24t12:00:00z", "2011-10-24T12:00:00Z", false),
            ("20111024120000", "2011-10-24T12:00:00Z", false),
            ("2011-10-297T12:00:00-0000", "2011-10-24T12:00:00Z", false),
        ] {
            let micros = micros_of(expected);
            let expected = Some(Time {
                micros,
                is_standard,
            });
            assert_eq!(of_warc(date), expected, "{date}");
        }
        for other in [
            "",
            "yesterday",
            "2011-13-01",
            "2011-10-24T25:00:00Z",
            "24 Oct 2011",
            "2011-10-24T12:00:00+99:00",
        ] {
            assert_eq!(of_warc(other), None, "{other}");
        }
    }
}
