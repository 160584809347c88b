//! Conformance of keys, domains and branches with the authors' implementation.
//!
//! The expected answers come from runs of that implementation on real and generated URLs. Answers
//! are compared in its spelling, see [`Answer`]. One of the named [differences] must explain
//! every other difference. The counts are those of `docs/method.md`.

use crate::common;
use crate::original;

use std::path::Path;

use common::keyer_with;
use conformance::{Comparison, Difference, Row, material, rows};
use original::differences::{self, Case, NONE};
use original::{Answer, guid_order};
use serde_json::Value;
use url_key::{Keyer, Scheme, UrlError, UrlKey, content_id};

const RULE_FILES: [&str; 6] = [
    "none",
    "table1_as_deployed",
    "table1_as_printed",
    "dacqpipe_rules",
    "dacqpipe_rules_slo",
    "dacqpipe_rules_tr",
];

/// The fields compared for a URL with a key.
const FIELDS: [&str; 8] = [
    "url_key",
    "basic",
    "drop_query",
    "domain",
    "domain_labels",
    "branch",
    "blacklisted",
    "full_path",
];

/// The number of leading [`FIELDS`] that are compared for every URL.
const ALWAYS_COMPARED: usize = 5;

#[test]
fn keys_domains_and_branches_are_those_of_the_original() {
    let test = "keys_domains_and_branches_are_those_of_the_original";
    let Some(vectors) = material(test, "vectors") else {
        return;
    };
    let mut comparison = Comparison::new("url-keys", &differences::all());
    for rules in RULE_FILES {
        let mut row = Row::new(format!("answers about URLs, rules `{rules}`"));
        compare_urls(&vectors, rules, Scheme::Separate, &mut row);
        comparison.add(row);
    }
    let mut row =
        Row::new("answers about URLs, rules `dacqpipe_rules`, one key for http and https");
    compare_urls(&vectors, "dacqpipe_rules", Scheme::Merge, &mut row);
    comparison.add(row);
    let mut row = Row::new("key, domain and branch of every document of the streams");
    compare_streams(&vectors, &mut row);
    comparison.add(row);
    comparison.finish();
}

fn compare_urls(vectors: &Path, rules: &str, scheme: Scheme, row: &mut Row) {
    let keyer = keyer_with(vectors, rules, scheme);
    let expected_with = |rules| -> Vec<Value> {
        conformance::rows(&vectors.join(format!("urls/expected.{rules}.jsonl")))
    };
    let expected = expected_with(rules);
    let deployed = expected_with("table1_as_deployed");
    assert_eq!(expected.len(), deployed.len());
    for (expected, deployed) in expected.iter().zip(&deployed) {
        let url = expected["url"].as_str().expect("every case has a URL");
        let key = key(&keyer, url, expected);
        let http = url.strip_prefix("https://");
        let under_http = http.map(|rest| self::key(&keyer, &format!("http://{rest}"), expected));
        let both_keyed = key.is_ok() && !expected["url_key"].is_null();
        let compared = if both_keyed {
            FIELDS.len()
        } else {
            ALWAYS_COMPARED
        };
        for field in &FIELDS[..compared] {
            let (theirs, spelling) = their_answer(scheme, field, expected);
            let mut ours = our_answer(field, &key);
            ours.spelling.extend(spelling);
            let case = Case {
                rules,
                field,
                url,
                theirs,
                ours,
                key: &key,
                ours_under_http: under_http.as_ref().map(|key| our_answer(field, key).text),
                theirs_as_deployed: their_answer(scheme, field, deployed).0,
            };
            record(row, &case);
        }
    }
}

fn compare_streams(vectors: &Path, row: &mut Row) {
    let streams = vectors.join("streams");
    for config in configurations(&streams) {
        let config_path = streams.join(format!("{config}.config.json"));
        let text = std::fs::read_to_string(config_path).expect("a configuration");
        let settings: Value = serde_json::from_str(&text).expect("a configuration is JSON");
        let rules = settings["rules"].as_str().unwrap_or("none");
        let keyer = keyer_with(vectors, rules, Scheme::Merge);
        let read = |kind| rows(&streams.join(format!("{config}.{kind}.jsonl.gz")));
        let (inputs, expected): (Vec<Value>, Vec<Value>) = (read("input"), read("expected"));
        assert_eq!(inputs.len(), expected.len(), "{config}");
        for (input, mut expected) in inputs.into_iter().zip(expected) {
            let url = input["url"].as_str().expect("every document has a URL");
            let key = key(&keyer, url, &input);
            expected["branch"] = branch_of(&expected);
            for field in ["url_key", "domain", "branch"] {
                let (theirs, _) = their_answer(Scheme::Merge, field, &expected);
                let case = Case {
                    rules,
                    field,
                    url,
                    theirs_as_deployed: theirs.clone(),
                    theirs,
                    ours: our_answer(field, &key),
                    key: &key,
                    ours_under_http: None,
                };
                record(row, &case);
            }
        }
    }
}

/// The names of all streams.
fn configurations(streams: &Path) -> Vec<String> {
    let listing = std::fs::read_dir(streams).expect("the vectors have streams");
    let mut names: Vec<String> = listing
        .filter_map(|file| {
            let name = file.expect("a file").file_name();
            let name = name.to_str()?.strip_suffix(".config.json")?;
            Some(name.to_owned())
        })
        .collect();
    names.sort();
    assert!(names.len() >= 30, "{} streams", names.len());
    names
}

/// The keys of a document's nodes, from the child of the root to the leaf.
fn branch_of(document: &Value) -> Value {
    let nodes = document["nodes"].as_array().expect("a list of nodes");
    let below_root = nodes.iter().rev().skip(1);
    below_root.map(|node| node["key"].clone()).collect()
}

fn record(row: &mut Row, case: &Case<'_>) {
    match case.differences() {
        Ok(names) => row.differs(names),
        Err(unexplained) => row.unexplained(unexplained),
    }
}

fn key(keyer: &Keyer, url: &str, titled: &Value) -> Result<UrlKey, UrlError> {
    let page = keyer.parse(url)?;
    Ok(keyer.key(&page, titled["title"].as_str()))
}

fn our_answer(field: &str, key: &Result<UrlKey, UrlError>) -> Answer {
    let Ok(key) = key else {
        return Answer::alike(NONE);
    };
    match field {
        "url_key" => Answer::url(&key.text, key),
        "basic" => Answer::url(&key.normalized, key),
        "drop_query" => {
            let address = key.text.split('?').next().unwrap_or_default();
            Answer::url(address, key)
        }
        "domain" => Answer::alike(key.domain.as_str()),
        "domain_labels" => Answer::alike(key.domain.labels().to_string()),
        "branch" => {
            Answer::alike(serde_json::to_string(key.branch().items()).expect("a list of strings"))
        }
        "blacklisted" => Answer::alike(key.blocklisted.to_string()),
        "full_path" => Answer::alike(key.text.contains('?').to_string()),
        unknown => unreachable!("no field {unknown}"),
    }
}

/// The original's answer, and the names of the spelling differences removed from it.
fn their_answer(scheme: Scheme, field: &str, expected: &Value) -> (String, Vec<&'static str>) {
    let mut text = match (field, &expected[field]) {
        // The domain has one label more than the suffix.
        ("domain_labels", _) => match expected["tld_labels"].as_u64() {
            Some(labels) if !expected["domain"].is_null() => (labels + 1).to_string(),
            _ => NONE.to_owned(),
        },
        (_, Value::Null) => NONE.to_owned(),
        (_, Value::String(text)) => text.clone(),
        (_, other) => other.to_string(),
    };
    let mut spelling = Vec::new();
    if field == "basic" && text != NONE {
        text = without_content_id(&text, expected);
        spelling.push("content id apart");
    }
    if scheme == Scheme::Merge
        && let Some(rest) = text.strip_prefix("https://")
    {
        text = format!("http://{}", rest.replacen(":443", ":80", 1));
        spelling.push("http for https");
    }
    (text, spelling)
}

/// Removes the content id from the original's normalised URL, which ours does not have.
fn without_content_id(basic: &str, expected: &Value) -> String {
    let id = content_id(expected["title"].as_str().unwrap_or_default());
    let id = format!("__cid__={}", guid_order(&id));
    let (before, after) = basic.split_once(&id).expect("the content id of the title");
    match after.strip_prefix('&') {
        Some(after) => format!("{before}{after}"),
        None => format!("{}{after}", &before[..before.len() - 1]),
    }
}

#[test]
fn content_ids_are_those_of_the_original() {
    const GUID: Difference = Difference::spelling(
        "plain MD5",
        "The usual byte order of MD5. In the original that of a GUID [O A13].",
    );
    const NEWER_UNICODE: Difference = Difference::meaning(
        "newer Unicode",
        "The runtime of the original does not know these letters and lower cases [O C8].",
    );
    const NEWER_LETTERS: [&str; 4] = ["Ꭰ", "Ɥ", "Ꟶ", "ᲀ"];

    let test = "content_ids_are_those_of_the_original";
    let Some(cases) = material(test, "vectors/hash/expected.jsonl") else {
        return;
    };
    let mut row = Row::new("content ids of titles");
    for expected in rows::<Value>(&cases) {
        let field = |name: &str| expected[name].as_str().expect("a text");
        let (title, theirs) = (field("text"), field("cid"));
        let ours = guid_order(&content_id(title));
        if ours == theirs && content_id(field("title_normalized")) == content_id(title) {
            row.differs([GUID.name]);
        } else if NEWER_LETTERS.contains(&title) {
            row.differs([GUID.name, NEWER_UNICODE.name]);
        } else {
            row.unexplained(format!("{title:?}: {theirs} there, {ours} here"));
        }
    }
    let mut comparison = Comparison::new("content-ids", &[GUID, NEWER_UNICODE]);
    comparison.add(row);
    comparison.finish();
}
