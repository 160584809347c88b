//! Dates of feeds: RFC 822, W3CDTF, ISO 8601, `asctime`, and the forms that servers write instead.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Timelike, Utc};

/// The first letters of the months: English, Greek, and the languages whose servers translate
/// RFC 822. Accents are folded.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ιαν"],
    &["feb", "φεβ"],
    &["mar", "μαρ"],
    &["apr", "απρ"],
    &["may", "mai", "maj", "μαι"],
    &["jun", "ιουν"],
    &["jul", "ιουλ"],
    &["aug", "αυγ"],
    &["sep", "szep", "σεπ"],
    &["oct", "okt", "οκτ"],
    &["nov", "νοε"],
    &["dec", "dez", "δεκ"],
];
/// Zones with one meaning, in hours from UTC. A name with several (BST, IST) gives no date.
const ZONES: [(&[&str], i64); 18] = [
    (&["z", "ut", "utc", "gmt", "wet"], 0),
    (&["cet", "met", "west"], 1),
    (&["cest", "mest", "eet"], 2),
    (&["eest", "msk"], 3),
    (&["jst", "kst"], 9),
    (&["aest"], 10),
    (&["aedt"], 11),
    (&["nzst"], 12),
    (&["nzdt"], 13),
    (&["adt"], -3),
    (&["ast", "at", "edt"], -4),
    (&["est", "et", "cdt"], -5),
    (&["cst", "ct", "mdt"], -6),
    (&["mst", "mt", "pdt"], -7),
    (&["pst", "pt", "akdt"], -8),
    (&["akst"], -9),
    (&["hst"], -10),
    (&["sst"], -11),
];
/// Years of two digits below this one belong to 2000 and later.
const PIVOT: i32 = 90;

/// Reads a date. A date without a time is midnight, and a time without a zone is in UTC. A date that
/// has two meanings (`10/11/2011`) is `None`.
pub(crate) fn read(text: &str) -> Option<DateTime<Utc>> {
    let mut parts = Parts::default();
    let is_korean = ["년", "오전", "오후"]
        .iter()
        .any(|word| text.contains(word));
    let text = folded(text);
    // W3CDTF has a year alone. With other words it says less.
    if let (4, Some(year)) = (text.len(), number(&text)) {
        let midnight = NaiveDate::from_ymd_opt(year, 1, 1)?.and_time(NaiveTime::MIN);
        return Some(midnight.and_utc());
    }
    for token in text
        .split([' ', ',', '\t', '\n', '\r'])
        .filter(|token| !token.is_empty())
    {
        parts.add(token)?;
    }
    parts.date(if is_korean { 9 * 60 } else { 0 })
}

/// Lower case without accents, comments and Korean letters.
fn folded(text: &str) -> String {
    let mut depth = 0_u32;
    let mut folded = String::with_capacity(text.len());
    for letter in text.trim().chars().flat_map(char::to_lowercase) {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => (),
            'á' | 'ä' | 'à' => folded.push('a'),
            'é' | 'è' => folded.push('e'),
            'í' => folded.push('i'),
            'ó' => folded.push('o'),
            'ú' | 'û' => folded.push('u'),
            'ά' => folded.push('α'),
            'έ' => folded.push('ε'),
            'ί' | 'ϊ' | 'ΐ' => folded.push('ι'),
            'ό' => folded.push('ο'),
            'ύ' | 'ϋ' => folded.push('υ'),
            // Year, month and day, with spaces between them.
            '년' | '월' => folded.push('-'),
            '일' => folded.push(' '),
            ' ' if folded.ends_with('-') => (),
            _ => folded.push(letter),
        }
    }
    folded.replace("오전", "am").replace("오후", "pm")
}

/// The parts of a date that were found.
#[derive(Debug, Default)]
struct Parts {
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
    /// Days since the first of January, instead of month and day.
    day_of_year: Option<u32>,
    time: Option<NaiveTime>,
    is_afternoon: Option<bool>,
    zone_minutes: Option<i64>,
}

impl Parts {
    fn date(self, default_zone: i64) -> Option<DateTime<Utc>> {
        let year = self.year?;
        let date = match self.day_of_year {
            Some(day) => NaiveDate::from_yo_opt(year, day),
            None => NaiveDate::from_ymd_opt(year, self.month?, self.day?),
        }?;
        let time = self.time.unwrap_or_default();
        let zone = TimeDelta::try_minutes(self.zone_minutes.unwrap_or(default_zone))?;
        let time = match self.is_afternoon {
            None => date.and_time(time),
            // Twelve is the first hour of a half. 13 pm is 13.
            Some(is_afternoon) => {
                let hour = match (time.hour(), is_afternoon) {
                    (12, false) => 0,
                    (hour @ 0..=11, true) => hour + 12,
                    (hour, _) => hour,
                };
                date.and_time(time.with_hour(hour)?)
            }
        };
        Some(time.checked_sub_signed(zone)?.and_utc())
    }

    /// Adds a token. `None` is a token that no date has.
    fn add(&mut self, token: &str) -> Option<()> {
        let is_digit = |letter: char| letter.is_ascii_digit();
        if let Some((date, time)) = split_at_t(token) {
            self.add(date)?;
            return self.time(time);
        }
        if token.contains(':') && token.starts_with(is_digit) {
            return self.time(token);
        }
        if self.time.is_some() && token.starts_with(['+', '-']) {
            return self.zone(token);
        }
        if token.contains(is_digit)
            && token
                .chars()
                .all(|letter| is_digit(letter) || "-/.".contains(letter))
        {
            return self.numbers(token.trim_end_matches(['.', '-']));
        }
        if token.starts_with(is_digit) {
            return self.mixed(token);
        }
        self.word(token)
    }

    /// A month, a zone, a half of the day, or a word that says nothing, as the day of the week.
    fn word(&mut self, word: &str) -> Option<()> {
        let is_complete = self.year.is_some();
        if word == "am" || word == "pm" {
            self.is_afternoon = Some(word == "pm");
        } else if let (Some(month), false) =
            (month(word), self.time.is_some() && self.month.is_some())
        {
            self.month = Some(month);
        } else if self.time.is_some() || (is_complete && word != "at") {
            return self.zone(word);
        }
        Some(())
    }

    /// `24th`, `24-Oct-2011`, `2011-július-24`, `24Oct`.
    fn mixed(&mut self, token: &str) -> Option<()> {
        let parts: Vec<&str> = token
            .split(['-', '/', '.'])
            .filter(|part| !part.is_empty())
            .collect();
        if let [_, _, ..] = parts[..] {
            return parts.into_iter().try_for_each(|part| self.add(part));
        }
        let end = token.find(|letter: char| !letter.is_ascii_digit())?;
        let (digits, rest) = token.split_at(end);
        self.numbers(digits)?;
        match rest {
            "st" | "nd" | "rd" | "th" => Some(()),
            rest => self.add(rest),
        }
    }

    /// Numbers with signs between them, as ISO 8601 has them, or one number.
    fn numbers(&mut self, token: &str) -> Option<()> {
        let (token, has_sign) = match token.strip_prefix('-') {
            Some(rest) => (rest.trim_start_matches('-'), true),
            None => (token, false),
        };
        let parts: Vec<&str> = token.split(['-', '/', '.']).collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let is_iso = token.contains('-') || has_sign;
        let two_digits = |text: &str| number(text).map(|year: i32| year + century(year));
        match (&lengths[..], &parts[..]) {
            ([4, 1..=3, 1 | 2], [year, month, day]) => {
                self.ymd(number(year)?, number(month)?, number(day)?)
            }
            ([2, 2, 2], [year, month, day]) if is_iso => {
                self.ymd(two_digits(year)?, number(month)?, number(day)?)
            }
            ([4, 3], [year, day]) => self.ordinal(number(year)?, number(day)?),
            ([4, 1 | 2], [year, month]) => self.ymd(number(year)?, number(month)?, 1),
            ([2, 2], [year, month]) if has_sign => self.ymd(two_digits(year)?, number(month)?, 1),
            ([4], [digits]) if has_sign => {
                self.ymd(two_digits(&digits[..2])?, number(&digits[2..])?, 1)
            }
            ([8], [digits]) => self.ymd(
                number(&digits[..4])?,
                number(&digits[4..6])?,
                number(&digits[6..])?,
            ),
            ([7], [digits]) => self.ordinal(number(&digits[..4])?, number(&digits[4..])?),
            ([6], [digits]) => self.ymd(
                two_digits(&digits[..2])?,
                number(&digits[2..4])?,
                number(&digits[4..])?,
            ),
            ([5], [digits]) => self.ordinal(two_digits(&digits[..2])?, number(&digits[2..])?),
            ([4], [year]) if self.year.is_none() => {
                self.year = number(year);
                Some(())
            }
            ([1 | 2], [day]) if self.day.is_none() => {
                self.day = number(day);
                Some(())
            }
            ([2], [year]) if self.year.is_none() => {
                self.year = two_digits(year);
                Some(())
            }
            _ => None,
        }
    }

    fn ymd(&mut self, year: i32, month: u32, day: u32) -> Option<()> {
        if self.year.is_some() {
            return None;
        }
        (self.year, self.month, self.day) = (Some(year), Some(month), Some(day));
        Some(())
    }

    fn ordinal(&mut self, year: i32, day: u32) -> Option<()> {
        if self.year.is_some() {
            return None;
        }
        (self.year, self.day_of_year) = (Some(year), Some(day));
        Some(())
    }

    /// `10:14:55.12-08:00`, `10:14pm`, `101455Z`.
    fn time(&mut self, token: &str) -> Option<()> {
        if self.time.is_some() {
            return None;
        }
        let is_time = |letter: char| letter.is_ascii_digit() || ":.".contains(letter);
        let end = token.find(|letter| !is_time(letter)).unwrap_or(token.len());
        let (time, rest) = token.split_at(end);
        let time = time.split('.').next().unwrap_or_default();
        let parts: Vec<&str> = match (time.contains(':'), time.len()) {
            (false, 6) => vec![&time[..2], &time[2..4], &time[4..]],
            (false, 4) => vec![&time[..2], &time[2..]],
            _ => time.split(':').collect(),
        };
        let part = |at: usize| parts.get(at).map_or(Some(0), |part| number(part));
        if parts.len() > 3 {
            return None;
        }
        // A leap second is the end of its minute.
        let second = part(2).map(|second: u32| if second == 60 { 59 } else { second })?;
        self.time = Some(NaiveTime::from_hms_opt(part(0)?, part(1)?, second)?);
        match rest.trim_start_matches(' ') {
            "" => Some(()),
            half @ ("am" | "pm") => self.word(half),
            zone => self.zone(zone),
        }
    }

    /// `+0200`, `-08:00`, `GMT+2`, `Etc/GMT`, `EST`.
    fn zone(&mut self, token: &str) -> Option<()> {
        let token = token.strip_prefix("etc/").unwrap_or(token);
        let offset = ["gmt", "utc", "ut"].iter().find_map(|name| {
            let rest = token.strip_prefix(name)?;
            rest.starts_with(['+', '-']).then_some(rest)
        });
        let offset = offset.unwrap_or(token);
        let minutes = match offset.split_at_checked(1) {
            Some((sign @ ("+" | "-"), digits)) => {
                let minutes = offset_minutes(digits)?;
                if sign == "-" { -minutes } else { minutes }
            }
            _ => ZONES.iter().find(|(names, _)| names.contains(&token))?.1 * 60,
        };
        // An offset after a name (`GMT +0200`) is the exact one.
        self.zone_minutes = Some(minutes);
        Some(())
    }
}

/// Splits a date at the `T` before its time.
fn split_at_t(token: &str) -> Option<(&str, &str)> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let parts = token
        .match_indices('t')
        .map(|(at, _)| (&token[..at], &token[at + 1..]));
    let mut parts =
        parts.filter(|(date, time)| date.ends_with(is_digit) && time.starts_with(is_digit));
    parts.next()
}

/// `0200`, `02:00`, `2`.
fn offset_minutes(digits: &str) -> Option<i64> {
    let (hours, minutes) = match (digits.split_once(':'), digits.len()) {
        (Some(parts), _) => parts,
        (None, 1 | 2) => (digits, "0"),
        (None, 3 | 4) => digits.split_at_checked(digits.len() - 2)?,
        _ => return None,
    };
    let (hours, minutes): (i64, i64) = (number(hours)?, number(minutes)?);
    (hours <= 24 && minutes < 60).then_some(hours * 60 + minutes)
}

fn month(word: &str) -> Option<u32> {
    let starts = |names: &&[&str]| names.iter().any(|name| word.starts_with(name));
    let at = MONTHS.iter().position(starts)?;
    u32::try_from(at + 1).ok()
}

fn century(year: i32) -> i32 {
    if year < PIVOT { 2000 } else { 1900 }
}

/// A number without a sign.
fn number<T: std::str::FromStr>(digits: &str) -> Option<T> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_forms_of_feeds() {
        for (text, expected) in [
            // RFC 822, and how it is written.
            ("Mon, 24 Oct 2011 10:05:00 +0200", "2011-10-24 08:05:00"),
            ("Mon, 24 Oct 11 10:05:00 EST", "2011-10-24 15:05:00"),
            ("Mon,24 Oct 2011 10:05:00 GMT", "2011-10-24 10:05:00"),
            ("24 Oct 2011", "2011-10-24 00:00:00"),
            ("24 Oct 94 10:05", "1994-10-24 10:05:00"),
            ("Mon, 24 October, 2011 10:05:00 UTC", "2011-10-24 10:05:00"),
            ("Monday, 24-Oct-11 10:05:00 GMT", "2011-10-24 10:05:00"),
            ("Mon Oct 24 2011 10:05:00 +0200", "2011-10-24 08:05:00"),
            ("Mon, 24 Oct 2011 10:05:00 GMT-01:30", "2011-10-24 11:35:00"),
            ("Mon, 24 Oct 2011 10:05:00 GMT +0200", "2011-10-24 08:05:00"),
            ("Mon, 24 Oct 2011 10:05:00 Etc/GMT", "2011-10-24 10:05:00"),
            (
                "Mon, 24 Oct 2011 10:05:00 +0200 (CEST)",
                "2011-10-24 08:05:00",
            ),
            ("Mon, 24 Oct 2011 10:05:00 CEST", "2011-10-24 08:05:00"),
            ("Mon, 24 Oct 2011 10:05:00 PT", "2011-10-24 18:05:00"),
            ("Mon, 24 Oct 2011 10:05:00 AT", "2011-10-24 14:05:00"),
            ("Mon, 24 Oct 2011 10:05:60 GMT", "2011-10-24 10:05:59"),
            ("October 24, 2011 at 10:05 pm", "2011-10-24 22:05:00"),
            ("Mar, 24 Oct 2011 12:05:00 AM", "2011-10-24 00:05:00"),
            ("24th Oct 2011 12:05pm", "2011-10-24 12:05:00"),
            // asctime
            ("Mon Oct  4 10:05:00 2011", "2011-10-04 10:05:00"),
            ("Mon Oct 24 10:05:00 PST 2011", "2011-10-24 18:05:00"),
            ("Mon Oct 24 10:05:00 +0000 2011", "2011-10-24 10:05:00"),
            // W3CDTF and ISO 8601
            ("2011-10-24T10:05:00Z", "2011-10-24 10:05:00"),
            (" 2011-10-24t10:05:00.123+02:00\n", "2011-10-24 08:05:00"),
            ("2011-10-24T10:05+0200", "2011-10-24 08:05:00"),
            ("2011-10-24T10Z", "2011-10-24 10:00:00"),
            ("20111024T100500Z", "2011-10-24 10:05:00"),
            ("2011-10-24", "2011-10-24 00:00:00"),
            ("2011-010-24T10:05:00Z", "2011-10-24 10:05:00"),
            ("2011-10", "2011-10-01 00:00:00"),
            ("2011", "2011-01-01 00:00:00"),
            ("2011-297", "2011-10-24 00:00:00"),
            ("20111024", "2011-10-24 00:00:00"),
            ("111024", "2011-10-24 00:00:00"),
            ("11297", "2011-10-24 00:00:00"),
            ("11-10-24", "2011-10-24 00:00:00"),
            ("-11-10", "2011-10-01 00:00:00"),
            ("-1110", "2011-10-01 00:00:00"),
            // Databases and version control
            ("2011-10-24 10:05:00.0", "2011-10-24 10:05:00"),
            ("2011-10-24 10:05:00 -00:20", "2011-10-24 10:25:00"),
            ("Mon, 2011/10/24 10:05:00 EDT", "2011-10-24 14:05:00"),
            // Other languages
            ("Δευ, 24 Οκτ 2011 10:05:00 EST", "2011-10-24 15:05:00"),
            ("Τετ, 6 Ιούλ 2011 10:05:00 GMT", "2011-07-06 10:05:00"),
            ("2011-július-6T9:05-05:00", "2011-07-06 14:05:00"),
            ("2011년 10월 24일  10:05:00", "2011-10-24 01:05:00"),
            ("2011-10-24 오후 10:05:00", "2011-10-24 13:05:00"),
        ] {
            let found = read(text).map(|date| date.format("%F %T").to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_date_or_has_two_meanings_is_none() {
        for text in [
            "",
            "soon",
            "10:05",
            "10/11/2011",
            "24 10 11",
            "Oct 2011",
            "Mon, 31 Jun 2011 10:05:00 GMT",
            "Mon, 24 Oct 2011 10:05:00 BST",
            "Mon, 24 Oct 2011 10:05:00 +9999",
            "Mon, 24 Oct 2011 1:2:3:4 GMT",
            "Mon, 24 zzz 2011 10:05:00 GMT",
            "Mon, 24 Oct zz 10:05:00 GMT",
            "Mon, 24 Oct 2011 10:05:00 +00:zz",
            "2011-10-24T25:05:00Z",
            "2011-10-24T10:61:00Z",
            "2011-xx-24",
            "2011-10-24T10:05:00Z 2012",
            "9999999999999999999999",
            "-",
            "t1t1t1t",
            "1t1é",
            "\u{130}t1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
