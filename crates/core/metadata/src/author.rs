//! Names of authors as pages write them.

/// Characters of the name of one author.
const NAME_CHARS: usize = 80;

/// Joins the names of a page's authors; `None` if no text is a name.
pub(crate) fn join(texts: &[&str], site: Option<&str>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        let name = clean(text);
        let known = |of: &String| of.to_lowercase() == name.to_lowercase();
        if is_name(&name, site) && !names.iter().any(known) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// Whether a label says that its value is an author: "Written by".
pub(crate) fn says_author(label: &str) -> bool {
    let label = label.to_lowercase();
    [
        "written by",
        "author",
        "verfasst von",
        "écrit par",
        "escrito por",
        "scritto da",
        "geschreven door",
    ]
    .iter()
    .any(|says| label.contains(says))
}

/// Words before a name.
const BEFORE: &[&str] = &[
    "written by",
    "posted by",
    "published by",
    "authored by",
    "article by",
    "story by",
    "words by",
    "text by",
    "created by",
    "submitted by",
    "reported by",
    "contributed by",
    "reviewed by",
    "updated by",
    "recipe by",
    "post by",
    "insights from",
    "about the author",
    "about the authors",
    "about author",
    "meet the author",
    "this post was written by",
    "this article was written by",
    "read more about",
    "author",
    "authors",
    "by",
    "from",
    "geschrieben von",
    "verfasst von",
    "veröffentlicht von",
    "ein beitrag von",
    "von",
    "écrit par",
    "publié par",
    "rédigé par",
    "posté par",
    "par",
    "escrito por",
    "publicado por",
    "postado por",
    "por",
    "scritto da",
    "pubblicato da",
    "di",
    "da",
    "geschreven door",
    "geplaatst door",
    "door",
    "publicerad av",
    "skriven av",
    "skrevet av",
    "av",
    "af",
    "napisał",
    "przez",
    "od",
    "автор",
    "autor",
    "autorka",
    "auteur",
    "autore",
    "作者",
    "文",
];

/// Words that announce other things than a name: "Last updated".
const LABELS: &[&str] = &[
    "last updated",
    "updated",
    "updated on",
    "last",
    "last modified",
    "published",
    "published on",
    "posted",
    "posted on",
    "reviewed",
    "date",
    "share",
    "share this",
    "follow",
    "comment",
    "comments",
    "sign in",
    "sign up",
    "log in",
    "login",
    "home",
    "menu",
    "search",
    "read more",
    "email address",
    "skip to content",
    "skip to main content",
    "topic author",
    "publicerad",
    "publicado",
    "veröffentlicht",
    "aktualisiert",
];

/// Words of a name that begin in lower case: "Ann van der Leaf and Bo Cup".
const PARTICLES: &[&str] = &[
    "a", "af", "al", "and", "av", "bin", "bint", "da", "das", "de", "del", "della", "dem", "den",
    "der", "di", "do", "dos", "du", "e", "el", "en", "et", "i", "ibn", "la", "le", "les", "los",
    "of", "och", "og", "ter", "the", "ten", "und", "van", "von", "y", "z", "zu", "für",
];

/// Words of a name in a byline.
const NAME_WORDS: usize = 8;

/// A name without the words and marks around it.
fn clean(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let marks = |c: char| c.is_whitespace() || ":|,;·•–—-/\"“”".contains(c);
    let name = after_labels(text.trim_matches(marks));
    name.trim_matches(marks).to_owned()
}

/// The name in an element that a class or a text, and not a value for machines, makes an author: the first of its
/// lines that has one. Sentences and labels do not count.
pub(crate) fn shown(text: &str) -> Option<&str> {
    for line in text.lines() {
        let line = after_sentence(line.trim());
        let name = without_date(after_labels(line));
        let name = after_labels(name);
        let label = name
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase();
        let of_dates = || {
            name.split_whitespace()
                .all(|word| crate::months::of_date(trimmed(word)))
        };
        if label.is_empty() || LABELS.contains(&label.as_str()) || of_dates() {
            // "Last updated: January 7" has no name behind it.
            if label.starts_with("last") || label.starts_with("updated") {
                return None;
            }
            continue;
        }
        return could_be_name(name).then_some(name);
    }
    None
}

/// Whether a text has the form of a name: few words, each with a capital or a particle.
fn could_be_name(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let named = words.iter().filter(|word| !PARTICLES.contains(word));
    let small = named.filter(|word| trimmed(word).starts_with(char::is_lowercase));
    let starts_with_number = name.starts_with(|c: char| c.is_ascii_digit());
    (1..=NAME_WORDS).contains(&words.len())
        && !name.ends_with(['?', '!'])
        && !starts_with_number
        && (small.count() == 0 || words.len() == 1)
}

/// The name at the end of a sentence that announces it: "Dies ist ein Gastbeitrag von Ann Leaf."
fn after_sentence(text: &str) -> &str {
    const ABOUT: [&str; 12] = [
        "beitrag",
        "artikel",
        "article",
        "post",
        "story",
        "written",
        "posted",
        "geschrieben",
        "écrit",
        "escrito",
        "scritto",
        "review",
    ];
    const BY: [&str; 8] = ["by", "von", "par", "por", "da", "door", "av", "przez"];
    let mut at = 0;
    let mut about = false;
    for word in text.split(' ') {
        let lower = word.to_lowercase();
        at += word.len() + 1;
        if about && BY.contains(&lower.as_str()) {
            let rest = text.get(at..).unwrap_or_default();
            return if rest.is_empty() {
                text
            } else {
                rest.trim_end_matches('.')
            };
        }
        about |= ABOUT.iter().any(|part| lower.contains(part));
    }
    text
}

/// A text without the words and marks before a name.
fn after_labels(text: &str) -> &str {
    let mut text = text;
    loop {
        let rest =
            text.trim_start_matches(|c: char| c.is_whitespace() || ":|,;·•–—-/~".contains(c));
        let lower = rest.to_lowercase();
        let label = BEFORE.iter().filter(|label| {
            let after = lower.strip_prefix(**label);
            after.is_some_and(|after| {
                after.is_empty() || after.starts_with([' ', ':', '：', '／', '\u{a0}'])
            })
        });
        // Lower case can have another length in bytes.
        let label = label.max_by_key(|label| label.len());
        let rest = label.map_or(rest, |label| rest.get(label.len()..).unwrap_or_default());
        let rest = rest.trim_start_matches(['：', '／']);
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// Texts that are not names: accounts of the site's software, and placeholders.
const NO_NAMES: [&str; 16] = [
    "admin",
    "administrator",
    "none",
    "null",
    "undefined",
    "unknown",
    "guest",
    "staff",
    "user",
    "anonymous",
    "the author",
    "about",
    "posted",
    "published",
    "share",
    "follow",
];

/// Whether a text can be a name, other than that of the site.
fn is_name(name: &str, site: Option<&str>) -> bool {
    let lower = name.to_lowercase();
    let chars = name.chars().count();
    let address = lower.contains("://") || lower.starts_with("www.") || lower.starts_with('/');
    let of_site = site.is_some_and(|site| same(site, name));
    let of_dates = name
        .split_whitespace()
        .all(|word| crate::months::of_date(trimmed(word)));
    (2..=NAME_CHARS).contains(&chars)
        && !address
        && !of_site
        && !NO_NAMES.contains(&lower.as_str())
        && name.chars().any(char::is_alphabetic)
        && !of_dates
}

/// Whether two names have the same letters and digits.
fn same(one: &str, other: &str) -> bool {
    let letters = |text: &str| -> String {
        text.to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric())
            .collect()
    };
    letters(one) == letters(other)
}

/// Nouns for an author. They need a colon: "Author Message" is the head of a table.
const NOUNS: [&str; 7] = [
    "author",
    "authors",
    "autor",
    "autorka",
    "auteur",
    "autore",
    "автор",
];

/// The name in a byline: "By Ann Leaf", "Von Ann Leaf am 3. März", "Posted by Ann on March 3".
pub(crate) fn in_byline(text: &str) -> Option<&str> {
    let text = text.trim();
    let after = after_labels(text);
    let label = text.strip_suffix(after)?.trim().to_lowercase();
    // "Di" and "da" begin other texts too, and "from" is of letters.
    let prepositions = ["", "di", "da", "od", "af", "from", "文", "read more about"];
    if prepositions.contains(&label.as_str()) {
        return None;
    }
    let label = label.trim_end_matches([':', '：']).trim_end();
    let has_colon = text[..text.len() - after.len()].contains([':', '：']);
    if NOUNS.contains(&label) && !has_colon {
        return None;
    }
    let name = without_date(after);
    let words: Vec<&str> = name.split_whitespace().collect();
    let capital = |word: &&str| {
        word.chars().next().is_some_and(|c| !c.is_lowercase()) || PARTICLES.contains(word)
    };
    let is_name = (1..=5).contains(&words.len()) && words.iter().all(capital) && capital(&words[0]);
    is_name.then_some(name)
}

/// The name after a text that only announces it: "By", "Author:".
pub(crate) fn after_label<'t>(text: &str, next: Option<&'t str>) -> Option<&'t str> {
    let text = text.trim();
    let label = text.trim_end_matches([':', '：']);
    let has_colon = label.len() < text.len();
    let announces = match label.trim().to_lowercase().as_str() {
        "by" | "written by" | "posted by" | "published by" | "von" | "作者" => true,
        "par" | "por" => has_colon,
        label => has_colon && NOUNS.contains(&label),
    };
    let name = without_date(next?);
    let short = name.chars().count() <= 40 && name.split_whitespace().count() <= 4;
    (announces && short && could_be_name(name)).then_some(name)
}

/// The text before a date, a role or another thing that follows a name in its element.
pub(crate) fn without_date(text: &str) -> &str {
    let text = text.trim_start();
    let ends = [
        " - ",
        " – ",
        " — ",
        " | ",
        " • ",
        " · ",
        "|",
        "•",
        "·",
        " on ",
        " Published",
        " Updated",
        " Last ",
        " Posted",
        " Reviewed",
        " in ",
        " at ",
        " View ",
        " am ",
        "  ",
        "\n",
        " Joined",
    ];
    let end = ends
        .iter()
        .filter_map(|end| text.find(end))
        .filter(|at| *at > 0)
        .min();
    let text = without_role(&text[..end.unwrap_or(text.len())]);
    // A word with a digit begins a date or a count; the name of its month is before it.
    let mut at = 0;
    let mut end = text.len();
    let mut previous: Option<(usize, &str)> = None;
    for word in text.split(' ') {
        if at > 0 && word.starts_with(|c: char| c.is_ascii_digit()) {
            end = previous
                .filter(|(_, word)| crate::months::of_date(trimmed(word)))
                .map_or(at, |(at, _)| at);
            break;
        }
        previous = Some((at, word));
        at += word.len() + 1;
    }
    text[..end.min(text.len())].trim_end_matches([' ', ',', '-'])
}

/// The text before a bracket with a role, such as "(editor)". Names have brackets inside: "Ann (A.L.) Leaf".
fn without_role(text: &str) -> &str {
    match text.find(" (") {
        Some(at) if at > 0 && (text.ends_with(')') || !text[at..].contains(')')) => &text[..at],
        _ => text,
    }
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::{after_label, in_byline, join, shown, without_date};

    #[test]
    fn words_around_a_name_are_left_out() {
        for text in [
            "By Ann Leaf",
            "Written by: Ann Leaf",
            "Author Ann Leaf,",
            "  Ann\n Leaf ",
        ] {
            assert_eq!(join(&[text], None).as_deref(), Some("Ann Leaf"), "{text}");
        }
        for text in [
            "admin",
            "https://a.example/ann",
            "",
            "12",
            "by",
            "Monday,",
            "Sonntag März",
        ] {
            assert_eq!(join(&[text], None), None, "{text}");
        }
        assert_eq!(
            join(&["Ann", "Bo", "ann"], None).as_deref(),
            Some("Ann, Bo")
        );
        assert_eq!(join(&["Tea Times"], Some("TeaTimes")), None);
    }

    #[test]
    fn a_date_after_a_name_is_not_part_of_it() {
        for text in [
            "Ann Leaf March 3, 2012",
            "Ann Leaf - 3.3.2012",
            "Ann Leaf 3 min read",
            "Ann Leaf Published on March 3",
            "Ann Leaf | Tea editor",
        ] {
            assert_eq!(without_date(text), "Ann Leaf", "{text}");
        }
    }

    #[test]
    fn bylines_are_texts_that_begin_with_by() {
        assert_eq!(in_byline("By Ann Leaf on 3 March"), Some("Ann Leaf"));
        assert_eq!(in_byline("By the time you read this"), None);
        assert_eq!(after_label("By:", Some("Ann Leaf")), Some("Ann Leaf"));
        assert_eq!(after_label("Buy", Some("Ann Leaf")), None);
    }

    #[test]
    fn a_shown_name_is_neither_a_sentence_nor_a_label() {
        for (text, name) in [
            ("Ann Leaf", Some("Ann Leaf")),
            ("By\nAnn Leaf\nTea editor", Some("Ann Leaf")),
            ("Ann (A.L.) Leaf", Some("Ann (A.L.) Leaf")),
            ("Ann Leaf (editor)", Some("Ann Leaf")),
            ("ann_leaf", Some("ann_leaf")),
            (
                "Ann van der Leaf and Bo Cup",
                Some("Ann van der Leaf and Bo Cup"),
            ),
            ("Publié par Ann Leaf", Some("Ann Leaf")),
            ("Autor: Ann Leaf", Some("Ann Leaf")),
            ("作者：安", Some("安")),
            ("Dies ist ein Gastbeitrag von Ann Leaf.", Some("Ann Leaf")),
            ("This post was written by Ann Leaf", Some("Ann Leaf")),
            ("Last Updated:\nJanuary 7, 2012", None),
            ("Sign in", None),
            ("Ann Leaf is a writer who likes tea", None),
            ("About the author\nAnn likes tea and ships.", None),
            ("L'auteur est né à Paris", None),
            ("10 mins read", None),
        ] {
            assert_eq!(shown(text), name, "{text}");
        }
    }

    #[test]
    fn bylines_are_of_many_languages() {
        for text in [
            "Par Ann Leaf",
            "Por Ann Leaf",
            "Von Ann Leaf am 3. März",
            "Door Ann Leaf",
            "Scritto da Ann Leaf",
            "Publicerad av Ann Leaf",
            "Автор: Ann Leaf",
        ] {
            assert_eq!(
                in_byline(text).or_else(|| shown(text)),
                Some("Ann Leaf"),
                "{text}"
            );
        }
        for text in [
            "Author Message",
            "Par exemple",
            "From Harbour to Hill",
            "Da capo",
        ] {
            assert_eq!(in_byline(text), None, "{text}");
        }
        assert_eq!(after_label("Autor", Some("Nachricht")), None);
    }
}
