//! The rule file and the blocklist the product comes with.

use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};

fn keyer() -> Keyer {
    let rules = RuleSet::parse(include_str!("../../../../jobs/rules/url-keys.tsv"));
    let blocklist = Blocklist::parse(include_str!("../../../../jobs/rules/blocklist.txt"));
    Keyer::new(
        KeyOptions::default(),
        rules.expect("the rule file is valid"),
        blocklist,
    )
    .expect("the options are valid")
}

fn key(url: &str) -> String {
    let keyer = keyer();
    let page = keyer
        .parse(url)
        .unwrap_or_else(|error| panic!("{url}: {error}"));
    let key = keyer.key(&page, Some("A title"));
    assert!(!key.blocklisted, "the blocklist is empty as delivered");
    key.text
}

#[test]
fn parameters_that_identify_pages_stay() {
    for (url, expected) in [
        (
            "https://abcnews.go.com/kabc/story?section=x&id=8691010",
            "http://abcnews.go.com/kabc/story?id=8691010",
        ),
        (
            "http://www.fitchratings.com/detail.cfm?print=1&pr_id=5",
            "http://www.fitchratings.com/detail.cfm?pr_id=5",
        ),
        (
            "http://podcast.ft.com/index.php?sid=3&pid=4",
            "http://podcast.ft.com/index.php?pid=4",
        ),
        (
            "http://a.com/viewtopic.php?f=2&t=9&start=15&sid=1f2e",
            "http://a.com/viewtopic.php?start=15&t=9",
        ),
        (
            "http://a.com/viewtopic.php?f=2&t=9&start=0",
            "http://a.com/viewtopic.php?t=9",
        ),
        (
            "http://a.com/forum/showthread.php?tid=103&pid=1207",
            "http://a.com/forum/showthread.php?tid=103",
        ),
        (
            "http://a.com/index.php?topic=12.0",
            "http://a.com/index.php?topic=12.0",
        ),
        (
            "http://a.org/w/index.php?title=Tree&redirect=no",
            "http://a.org/w/index.php?title=Tree",
        ),
        (
            "http://a.org/w/index.php?title=Tree&action=history",
            "http://a.org/w/index.php?action=history&title=Tree",
        ),
        (
            "http://a.it/index.php?option=com_content&view=article&id=198&Itemid=2",
            "http://a.it/index.php?id=198&option=com_content&view=article",
        ),
        ("http://a.org/?q=node/12&page=1", "http://a.org?q=node/12"),
        (
            "http://a.org/blog/?p=12&replytocom=3",
            "http://a.org/blog?p=12",
        ),
        ("http://a.org/?page_id=80", "http://a.org?page_id=80"),
        (
            "http://a.net/modules.php?name=News&file=article&sid=31&mode=thread",
            "http://a.net/modules.php?name=News&sid=31",
        ),
        (
            "http://a.com/forum/index.php?threads/some-title.12/",
            "http://a.com/forum/index.php?threads/some-title.12/",
        ),
        (
            "http://www.outlookindia.com/article.aspx?278725",
            "http://www.outlookindia.com/article.aspx?278725",
        ),
        (
            "https://www.youtube.com/watch?v=-0BPnnvI47Q&feature=share",
            "http://www.youtube.com/watch?v=-0BPnnvI47Q",
        ),
        (
            "http://a.com/view.bg?articleid=1061137548&srvc=track",
            "http://a.com/view.bg?articleid=1061137548",
        ),
        (
            "http://a.com/story.php?storyId=7&ft=1&id=9",
            "http://a.com/story.php?storyId=7",
        ),
        (
            "http://a.com/story?id=1&page=2",
            "http://a.com/story?id=1&page=2",
        ),
        (
            "http://a.com/story?id=1&page=1&utm_source=rss",
            "http://a.com/story?id=1",
        ),
        ("http://a.com/?sid=12&id=3", "http://a.com?id=3"),
        ("http://a.com/?sid=1012060", "http://a.com?sid=1012060"),
    ] {
        assert_eq!(key(url), expected);
    }
}

#[test]
fn tracking_parameters_are_dropped() {
    for query in [
        "utm_source=rss&utm_medium=feed&utm_campaign=x",
        "fbclid=IwAR0",
        "gclid=x&ref=home",
        "replytocom=5",
        "amp=1",
        "amp",
        "share=facebook",
        "page=2",
        "sid=cce0fbc41d9e1b4844f7384b308e5302",
        "p=thumbelina",
        "__cid__=x",
    ] {
        let address = "http://a.com/2013/05/03/story";
        assert_eq!(key(&format!("{address}/?{query}")), address);
    }
}

#[test]
fn only_the_front_pages_of_the_paper_need_a_title() {
    let keyer = keyer();
    for (url, needed) in [
        ("http://www.aljazeera.com/", true),
        ("https://www.aljazeera.com/?x=1", true),
        ("http://www.dailymail.co.uk/home/index.html?ITO=1490", true),
        ("http://www.foxnews.com/on-air/oreilly/index.html", true),
        ("http://www.aljazeera.com/news/2013", false),
        ("http://www.aljazeera.com:8080/", false),
        ("http://www.aljazeera.com.example.org/", false),
        ("http://example.org/?u=http://www.aljazeera.com", false),
        ("http://www.foxnews.com/on-air?x=/index.html", false),
    ] {
        let page = keyer
            .parse(url)
            .unwrap_or_else(|error| panic!("{url}: {error}"));
        assert_eq!(keyer.needs_title(&page), needed, "{url}");
    }
}

#[test]
fn site_rules_end_where_their_hosts_end() {
    for url in [
        "http://abcnews.go.com.example.org/story?pr_id=1&n=2",
        "http://www.hurriyetdailynews.com.tr/n.php?n=2",
        "http://podcast.ft.com:8080/index.php?n=2",
    ] {
        assert!(!key(url).contains('?'), "{url}");
    }
}
