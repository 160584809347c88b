//! The root element of a feed, in the spelling that feed-rs knows.

use std::borrow::Cow;

const ATOM: &str = "http://www.w3.org/2005/Atom";
const RSS_1: &str = "http://purl.org/rss/1.0/";
/// Other namespaces of Atom and of RSS 0.90, which is RSS 1.0 without a description.
const OTHERS: [(&str, &str); 5] = [
    ("http://www.w3.org/2005/Atom/", ATOM),
    ("http://www.w3.org/2005/atom", ATOM),
    ("http://purl.org/atom/ns#", ATOM),
    ("http://my.netscape.com/rdf/simple/0.9/", RSS_1),
    ("http://channel.netscape.com/rdf/simple/0.9/", RSS_1),
];
/// A namespace that is https in truth.
const PODCAST: &str = "https://podcastindex.org/namespace/1.0";
/// Versions of RSS that feed-rs reads. Its reader of 2.0 reads all earlier ones too.
const VERSIONS: [&str; 4] = ["2.0", "0.91", "0.92", ""];

/// Replaces versions and namespaces of the root that feed-rs would read as no feed or as one without
/// items: RSS without a version, RSS with a namespace, Atom with https, Atom 0.3.
pub(crate) fn known(text: &str) -> Cow<'_, str> {
    let is_element = |(at, _): &(usize, &str)| {
        let next = text.as_bytes().get(at + 1);
        next.is_some_and(u8::is_ascii_alphabetic)
    };
    let Some((start, _)) = text.match_indices('<').find(is_element) else {
        return Cow::Borrowed(text);
    };
    let inside = &text[start + 1..];
    let name_end =
        inside.find(|letter: char| letter.is_ascii_whitespace() || "/>".contains(letter));
    let (name, rest) = inside.split_at(name_end.unwrap_or(inside.len()));
    let Some((attributes, rest)) = attributes(rest) else {
        return Cow::Borrowed(text);
    };
    let is_rss = name == "rss";
    let mut tag = format!("{}<{name}", &text[..start]);
    let mut has_version = false;
    for (key, value) in attributes {
        let value = match key {
            "version" if is_rss => {
                has_version = true;
                if VERSIONS.contains(&value) {
                    value.to_owned()
                } else {
                    "2.0".to_owned()
                }
            }
            "xmlns" if is_rss => continue,
            _ if key.starts_with("xmlns") => namespace(value),
            _ => value.to_owned(),
        };
        // A value has at most one kind of quotation mark.
        let quote = if value.contains('"') { '\'' } else { '"' };
        tag += &format!(" {key}={quote}{value}{quote}");
    }
    if is_rss && !has_version {
        tag += " version=\"2.0\"";
    }
    Cow::Owned(tag + rest)
}

fn namespace(name: &str) -> String {
    let name = name.trim();
    if name == PODCAST {
        return name.to_owned();
    }
    let name = name.replacen("https://", "http://", 1);
    let known = OTHERS.iter().find(|(other, _)| *other == name);
    known.map_or(name, |(_, known)| (*known).to_owned())
}

/// A tag's attributes, and the text from its end on. `None` is a tag that is not XML.
fn attributes(mut rest: &str) -> Option<(Vec<(&str, &str)>, &str)> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.starts_with(['>', '/']) {
            return Some((found, rest));
        }
        let (key, value) = rest.split_once('=')?;
        let key = key.trim_end();
        let is_name = |letter: char| letter.is_alphanumeric() || "_:-.".contains(letter);
        if key.is_empty() || !key.chars().all(is_name) {
            return None;
        }
        let value = value.trim_start();
        let quote = value
            .chars()
            .next()
            .filter(|quote| "'\"".contains(*quote))?;
        let (value, after) = value[1..].split_once(quote)?;
        found.push((key, value));
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_spelled_as_the_parser_knows_them() {
        for (text, expected) in [
            ("<rss><channel>", "<rss version=\"2.0\"><channel>"),
            (
                "<!-- a --><rss a='\"' version = '0.93' xmlns=\"x\">",
                "<!-- a --><rss a='\"' version=\"2.0\">",
            ),
            ("<rss version='0.91'/>", "<rss version=\"0.91\"/>"),
            (
                "<feed xmlns='https://www.w3.org/2005/Atom'>",
                "<feed xmlns=\"http://www.w3.org/2005/Atom\">",
            ),
            (
                "<a:feed xmlns:a='http://purl.org/atom/ns#'>",
                "<a:feed xmlns:a=\"http://www.w3.org/2005/Atom\">",
            ),
            ("<rss version=2.0>", "<rss version=2.0>"),
            ("<rss version='2.0", "<rss version='2.0"),
            ("<rss", "<rss"),
            ("{\"a\": \"<\"}", "{\"a\": \"<\"}"),
        ] {
            assert_eq!(known(text), expected);
        }
    }
}
