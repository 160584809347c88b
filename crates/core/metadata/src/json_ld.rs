//! Structured data in scripts: schema.org as JSON-LD.

use std::slice;

use serde_json::Value;

use crate::json;

/// Bytes of scripts that are read per page. Real ones have some kilobytes; shops list all their products.
pub(crate) const SCRIPT_BYTES: usize = 512 << 10;

/// Nesting and number of nodes that are visited: the work for a script is bounded.
const DEPTH: usize = 12;
const NODES: usize = 2000;

/// The values in the structured data of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Structured {
    pub(crate) published: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) site: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) image: Option<String>,
    /// The address of the licence.
    pub(crate) licence: Option<String>,
}

/// How well a node describes the page: an article, a page, or neither.
fn rank(node: &Value) -> Option<u8> {
    let pages = [
        "WebPage",
        "ItemPage",
        "FAQPage",
        "AboutPage",
        "CollectionPage",
        "MedicalWebPage",
        "QAPage",
        "ProfilePage",
        "CreativeWork",
        "Question",
        "PodcastEpisode",
        "VideoObject",
        "Review",
        "Course",
        "Book",
    ];
    let article = |name: &str| {
        name.ends_with("Article")
            || name.ends_with("Posting")
            || matches!(name, "Report" | "Recipe" | "HowTo")
    };
    if is(node, article) {
        Some(0)
    } else {
        is(node, |name| pages.contains(&name)).then_some(1)
    }
}

/// Whether a type of a node is such a name: `"Article"`, `["schema:Article"]`, `"https://schema.org/Article"`.
fn is(node: &Value, such: impl Fn(&str) -> bool) -> bool {
    let kind = get(node, "@type");
    let kinds = kind.as_array().map_or(slice::from_ref(kind), Vec::as_slice);
    let mut names = kinds.iter().filter_map(Value::as_str);
    names.any(|name| such(local(name)))
}

/// The last part of a name: `schema:author` and `http://schema.org/author` are `author`.
fn local(name: &str) -> &str {
    name.trim()
        .rsplit(['/', '#', ':'])
        .next()
        .unwrap_or_default()
}

/// The value of a property, which may have a prefix.
fn get<'v>(node: &'v Value, property: &str) -> &'v Value {
    node.get(property)
        .or_else(|| {
            let mut properties = node.as_object()?.iter();
            let found = properties.find(|(name, _)| name.contains(':') && local(name) == property);
            found.map(|(_, value)| value)
        })
        .unwrap_or(&Value::Null)
}

/// The text of a value: also of a number, of the first value of a list, and of `{"@value": ...}`.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => unescaped(text),
        Value::Number(number) => number.to_string(),
        Value::Array(values) => values.iter().find_map(text)?,
        Value::Object(fields) => text(fields.get("@value")?)?,
        _ => return None,
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// A text without the entities that templates write into JSON.
fn unescaped(text: &str) -> String {
    let named = [
        ("&amp;", "&"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
    ];
    let text = named
        .iter()
        .fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c));
    let mut pieces = text.split("&#");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let code = piece.split_once(';').and_then(|(code, rest)| {
            let number = match code.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => code.parse(),
            };
            Some((char::from_u32(number.ok()?)?, rest))
        });
        match code {
            Some((c, rest)) => {
                out.push(c);
                out.push_str(rest);
            }
            None => {
                out.push_str("&#");
                out.push_str(piece);
            }
        }
    }
    out
}

/// Reads the scripts of a page.
pub(crate) fn read(scripts: &[String]) -> Structured {
    let parsed: Vec<Value> = scripts
        .iter()
        .flat_map(|script| json::values(script))
        .collect();
    let mut nodes = Vec::new();
    for value in &parsed {
        collect(value, 0, &mut nodes);
    }
    let named = |id: &str| {
        let with_id = nodes.iter().filter(|node| node["@id"].as_str() == Some(id));
        with_id.filter_map(|node| text(get(node, "name"))).next()
    };
    let mut of_page: Vec<(u8, &Value)> = nodes
        .iter()
        .filter_map(|node| Some((rank(node)?, *node)))
        .collect();
    of_page.sort_by_key(|(rank, _)| *rank);
    let first = |properties: &[&str]| {
        of_page.iter().find_map(|(_, node)| {
            properties
                .iter()
                .find_map(|property| text(get(node, property)))
        })
    };
    let authors = of_page.iter().find_map(|(_, node)| {
        let authors = ["author", "creator"].map(|property| names(get(node, property), &named));
        authors.into_iter().find(|names| !names.is_empty())
    });
    let mut publishers = of_page
        .iter()
        .flat_map(|(_, node)| names(get(node, "publisher"), &named));
    let site = nodes.iter().find(|node| is(node, |name| name == "WebSite"));
    let image = of_page
        .iter()
        .find_map(|(_, node)| address(get(node, "image")));
    let licence = of_page
        .iter()
        .find_map(|(_, node)| address(get(node, "license")));
    Structured {
        published: first(&["datePublished", "dateCreated", "uploadDate"]),
        modified: first(&["dateModified"]),
        authors: authors.unwrap_or_default(),
        site: site
            .and_then(|site| text(get(site, "name")))
            .or_else(|| publishers.find(|name| !name.contains("://"))),
        description: first(&["description"]),
        image,
        licence,
    }
}

/// Collects the objects of a value. Comments, offers and other articles inside an article do not describe
/// the page.
fn collect<'v>(value: &'v Value, depth: usize, nodes: &mut Vec<&'v Value>) {
    if depth > DEPTH || nodes.len() > NODES {
        return;
    }
    match value {
        Value::Array(values) => values
            .iter()
            .for_each(|value| collect(value, depth + 1, nodes)),
        Value::Object(fields) => {
            nodes.push(value);
            for (key, value) in fields {
                if matches!(
                    local(key),
                    "@graph"
                        | "mainEntity"
                        | "mainEntityOfPage"
                        | "author"
                        | "publisher"
                        | "isPartOf"
                ) {
                    collect(value, depth + 1, nodes);
                }
            }
        }
        _ => {}
    }
}

/// The names of a person, of an organisation, or of a list of them.
fn names(value: &Value, named: &impl Fn(&str) -> Option<String>) -> Vec<String> {
    match value {
        Value::String(name) => vec![unescaped(name)],
        Value::Array(values) => values
            .iter()
            .flat_map(|value| names(value, named))
            .collect(),
        Value::Object(fields) => {
            let own = names(get(value, "name"), named);
            if !own.is_empty() {
                return own;
            }
            if let Some(given) = text(get(value, "givenName")) {
                let family = text(get(value, "familyName")).unwrap_or_default();
                return vec![format!("{given} {family}")];
            }
            let other = ["@value", "@list"].map(|key| fields.get(key));
            if let Some(other) = other.into_iter().flatten().next() {
                return names(other, named);
            }
            let id = fields.get("@id").and_then(Value::as_str);
            id.and_then(named).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn address(value: &Value) -> Option<String> {
    match value {
        Value::String(address) => Some(address.clone()),
        Value::Array(values) => values.iter().find_map(address),
        Value::Object(fields) => fields
            .get("url")
            .or(fields.get("contentUrl"))
            .or(fields.get("@id"))
            .and_then(address),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn an_article_in_a_graph_has_the_name_of_its_author() {
        let script = r##"{"@context":"https://schema.org","@graph":[
            {"@type":"WebSite","name":"Tea Times"},
            {"@type":"Article","author":{"@id":"#ann"},"datePublished":"2012-03-01","image":[{"url":"/a.png"}]},
            {"@type":"WebPage","datePublished":"2010-01-01"},
            {"@type":"Person","@id":"#ann","name":"Ann Leaf"}]}"##;
        let read = read(&[script.to_owned()]);
        assert_eq!(read.published.as_deref(), Some("2012-03-01"));
        assert_eq!(read.authors, ["Ann Leaf"]);
        assert_eq!(read.site.as_deref(), Some("Tea Times"));
        assert_eq!(read.image.as_deref(), Some("/a.png"));
    }

    #[test]
    fn a_broken_script_does_not_hide_the_others() {
        let scripts = [
            "{\"@type\":".to_owned(),
            "<!-- {\"@type\":\"BlogPosting\",\"description\":\"a\nb\",\"author\":[{\"name\":\"A\"},\"B\"]}; -->".to_owned(),
        ];
        let read = read(&scripts);
        assert_eq!(read.authors, ["A", "B"]);
        assert_eq!(read.description.as_deref(), Some("a b"));
    }

    #[test]
    fn comments_and_offers_do_not_describe_the_page() {
        let script = r#"{"@type":"Product","review":[{"@type":"Review","datePublished":"2012-03-01"}],
            "offers":{"@type":"Offer"}}"#;
        assert_eq!(read(&[script.to_owned()]).published, None);
    }

    #[test]
    fn types_and_properties_are_read_in_all_their_forms() {
        for script in [
            r#"{"@type":["http://schema.org/NewsArticle"],"datePublished":"2012-03-01","author":"Ann &amp; Bo"}"#,
            r#"{"@type":"schema:BlogPosting","schema:datePublished":"2012-03-01","schema:author":["Ann &#38; Bo"]}"#,
            r#"[[{"@type":["Thing","Article"],"datePublished":["2012-03-01"],"author":{"name":["Ann & Bo"]}}]]"#,
            r#"{"@graph":{"@type":"SatiricalArticle","datePublished":{"@value":"2012-03-01"},
                "creator":{"givenName":"Ann &","familyName":"Bo"}}}"#,
        ] {
            let read = read(&[script.to_owned()]);
            assert_eq!(read.published.as_deref(), Some("2012-03-01"), "{script}");
            assert_eq!(read.authors, ["Ann & Bo"], "{script}");
        }
        let epoch = r#"{"@type":"Article","datePublished":1330597230,"author":null,"image":7}"#;
        assert_eq!(
            read(&[epoch.to_owned()]).published.as_deref(),
            Some("1330597230")
        );
    }
}
