//! Structured data in scripts: schema.org as JSON-LD.

use serde_json::Value;

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
}

/// How well a node describes the page: an article, a page, or neither.
fn rank(node: &Value) -> Option<u8> {
    let is = |name: &str| match &node["@type"] {
        Value::String(of) => of.rsplit('/').next() == Some(name),
        Value::Array(of) => of.iter().any(|of| of.as_str() == Some(name)),
        _ => false,
    };
    let articles = [
        "NewsArticle",
        "BlogPosting",
        "Article",
        "ReportageNewsArticle",
        "AnalysisNewsArticle",
        "OpinionNewsArticle",
        "LiveBlogPosting",
        "TechArticle",
        "ScholarlyArticle",
        "MedicalScholarlyArticle",
        "SocialMediaPosting",
        "DiscussionForumPosting",
        "Report",
        "Recipe",
        "HowTo",
    ];
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
    if articles.into_iter().any(is) {
        Some(0)
    } else {
        pages.into_iter().any(is).then_some(1)
    }
}

/// Reads the scripts of a page.
pub(crate) fn read(scripts: &[String]) -> Structured {
    let parsed: Vec<Value> = scripts.iter().filter_map(|script| parse(script)).collect();
    let mut nodes = Vec::new();
    for value in &parsed {
        collect(value, 0, &mut nodes);
    }
    let named = |id: &str| {
        let with_id = |node: &&&Value| node["@id"].as_str() == Some(id) && node["name"].is_string();
        nodes
            .iter()
            .find(with_id)
            .and_then(|node| node["name"].as_str())
    };
    let mut of_page: Vec<(u8, &Value)> = nodes
        .iter()
        .filter_map(|node| Some((rank(node)?, *node)))
        .collect();
    of_page.sort_by_key(|(rank, _)| *rank);
    let first = |keys: &[&str]| {
        of_page.iter().find_map(|(_, node)| {
            let found = keys.iter().find_map(|key| node[*key].as_str());
            found
                .map(str::to_owned)
                .filter(|text| !text.trim().is_empty())
        })
    };
    let authors = of_page.iter().find_map(|(_, node)| {
        let authors = [&node["author"], &node["creator"]]
            .into_iter()
            .map(|value| names(value, &named));
        authors.into_iter().find(|names| !names.is_empty())
    });
    let publisher = of_page
        .iter()
        .find_map(|(_, node)| names(&node["publisher"], &named).into_iter().next());
    let site = nodes.iter().find(|node| node["@type"] == "WebSite");
    let image = of_page.iter().find_map(|(_, node)| address(&node["image"]));
    Structured {
        published: first(&["datePublished", "dateCreated", "uploadDate"]),
        modified: first(&["dateModified"]),
        authors: authors.unwrap_or_default(),
        site: site
            .and_then(|site| site["name"].as_str())
            .map(str::to_owned)
            .or(publisher),
        description: first(&["description"]),
        image,
    }
}

/// Parses a script. Line ends inside strings, comments around the script and entities of a careless
/// template are repaired.
fn parse(script: &str) -> Option<Value> {
    let text = script
        .trim()
        .trim_start_matches("<!--")
        .trim_end_matches("-->");
    let text = text
        .trim()
        .trim_start_matches("//<![CDATA[")
        .trim_end_matches("//]]>");
    let text = text.trim().trim_end_matches(';');
    serde_json::from_str(text).ok().or_else(|| {
        let repaired = text
            .replace(|c: char| c.is_control(), " ")
            .replace("&quot;", "\"");
        serde_json::from_str(&repaired).ok()
    })
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
                    key.as_str(),
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
fn names<'v>(value: &'v Value, named: &impl Fn(&str) -> Option<&'v str>) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(values) => values
            .iter()
            .flat_map(|value| names(value, named))
            .collect(),
        Value::Object(fields) => {
            let own = fields.get("name").map(|name| names(name, named));
            own.filter(|names| !names.is_empty()).unwrap_or_else(|| {
                let id = fields.get("@id").and_then(Value::as_str);
                id.and_then(named).map(str::to_owned).into_iter().collect()
            })
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
}
