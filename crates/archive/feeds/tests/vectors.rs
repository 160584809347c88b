//! The items that the authors' reader found in the same feeds, and real feeds.
//!
//! The vectors have no feeds, so the feeds are written here from what their reader printed.

use std::collections::BTreeSet;

use conformance::{material, rows};
use feeds::{Feed, FeedError, FeedState, parse};
use serde_json::Value;
use url::Url;

/// Differences from the authors' reader that are deliberate, with the titles of their items.
const DIFFERENCES: [(&str, &[&str]); 6] = [
    // Letters of a title are kept, and the space around it is not.
    ("trimmed", &["  spaced\n title ", "pre ", "a "]),
    // Repeated elements: theirs are joined by " ;; ", which makes a URL without a page.
    ("repeated", &["two titles ;; second"]),
    // Theirs reads BST as the time of Bangladesh. A zone with several meanings gives no date.
    ("zone", &["bst"]),
    // Theirs keeps a date that it cannot read. The digest has dates only.
    ("unreadable date", &["pre "]),
    // Theirs reads UTF-8 as Latin-1 where the server has no charset, or names Latin-1 for all files.
    ("UTF-8", &["cafÃ©"]),
    // Theirs takes the first text of an element alone.
    ("markup in a field", &["cd"]),
];

fn url() -> Url {
    Url::parse("http://HOST/feed").expect("a URL")
}

/// Whether items of a title may differ.
fn is_known(title: &str, found: &mut BTreeSet<&'static str>) -> bool {
    let mut is_known = false;
    for (name, titles) in DIFFERENCES {
        if titles.contains(&title) {
            found.insert(name);
            is_known = true;
        }
    }
    is_known
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The feed of the items that the authors' reader printed.
fn feed(documents: &[&Value], root: [&str; 2]) -> String {
    let field = |document: &Value, name: &str, key: &str| {
        let text = document["features"][key].as_str().unwrap_or_default();
        match (text.is_empty(), key) {
            (true, _) => String::new(),
            // It printed dates in one form whatever they were.
            (false, "pubDate") => format!(
                "<{name}>{}</{name}>",
                text.replace(" +", "+").replacen(' ', "T", 1)
            ),
            (false, _) => format!("<{name}>{}</{name}>", escaped(text)),
        }
    };
    let items = documents.iter().map(|document| {
        let fields = [
            ("title", "title"),
            ("link", "link"),
            ("description", "description"),
            ("pubDate", "pubDate"),
        ];
        let fields = fields
            .map(|(name, key)| field(document, name, key))
            .concat();
        format!("<item>{fields}</item>")
    });
    format!("{}{}{}", root[0], items.collect::<String>(), root[1])
}

const RSS: [&str; 2] = ["<rss version=\"2.0\"><channel>", "</channel></rss>"];
const RDF: [&str; 2] = [
    "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\">",
    "</rdf:RDF>",
];

#[test]
fn items_are_those_of_the_authors_reader_but_for_named_differences() {
    let test = "items_are_those_of_the_authors_reader_but_for_named_differences";
    let Some(path) = material(test, "vectors/rss/expected.jsonl") else {
        return;
    };
    let (mut equal, mut found) = (0, BTreeSet::new());
    for case in rows::<Value>(&path) {
        let name = case["case"].as_str().expect("a name");
        let corpora = case["polls"][0]["corpora"].as_array().expect("a list");
        let documents = corpora
            .iter()
            .flat_map(|corpus| corpus["documents"].as_array().expect("a list"));
        let documents: Vec<&Value> = documents.collect();
        let text = feed(&documents, if name == "rdf" { RDF } else { RSS });
        let read = match name {
            "malformed" => {
                let cut = text.replace("</channel></rss>", "<item><title>cut");
                assert!(matches!(
                    parse(cut.as_bytes(), None, &url()),
                    Err(FeedError::Broken(_))
                ));
                continue;
            }
            "notxml" => {
                assert_eq!(parse(b"no feed", None, &url()), Err(FeedError::Format));
                continue;
            }
            "junk" => parse(format!("Warning: x\n{text}").as_bytes(), None, &url()),
            "latin1" => {
                let bytes: Vec<u8> = text
                    .chars()
                    .map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1"))
                    .collect();
                parse(&bytes, Some("iso-8859-1"), &url())
            }
            "utf8_octet" => parse(text.replace("Ã©", "é").as_bytes(), None, &url()),
            "hdr_latin1_body_utf8" => parse(
                text.replace("Ã©", "é").as_bytes(),
                Some("iso-8859-1"),
                &url(),
            ),
            _ => parse(text.as_bytes(), None, &url()),
        };
        let items = read.unwrap_or_else(|error| panic!("{name}: {error}")).items;
        assert_eq!(items.len(), documents.len(), "{name}");
        for (item, document) in items.iter().zip(documents) {
            let theirs = |key: &str| document["features"][key].as_str();
            let title = theirs("title").unwrap_or_default();
            let date = item
                .published
                .map(|date| date.format("%F %T +00:00").to_string());
            let link = item
                .link
                .as_deref()
                .map(|link| link.replace("http://host/", "http://HOST/"));
            let ours = [
                item.title.as_deref(),
                item.description.as_deref(),
                date.as_deref(),
                link.as_deref(),
            ];
            if ours == ["title", "description", "pubDate", "link"].map(theirs) {
                equal += 1;
            } else {
                assert!(is_known(title, &mut found), "{name}: {item:?} {document}");
            }
        }
    }
    assert!(equal >= 35, "{equal} items are equal");
    assert!(
        found.contains("trimmed") && found.contains("repeated") && found.contains("UTF-8"),
        "{found:?}"
    );
}

#[test]
fn real_feeds_give_all_of_their_items() {
    let Some(folder) = material("real_feeds_give_all_of_their_items", "data/feeds") else {
        return;
    };
    let (mut feeds, mut most_equal) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "xml") {
            continue;
        }
        let place = path.display();
        let bytes = std::fs::read(&path).expect("a file");
        let Feed { items, title, .. } =
            parse(&bytes, None, &url()).unwrap_or_else(|error| panic!("{place}: {error}"));
        let text = String::from_utf8_lossy(&bytes);
        let elements = text.matches("<item>").count()
            + text.matches("<item ").count()
            + text.matches("<entry>").count()
            + text.matches("<entry ").count();
        assert_eq!(items.len(), elements, "{place}");
        assert!(title.is_some() && !items.is_empty(), "{place}");
        let new = FeedState::default().new_items(&items).len();
        for item in &items {
            let is_dated = item.link.is_some() && item.published.is_some();
            // Two blogs have items without a title.
            let has_text = item.title.is_some() || item.description.is_some();
            assert!(is_dated && has_text, "{place}: {item:?}");
        }
        // The link is not part of the digest: items with equal titles, dates and no description are one.
        let items: BTreeSet<_> = (items.iter())
            .map(|item| (&item.title, &item.description, item.published))
            .collect();
        assert_eq!(new, items.len(), "{place}");
        most_equal = most_equal.max(elements - new);
        feeds += 1;
    }
    assert!(feeds >= 13, "{feeds}");
    assert_eq!(most_equal, 2, "items that the paper's digest takes for one");
}
