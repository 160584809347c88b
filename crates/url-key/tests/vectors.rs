//! Keys, domains and branches against those of the authors' implementation.
//!
//! The pairs were made by running that implementation on real and generated
//! URLs. Keys are compared in its own form, which [`original_form`] prints.
//! What still differs must be excused by one of the named [`DIFFERENCES`], each
//! of which excuses exactly its own cases.

mod common;
mod original;

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use common::{keyer_with, lines, vectors};
use original::{guid_order, in_one_order, original_form};
use serde_json::Value;
use url::Url;
use url_key::{Keyer, Scheme, UrlError, UrlKey, content_id};

/// One question about one URL, with the answers of the original and ours.
/// `NONE` is the answer where there is an error instead.
struct Case<'a> {
    rules: &'a str,
    field: &'a str,
    url: &'a str,
    theirs: String,
    ours: String,
    key: &'a Result<UrlKey, UrlError>,
    /// Our answer for the same page under `http`.
    ours_under_http: Option<String>,
    /// The original's answer with the rules as it needs them.
    theirs_as_deployed: &'a Value,
}

const NONE: &str = "(none)";

/// Rule files, and at least how many URLs must agree in every answer.
const RULE_FILES: [(&str, usize); 6] = [
    ("none", 394),
    ("table1_as_deployed", 393),
    ("table1_as_printed", 347),
    ("dacqpipe_rules", 392),
    ("dacqpipe_rules_slo", 394),
    ("dacqpipe_rules_tr", 394),
];

#[test]
fn keys_domains_and_branches_are_those_of_the_original() {
    let Some(folder) = vectors("urls") else {
        eprintln!("SKIPPED keys_domains_and_branches_are_those_of_the_original: no vectors/urls");
        return;
    };
    let deployed = lines(&folder.join("expected.table1_as_deployed.jsonl"));
    let mut unexcused = Vec::new();
    for (rules, least_exact) in RULE_FILES {
        let keyer = keyer_with(rules, Scheme::Separate);
        let expected = lines(&folder.join(format!("expected.{rules}.jsonl")));
        let mut exact = 0;
        let mut excused = BTreeMap::new();
        for (expected, as_deployed) in expected.iter().zip(&deployed) {
            let url = expected["url"].as_str().expect("every case has a URL");
            let key = key(&keyer, url, expected);
            let mut all_agree = true;
            for case in cases(rules, url, expected, as_deployed, &key, &keyer) {
                if case.theirs == case.ours {
                    continue;
                }
                all_agree = false;
                match DIFFERENCES.iter().find(|(_, excuses)| excuses(&case)) {
                    Some((name, _)) => *excused.entry(*name).or_insert(0) += 1,
                    None => unexcused.push(format!(
                        "{rules}: {} of {url:?} is {:?} there, {:?} here",
                        case.field, case.theirs, case.ours
                    )),
                }
            }
            exact += usize::from(all_agree);
        }
        println!(
            "{rules}: {exact} of {} URLs agree exactly; {excused:?}",
            expected.len()
        );
        assert!(
            exact >= least_exact,
            "{rules}: only {exact} URLs agree exactly"
        );
    }
    assert!(unexcused.is_empty(), "{}", unexcused.join("\n"));
}

#[test]
fn content_ids_are_those_of_the_original() {
    /// Letters the original does not know, or not the lower case of [O C8].
    const NEWER_UNICODE: [&str; 4] = ["Ꭰ", "Ɥ", "Ꟶ", "ᲀ"];

    let Some(folder) = vectors("hash") else {
        eprintln!("SKIPPED content_ids_are_those_of_the_original: no vectors/hash");
        return;
    };
    let mut exact = 0;
    for expected in lines(&folder.join("expected.jsonl")) {
        let text = expected["text"].as_str().expect("every case has a text");
        let normalized = expected["title_normalized"]
            .as_str()
            .expect("a normal form");
        let theirs = expected["cid"].as_str().expect("a content id");
        if NEWER_UNICODE.contains(&text) {
            assert_ne!(guid_order(&content_id(text)), theirs, "{text:?}");
            continue;
        }
        assert_eq!(guid_order(&content_id(text)), theirs, "{text:?}");
        assert_eq!(content_id(normalized), content_id(text), "{text:?}");
        exact += 1;
    }
    assert!(exact >= 78, "only {exact} titles were compared");
}

fn key(keyer: &Keyer, url: &str, expected: &Value) -> Result<UrlKey, UrlError> {
    let page = keyer.parse(url)?;
    Ok(keyer.key(&page, expected["title"].as_str()))
}

fn cases<'a>(
    rules: &'a str,
    url: &'a str,
    expected: &Value,
    theirs_as_deployed: &'a Value,
    key: &'a Result<UrlKey, UrlError>,
    keyer: &Keyer,
) -> Vec<Case<'a>> {
    let under_http = self::key(keyer, &url.replacen("https://", "http://", 1), expected);
    let case = |field: &'a str| Case {
        rules,
        field,
        url,
        theirs: their_answer(field, expected),
        ours: our_answer(field, key),
        key,
        ours_under_http: url
            .starts_with("https://")
            .then(|| our_answer(field, &under_http)),
        theirs_as_deployed,
    };
    let mut fields = vec!["url_key", "basic", "drop_query", "domain"];
    if key.is_ok() && !expected["url_key"].is_null() {
        fields.extend(["branch", "blacklisted", "full_path"]);
    }
    fields.into_iter().map(case).collect()
}

fn their_answer(field: &str, expected: &Value) -> String {
    match &expected[field] {
        Value::Null => NONE.to_owned(),
        Value::String(text) if field == "basic" => without_content_id(text, expected),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn our_answer(field: &str, key: &Result<UrlKey, UrlError>) -> String {
    let Ok(key) = key else {
        return NONE.to_owned();
    };
    match field {
        "url_key" => original_form(&key.text, key),
        "basic" => original_form(&key.normalized, key),
        "drop_query" => {
            let address = key.text.split('?').next().unwrap_or_default();
            original_form(address, key)
        }
        "domain" => key.domain.to_string(),
        "branch" => serde_json::to_string(&key.branch).expect("a list of strings"),
        "blacklisted" => key.blacklisted.to_string(),
        "full_path" => key.text.contains('?').to_string(),
        unknown => unreachable!("no field {unknown}"),
    }
}

/// The original's URL after the encoding step has the content id; ours has not.
fn without_content_id(basic: &str, expected: &Value) -> String {
    let id = content_id(expected["title"].as_str().unwrap_or_default());
    let id = format!("__cid__={}", guid_order(&id));
    basic
        .replacen(&format!("{id}&"), "", 1)
        .replacen(&format!("?{id}"), "", 1)
        .replacen(&format!("&{id}"), "", 1)
}

/// A named difference, and how its cases are known.
type Difference = (&'static str, fn(&Case<'_>) -> bool);

/// What is different on purpose.
const DIFFERENCES: [Difference; 13] = [
    // Parameters and values in the order of code points [O A11].
    ("ordinal order", |case| {
        in_one_order(&case.theirs) == in_one_order(&case.ours)
    }),
    // Keys are for pages of the web [O A3].
    ("other schemes", |case| match case.key {
        Err(UrlError::UnsupportedScheme { scheme }) => case.url.starts_with(scheme),
        Err(UrlError::Unparsable { .. }) => case.theirs.starts_with("file://"),
        _ => false,
    }),
    // Browsers repair slashes and decode escaped dots in hosts [O A3].
    ("lenient parsing", |case| {
        let repaired = case.url.starts_with("http:///")
            || !case.url.starts_with("http://")
            || case.url.contains("%2E");
        case.theirs == NONE && case.field != "branch" && repaired && case.key.is_ok()
    }),
    // Every maximal invalid part of UTF-8 is one U+FFFD, not every sequence.
    ("invalid UTF-8", |case| {
        let folded = |text: &str| text.replace("\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}\u{fffd}");
        case.url.contains("%ED%A0%80") && folded(&case.ours) == case.theirs
    }),
    // Empty parts of a query say nothing [O A7].
    ("empty parts", |case| {
        let without = case
            .theirs
            .replacen("&null=", "", 1)
            .replacen("?null=", "", 1);
        case.field == "basic" && case.theirs.ends_with("null=") && without == case.ours
    }),
    // A host that is a public suffix has no domain.
    ("public suffix", |case| match case.key {
        Err(UrlError::NoDomain { host }) => {
            case.ours == NONE && psl::suffix_str(host) == Some(host)
        }
        _ => false,
    }),
    // Suffixes listed since 2012 [O B8, B9].
    ("suffixes of today", |case| {
        const HOSTS: [&str; 4] = [
            "www.city.kobe.jp",
            "foo.blogspot.com",
            "foo.github.io",
            "foo.s3.amazonaws.com",
        ];
        case.field == "domain"
            && HOSTS.contains(&host(case.url).as_str())
            && case.ours.ends_with(&case.theirs)
    }),
    // IP literals are one label and their own domain [O B10].
    ("IP literals", |case| {
        let host = host(case.url);
        let literal = host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok();
        literal
            && match case.field {
                "domain" => case.ours == host,
                "branch" => case.ours.starts_with(&format!("[\"{host}\"")),
                _ => false,
            }
    }),
    // Hosts without a dot are their own domain [O B10].
    ("single labels", |case| {
        case.field == "domain" && case.theirs == NONE && case.ours == host(case.url)
    }),
    // The dot at the end of a host is no part of its name [O B10].
    ("trailing dots", |case| {
        let host = host(case.url);
        host.ends_with('.')
            && match case.field {
                "domain" => host.strip_suffix('.') == Some(&case.ours),
                "branch" => case.theirs.replacen("\"\",", "", 1) == case.ours,
                _ => case.theirs.replacen(".:", ":", 1) == case.ours,
            }
    }),
    // Names outside ASCII are in punycode [O B10].
    ("punycode", |case| {
        let theirs_in_punycode: String = case
            .theirs
            .split_inclusive(|c: char| "./:\",[]".contains(c))
            .map(|label| {
                let (name, end) = match label.char_indices().last() {
                    Some((at, c)) if !c.is_alphanumeric() => label.split_at(at),
                    _ => (label, ""),
                };
                let ascii = Url::parse(&format!("http://{name}")).ok();
                let ascii = ascii.filter(|_| !name.is_ascii());
                ascii.map_or_else(|| label.to_owned(), |ascii| host(ascii.as_str()) + end)
            })
            .collect();
        host(case.url).contains("xn--") && theirs_in_punycode == case.ours
    }),
    // Rules and blacklist do not tell https from http [O B5]: an answer is that
    // for the same page under the other scheme.
    ("https as http", |case| match &case.ours_under_http {
        Some(answer) => {
            let ours = case.ours.replacen("https://", "http://", 1);
            let rule_applies = matches!(case.key, Ok(key) if key.rule.is_some());
            ours.replacen(":443", ":80", 1) == *answer && rule_applies && case.field != "domain"
        }
        None => case.field == "blacklisted" && case.url == "http://login.medscape.com/",
    }),
    // Rules as printed in the paper work: without ports, and with `_cid_`. The
    // answers are those to the deployed rules [O B6].
    ("Table 1 as printed", |case| {
        case.rules == "table1_as_printed"
            && in_one_order(&their_answer(case.field, case.theirs_as_deployed))
                == in_one_order(&case.ours)
    }),
];

fn host(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str);
    host.unwrap_or_default().to_owned()
}
