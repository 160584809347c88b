//! Signs of TeX in a text between delimiters.

/// Names of functions in formulas, which are not words of prose.
const FUNCTIONS: [&str; 16] = [
    "sin", "cos", "tan", "log", "ln", "exp", "max", "min", "lim", "det", "gcd", "mod", "arg",
    "sup", "inf", "dim",
];

/// Longest identifier between dollars, in bytes: `$timeout$`.
const WORD_BYTES: usize = 20;

/// Whether a text has notation that only TeX has: commands, exponents, indices.
pub(crate) fn is_tex(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        let (before, rest) = (&bytes[..at], &bytes[at + 1..]);
        match byte {
            b'\\' => is_command(rest),
            b'^' => is_base(before.last()) && is_operand(rest.first()),
            b'_' if rest.first() == Some(&b'{') => is_base(before.last()),
            b'_' => is_symbol(before) && is_operand(rest.first()),
            _ => false,
        }
    })
}

/// Whether a command follows a backslash: `\alpha`, `\R`, `\{`. A single small letter is of a regular expression.
fn is_command(rest: &[u8]) -> bool {
    let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic());
    match letters.count() {
        0 => rest.first().is_some_and(|byte| b"{},;!".contains(byte)),
        1 => rest[0].is_ascii_uppercase(),
        _ => true,
    }
}

fn is_base(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || b")]}|'".contains(byte)
    })
}

fn is_operand(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"{\\*+-'(".contains(byte)
    })
}

/// Whether a text ends in a symbol of one letter: `x_1` has an index, `my_name` has none.
fn is_symbol(before: &[u8]) -> bool {
    let (last, rest) = match before.split_last() {
        Some((last, rest)) => (last, rest.last()),
        None => return false,
    };
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    b")]}|'".contains(last) || last.is_ascii_alphabetic() && !rest.is_some_and(is_of_name)
}

/// The number of words outside of braces that are neither commands nor functions. Prose has many.
pub(crate) fn plain_words(text: &str) -> usize {
    let (mut depth, mut words) = (0_usize, 0);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let name = after.trim_start_matches(char::is_alphabetic);
        rest = match c {
            // A command: its name, or a sign.
            '\\' if name.len() < after.len() => name,
            '\\' => after.trim_start_matches(['{', '}', '\\']),
            c if c.is_alphabetic() => {
                let word = &rest[..rest.len() - name.len()];
                let is_plain = word.chars().count() > 2 && !FUNCTIONS.contains(&word);
                words += usize::from(is_plain && depth == 0);
                name
            }
            '{' => {
                depth += 1;
                after
            }
            '}' => {
                depth = depth.saturating_sub(1);
                after
            }
            _ => after,
        };
    }
    words
}

/// Whether a text has only symbols and operators: `O(n)`, `a + b = c`, `\|x\|`, `0`.
pub(crate) fn is_symbols(text: &str) -> bool {
    let text = &*text.replace("\\|", "|");
    let is_operator = |c: char| "+-*/=<>|()[]{},.;:!'".contains(c);
    let is_mathematical = |c: char| matches!(c, '×' | '÷' | '±' | '·' | '−' | '\u{370}'..='\u{3ff}' | '\u{2190}'..='\u{22ff}');
    let is_known =
        |c: char| c.is_ascii_alphanumeric() || c == ' ' || is_operator(c) || is_mathematical(c);
    let has_operand = |c: char| c.is_ascii_alphanumeric() || is_mathematical(c);
    let begins = !text.starts_with([')', '*', '/', '=', ',', ';', ':', '.']);
    let ends = !text.ends_with(['+', '-', '*', '/', '=', '<', '>', ',', ';', ':', '(', '.']);
    // `5K or US` stands between prices.
    let is_spaced = text.contains(' ') || text.starts_with(|c: char| c.is_ascii_digit());
    let mut names = text.split(|c: char| !c.is_ascii_alphabetic());
    let is_name = |name: &str| {
        let is_short = !is_spaced
            && (name.len() == 2 || name.len() <= 4 && name.bytes().all(|b| b.is_ascii_uppercase()));
        name.len() <= 1 || FUNCTIONS.contains(&name) || is_short
    };
    let count = |brackets: [char; 2]| text.matches(brackets).count();
    begins
        && ends
        // Half-open intervals have brackets of both kinds.
        && count(['(', '[']) == count([')', ']'])
        && text.chars().all(is_known)
        && text.chars().any(has_operand)
        && names.all(is_name)
}

/// Whether a text is one identifier: then Markdown has no mark in it.
pub(crate) fn is_word(text: &str) -> bool {
    text.len() <= WORD_BYTES
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with('_')
        && !text.contains("__")
        && (text.bytes()).all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::{is_symbols, is_tex, plain_words};

    #[test]
    fn commands_indices_and_exponents_are_tex() {
        for tex in [
            "v_{k-1}",
            "x^2",
            "a_1, \\dotso, a_n",
            "\\{a\\}",
            "\\R",
            "f'_n",
            "(a+b)^{2}",
            "\\alpha",
        ] {
            assert!(is_tex(tex), "{tex}");
        }
        for text in [
            "5 and",
            "HOME/bin:",
            "MY_VAR",
            "\\d+",
            "^",
            "a b",
            "my_name",
        ] {
            assert!(!is_tex(text), "{text}");
        }
    }

    #[test]
    fn prose_has_words_and_formulas_have_symbols() {
        assert_eq!(plain_words("10 for the box of x^2 teas"), 4);
        assert_eq!(plain_words("x \\text{ if it is hot} \\alpha \\log n"), 0);
        assert_eq!(plain_words("max(a, b) чай"), 1);
        for symbols in [
            "n",
            "O(n)",
            "a + b = c",
            "0",
            "(V,E)",
            "n ≤ 5",
            "AB",
            "log n",
        ] {
            assert!(is_symbols(symbols), "{symbols}");
        }
        for text in [
            "5 to US",
            "5/",
            "HOME/bin:",
            "5K or US",
            "",
            "-",
            "5–",
            ", A",
        ] {
            assert!(!is_symbols(text), "{text}");
        }
    }
}
