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
fn json_feed_of_other_types_is_read() {
    let feed = r#"{"version": "https://jsonfeed.org/version/1.1", "title": null, "items": [7, {"id": 17,
        "external_url": "/2011/trees", "title": "Trees fell", "summary": ["A storm."],
        "date_published": "soon", "date_modified": "2011-10-24T08:00:00Z"}]}"#;
    assert_eq!(only(feed), expected(None, DATE));
}

#[test]
fn the_link_is_found_under_other_names() {
    let page = "http://www.gazette.example/2011/trees";
    for (item, link) in [
        (format!("<guid>{page}</guid>"), Some(page)),
        (
            format!("<guid isPermaLink='true'> {page} </guid><link/>"),
            Some(page),
        ),
        (format!("<guid isPermaLink='false'>{page}</guid>"), None),
        ("<guid>17</guid>".to_owned(), None),
        (
            format!("<guid>http://a.example/</guid><link>{page}</link>"),
            Some(page),
        ),
        (
            format!("<atom:link rel='self' href='/x'/><atom:link href='{page}'/>"),
            Some(page),
        ),
        (
            format!("<link rel='enclosure'>/x</link><link href='{page}'/>"),
            Some(page),
        ),
        (
            format!("<link>/go?to=1</link><feedburner:origLink>{page}</feedburner:origLink>"),
            Some(page),
        ),
        (
            format!(
                "<source><link>/x</link></source><image><link>/y</link></image><link>{page}</link>"
            ),
            Some(page),
        ),
        (format!("<link><![CDATA[\n{page}\n]]></link>"), Some(page)),
        (
            "<link xml:base='/2011/'>trees</link>".to_owned(),
            Some(page),
        ),
        (
            "<link>/go?a=1&copy=2&amp;b=3</link>".to_owned(),
            Some("http://www.gazette.example/go?a=1&copy=2&b=3"),
        ),
        ("<enclosure url='http://a.example/a.mp3'/>".to_owned(), None),
    ] {
        // The namespaces are not declared.
        let feed = format!("<rss version='2.0'><channel><item>{item}</item></channel></rss>");
        assert_eq!(only(&feed).0.as_deref(), link, "{item}");
    }
    let about = format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><item rdf:about='{page}'/></rdf:RDF>"
    );
    assert_eq!(only(&about).0.as_deref(), Some(page));
}

#[test]
fn titles_are_read_as_readers_show_them() {
    for (title, expected) in [
        ("The clown&rsquo;s&nbsp;joke", "The clown’s\u{a0}joke"),
        ("Research & development, R&D", "Research & development, R&D"),
        ("1 < 2 <3", "1 < 2 <3"),
        ("It&#146;s &#8212; &unknown;", "It’s — &unknown;"),
        (
            "<![CDATA[R&D < \u{201c}x\u{201d}]]> &amp; more",
            "R&D < “x” & more",
        ),
        ("a<b>c</b>d<br/>e", "a<b>c</b>d<br/>e"),
    ] {
        let feed = format!(
            "<rss version='2.0'><channel><item><title> {title}\n</title></item></channel></rss>"
        );
        assert_eq!(only(&feed).1.as_deref(), Some(expected), "{title}");
    }
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title type='xhtml'>\
        <div xmlns='http://www.w3.org/1999/xhtml'>R&amp;D <b>x</b></div></title></entry></feed>";
    assert_eq!(only(atom).1.as_deref(), Some("R&amp;D <b>x</b>"));
}

#[test]
fn fields_of_other_namespaces_are_read_where_those_of_the_feed_are_missing() {
    let item = "<itunes:duration>1:2:x</itunes:duration><media:group><media:title>Video</media:title>\
        </media:group><dc:title>Trees fell</dc:title><itunes:summary>A storm.</itunes:summary>\
        <link>/2011/trees</link><atom:updated>2011-10-24T08:00:00Z</atom:updated>";
    let feed =
        |item: &str| format!("<rss version='2.0'><channel><item>{item}</item></channel></rss>");
    assert_eq!(only(&feed(item)), expected(Some("A storm."), DATE));
    let item = format!(
        "{item}<dc:date>2011-10-24T08:00:00Z</dc:date><atom:updated>2012-01-01</atom:updated>"
    );
    assert_eq!(only(&feed(&item)), expected(Some("A storm."), DATE));
}

/// Titles of the items of a feed.
fn titles(text: &str) -> Vec<String> {
    let feed = read(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    feed.items
        .into_iter()
        .map(|item| item.title.unwrap_or_default())
        .collect()
}

#[test]
fn items_of_a_feed_with_errors_are_read() {
    let rss = "<rss version='2.0'><channel><title>G</title>";
    for (rest, expected) in [
        // Cut off: the items before.
        (
            "<item><title>One</title></item><item><title>Tw",
            vec!["One"],
        ),
        (
            "<item><title>One</title></item><item><title><![CDATA[Tw",
            vec!["One"],
        ),
        (
            "<item><title>One</title></item></channel></rss",
            vec!["One"],
        ),
        // End tags that are missing, or of no element.
        (
            "<item><title>One<item><title>Two</title></channel></rss>",
            vec!["One", "Two"],
        ),
        (
            "<item><title>One</item><item><title>Two</title></item></channel></rss>",
            vec!["One", "Two"],
        ),
        (
            "<item></b><title>One</b></title></p></item></channel></rss>",
            vec!["One"],
        ),
        (
            "<item><description><p>a<br>b<title>c</description><title>One</title></item></channel></rss>",
            vec!["One"],
        ),
        (
            "<item><link href='/a'><title>One</title></item></channel></rss>",
            vec!["One"],
        ),
        (
            "<item a=1 b><TITLE>One</title></ITEM></channel></rss>",
            vec!["One"],
        ),
        (
            "<item><title>One</title></item></channel></rss><!-- a --><p>More",
            vec!["One"],
        ),
    ] {
        assert_eq!(titles(&format!("{rss}{rest}")), expected, "{rest}");
    }
    assert_eq!(
        titles(
            "Warning: <b>x</b> in y\n<rss><channel><item><title>One</title></item></channel></rss>"
        ),
        ["One"]
    );
    // An item of an item, and elements with the names of other namespaces.
    let nested = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>One</title><content type='xhtml'>\
        <div xmlns='http://www.w3.org/1999/xhtml'><title>Two</title></div></content>\
        <a:entry xmlns:a='http://a.example/'><a:title>Three</a:title></a:entry></entry></feed>";
    assert_eq!(titles(nested), ["One"]);
    // A declaration within a feed does not change its charset.
    let inside = "<item><title>Größe</title><description><?xml version='1.0' encoding='utf-16'?></description></item>";
    assert_eq!(titles(&format!("{rss}{inside}</channel></rss>")), ["Größe"]);
}

#[test]
fn bytes_that_are_no_feed_are_an_error() {
    for text in [
        "",
        "plain",
        "<html><p>Not found</p></html>",
        "<!DOCTYPE html><HTML><body><rss><channel><item><title>a</title></item></channel></rss>",
        "{}",
        "[]",
        "{\"items\": []}",
        "<",
        "<rss",
        "<rss version",
        "<rss version='2.0'><channel><item><title>Ro",
    ] {
        assert!(read(text).is_err(), "{text}: {:?}", read(text));
    }
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
