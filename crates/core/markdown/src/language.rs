//! The programming language that the attributes of an element name.

use html_blocks::Opened;

/// Longest name of a language, in bytes: `visual-basic-script` has 19.
const NAME_BYTES: usize = 24;

/// The language that an element around code names: `data-lang="rust"`, or a class `language-rust`,
/// `lang-rust`, `highlight-source-rust`, `brush: rust` or `highlight rust`.
pub(crate) fn code_language(tag: &Opened<'_>) -> Option<String> {
    for name in ["data-lang", "data-language"] {
        let value = tag.attribute(name);
        if let Some(language) = value.and_then(|value| named(value.trim())) {
            return Some(language);
        }
    }
    of_classes(&tag.attribute("class")?)
}

fn of_classes(classes: &str) -> Option<String> {
    let mut tokens = classes
        .split(|c: char| c.is_whitespace() || c == ';')
        .filter(|token| !token.is_empty());
    let mut highlighted = false;
    let mut brush = false;
    let mut language = None;
    for token in tokens.by_ref() {
        let prefixes = ["language-", "lang-", "highlight-source-", "brush:"];
        let prefixed = prefixes
            .iter()
            .find_map(|prefix| token.strip_prefix(prefix));
        match prefixed {
            Some("") => brush = true,
            Some(name) => return named(name),
            None if brush => return named(token),
            None if highlighted && language.is_none() => language = named(token),
            None => match token.strip_prefix("highlight-") {
                Some(name) => language = named(name),
                None => highlighted |= matches!(token, "highlight" | "sourceCode"),
            },
        }
    }
    language
}

/// A name of a language that can be an info string.
fn named(name: &str) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '.' | '-' | '_');
    let is_none = ["none", "text", "plain", "plaintext", "default", "wrapper"]
        .iter()
        .any(|none| name.eq_ignore_ascii_case(none));
    let valid = !name.is_empty() && name.len() <= NAME_BYTES && name.chars().all(fits) && !is_none;
    valid.then(|| name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::of_classes;

    #[test]
    fn the_usual_classes_of_highlighters_are_known() {
        for (classes, language) in [
            ("language-rust", Some("rust")),
            ("prettyprint lang-c++ linenums", Some("c++")),
            ("highlight highlight-source-shell", Some("shell")),
            ("brush: js; gutter: false", Some("js")),
            ("brush:php", Some("php")),
            ("highlight java", Some("java")),
            ("highlight-python notranslate", Some("python")),
            ("sourceCode haskell", Some("haskell")),
            ("language-none", None),
            ("entry-content", None),
            ("lang-`x`", None),
        ] {
            assert_eq!(of_classes(classes).as_deref(), language, "{classes}");
        }
    }
}
