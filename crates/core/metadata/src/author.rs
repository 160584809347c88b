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
const BEFORE: [&str; 30] = [
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
    "about the author",
    "author",
    "authors",
    "by",
    "von",
    "par",
    "por",
    "di",
    "da",
    "door",
    "av",
    "od",
    "автор",
    "autor",
    "auteur",
    "autore",
    "作者",
];

/// A name without the words around it.
fn clean(text: &str) -> String {
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    loop {
        let trimmed =
            text.trim_matches(|c: char| c.is_whitespace() || ":|,;·•–—-/\"“”".contains(c));
        let lower = trimmed.to_lowercase();
        let word = BEFORE.iter().find(|word| {
            let after = lower.strip_prefix(**word);
            after.is_some_and(|after| after.is_empty() || after.starts_with([' ', ':']))
        });
        let rest = match word {
            // Lower case can have another length in bytes.
            Some(word) => trimmed.get(word.len()..).unwrap_or_default(),
            None => trimmed,
        };
        if rest.len() == text.len() {
            return text;
        }
        text = rest.to_owned();
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

/// The name in a byline: "By Ann Leaf", "Von Ann Leaf am 3. März", "Posted by Ann on March 3".
pub(crate) fn in_byline(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let starts = [
        "by ",
        "by: ",
        "written by ",
        "written by: ",
        "posted by ",
        "published by ",
        "author: ",
        "von ",
        "por ",
        "автор: ",
    ];
    let start = starts.iter().find(|start| lower.starts_with(**start))?;
    let name = without_date(&text[start.len()..]);
    let words: Vec<&str> = name.split_whitespace().collect();
    let capital = |word: &&str| word.chars().next().is_some_and(|c| !c.is_lowercase());
    let is_name = (1..=4).contains(&words.len()) && words.iter().all(capital);
    is_name.then_some(name)
}

/// The name after a text that only announces it: "By", "Author".
pub(crate) fn after_label<'t>(text: &str, next: Option<&'t str>) -> Option<&'t str> {
    let label = text.trim().trim_end_matches(':').to_lowercase();
    let announces = [
        "by",
        "author",
        "written by",
        "posted by",
        "published by",
        "von",
        "autor",
        "автор",
        "作者",
    ];
    let name = without_date(next?);
    let short = name.chars().count() <= 40 && name.split_whitespace().count() <= 4;
    (announces.contains(&label.as_str()) && short).then_some(name)
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
        " (",
        " Joined",
    ];
    let end = ends
        .iter()
        .filter_map(|end| text.find(end))
        .filter(|at| *at > 0)
        .min();
    let text = &text[..end.unwrap_or(text.len())];
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

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::{after_label, in_byline, join, without_date};

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
}
