//! The programming language that the attributes of an element name.

use html_blocks::Opened;

/// Longest name of a language, in bytes: `visual-basic-script` has 19.
const NAME_BYTES: usize = 24;

/// Attributes with a name: of Rouge and Hugo, of Gatsby and Shiki, of GitLab, of EnlighterJS.
const ATTRIBUTES: [&str; 4] = [
    "data-lang",
    "data-language",
    "data-canonical-lang",
    "data-enlighter-language",
];

/// Beginnings of classes that a name follows: of HTML's own example, of Crayon, of MediaWiki, of GitHub.
const PREFIXES: [&str; 6] = [
    "language-",
    "lang-",
    "lang:",
    "lang_",
    "mw-highlight-lang-",
    "highlight-source-",
];

/// Classes of highlighters beside which a name stands: of Pygments, of Pandoc, of highlight.js, of Redmine.
const MARKS: [&str; 4] = ["highlight", "sourceCode", "hljs", "syntaxhl"];

/// Classes beside [`MARKS`] that name no language.
const STRUCTURE: [&str; 14] = [
    "chroma",
    "code",
    "code-block",
    "codeblock",
    "copyable",
    "js-syntax-highlight",
    "line-numbers",
    "linenums",
    "literal-block",
    "notranslate",
    "numberlines",
    "numbersource",
    "prettyprint",
    "selected",
];

/// Values of highlighters for code without a language.
const NO_LANGUAGE: [&str; 11] = [
    "none",
    "text",
    "txt",
    "plain",
    "plaintext",
    "default",
    "generic",
    "raw",
    "undefined",
    "unknown",
    "wrapper",
];

/// Languages of people in which pages mark their parts as `lang-en`. `cs` and `pl` are programming languages too.
const SPOKEN: &str = " ar bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu id it ja ko lt lv ms nb nl nn no \
                      pl pt ro ru sk sl sr sv ta th tr uk ur vi zh ";

/// The language that `pre` or `code` names: `data-lang="rust"`, or a class `language-rust`, `lang-rust`,
/// `brush: rust`, `highlight rust`, `hljs rust` and the like; on `pre` also `lang="rust"`, as GitHub writes it.
pub(crate) fn code_language(tag: &Opened<'_>) -> Option<String> {
    let of_lang = || {
        let lang = tag.attribute("lang").filter(|_| tag.name() == "pre");
        named(lang?.trim()).filter(|name| !is_spoken(name))
    };
    of_attributes(tag)
        .or_else(|| of_classes(&tag.attribute("class")?))
        .or_else(|| of_classes(&tag.attribute("data-syntaxhighlighter-params")?))
        .or_else(of_lang)
}

/// The language that an element around code names. The language of people is not meant.
pub(crate) fn language_around(tag: &Opened<'_>) -> Option<String> {
    let classes = tag.attribute("class").unwrap_or_default();
    let is_of_code = classes.contains("highlight") || classes.contains("code");
    let language = of_attributes(tag).or_else(|| of_classes(&classes))?;
    (is_of_code || !is_spoken(&language)).then_some(language)
}

fn of_attributes(tag: &Opened<'_>) -> Option<String> {
    let values = ATTRIBUTES.iter().filter_map(|name| tag.attribute(name));
    values.filter_map(|value| named(value.trim())).next()
}

fn of_classes(classes: &str) -> Option<String> {
    let is_separator = |c: char| c.is_whitespace() || c == ';';
    let tokens = classes.split(is_separator);
    let tokens: Vec<&str> = tokens.filter(|token| !token.is_empty()).collect();
    let said = tokens.iter().enumerate().find_map(|(at, token)| {
        let next = tokens.get(at + 1).copied().unwrap_or_default();
        if let Some(name) = token.strip_prefix("brush:") {
            return Some(named(if name.is_empty() { next } else { name }));
        }
        if let Some(name) = token.strip_prefix("highlight-text-") {
            // GitHub names grammars: `html-basic`, `html-erb`, `xml-svg`.
            return Some(named(name.split('-').next().unwrap_or_default()));
        }
        if *token == "rust-example-rendered" {
            return Some(named("rust"));
        }
        let name = PREFIXES
            .iter()
            .find_map(|prefix| token.strip_prefix(prefix));
        name.map(named)
    });
    match said {
        Some(language) => language,
        None => beside_mark(&tokens),
    }
}

/// The name beside the class of a highlighter: after it, or directly before it.
fn beside_mark(tokens: &[&str]) -> Option<String> {
    // Sphinx: `highlight-python`. GeSHi: `python source-python`.
    let of_token = |token: &&str| {
        let geshi = token.strip_prefix("source-");
        let geshi = geshi.filter(|name| tokens.contains(name));
        geshi
            .or_else(|| token.strip_prefix("highlight-"))
            .and_then(named)
    };
    if let Some(language) = tokens.iter().find_map(of_token) {
        return Some(language);
    }
    let mark = tokens.iter().position(|token| MARKS.contains(token))?;
    let is_name = |token: &&&str| {
        let is_structure = |known: &&str| token.eq_ignore_ascii_case(known);
        let is_part = token.starts_with("hljs-") || token.contains("__");
        !MARKS.contains(token) && !is_part && !STRUCTURE.iter().any(is_structure)
    };
    let after = tokens[mark + 1..].iter().find(is_name);
    let is_behind = matches!(tokens[mark], "hljs" | "syntaxhl");
    let before = tokens[..mark]
        .last()
        .filter(|token| is_behind && is_name(token));
    named(before.or(after)?)
}

/// A name of a language that can be an info string. Settings after the name are left out: `js{1,3}`, `rust,ignore`.
fn named(name: &str) -> Option<String> {
    let name = name.split([',', ':', '{', '=']).next().unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '.' | '-' | '_');
    let is_none = NO_LANGUAGE
        .iter()
        .any(|none| name.eq_ignore_ascii_case(none));
    let valid = !name.is_empty() && name.len() <= NAME_BYTES && name.chars().all(fits) && !is_none;
    valid.then(|| name.to_ascii_lowercase())
}

/// Whether a name is that of a language of people: `en`, `pt-br`.
fn is_spoken(name: &str) -> bool {
    let language = name.split(['-', '_']).next().unwrap_or_default();
    language.len() == 2 && SPOKEN.contains(&format!(" {language} "))
}

#[cfg(test)]
mod tests {
    use super::{is_spoken, of_classes};

    #[test]
    fn the_usual_classes_of_highlighters_are_known() {
        for (classes, language) in [
            ("language-rust", Some("rust")),
            ("prettyprint lang-c++ linenums", Some("c++")),
            ("lang:ruby decode:true", Some("ruby")),
            ("lang_scala", Some("scala")),
            ("language-js{1,3}", Some("js")),
            ("language-rust,ignore", Some("rust")),
            ("rust rust-example-rendered", Some("rust")),
            ("highlight highlight-source-shell", Some("shell")),
            ("highlight highlight-text-html-basic", Some("html")),
            ("brush: js; gutter: false", Some("js")),
            ("brush:php", Some("php")),
            ("highlight java", Some("java")),
            ("highlight-python notranslate", Some("python")),
            ("highlight-default notranslate", None),
            ("sourceCode haskell", Some("haskell")),
            ("sourceCode numberSource r numberLines", Some("r")),
            ("sourceCode python language-js", Some("js")),
            ("hljs python", Some("python")),
            ("python hljs", Some("python")),
            ("hljs language-vbnet", Some("vbnet")),
            ("hljs", None),
            ("ruby syntaxhl", Some("ruby")),
            ("code highlight js-syntax-highlight python", Some("python")),
            ("code highlight js-syntax-highlight language-go", Some("go")),
            (
                "mw-highlight mw-highlight-lang-lua mw-content-ltr",
                Some("lua"),
            ),
            ("perl source-perl", Some("perl")),
            ("source-list", None),
            ("language-none", None),
            ("entry-content", None),
            ("lang-`x`", None),
        ] {
            assert_eq!(of_classes(classes).as_deref(), language, "{classes}");
        }
    }

    #[test]
    fn a_language_of_people_is_not_one_of_programs() {
        for name in ["en", "pt-br", "zh_cn"] {
            assert!(is_spoken(name), "{name}");
        }
        for name in ["go", "c", "js", "ts", "sh", "rust", "fsharp"] {
            assert!(!is_spoken(name), "{name}");
        }
    }
}
