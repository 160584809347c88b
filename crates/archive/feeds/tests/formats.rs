//! Every format, and bytes that are none.

use feeds::{Feed, FeedError, parse};
use url::Url;

fn read(text: &str) -> Result<Feed, FeedError> {
    let url = Url::parse("http://www.gazette.example/feeds/all").expect("a URL");
    parse(text.as_bytes(), None, &url)
}

/// Link, title, description and date of the only item.
fn only(
    text: &str,
) -> (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
) {
    let feed = read(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let [item] = feed.items.as_slice() else {
        panic!("{feed:?}: {text}")
    };
    let date = item.published.map(|date| date.format("%F %T").to_string());
    (
        item.link.clone(),
        item.title.clone(),
        item.description.clone(),
        date,
    )
}

fn expected(
    description: Option<&str>,
    date: Option<&str>,
) -> (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
) {
    let link = "http://www.gazette.example/2011/trees";
    (
        Some(link.to_owned()),
        Some("Trees fell".to_owned()),
        description.map(str::to_owned),
        date.map(str::to_owned),
    )
}

const DATE: Option<&str> = Some("2011-10-24 08:00:00");

#[test]
fn every_version_of_rss_is_read() {
    let item = "<item><title>Trees fell</title><link>http://www.gazette.example/2011/trees</link>\
        <description>A storm.</description><pubDate>Mon, 24 Oct 2011 10:00:00 +0200</pubDate></item>";
    for version in [
        " version=\"0.91\"",
        " version='0.92'",
        " version=\"0.93\"",
        " version='0.94'",
        " version=\"2.0\"",
        " version=\"2.0.1\"",
        " version = '2.00' xmlns:a='b'",
        " version=\"\"",
        "",
    ] {
        let feed = format!(
            "<?xml version=\"1.0\"?><rss{version}><channel><title>Gazette</title>{item}</channel></rss>"
        );
        assert_eq!(only(&feed), expected(Some("A storm."), DATE), "{version}");
    }
}

#[test]
fn rdf_is_read() {
    let rdf = |namespace: &str, more: &str| {
        format!(
            "<?xml version='1.0'?><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
             xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns='{namespace}'><channel><title>G</title>\
             </channel><item><title>Trees fell</title><link>/2011/trees</link>{more}</item></rdf:RDF>"
        )
    };
    let more = "<description>A storm.</description><dc:date>2011-10-24T08:00:00Z</dc:date>";
    let feed = rdf("http://purl.org/rss/1.0/", more);
    assert_eq!(only(&feed), expected(Some("A storm."), DATE));
    let feed = rdf("http://my.netscape.com/rdf/simple/0.9/", "");
    assert_eq!(only(&feed), expected(None, None));
}

#[test]
fn atom_is_read_with_its_link_to_the_page() {
    let atom = |dates: &str| {
        format!(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>G</title><entry><title>Trees fell</title>\
             <link rel='self' href='/2011/trees.atom'/><link rel='enclosure' href='/trees.mp3'/>\
             <link rel='alternate' type='application/pdf' href='/trees.pdf'/>\
             <link rel='alternate' type='text/html' href='/2011/trees'/>\
             <id>tag:1</id>{dates}<summary>A storm.</summary></entry></feed>"
        )
    };
    let both = "<published>2011-10-24T08:00:00Z</published><updated>2011-10-25T08:00:00Z</updated>";
    assert_eq!(only(&atom(both)), expected(Some("A storm."), DATE));
    let updated = "<updated>2011-10-24T10:00:00+02:00</updated>";
    assert_eq!(only(&atom(updated)), expected(Some("A storm."), DATE));
}

/// One of thirteen real feeds has the namespace of Atom with https.
#[test]
fn atom_with_other_namespaces_is_read() {
    for namespace in [
        "https://www.w3.org/2005/Atom",
        "http://purl.org/atom/ns#",
        "",
    ] {
        let root = match namespace {
            "" => "<feed>".to_owned(),
            namespace => format!("<feed version='0.3' xmlns='{namespace}'>"),
        };
        let feed = format!(
            "{root}<title>G</title><entry><title>Trees fell</title>\
             <link rel='alternate' href='/2011/trees'/><summary>A storm.</summary></entry></feed>"
        );
        assert_eq!(only(&feed), expected(Some("A storm."), None), "{namespace}");
    }
}

#[test]
fn json_feed_is_read() {
    let feed = r#"{"version": "https://jsonfeed.org/version/1", "title": "G", "items": [{"id": "1",
        "url": "http://www.gazette.example/2011/trees", "title": "Trees fell", "summary": "A storm.",
        "content_html": "<p>Long", "date_published": "2011-10-24T08:00:00Z"}]}"#;
    assert_eq!(only(feed), expected(Some("A storm."), DATE));
}

#[test]
fn an_identifier_that_is_a_url_is_the_link() {
    let feed = "<rss version='2.0'><channel><item><title>Trees fell</title>\
        <guid>http://www.gazette.example/2011/trees</guid></item></channel></rss>";
    assert_eq!(only(feed), expected(None, None));
    let none =
        "<rss version='2.0'><channel><item><title>T</title><guid>17</guid></item></channel></rss>";
    assert_eq!(only(none).0, None);
}

#[test]
fn bytes_that_are_no_feed_are_an_error() {
    for text in [
        "",
        "plain",
        "<html><p>Not found</p></html>",
        "{}",
        "[]",
        "{\"items\": []}",
        "<",
        "<rss",
        "<rss version",
    ] {
        assert!(read(text).is_err(), "{text}: {:?}", read(text));
    }
    let cut = "<rss version='2.0'><channel><item><title>Trees</title></item><item><title>Ro";
    assert!(
        matches!(read(cut), Err(FeedError::Broken(_))),
        "{:?}",
        read(cut)
    );
}

#[test]
fn entities_of_a_document_type_are_not_expanded() {
    let mut feed = String::from("<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'>");
    for level in b'b'..=b'z' {
        let (name, inner) = (char::from(level), char::from(level - 1));
        let inner = format!("&{inner};").repeat(10);
        feed += &format!("<!ENTITY {name} '{inner}'>");
    }
    feed += "]><rss version='2.0'><channel><item><title>&z;</title><link>http://a.example/</link></item></channel></rss>";
    let title = read(&feed)
        .ok()
        .and_then(|feed| feed.items[0].title.clone());
    assert!(title.unwrap_or_default().len() < 100);
}

#[test]
fn deep_and_long_feeds_end() {
    let deep = "<a>".repeat(200_000);
    let item = |inner: &str| {
        format!(
            "<rss version='2.0'><channel><item><description>{inner}</description></item></channel></rss>"
        )
    };
    for text in [
        deep.clone(),
        format!("<rss version='2.0'>{deep}"),
        item(&deep),
        item(&(deep.clone() + &"</a>".repeat(200_000))),
        format!("<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>{deep}"),
        format!("{{\"version\":{}", "[".repeat(200_000)),
        format!("<rss version='2.0'><channel {}>", "a='b' ".repeat(100_000)),
    ] {
        let start = std::time::Instant::now();
        let _ = read(&text);
        let took = start.elapsed().as_secs();
        assert!(took < 20, "{took} s: {}", &text[..60]);
    }
    let many = "<item><title>T</title></item>".repeat(feeds::MAX_ITEMS + 5);
    let feed = read(&format!(
        "<rss version='2.0'><channel>{many}</channel></rss>"
    ));
    assert_eq!(feed.map(|feed| feed.items.len()), Ok(feeds::MAX_ITEMS));
}
