//! Exponents: digits above the line change what is before them, `10<sup>6</sup>` is not 106.

/// Whether an element above the line right after a text can be its exponent: after a number, a name of one or two
/// letters (a variable, a unit), or a parenthesis. After a word it is the number of a note.
pub(crate) fn takes_exponent(text: &str) -> bool {
    let base = base(text);
    let letters = base.chars().filter(|c| c.is_alphabetic()).count();
    text.ends_with(')')
        || (letters == 0 && !base.is_empty())
        || (1..=UNIT_LETTERS).contains(&letters)
}

/// Returns whether a text above the line is an exponent of the text before it, which
/// [takes one](takes_exponent).
///
/// Notes have no signs. A number without a sign is an exponent of short bases only, and letters that end
/// ordinals (`2<sup>nd</sup>`, `1<sup>er</sup>`) are none.
pub(crate) fn is_exponent(exponent: &str, before: &str) -> bool {
    let base = base(before);
    let is_letter = |c: char| matches!(c, 'i'..='n' | 'p' | 'q' | 't' | 'x'..='z');
    let has_sign = exponent.contains(is_sign);
    let has_letter = exponent.contains(is_letter);
    let is_number = base.chars().all(|c| c.is_ascii_digit());
    let is_short = base.len() <= if is_number { SHORT_NUMBER } else { SHORT_UNIT };
    let has_value = has_letter || exponent.contains(|c: char| c.is_ascii_digit());
    has_value
        && exponent.chars().count() <= EXPONENT_CHARS
        && exponent
            .chars()
            .all(|c| c.is_ascii_digit() || is_sign(c) || is_letter(c))
        // Letters follow one another in words.
        && exponent.chars().filter(|c| is_letter(*c)).count() <= 2
        && (has_sign || has_letter && (is_number || base.len() <= 1) || is_short && !base.is_empty())
}

/// Returns an exponent as text: `^6`, `^(n+1)`.
pub(crate) fn exponent_text(exponent: &str) -> String {
    if exponent.trim_matches(is_sign).contains(is_sign) {
        format!("^({exponent})")
    } else {
        format!("^{exponent}")
    }
}

fn is_sign(c: char) -> bool {
    matches!(c, '+' | '-' | '\u{2212}' | '\u{2013}')
}

/// Letters of the longest names of units that have exponents (`mol`). Lower: `mol^-1` loses its sign's meaning.
const UNIT_LETTERS: usize = 3;
/// Letters of units that a number without a sign is an exponent of. Higher: notes after `the`.
const SHORT_UNIT: usize = 2;
/// Digits of numbers that a number without a sign is an exponent of. Higher: notes after years.
const SHORT_NUMBER: usize = 2;
/// Characters of an exponent: `n+1`, `-12`.
const EXPONENT_CHARS: usize = 4;

/// The letters and digits at the end of a text.
fn base(text: &str) -> &str {
    let is_other = |c: char| !c.is_alphanumeric();
    let start = text.char_indices().rev().find(|(_, c)| is_other(*c));
    start.map_or(text, |(at, c)| &text[at + c.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_told_from_notes_and_ordinals() {
        for (before, above, expected) in [
            ("about 10", "6", true),
            ("10", "-19", true),
            ("10", "\u{2212}3", true),
            ("area of 3 m", "2", true),
            ("9.81 m/s", "2", true),
            ("kJ mol", "-1", true),
            ("x", "n", true),
            ("2", "n+1", true),
            ("(a+b)", "n", true),
            ("Ca", "2+", true),
            ("mc", "2", true),
            ("as Smith says", "2", false),
            ("in 1990", "2", false),
            ("the end.", "3", false),
            ("", "14", false),
            ("1", "st", false),
            ("the 2", "nd", false),
            ("1", "er", false),
            ("n", "o", false),
            ("Acme", "TM", false),
            ("(a note)", "1", false),
        ] {
            let found = takes_exponent(before) && is_exponent(above, before);
            assert_eq!(found, expected, "{before}<sup>{above}</sup>");
        }
    }
}
