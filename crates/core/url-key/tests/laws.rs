//! Properties of all keys, over random URLs and the URLs of the vectors.

use crate::common;

use std::sync::LazyLock;

use common::keyer_with;
use conformance::{material, rows};
use percent_encoding::percent_decode_str;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::RngSeed;
use serde_json::Value;
use url::Url;
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet, Scheme, UrlKey};

/// A fixed seed: every machine tests the same URLs. Make a failing case its own test.
fn fixed() -> ProptestConfig {
    ProptestConfig {
        cases: 2_000,
        rng_seed: RngSeed::Fixed(2013),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Parts of a URL that end or split a component, or have several spellings.
const PIECES: [&str; 45] = [
    "/",
    "//",
    "?",
    "&",
    "&&",
    "=",
    "#",
    "%",
    "%2",
    "%2F",
    "%2f",
    "%3F",
    "%26",
    "%3D",
    "%23",
    "%25",
    "%2525",
    "%2B",
    "+",
    " ",
    "%20",
    "%00",
    "%0A",
    "\t",
    "%09",
    "%7F",
    "%C2%85",
    "%C3%A9",
    "é",
    "É",
    "%E9",
    "%c3",
    "%CE%C4",
    "%80",
    "(S(lit3py55t21z5v55vlm25s55))/",
    ";jsessionid=x",
    "%F0%9F%98%80",
    "\\",
    "%5C",
    ".",
    "..",
    "%2e",
    "id=1",
    "null",
    "_cid_=x",
];

fn hostile_url() -> impl Strategy<Value = String> {
    let start = select(vec![
        "http://a.com/",
        "https://a.com:80",
        "http://a.com:443/x?",
    ]);
    (start, vec(select(PIECES.to_vec()), 0..12))
        .prop_map(|(start, pieces)| format!("{start}{}", pieces.concat()))
}

/// URLs without query, to which rules of the product apply.
const ADDRESSES: [&str; 14] = [
    "http://abcnews.go.com/kabc/story",
    "https://www.fitchratings.com/x/detail.cfm",
    "http://bbs.chinadaily.com.cn/viewthread.php",
    "http://www.hurriyetdailynews.com/n.php",
    "http://a.com/viewtopic.php",
    "http://a.com/forum/showthread.php",
    "http://a.com/forum.php",
    "http://a.com/w/index.php",
    "http://a.com/modules.php",
    "http://a.com/article.pl",
    "http://a.com/article.aspx",
    "http://www.youtube.com/watch",
    "http://a.com",
    "http://a.com/a/b/c/d",
];

/// Parameters of the product's rules, and others. No two names differ only in case.
const PARAMETERS: [&str; 34] = [
    "id=1",
    "pr_id=2",
    "tid=3",
    "n=4",
    "articleId=5",
    "pid=6",
    "t=7",
    "start=15",
    "start=0",
    "p=8",
    "p=x",
    "page=2",
    "page=1",
    "st=20",
    "showtopic=9",
    "topic=10.0",
    "title=Tree",
    "action=history",
    "oldid=11",
    "curid=12",
    "option=com_content",
    "view=article",
    "task=x",
    "q=node/12",
    "page_id=13",
    "name=News",
    "sid=14",
    "sid=x",
    "v=y",
    "278725",
    "threads/x.12/",
    "utm_source=rss",
    "slug=a%26b",
    "id=1%2C2",
];

fn url_with(parameters: &[&str], address: &str) -> String {
    match parameters {
        [] => address.to_owned(),
        _ => format!("{address}?{}", parameters.join("&")),
    }
}

fn keyer(rules: &str, scheme: Scheme) -> Keyer {
    let mut options = KeyOptions::default();
    options.scheme = scheme;
    let rules = RuleSet::parse(rules).expect("the rules are valid");
    Keyer::new(options, rules, Blocklist::default()).expect("the options are valid")
}

/// The rules that the product includes.
const RULES: &str = include_str!("../../../../jobs/rules/url-keys.tsv");

static PRODUCT: LazyLock<Keyer> = LazyLock::new(|| keyer(RULES, Scheme::Merge));

static KEEPING: LazyLock<[Keyer; 2]> = LazyLock::new(|| {
    [Scheme::Merge, Scheme::Separate].map(|scheme| keyer("^http://\tid\n^http://\tnull", scheme))
});

fn key(keyer: &Keyer, url: &str) -> Option<UrlKey> {
    let page = keyer.parse(url).ok()?;
    Some(keyer.key(&page, Some("A title")))
}

/// Checks that the branch is the host and path of the key as the `url` crate parses it [O C1, C2].
fn check_branch(key: &UrlKey) {
    let url = Url::parse(&key.text).expect("a key is a URL");
    let mut items: Vec<String> = match url.domain() {
        Some(name) => name.rsplit('.').map(str::to_owned).collect(),
        None => url.host_str().map(str::to_owned).into_iter().collect(),
    };
    let above_page = items.len();
    let segments = url.path().split('/').filter(|segment| !segment.is_empty());
    items.extend(segments.map(|segment| {
        let bytes: Vec<u8> = percent_decode_str(segment).collect();
        let chunks = bytes.utf8_chunks().map(|chunk| {
            let invalid = chunk.invalid().iter();
            let invalid: String = invalid.map(|byte| format!("%{byte:02X}")).collect();
            chunk.valid().to_owned() + &invalid
        });
        chunks.collect()
    }));
    if url.query().is_none() && items.len() > above_page {
        items.pop();
    }
    assert_eq!(key.branch().items(), items, "{}", key.text);
}

/// Checks that the key and the normalised URL are URLs and parse to themselves.
fn check_idempotence(keyer: &Keyer, url: &str, key: &UrlKey) {
    let again = |text: &str| {
        self::key(keyer, text).unwrap_or_else(|| panic!("{text:?} of {url:?} does not parse"))
    };
    let normalized = again(&key.normalized);
    assert_eq!(&normalized, key, "{url:?}");

    let read = again(&key.text);
    assert_eq!(read.domain, key.domain, "{url:?}");
    check_branch(key);
    if !key.text.contains("_cid_=") {
        assert_eq!(read.normalized, key.text, "{url:?}");
    }
    if !key.text.contains('?') || key.text == key.normalized {
        assert_eq!(read.text, key.text, "{url:?}");
    }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn keys_of_hostile_urls_parse_to_themselves(url in hostile_url()) {
        let keys = KEEPING.each_ref().map(|keyer| key(keyer, &url));
        prop_assume!(keys.iter().all(Option::is_some));
        for (keyer, key) in KEEPING.iter().zip(keys.iter().flatten()) {
            check_idempotence(keyer, &url, key);
        }
    }

    /// key(key(u)) = key(u) under the rules of the product.
    #[test]
    fn the_key_of_a_key_is_that_key(
        address in select(ADDRESSES.to_vec()),
        parameters in subsequence(PARAMETERS.to_vec(), 0..12).prop_shuffle(),
    ) {
        let url = url_with(&parameters, address);
        let first = key(&PRODUCT, &url).expect("a URL");
        // A key without a query is covered by the other properties.
        prop_assume!(first.text.contains('?'));
        let again = key(&PRODUCT, &first.text).expect("a key is a URL");
        prop_assert_eq!(again.text, first.text, "{:?}", url);
    }

    #[test]
    fn a_key_ignores_the_order_of_parameters(
        address in select(ADDRESSES.to_vec()),
        (parameters, shuffled) in subsequence(PARAMETERS.to_vec(), 0..12)
            .prop_flat_map(|some| (Just(some.clone()), Just(some).prop_shuffle())),
    ) {
        let urls = [parameters, shuffled].map(|some| url_with(&some, address));
        let [one, other] = urls.each_ref().map(|url| key(&PRODUCT, url).expect("a URL"));
        prop_assert_eq!(one, other, "{:?}", urls);
    }

    #[test]
    fn https_has_the_key_of_http(
        address in select(ADDRESSES.to_vec()),
        parameters in subsequence(PARAMETERS.to_vec(), 0..12),
    ) {
        let http = url_with(&parameters, address).replace("https://", "http://");
        let https = http.replace("http://", "https://");
        prop_assert_eq!(key(&PRODUCT, &https), key(&PRODUCT, &http), "{:?}", http);
    }
}

/// Names that differ only in case are one parameter with the first spelling [O A8]. This is the
/// only case in which the order of parameters changes a key.
#[test]
fn the_first_spelling_of_a_name_is_kept() {
    let keyer = keyer("^http://\tID", Scheme::Merge);
    for (url, expected) in [
        ("http://a.com/?ID=2&id=1", "http://a.com?ID=1&ID=2"),
        ("http://a.com/?id=1&ID=2", "http://a.com"),
    ] {
        let key = key(&keyer, url).expect("a URL");
        assert_eq!(key.text, expected);
    }
}

#[test]
fn keys_of_the_vectors_parse_to_themselves() {
    let Some(vectors) = material("keys_of_the_vectors_parse_to_themselves", "vectors") else {
        return;
    };
    let mut compared = 0;
    let mut with_query = 0;
    for scheme in [Scheme::Merge, Scheme::Separate] {
        for rules in ["none", "dacqpipe_rules"] {
            let keyer = keyer_with(&vectors, rules, scheme);
            for input in rows::<Value>(&vectors.join("urls/inputs.jsonl")) {
                let url = input["url"].as_str().expect("every case has a URL");
                let Some(key) = key(&keyer, url) else {
                    continue;
                };
                check_idempotence(&keyer, url, &key);
                compared += 1;
                with_query += usize::from(key.text.contains('?'));
            }
        }
    }
    assert!(compared >= 1800, "only {compared} keys were compared");
    assert!(with_query >= 100, "only {with_query} keys kept a query");
}

#[test]
fn https_has_the_key_of_http_in_the_vectors() {
    let Some(vectors) = material("https_has_the_key_of_http_in_the_vectors", "vectors") else {
        return;
    };
    let keyer = keyer_with(&vectors, "dacqpipe_rules", Scheme::Merge);
    let mut compared = 0;
    for input in rows::<Value>(&vectors.join("urls/inputs.jsonl")) {
        let url = input["url"].as_str().expect("every case has a URL");
        // Port 443 is the default of https only.
        let Some(rest) = url
            .strip_prefix("http://")
            .filter(|url| !url.contains(":443"))
        else {
            continue;
        };
        let http = key(&keyer, url);
        assert_eq!(key(&keyer, &format!("https://{rest}")), http, "{url:?}");
        compared += 1;
    }
    assert!(compared >= 400, "only {compared} URLs were compared");
}
