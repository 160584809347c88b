//! Keys of URLs and titles, with and without the rules of `jobs/rules`.
//!
//! The input is a character that selects the options, a title, a line end, and the URL.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use url_key::{
    Blocklist, Grouping, KeyOptions, Keyer, PageUrl, RuleSet, Scheme, UrlError, UrlKey, content_id,
    may_have_parts, plain_host,
};

const RULES: &str = include_str!("../../jobs/rules/url-keys.tsv");
const BLOCKLIST: &str = include_str!("../../jobs/rules/blocklist.txt");

static KEYERS: LazyLock<[Keyer; 16]> = LazyLock::new(|| {
    std::array::from_fn(|choice| {
        let mut options = KeyOptions::default();
        options.scheme = [Scheme::Merge, Scheme::Separate][choice & 1];
        options.grouping = [Grouping::RegistrableDomain, Grouping::FullHost][choice >> 1 & 1];
        options.extra_suffixes = [vec![], vec!["go.com".to_owned()]][choice >> 2 & 1].clone();
        let rules = [RULES, ""][choice >> 3 & 1];
        let rules = RuleSet::parse(rules).expect("the delivered rules are valid");
        Keyer::new(options, rules, Blocklist::parse(BLOCKLIST)).expect("the options are valid")
    })
});

fuzz_target!(|input: &str| {
    let Some((title, url)) = input.split_once('\n') else {
        return;
    };
    let mut title = title.chars();
    let choice = title.next().map_or(0, |choice| choice as usize % 16);
    let title = title.as_str();
    let keyer = &KEYERS[choice];
    let Ok(page) = keyer.parse(url) else {
        return;
    };
    let key = keyer.key(&page, Some(title));

    let id = content_id(title);
    assert_eq!(key.content_id.as_ref(), Some(&id));
    if keyer.needs_title(&page) {
        assert!(key.text.contains(&format!("_cid_={id}")));
    } else {
        assert_eq!(keyer.key(&page, None).text, key.text);
    }
    starts_at_domain(&key);
    reads_back(keyer, title, &key, keyer.needs_title(&page));
    https_is_http(keyer, title, &key);
    has_parts(keyer, url, &page);
});

/// Asserts that the branch goes from the root through the domain.
fn starts_at_domain(key: &UrlKey) {
    let domain = key.branch().node(key.domain.labels());
    assert_eq!(domain, key.domain.as_str());
}

/// Asserts that the normalised URL has the same key, in any order of its parameters, and
/// that a key without a content id is its own key.
fn reads_back(keyer: &Keyer, title: &str, key: &UrlKey, has_content_id: bool) {
    if let Some(again) = read(keyer, title, &key.normalized) {
        assert_eq!(&again, key);
    }
    if let Some(again) = read(keyer, title, &reversed(&key.normalized)) {
        assert_eq!(&again, key);
    }
    if has_content_id {
        return;
    }
    if let Some(again) = read(keyer, title, &key.text) {
        assert_eq!(again.text, key.text);
        assert_eq!(again.normalized, key.text);
        assert_eq!(again.branch(), key.branch());
        assert_eq!(again.domain, key.domain);
    }
}

/// Reverses the parameters of a URL.
fn reversed(normalized: &str) -> String {
    match normalized.split_once('?') {
        Some((address, query)) => {
            let parameters: Vec<_> = query.split('&').rev().collect();
            format!("{address}?{}", parameters.join("&"))
        }
        None => normalized.to_owned(),
    }
}

/// Asserts that the quick tests of a URL are right, and that a key without parts is the base URL.
fn has_parts(keyer: &Keyer, url: &str, page: &PageUrl) {
    let Some(parts) = keyer.parts(page) else {
        return;
    };
    assert!(parts.parts.is_empty() || may_have_parts(url), "{url:?}");
    if let Some(host) = plain_host(url) {
        assert_eq!(host, parts.host);
    }
    let key = keyer.key_with_parts(page, None, |_, _| true);
    assert_eq!(key.text, parts.base);
}

fn https_is_http(keyer: &Keyer, title: &str, key: &UrlKey) {
    let Some(rest) = key.normalized.strip_prefix("http://") else {
        return;
    };
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let Some(https) = read(keyer, title, &format!("https://{rest}")) else {
        return;
    };
    // Port 443 is the default port of https only.
    if !host.ends_with(":443") {
        assert_eq!(https.rule, key.rule);
        assert_eq!(https.blocklisted, key.blocklisted);
        assert_eq!(https.branch(), key.branch());
    }
}

/// Returns the key of a printed URL, or `None` if its escapes make it too long.
fn read(keyer: &Keyer, title: &str, printed: &str) -> Option<UrlKey> {
    match keyer.parse(printed) {
        Ok(page) => Some(keyer.key(&page, Some(title))),
        Err(UrlError::TooLong { .. }) => None,
        Err(error) => panic!("{printed:?}: {error}"),
    }
}
