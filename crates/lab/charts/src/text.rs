//! Formatting of names and numbers.

use unicode_width::UnicodeWidthChar;

/// The longest name that is written in full, in columns of a fixed-width font.
const LONGEST: usize = 36;

/// The measures of an extraction.
pub(crate) const MEASURES: [&str; 3] = ["precision", "recall", "F1"];

/// Replaces characters that XML forbids or that are invisible: control characters,
/// non-characters, and characters that change the direction of writing, with which a name
/// could rearrange the text beside it.
pub(crate) fn visible(text: &str) -> String {
    let visible = |character: char| match character {
        '\u{200e}' | '\u{200f}' | '\u{061c}' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => !character.is_control(),
    };
    text.chars()
        .map(|character| {
            if visible(character) {
                character
            } else {
                char::REPLACEMENT_CHARACTER
            }
        })
        .collect()
}

/// Shortens a long name in the middle, because domains and variants of an extractor
/// differ at the ends.
pub(crate) fn shortened(name: &str) -> String {
    if columns(name) <= LONGEST {
        return name.to_owned();
    }
    let tail: Vec<char> = prefix(name.chars().rev(), LONGEST / 2);
    let head = prefix(name.chars(), LONGEST - 1 - LONGEST / 2);
    head.into_iter()
        .chain(['…'])
        .chain(tail.into_iter().rev())
        .collect()
}

/// Takes the first characters that fit into a number of columns.
fn prefix(characters: impl Iterator<Item = char>, columns: usize) -> Vec<char> {
    let mut taken = 0;
    characters
        .take_while(|character| {
            taken += width(*character);
            taken <= columns
        })
        .collect()
}

/// The width of a text in columns of a fixed-width font.
fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// The width of a character in columns, at least 1. With 0 for combining marks, a name of
/// nothing else would not be shortened.
fn width(character: char) -> usize {
    character.width().unwrap_or(0).max(1)
}

/// An upper estimate of the width of a text, in units of the chart. The average letter of
/// common sans-serif fonts is 0.5 to 0.6 font sizes wide.
pub(crate) fn width_of(text: &str, font_size: f64) -> f64 {
    0.6 * font_size * columns(text) as f64
}

/// The width of the widest of some names, after shortening.
pub(crate) fn widest<'a>(names: impl Iterator<Item = &'a str>, font_size: f64) -> f64 {
    let widths = names.map(|name| width_of(&shortened(name), font_size));
    widths.fold(0.0, f64::max).ceil()
}

/// Joins the descriptions of the lines or extractors into the end of a `<desc>`.
pub(crate) fn listed(descriptions: impl Iterator<Item = String>) -> String {
    let descriptions: Vec<String> = descriptions.collect();
    if descriptions.is_empty() {
        "There is nothing to draw.".to_owned()
    } else {
        format!("{}.", descriptions.join("; "))
    }
}

/// Formats a count with thousands separators: 46,436.
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
    fn counts_have_thousands_separators() {
        let written = [0, 999, 1000, 46_436, 292_053, 15_000_000].map(grouped);
        let expected = ["0", "999", "1,000", "46,436", "292,053", "15,000,000"];
        assert_eq!(written, expected);
    }

    #[test]
    fn a_long_name_keeps_its_ends() {
        assert_eq!(shortened("abcnews.go.com"), "abcnews.go.com");
        let name = "a-very-long-name-of-a-subdomain.of-a-very-long-domain.example";
        assert_eq!(shortened(name), "a-very-long-name-…ong-domain.example");
        // Wide characters, marks without width, and both sides of the limit.
        for (character, kept) in [('新', 17), ('\u{301}', 35), ('x', 35)] {
            let name = String::from(character).repeat(10_000);
            let short = shortened(&name);
            let kept_of = short.chars().filter(|found| *found == character).count();
            assert_eq!(kept_of, kept, "{short}");
        }
        assert_eq!(shortened(&"x".repeat(36)), "x".repeat(36));
    }

    #[test]
    fn invisible_characters_are_replaced() {
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
