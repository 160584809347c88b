//! Dates as pages write them.

use std::fmt;

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

use crate::months::month;

/// First year that is believed: the web is from 1991, and pages have dates of texts before it.
const FIRST_YEAR: i32 = 1990;

/// Characters that a text with a date has at most. Longer texts are not searched.
const TEXT_BYTES: usize = 400;

/// A date of a page, with its time if the page has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    fn day(date: NaiveDate) -> Self {
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

/// The order of day and month in dates such as 3/4/2012.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    #[default]
    DayFirst,
    /// As in the United States.
    MonthFirst,
}

/// A date written for machines: ISO 8601, RFC 2822, eight digits, or seconds or milliseconds since 1970.
/// Otherwise the first date in the text.
pub(crate) fn machine(text: &str, order: Order) -> Option<Moment> {
    let text = text.trim();
    if text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return number(text);
    }
    iso(text).or_else(|| written(text, order))
}

fn number(digits: &str) -> Option<Moment> {
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
fn iso(text: &str) -> Option<Moment> {
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
fn digits(text: &str, count: std::ops::RangeInclusive<usize>) -> Option<(u32, &str)> {
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

/// A piece of a text that can be part of a date.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    /// A number and its count of digits.
    Number(u32, usize),
    Month(u32),
    /// One of `-/.` between two numbers, or 年, 月, 日 and their like.
    Mark(char),
    Other,
}

/// The first date in a text that people read: `March 3, 2012`, `3. März 2012`, `2012年3月3日`,
/// `03.03.2012`, `3 de marzo de 2012`.
pub(crate) fn written(text: &str, order: Order) -> Option<Moment> {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
    let tokens = tokens(text);
    (0..tokens.len()).find_map(|at| date_at(&tokens[at..], order).map(Moment::day))
}

fn date_at(tokens: &[Token], order: Order) -> Option<NaiveDate> {
    use Token::{Mark, Month, Number};
    let ymd = |year: u32, month: u32, day: u32| {
        NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
    };
    match *tokens {
        // 3 March 2012, 3. März 2012, 3-Mar-2012
        [Number(day, 1..=2), Month(month), Number(year, 4), ..]
        | [Number(day, 1..=2), Mark(_), Month(month), Mark(_), Number(year, 4), ..]
        | [Number(day, 1..=2), Mark('.'), Month(month), Number(year, 4), ..]
        // March 3 2012
        | [Month(month), Number(day, 1..=2), Number(year, 4), ..]
        // 2012 March 3
        | [Number(year, 4), Month(month), Number(day, 1..=2), ..] => ymd(year, month, day),
        [Number(year, 4), Mark('年' | '년'), Number(month, 1..=2), Mark('月' | '월'), Number(day, 1..=2), ..]
        | [Number(year, 4), Mark('.'), Number(month, 1..=2), Mark('.'), Number(day, 1..=2), ..] => {
            ymd(year, month, day)
        }
        [Number(year, 4), Mark(a @ ('-' | '/')), Number(month, 1..=2), Mark(b), Number(day, 1..=2), ..]
            if a == b =>
        {
            ymd(year, month, day)
        }
        [Number(first, 1..=2), Mark(a @ ('-' | '/' | '.')), Number(second, 1..=2), Mark(b), Number(year, 4), ..]
            if a == b =>
        {
            let month_first = a != '.' && order == Order::MonthFirst;
            if second > 12 || (month_first && first <= 12) {
                ymd(year, first, second)
            } else {
                ymd(year, second, first)
            }
        }
        _ => None,
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if c.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number = rest[..length].parse().unwrap_or(0);
            tokens.push(Token::Number(number, length));
            let after = &rest[length..];
            // 1st, 2nd, 3rd, 4th, 1er, 1º
            let ordinal = ["st", "nd", "rd", "th", "er", "º", "ª"];
            let is_ordinal = |suffix: &&&str| {
                after
                    .strip_prefix(**suffix)
                    .is_some_and(|after| !after.starts_with(char::is_alphabetic))
            };
            length
                + ordinal
                    .iter()
                    .find(is_ordinal)
                    .map_or(0, |suffix| suffix.len())
        } else if matches!(c, '年' | '月' | '日' | '년' | '월' | '일') {
            tokens.push(Token::Mark(c));
            c.len_utf8()
        } else if c.is_alphabetic() {
            let end = rest
                .find(|c: char| !c.is_alphabetic())
                .unwrap_or(rest.len());
            let word = &rest[..end];
            match month(word) {
                Some(month) => tokens.push(Token::Month(month)),
                // "3 de marzo de 2012", "3rd of March"
                None if matches!(word, "de" | "del" | "of" | "the" | "den" | "г" | "T") => {}
                None => tokens.push(Token::Other),
            }
            end
        } else {
            if matches!(c, '-' | '/' | '.') {
                tokens.push(Token::Mark(c));
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    // The dot of "Mar. 3" is not a separator.
    let mut previous = Token::Other;
    tokens.retain(|token| {
        let dot_of_month = *token == Token::Mark('.') && matches!(previous, Token::Month(_));
        previous = *token;
        !dot_of_month
    });
    tokens
}

/// The date in the path of a URL: `/2012/03/01/`, `/2012-03-01-title`. With `before_title`, also
/// `/2012/03/01-title`: in `/2012/03/10-things`, the number is not a day.
pub(crate) fn of_path(path: &str, before_title: bool) -> Option<Moment> {
    let segments: Vec<&str> = path.split('/').collect();
    for (at, segment) in segments.iter().enumerate() {
        let day = |month: &str, day: &str| {
            let number = |text: &str, most: usize| {
                let (number, rest) = digits(text, 1..=most)?;
                let is_whole = rest.is_empty() || rest.starts_with('.');
                (is_whole || (before_title && rest.starts_with(['-', '_']))).then_some(number)
            };
            let year = number(segment, 4).filter(|_| segment.len() == 4)?;
            let month = number(month, 2).or_else(|| crate::months::month(month))?;
            NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, number(day, 2)?)
        };
        if let [month, of_month, ..] = segments[at + 1..]
            && let Some(date) = day(month, of_month)
        {
            return Some(Moment::day(date));
        }
        let starts =
            segment.len() >= 10 && segment.as_bytes()[4] == b'-' && segment.as_bytes()[7] == b'-';
        if starts && let Some(moment) = iso(&segment[..segment.floor_char_boundary(10)]) {
            return Some(moment);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Order, machine, of_path, written};

    fn machine_text(text: &str) -> Option<String> {
        machine(text, Order::DayFirst).map(|moment| moment.to_string())
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

    #[test]
    fn dates_for_people_are_read_in_their_languages() {
        for text in [
            "Posted on March 3rd, 2012 by Ann",
            "3 March 2012",
            "Mar. 3, 2012",
            "Veröffentlicht am 3. März 2012",
            "Publié le 3 mars 2012 à 10:00",
            "3 de marzo de 2012",
            "3 marzo 2012",
            "3 de março de 2012",
            "3 maart 2012",
            "3 marca 2012 r.",
            "3 марта 2012 г.",
            "3 Μαρτίου 2012",
            "2012年3月3日 10:00",
            "2012. 3. 3.",
            "03.03.2012",
            "2012-03-03",
            "3-Mar-2012",
        ] {
            let found = written(text, Order::DayFirst).map(|moment| moment.to_string());
            assert_eq!(found.as_deref(), Some("2012-03-03"), "{text}");
        }
    }

    #[test]
    fn the_order_of_day_and_month_is_that_of_the_language() {
        let read = |text, order| written(text, order).map(|moment| moment.to_string());
        assert_eq!(
            read("3/4/2012", Order::DayFirst).as_deref(),
            Some("2012-04-03")
        );
        assert_eq!(
            read("3/4/2012", Order::MonthFirst).as_deref(),
            Some("2012-03-04")
        );
        assert_eq!(
            read("13/4/2012", Order::MonthFirst).as_deref(),
            Some("2012-04-13")
        );
        assert_eq!(
            read("3.4.2012", Order::MonthFirst).as_deref(),
            Some("2012-04-03")
        );
    }

    #[test]
    fn dates_of_paths_are_whole() {
        let read = |path| of_path(path, false).map(|moment| moment.to_string());
        assert_eq!(
            read("/blog/2012/03/01/tea.html").as_deref(),
            Some("2012-03-01")
        );
        assert_eq!(read("/2012/mar/01/tea").as_deref(), Some("2012-03-01"));
        assert_eq!(read("/posts/2012-03-01-tea").as_deref(), Some("2012-03-01"));
        assert_eq!(read("/2012/03/"), None);
        assert_eq!(read("/2012/03/tea"), None);
        assert_eq!(read("/2012/03/10-reasons-for-tea"), None);
        let before_title = of_path("/2012/03/10-reasons-for-tea", true);
        assert_eq!(
            before_title.map(|moment| moment.to_string()).as_deref(),
            Some("2012-03-10")
        );
    }
}
