//! Names and numbers as they are written into a chart.

use unicode_width::UnicodeWidthChar;

/// Longest name written in full, in columns of a fixed-width font.
const LONGEST: usize = 36;

/// What is measured of an extraction.
pub(crate) const MEASURES: [&str; 3] = ["precision", "recall", "F1"];

/// The text without characters that XML forbids or a reader cannot see: control
/// characters, non-characters, and those that turn the direction of writing, with
/// which a name could rearrange what stands beside it.
pub(crate) fn visible(text: &str) -> String {
    let visible = |character: char| match character {
        '\u{200e}' | '\u{200f}' | '\u{061c}' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => !character.is_control(),
    };
    text.chars()
        .map(|character| match visible(character) {
            true => character,
            false => char::REPLACEMENT_CHARACTER,
        })
        .collect()
}

/// The name, shortened in the middle if it is long: the ends tell domains and
/// variants of an extractor apart.
pub(crate) fn shortened(name: &str) -> String {
    if columns(name) <= LONGEST {
        return name.to_owned();
    }
    let tail: Vec<char> = prefix(name.chars().rev(), LONGEST / 2);
    let head = prefix(name.chars(), LONGEST - 1 - LONGEST / 2);
    (head.into_iter())
        .chain(['…'])
        .chain(tail.into_iter().rev())
        .collect()
}

/// As many characters as fit into a number of columns.
fn prefix(characters: impl Iterator<Item = char>, columns: usize) -> Vec<char> {
    let mut taken = 0;
    characters
        .take_while(|character| {
            taken += width(*character);
            taken <= columns
        })
        .collect()
}

/// Columns of a text in a fixed-width font.
fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// A combining mark counts too, or a name of nothing else would never end.
fn width(character: char) -> usize {
    character.width().unwrap_or(0).max(1)
}

/// Width of a text, in units of the chart. The average letter of common sans-serif
/// fonts is 0.5 to 0.6 font sizes wide.
pub(crate) fn width_of(text: &str, font_size: f64) -> f64 {
    0.6 * font_size * columns(text) as f64
}

/// The width that all of some names need as they are written.
pub(crate) fn widest<'a>(names: impl Iterator<Item = &'a str>, font_size: f64) -> f64 {
    let widths = names.map(|name| width_of(&shortened(name), font_size));
    widths.fold(0.0, f64::max).ceil()
}

/// What is said of each line or extractor, as the end of a description.
pub(crate) fn listed(said: impl Iterator<Item = String>) -> String {
    let said: Vec<String> = said.collect();
    match said.is_empty() {
        true => "There is nothing to draw.".to_owned(),
        false => format!("{}.", said.join("; ")),
    }
}

/// A count with its thousands apart: 46,436.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        let written = [0, 999, 1000, 46_436, 292_053, 15_000_000].map(grouped);
        let expected = ["0", "999", "1,000", "46,436", "292,053", "15,000,000"];
        assert_eq!(written, expected);
    }

    #[test]
    fn a_long_name_keeps_its_ends() {
        assert_eq!(shortened("abcnews.go.com"), "abcnews.go.com");
        let name = "a-very-long-name-of-a-subdomain.of-a-very-long-domain.example";
        assert_eq!(shortened(name), "a-very-long-name-…ong-domain.example");
        // Wide characters, marks that have no width, and both ends of the limit.
        for (character, kept) in [('新', 17), ('\u{301}', 35), ('x', 35)] {
            let name = String::from(character).repeat(10_000);
            let short = shortened(&name);
            let kept_of = short.chars().filter(|found| *found == character).count();
            assert_eq!(kept_of, kept, "{short}");
        }
        assert_eq!(shortened(&"x".repeat(36)), "x".repeat(36));
    }

    #[test]
    fn what_cannot_be_seen_is_replaced() {
        assert_eq!(
            visible("a\u{0}b\tc\u{7f}\u{85}"),
            "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}"
        );
        assert_eq!(
            visible("\u{202e}gpj.exe\u{ffff}"),
            "\u{fffd}gpj.exe\u{fffd}"
        );
        assert_eq!(visible("新聞 <b> עיתון é"), "新聞 <b> עיתון é");
    }
}
