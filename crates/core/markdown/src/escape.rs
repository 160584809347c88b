//! Characters that mean something in Markdown.

use std::ops::Range;

use crate::context::Context;
use crate::formula::Dollars;

/// Writes `text[range]` so that it is read as text. The whole text decides: `snake_case` needs no
/// backslash, `_x_` does. A `\n` is a line break.
pub(crate) fn escape(
    out: &mut String,
    text: &str,
    range: Range<usize>,
    context: Context,
    dollars: &Dollars,
) {
    let mut marker = None;
    if context == Context::Paragraph && (range.start == 0 || text[..range.start].ends_with('\n')) {
        marker = line_marker(&text[range.start..]).map(|at| range.start + at);
    }
    let mut previous = text[..range.start].chars().next_back();
    for (at, c) in text[range.clone()].char_indices() {
        let at = range.start + at;
        let rest = &text[at + c.len_utf8()..];
        if c == '\n' {
            if context == Context::Paragraph {
                out.push_str("\\\n");
                marker = line_marker(rest).map(|found| at + 1 + found);
            } else {
                out.push(' ');
            }
        } else {
            let edge = at == range.start || at + c.len_utf8() == range.end;
            if marker == Some(at)
                || meaningful(c, previous, rest, edge, context)
                || c == '$' && dollars.begins_formula(text, at)
            {
                out.push('\\');
            }
            out.push(c);
        }
        previous = Some(c);
    }
}

/// Whether a character inside a line means something. `edge` says that markup can be beside it.
fn meaningful(c: char, previous: Option<char>, rest: &str, edge: bool, context: Context) -> bool {
    let next = rest.chars().next();
    // A line break is written with a backslash, which is punctuation.
    let spaced = |c: char| c.is_whitespace() && c != '\n';
    let between_spaces = previous.is_none_or(char::is_whitespace) && next.is_none_or(spaced);
    let between_letters =
        previous.is_none_or(char::is_alphanumeric) && next.is_none_or(char::is_alphanumeric);
    match c {
        '\\' | '`' | '[' | ']' | '~' => true,
        '*' => edge || !between_spaces,
        '_' => edge || !(between_spaces || between_letters),
        '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)),
        '&' => entity(rest),
        // Before a link it would begin an image.
        '!' => edge && next.is_some(),
        '|' => context == Context::Cell,
        // A heading may end with a run of `#`, which is not part of it.
        '#' => context == Context::Heading && rest.bytes().all(|byte| byte == b'#'),
        _ => false,
    }
}

/// Whether a character reference follows an `&`.
fn entity(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    length > 0 && name.as_bytes().get(length) == Some(&b';')
}

/// The position of the character that would make the first line of a text the beginning of a
/// heading, a list, a quote, a table, or the underline of a heading.
fn line_marker(text: &str) -> Option<usize> {
    let line = text.split('\n').next()?;
    let bytes = line.as_bytes();
    let ends_at = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
    let all = |set: &[u8]| bytes.iter().all(|byte| set.contains(byte));
    let found = match *bytes.first()? {
        b'>' => true,
        b'#' => {
            let level = bytes.iter().take_while(|byte| **byte == b'#').count();
            level <= 6 && ends_at(level)
        }
        b'-' | b'+' | b'*' | b'_' if ends_at(1) => true,
        b'=' => all(b"= "),
        b'-' | b':' | b'|' => all(b"-:| "),
        b'0'..=b'9' => {
            let digits = bytes
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let delimited = matches!(bytes.get(digits), Some(b'.' | b')'));
            return (digits <= 9 && delimited && ends_at(digits + 1)).then_some(digits);
        }
        _ => false,
    };
    found.then_some(0)
}

#[cfg(test)]
mod tests {
    use super::{Context, escape};
    use crate::formula::Dollars;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        let dollars = Dollars::default();
        escape(&mut out, text, 0..text.len(), Context::Paragraph, &dollars);
        out
    }

    #[test]
    fn text_without_meaning_is_left_alone() {
        for text in [
            "3 * 4 = 12",
            "snake_case_name",
            "a < b and c > d",
            "AT&T & Co.",
            "Wait! What?",
            "1.5 metres",
            "#hashtag",
            "-5 degrees",
            "2012: a year",
            "f(x) | g(x)",
        ] {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn characters_that_mean_something_get_a_backslash() {
        for (text, expected) in [
            ("3*4*5", r"3\*4\*5"),
            ("_x_", r"\_x\_"),
            ("[1] `x`", r"\[1\] \`x\`"),
            ("<b>", r"\<b>"),
            ("&lt;", r"\&lt;"),
            (r"C:\x", r"C:\\x"),
            ("~~a~~", r"\~\~a\~\~"),
            ("# a", r"\# a"),
            ("- a", r"\- a"),
            ("+ a", r"\+ a"),
            ("* a", r"\* a"),
            ("> a", r"\> a"),
            ("1. a", r"1\. a"),
            ("12) a", r"12\) a"),
            ("---", r"\---"),
            ("a\n===", "a\\\n\\==="),
            ("a|b\n:-|-:", "a|b\\\n\\:-|-:"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }
}
