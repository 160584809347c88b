//! Punctuation of a text.

/// Returns the number of commas and of ends of sentences in a text, in the scripts of Unicode that
/// have such marks.
pub(crate) fn marks(text: &str) -> u32 {
    let is_mark = |letter: char| match letter {
        ',' | '.' | ';' | '!' | '?' => true,
        letter if letter.is_ascii() => false,
        '\u{3001}' | '\u{3002}' | '\u{ff0c}' | '\u{ff01}' | '\u{ff1f}' | '\u{ff1b}' => true,
        '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{6d4}' | '\u{964}' | '\u{965}' => true,
        _ => false,
    };
    let count = text.chars().filter(|letter| is_mark(*letter)).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}
