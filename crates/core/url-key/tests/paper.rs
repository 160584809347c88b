//! Section 3 of the paper, and the guarantees for users of rules.

use url_key::{
    Blocklist, Domain, DuplicateCandidate, DuplicateReason, Grouping, KeyOptions, Keyer, RuleSet,
    Scheme, UrlError, UrlKey, content_id, duplicate_reason,
};

/// Table 1 of the paper, with its typing error (`abcnews\go\.com`) corrected.
const TABLE_1: &str = r"abcnews\.go\.com	id
www\.fitchratings\.com.*?/detail\.cfm	pr_id
bbs\.chinadaily\.com\.cn/viewthread\.php	tid
www\.hurriyetdailynews\.com/n\.php	n
globeandmail\.golfcanada\.ca	articleId
podcast\.ft\.com/index\.php	pid
www\.aljazeera\.com(\?.*)?$	_cid_
www\.dailymail\.co\.uk/home/index\.html	_cid_
www\.foxnews\.com/on-air.*?/index\.html	_cid_
";

fn keyer(rules: &str, options: KeyOptions) -> Keyer {
    let rules = RuleSet::parse(rules).expect("the rules are valid");
    Keyer::new(options, rules, Blocklist::default()).expect("the options are valid")
}

fn key(keyer: &Keyer, url: &str, title: Option<&str>) -> UrlKey {
    let page = keyer
        .parse(url)
        .unwrap_or_else(|error| panic!("{url}: {error}"));
    keyer.key(&page, title)
}

fn error(options: KeyOptions, url: &str) -> UrlError {
    let parsed = keyer("", options).parse(url);
    parsed.expect_err(url)
}

#[test]
fn the_worked_example_of_the_paper_has_its_key() {
    let url = "http://abcnews.go.com/kabc/story?section=news/local/los_angeles&id=8691010";
    let key = key(&keyer(TABLE_1, KeyOptions::default()), url, Some("A title"));
    assert_eq!(
        key.normalized,
        "http://abcnews.go.com/kabc/story?id=8691010&section=news/local/los_angeles"
    );
    assert_eq!(key.text, "http://abcnews.go.com/kabc/story?id=8691010");
    assert_eq!(key.rule.as_deref(), Some(r"abcnews\.go\.com id"));
    assert_eq!(key.content_id, Some(content_id("A title")));
}

#[test]
fn the_domain_is_the_second_level_name_of_the_response_url() {
    let key = key(
        &keyer("", KeyOptions::default()),
        "http://www.news.eu/politics/europe/article1.html",
        None,
    );
    assert_eq!(key.domain, Domain::from_name("news.eu"));
    assert_eq!(
        key.branch().items(),
        ["eu", "news", "www", "politics", "europe"]
    );
    assert_eq!(key.domain.labels(), 2);
}

/// The page itself is not a node of the tree, unless its key has a query [O C1, C2].
#[test]
fn the_last_segment_is_a_node_only_with_a_kept_query() {
    let keyer = keyer("^http://\tid", KeyOptions::default());
    for (url, branch) in [
        ("http://www.a.com/x/1.html", &["com", "a", "www", "x"][..]),
        ("http://www.a.com/x/1.html?y=2", &["com", "a", "www", "x"]),
        ("http://www.a.com/x/", &["com", "a", "www"]),
        ("http://www.a.com/", &["com", "a", "www"]),
        ("http://a.com/x/story?id=1", &["com", "a", "x", "story"]),
        ("http://a.com?id=1", &["com", "a"]),
        ("http://a.com/X/%C3%A9%2Fb/1", &["com", "a", "X", "é/b"]),
    ] {
        assert_eq!(key(&keyer, url, None).branch().items(), branch, "{url}");
    }
}

#[test]
fn table_1_keeps_its_parameters() {
    let kept = [
        (
            "http://abcnews.go.com/x/story?id=1&foo=2",
            "http://abcnews.go.com/x/story?id=1",
        ),
        (
            "http://www.fitchratings.com/a/detail.cfm?print=1&pr_id=5",
            "http://www.fitchratings.com/a/detail.cfm?pr_id=5",
        ),
        (
            "http://bbs.chinadaily.com.cn/viewthread.php?gid=2&tid=7",
            "http://bbs.chinadaily.com.cn/viewthread.php?tid=7",
        ),
        (
            "http://www.hurriyetdailynews.com/n.php?n=a-2011-10-24&x=1",
            "http://www.hurriyetdailynews.com/n.php?n=a-2011-10-24",
        ),
        (
            "http://globeandmail.golfcanada.ca/x/y.aspx?articleId=12&r=3",
            "http://globeandmail.golfcanada.ca/x/y.aspx?articleId=12",
        ),
        (
            "http://podcast.ft.com/index.php?sid=3&pid=4",
            "http://podcast.ft.com/index.php?pid=4",
        ),
        (
            "http://www.ft.com/world/2013/02/news.html?feed=3",
            "http://www.ft.com/world/2013/02/news.html",
        ),
    ];
    let as_deployed = TABLE_1
        .replace(r"\.com", r"\.com:80")
        .replace(r"\.ca", r"\.ca:80")
        .replace("_cid_", "__cid__")
        .replace(r"\.com:80\.cn", r"\.com\.cn:80");
    for rules in [TABLE_1, &as_deployed] {
        let keyer = keyer(rules, KeyOptions::default());
        for (url, expected) in kept {
            assert_eq!(key(&keyer, url, None).text, expected);
            let https = url.replace("http://", "https://");
            assert_eq!(key(&keyer, &https, None).text, expected);
        }
    }
}

/// The order in the file decides, whether or not a rule writes the port [O B2].
#[test]
fn the_first_rule_wins_with_and_without_its_port() {
    let with_port = "^http://a\\.com:80/\tid";
    let without = "^http://a\\.com/\tpage";
    for (rules, expected) in [
        ([with_port, without], "http://a.com/x?id=1"),
        ([without, with_port], "http://a.com/x?page=2"),
    ] {
        let keyer = keyer(&rules.join("\n"), KeyOptions::default());
        assert_eq!(
            key(&keyer, "http://a.com/x?id=1&page=2", None).text,
            expected
        );
    }
}

#[test]
fn front_pages_are_identified_by_title() {
    let keyer = keyer(TABLE_1, KeyOptions::default());
    let page = keyer
        .parse("http://www.aljazeera.com/?utm_source=rss")
        .expect("a URL");
    assert!(keyer.needs_title(&page));
    let monday = keyer.key(&page, Some("Monday's news"));
    let tuesday = keyer.key(&page, Some("Tuesday's news"));
    assert_eq!(
        monday.text,
        format!(
            "http://www.aljazeera.com?_cid_={}",
            content_id("Monday's news")
        )
    );
    assert_ne!(monday.text, tuesday.text);
    assert_eq!(keyer.key(&page, None).content_id, Some(content_id("")));
}

#[test]
fn a_title_is_needed_only_if_the_content_id_is_kept() {
    let rules = "^http://a\\.com\tid\n^http://a\\.com\t_cid_";
    let keyer = keyer(rules, KeyOptions::default());
    let page = |url| keyer.parse(url).expect("a URL");
    assert!(keyer.needs_title(&page("http://a.com/x")));
    assert!(!keyer.needs_title(&page("http://a.com/x?id=1")));
    assert!(!keyer.needs_title(&page("http://b.com/x")));
    assert_eq!(keyer.key(&page("http://b.com/x"), None).content_id, None);
}

#[test]
fn without_a_rule_the_query_is_dropped() {
    let key = key(
        &keyer("", KeyOptions::default()),
        "HTTP://user:pass@WWW.Example.COM.:80//a+b/%7Ec/./d%2Fe/?b=1&a=%41#top",
        None,
    );
    assert_eq!(key.text, "http://www.example.com/a%20b/~c/d%2Fe");
    assert_eq!(
        key.normalized,
        "http://www.example.com/a%20b/~c/d%2Fe?a=A&b=1"
    );
    assert_eq!(key.branch().items(), ["com", "example", "www", "a b", "~c"]);
    assert_eq!((key.rule, key.blocklisted), (None, false));
}

#[test]
fn schemes_merge_by_default() {
    let merged = keyer("", KeyOptions::default());
    assert_eq!(key(&merged, "https://a.com/x", None).text, "http://a.com/x");
    assert_eq!(
        key(&merged, "https://a.com:8443/x", None).text,
        "http://a.com:8443/x"
    );
    assert_eq!(
        key(&merged, "https://a.com:80/x", None).text,
        "http://a.com/x"
    );
    let mut separate_schemes = KeyOptions::default();
    separate_schemes.scheme = Scheme::Separate;
    let separate = keyer("", separate_schemes);
    assert_eq!(
        key(&separate, "https://a.com/x", None).text,
        "https://a.com/x"
    );
    assert_eq!(
        key(&separate, "https://a.com:80/x", None).text,
        "https://a.com:80/x"
    );
}

#[test]
fn pages_can_be_grouped_by_host_or_by_further_suffixes() {
    let url = "http://abcnews.go.com/x";
    let mut by_host = KeyOptions::default();
    by_host.grouping = Grouping::FullHost;
    let mut by_suffix = KeyOptions::default();
    by_suffix.extra_suffixes = vec!["go.com".to_owned()];
    for (options, domain) in [
        (KeyOptions::default(), "go.com"),
        (by_host, "abcnews.go.com"),
        (by_suffix, "abcnews.go.com"),
    ] {
        assert_eq!(key(&keyer("", options), url, None).domain.as_str(), domain);
    }
}

#[test]
fn ip_literals_and_local_names_are_domains() {
    let keyer = keyer("", KeyOptions::default());
    for (url, name, branch) in [
        ("http://127.0.0.1/a/b", "127.0.0.1", ["127.0.0.1", "a"]),
        (
            "http://[2001:db8::1]/a/b",
            "[2001:db8::1]",
            ["[2001:db8::1]", "a"],
        ),
        ("http://localhost:8080/a/b", "localhost", ["localhost", "a"]),
    ] {
        let key = key(&keyer, url, None);
        assert_eq!(key.domain.as_str(), name);
        assert_eq!(key.branch().items(), branch);
        assert_eq!(key.domain.labels(), 1);
    }
}

#[test]
fn urls_without_a_key_give_an_error() {
    let limits = || {
        let mut options = KeyOptions::default();
        options.max_url_bytes = 30;
        options.max_path_segments = 3;
        options
    };
    let url = "http://a.com/0123456789/0123456789";
    assert!(matches!(
        error(limits(), url),
        UrlError::TooLong {
            limit: 30,
            seen: 34
        }
    ));
    let url = "http://a.com/1/2/3/4";
    assert!(matches!(
        error(limits(), url),
        UrlError::TooDeep { limit: 3, seen: 4 }
    ));

    let error = |url| error(KeyOptions::default(), url);
    assert!(matches!(
        error("example.com/a"),
        UrlError::Unparsable { .. }
    ));
    assert!(matches!(error("http://"), UrlError::Unparsable { .. }));
    assert!(matches!(
        error("ftp://example.com/"),
        UrlError::UnsupportedScheme { .. }
    ));
    assert!(matches!(
        error("javascript:void(0)"),
        UrlError::UnsupportedScheme { .. }
    ));
    assert!(matches!(
        error("http://a..com/"),
        UrlError::InvalidHost { .. }
    ));
    assert!(matches!(error("http://co.uk/"), UrlError::NoDomain { .. }));
    let deep = format!("http://{}com/", "a.".repeat(130));
    assert!(matches!(error(&deep), UrlError::InvalidHost { .. }));
}

#[test]
fn blocklisted_pages_have_keys() {
    let list = Blocklist::parse("http://a.com:80/login\nhttps://b.com:443");
    let keyer = Keyer::new(KeyOptions::default(), RuleSet::empty(), list);
    let keyer = keyer.expect("the options are valid");
    for (url, blocklisted) in [
        ("http://a.com/login?x=1", true),
        ("https://a.com/login/2", true),
        ("http://a.com/", false),
        ("https://b.com/x", true),
        ("http://b.com/x", true),
        ("http://b.com.au/x", false),
    ] {
        let key = key(&keyer, url, None);
        assert_eq!(key.blocklisted, blocklisted, "{url}");
        assert!(key.text.starts_with("http://"), "{url}");
    }
}

#[test]
fn the_reason_of_a_duplicate_is_the_first_equal_step() {
    let seen = |request_url, url, normalized, rule| DuplicateCandidate {
        unlearned: "",
        request_url,
        url,
        normalized,
        rule,
    };
    let original = seen(Some("r1"), "u1", "n1", None);
    for (duplicate, step) in [
        (
            seen(Some("r1"), "u2", "n2", None),
            DuplicateReason::IdenticalUrl,
        ),
        (
            seen(Some("r2"), "u1", "n1", None),
            DuplicateReason::Redirect,
        ),
        (
            seen(Some("r2"), "u2", "n1", None),
            DuplicateReason::Encoding,
        ),
        (
            seen(Some("r2"), "u2", "n2", Some("rule")),
            DuplicateReason::Rule,
        ),
        (seen(None, "u2", "n2", None), DuplicateReason::DroppedQuery),
    ] {
        assert_eq!(duplicate_reason(&original, &duplicate), step);
    }
    let without_request = seen(None, "u1", "n1", None);
    assert_eq!(
        duplicate_reason(&without_request, &without_request).as_str(),
        "identical_url"
    );
}

#[test]
fn a_keyer_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Keyer>();
}
