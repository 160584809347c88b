//! Dates written for machines.

use chrono::{NaiveDate, NaiveTime};

use crate::moment::Moment;
use crate::reading::Reading;
use crate::written::{Years, written};

/// A date written for machines: ISO 8601, RFC 2822, eight digits, or seconds or milliseconds since 1970.
/// Otherwise the first date in the text.
pub(crate) fn machine(text: &str, reading: &Reading, years: Years) -> Option<Moment> {
    let text = text.trim();
    if text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return number(text);
    }
    iso(text).or_else(|| written(text, reading, years))
}

pub(crate) fn number(digits: &str) -> Option<Moment> {
    match digits.len() {
        8 => {
            let part = |range: std::ops::Range<usize>| digits[range].parse().ok();
            let date = NaiveDate::from_ymd_opt(part(0..4)? as i32, part(4..6)?, part(6..8)?);
            date.map(Moment::day)
        }
        14 => number(&digits[..8]),
        10 | 13 => {
            let seconds: i64 = digits[..10].parse().ok()?;
            let at = chrono::DateTime::from_timestamp(seconds, 0)?.naive_utc();
            Some(Moment {
                date: at.date(),
                time: Some(at.time()),
                offset_minutes: Some(0),
            })
        }
        _ => None,
    }
}

/// A date that begins as in ISO 8601: `2012-03-01`, `2012-3-1 10:00`, `2012/03/01T10:00:00.000+0100`.
pub(crate) fn iso(text: &str) -> Option<Moment> {
    let (year, rest) = digits(text, 4..=4)?;
    let separator = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '-' | '/' | '.'))?;
    let (month, rest) = digits(&rest[1..], 1..=2)?;
    let (day, rest) = digits(rest.strip_prefix(separator)?, 1..=2)?;
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (time, offset_minutes) = clock(rest.trim_start_matches(['T', 't', ' ']));
    Some(Moment {
        date,
        time,
        offset_minutes,
    })
}

/// A time of day and its offset, if the text begins with them.
fn clock(text: &str) -> (Option<NaiveTime>, Option<i32>) {
    let parsed = || {
        let (hour, rest) = digits(text, 1..=2)?;
        let (minute, rest) = digits(rest.strip_prefix(':')?, 2..=2)?;
        let after = rest.strip_prefix(':').and_then(|rest| digits(rest, 2..=2));
        let (second, rest) = after.unwrap_or((0, rest));
        let time = NaiveTime::from_hms_opt(hour, minute, second.min(59))?;
        let rest = rest.strip_prefix(['.', ',']).map_or(rest, |rest| {
            rest.trim_start_matches(|c: char| c.is_ascii_digit())
        });
        Some((time, offset(rest.trim_start())))
    };
    match parsed() {
        Some((time, offset)) => (Some(time), offset),
        None => (None, None),
    }
}

fn offset(text: &str) -> Option<i32> {
    if text.starts_with(['Z', 'z']) || text.starts_with("GMT") || text.starts_with("UTC") {
        return Some(0);
    }
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' | '\u{2212}' => -1,
        _ => return None,
    };
    let rest = text.trim_start_matches(['+', '-', '\u{2212}']);
    let (hours, rest) = digits(rest, 2..=2)?;
    let minutes = digits(rest.strip_prefix(':').unwrap_or(rest), 2..=2);
    let minutes = minutes.map_or(0, |(minutes, _)| minutes);
    let total = i32::try_from(hours * 60 + minutes).ok()?;
    (total <= 14 * 60).then_some(sign * total)
}

/// A number of so many digits at the start, and the text after it.
pub(crate) fn digits(text: &str, count: std::ops::RangeInclusive<usize>) -> Option<(u32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = if length > *count.end() && *count.start() == *count.end() {
        *count.end()
    } else {
        length
    };
    if !count.contains(&length) {
        return None;
    }
    Some((text[..length].parse().ok()?, &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::machine;
    use crate::reading::Reading;
    use crate::written::Years;

    fn machine_text(text: &str) -> Option<String> {
        machine(text, &Reading::new(Some("fr"), None, || None), Years::Full)
            .map(|moment| moment.to_string())
    }

    #[test]
    fn dates_for_machines_keep_their_time_and_offset() {
        for (text, expected) in [
            ("2012-03-01", "2012-03-01"),
            ("2012-03-01T10:20:30Z", "2012-03-01T10:20:30Z"),
            ("2012-03-01T10:20:30.123+01:00", "2012-03-01T10:20:30+01:00"),
            ("2012-03-01 10:20 -0530", "2012-03-01T10:20:00-05:30"),
            ("2012/3/1", "2012-03-01"),
            ("20120301", "2012-03-01"),
            ("1330597230", "2012-03-01T10:20:30Z"),
            ("Thu, 01 Mar 2012 10:20:30 GMT", "2012-03-01"),
        ] {
            assert_eq!(machine_text(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "2012", "2012-13-01", "12345", "soon"] {
            assert_eq!(machine_text(text), None, "{text}");
        }
    }
}
