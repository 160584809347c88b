//! A printed key is a URL, and the key of that URL is the same key.

mod common;

use common::{keyer_with, lines, vectors};
use url_key::{Blacklist, KeyOptions, Keyer, RuleSet, Scheme, UrlKey};

#[test]
fn keys_of_the_vectors_read_back_as_themselves() {
    let Some(folder) = vectors("urls") else {
        eprintln!("SKIPPED keys_of_the_vectors_read_back_as_themselves: no vectors/urls");
        return;
    };
    let mut compared = 0;
    let mut with_query = 0;
    for scheme in [Scheme::Merge, Scheme::Separate] {
        for rules in ["none", "dacqpipe_rules"] {
            let keyer = keyer_with(rules, scheme);
            for input in lines(&folder.join("inputs.jsonl")) {
                let url = input["url"].as_str().expect("every case has a URL");
                let Some(key) = key(&keyer, url) else {
                    continue;
                };
                reads_back(&keyer, url, &key);
                compared += 1;
                with_query += usize::from(key.text.contains('?'));
            }
        }
    }
    assert!(compared >= 1800, "only {compared} keys were compared");
    assert!(with_query >= 100, "only {with_query} keys kept a query");
}

#[test]
fn keys_of_hostile_urls_read_back_as_themselves() {
    const PIECES: [&str; 40] = [
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
    let rules = RuleSet::parse("^http://\tid\n^http://\tnull").expect("the rules are valid");
    for scheme in [Scheme::Merge, Scheme::Separate] {
        let options = KeyOptions {
            scheme,
            ..KeyOptions::default()
        };
        let keyer = Keyer::new(options, rules.clone(), Blacklist::default());
        let keyer = keyer.expect("the options are valid");
        let mut random = Random(42);
        let mut compared = 0;
        for _ in 0..20_000 {
            let mut url = ["http://a.com/", "https://a.com:80", "http://a.com:443/x?"]
                [random.below(3)]
            .to_owned();
            for _ in 0..random.below(12) {
                url.push_str(PIECES[random.below(PIECES.len())]);
            }
            if let Some(key) = key(&keyer, &url) {
                reads_back(&keyer, &url, &key);
                compared += 1;
            }
        }
        assert!(compared >= 10_000, "only {compared} keys were compared");
    }
}

#[test]
fn https_has_the_key_of_http() {
    let Some(folder) = vectors("urls") else {
        eprintln!("SKIPPED https_has_the_key_of_http: no vectors/urls");
        return;
    };
    let keyer = keyer_with("dacqpipe_rules", Scheme::Merge);
    let mut compared = 0;
    for input in lines(&folder.join("inputs.jsonl")) {
        let url = input["url"].as_str().expect("every case has a URL");
        // Port 443 is a default of one scheme only.
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

fn key(keyer: &Keyer, url: &str) -> Option<UrlKey> {
    let page = keyer.parse(url).ok()?;
    Some(keyer.key(&page, Some("A title")))
}

fn reads_back(keyer: &Keyer, url: &str, key: &UrlKey) {
    let again = |text: &str| {
        self::key(keyer, text).unwrap_or_else(|| panic!("{text:?} of {url:?} does not parse"))
    };
    let normalized = again(&key.normalized);
    assert_eq!(&normalized, key, "{url:?}");

    let read = again(&key.text);
    assert_eq!(read.domain, key.domain, "{url:?}");
    if !key.text.contains("_cid_=") {
        assert_eq!(read.normalized, key.text, "{url:?}");
    }
    if !key.text.contains('?') || key.text == key.normalized {
        assert_eq!(read.text, key.text, "{url:?}");
        assert_eq!(read.branch, key.branch, "{url:?}");
    }
}

/// A small congruential generator, the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }
}
