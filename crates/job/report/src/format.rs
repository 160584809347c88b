//! Numbers, times and untrusted texts, as pages show them.

use std::borrow::Cow;

use chrono::DateTime;

/// Replaces the characters of an untrusted text that are not text by U+FFFD: control characters, among
/// them those of terminals, and those that change the direction of writing.
///
/// ```
/// assert_eq!(report::visible("a\u{1b}[2Jb\u{202e}c"), "a\u{fffd}[2Jb\u{fffd}c");
/// assert_eq!(report::visible("plain\ttext"), "plain text");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|character| match character {
        '\t' | '\n' | '\r' => ' ',
        hidden if is_hidden(hidden) => '\u{fffd}',
        shown => shown,
    });
    Cow::Owned(shown.collect())
}

/// Whether a character is a control character or changes the direction of writing.
pub(crate) fn is_hidden(character: char) -> bool {
    let is_direction = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || is_direction
}

/// A time in microseconds since 1970, to the second.
pub(crate) fn time(micros: i64) -> String {
    let time = DateTime::from_timestamp_micros(micros);
    time.map_or_else(
        || format!("{micros} µs"),
        |time| time.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
    )
}

/// A share as a percentage without fractions. Only nothing is 0 %, and only all is 100 %.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match (part, whole) {
        (_, 0) => "–".to_owned(),
        (0, _) => "0 %".to_owned(),
        (part, whole) if part >= whole => "100 %".to_owned(),
        (part, whole) => {
            let share = (part as f64 / whole as f64 * 100.0).round();
            format!("{} %", share.clamp(1.0, 99.0))
        }
    }
}

/// A number with spaces between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the unit of three digits or fewer before the point.
pub(crate) fn bytes(number: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut shown = number as f64;
    let mut unit = 0;
    while shown >= 1000.0 && unit + 1 < units.len() {
        shown /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{number} B"),
        unit => format!("{shown:.1} {}", units[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn almost_nothing_is_not_nothing_and_almost_all_is_not_all() {
        let shares = [(0, 9), (1, 999), (1, 2), (998, 999), (9, 9), (0, 0)];
        let shares = shares.map(|(part, whole)| percent(part, whole));
        assert_eq!(shares, ["0 %", "1 %", "50 %", "99 %", "100 %", "–"]);
    }

    #[test]
    fn digits_come_in_groups_of_three() {
        let numbers = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(
            numbers,
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }
}
