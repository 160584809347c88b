//! Requests and pages of polls beside those of the authors' code.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::Value;
use servers::{Scripted, respond};

use crate::fetch::{command, missing, printed, rows, rss};
use crate::support::{Job, finished, shared};

/// Cases whose items or links cannot be told from the requests: links that are joined, and redirects.
const LEFT_OUT: [&str; 2] = ["fields", "redirect"];

/// Pages that only one of the two stores after two polls, and why.
const DIFFERENCES: [(&str, &str); 2] = [
    ("/t/plain", "plain text is not a page of an archive"),
    (
        "/e/flaky",
        "theirs has four attempts in a poll, ours one in each of three polls",
    ),
];

fn texts(list: &Value) -> Vec<String> {
    let texts = list.as_array().expect("a list").iter();
    texts
        .map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

/// The pages that were requested in a poll, each once.
fn pages(case: &Value, poll: u64) -> Vec<String> {
    let mut pages: Vec<String> = Vec::new();
    for request in case["requests"].as_array().expect("a list") {
        let path = request[1].as_str().expect("a path").to_owned();
        if request[0] == poll && !path.starts_with("/feed/") && !pages.contains(&path) {
            pages.push(path);
        }
    }
    pages
}

/// The pages that the authors' code stored: path, type and size.
fn stored(case: &Value) -> BTreeMap<String, (String, usize)> {
    let mut stored = BTreeMap::new();
    for corpus in case["polls"][0]["corpora"].as_array().expect("a list") {
        for document in corpus["documents"].as_array().expect("a list") {
            let feature = |name: &str| {
                document["features"][name]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            };
            let path = feature("link").replace("http://HOST", "");
            let size = feature("contentLength").parse().expect("a number");
            stored.insert(path, (feature("mimeType"), size));
        }
    }
    stored
}

/// The site of a case. The types of pages that the authors' code refused are those of their names.
fn site(case: &Value) -> Scripted {
    let (pages, stored) = (pages(case, 1), stored(case));
    let name = case["case"].as_str().expect("a name").to_owned();
    let tries = Mutex::new(0);
    let server = Scripted::start(move |get, stream| {
        let typed = |stream: &mut _, content_type: &str, size: usize| {
            let body = format!("<p>{}", "x".repeat(size - 3));
            respond(
                stream,
                200,
                &[("content-type", content_type)],
                body.as_bytes(),
            )
        };
        match get.path.as_str() {
            "/robots.txt" | "/feed/gone" | "/e/404" => missing(stream),
            "/feed/malformed" => respond(stream, 200, &[], b"<rss version='2.0'><channel><item>"),
            "/feed/notxml" => respond(stream, 200, &[], b"no feed"),
            path if path.starts_with("/feed/") => {
                let items: Vec<_> = pages
                    .iter()
                    .map(|page| (page.replace('&', "+"), page.as_str()))
                    .collect();
                let items: Vec<_> = items
                    .iter()
                    .map(|(title, link)| (title.as_str(), *link))
                    .collect();
                let junk = if name == "junk" {
                    &b"Warning\n"[..]
                } else {
                    b""
                };
                respond(stream, 200, &[], &[junk, &rss(&items)].concat())
            }
            "/e/500" => respond(stream, 500, &[], b""),
            "/e/flaky" => {
                let mut tries = tries.lock().expect("a count");
                *tries += 1;
                if *tries < 3 {
                    respond(stream, 500, &[], b"")
                } else {
                    typed(stream, "text/html", 10)
                }
            }
            "/t/bigplus" => typed(stream, "text/html", 10_485_761),
            "/t/none" => respond(stream, 200, &[], b"no type"),
            path => match (stored.get(path), path.rsplit('/').next()) {
                (Some((content_type, size)), _) => typed(stream, content_type, *size),
                (None, Some("img")) => typed(stream, "image/png", 10),
                (None, Some("textxml")) => typed(stream, "text/xml", 10),
                (None, kind) => typed(stream, &format!("application/{}", kind.unwrap_or("x")), 10),
            },
        }
    });
    server.expect("a server")
}

#[test]
fn polls_request_and_store_the_pages_of_the_authors_code() {
    let Some(path) = shared("vectors/rss/expected.jsonl") else {
        return;
    };
    let vectors = std::fs::read_to_string(path).expect("a file");
    let (mut found, mut compared) = (Vec::new(), 0);
    for line in vectors.lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let name = case["case"].as_str().expect("a name");
        if LEFT_OUT.contains(&name) {
            continue;
        }
        let (job, server) = (Job::new(), site(&case));
        let list: String = (texts(&case["sources"]).iter())
            .map(|source| format!("http://site.example/feed/{source}\n"))
            .collect();
        let mut before = 0;
        for (poll, now) in [(1, "2011-10-24T08:00:00Z"), (2, "2011-10-24T12:00:00Z")] {
            printed(&finished(&mut command(
                &job,
                &server,
                &["site.example"],
                &list,
                &["--now", now],
            )));
            let paths = server.paths().split_off(before);
            before += paths.len();
            let asked = paths
                .into_iter()
                .filter(|path| path != "/robots.txt" && !path.starts_with("/feed/"));
            let asked: Vec<String> = asked.collect();
            let theirs = pages(&case, poll);
            if asked != theirs {
                assert_eq!((name, poll), ("flaky", 2), "{asked:?} {theirs:?}");
            }
        }
        let ours: Vec<String> = rows(&job, "date=")
            .iter()
            .map(|row| row["url"].replace("http://site.example", ""))
            .collect();
        let theirs = stored(&case);
        for path in ours.iter().chain(theirs.keys()) {
            if ours.contains(path) != theirs.contains_key(path) {
                assert!(
                    DIFFERENCES.iter().any(|(known, _)| known == path),
                    "{name}: {path}"
                );
                found.push(path.clone());
            }
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared}");
    for (path, why) in DIFFERENCES {
        assert!(found.iter().any(|found| found == path), "{path}: {why}");
    }
}
