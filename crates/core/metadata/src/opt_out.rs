//! Uses that a page and its response forbid: robots directives, and the reservation of text and data mining.

use std::collections::BTreeSet;

use crate::reader::MetadataReader;

/// Headers of the response that speak of uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UseHeaders<'a> {
    /// `X-Robots-Tag`; several fields are separated by commas or line breaks.
    pub x_robots_tag: Option<&'a str>,
    /// `TDM-Reservation`.
    pub tdm_reservation: Option<&'a str>,
}

/// Directives that forbid a use, in the words of the column. Others are left out.
const DIRECTIVES: [(&str, &[&str]); 10] = [
    ("noindex", &["noindex"]),
    ("nofollow", &["nofollow"]),
    ("none", &["noindex", "nofollow"]),
    ("noarchive", &["noarchive"]),
    ("nocache", &["noarchive"]),
    ("nosnippet", &["nosnippet"]),
    ("noimageindex", &["noimageindex"]),
    ("noai", &["noai"]),
    ("noimageai", &["noimageai"]),
    ("noml", &["noml"]),
];

/// The word for a reservation by the TDM Reservation Protocol.
const TDM_RESERVATION: &str = "tdm-reservation";

/// Directives with a value. A crawler has none of these names.
const WITH_VALUE: [&str; 4] = [
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
];

/// Parts of the names of crawlers. A `meta` with such a name is for this crawler only.
const CRAWLERS: [&str; 9] = [
    "bot",
    "spider",
    "crawler",
    "archiver",
    "slurp",
    "extended",
    "anthropic-ai",
    "cohere-ai",
    "-user",
];

/// Most directives of a page. A header of 8 KB can have a thousand.
const MOST: usize = 100;

impl MetadataReader {
    /// Returns the directives of the page and of its response that forbid a use, sorted: `noindex`,
    /// `nofollow`, `noarchive`, `nosnippet`, `noimageindex`, `noai`, `noimageai`, `noml` and
    /// `tdm-reservation`, in lower case.
    ///
    /// `none` is `noindex` and `nofollow`, and `nocache` is `noarchive`. A directive for one crawler
    /// begins with its name: `googlebot: noindex`. Where page and response differ, both count.
    ///
    /// Sources: the [robots `meta`](https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag)
    /// and `X-Robots-Tag`, and the [TDM Reservation Protocol](https://www.w3.org/2022/tdmrep/). Its file
    /// `tdmrep.json` is not part of a page.
    pub fn opt_out(&self, headers: UseHeaders<'_>) -> Vec<String> {
        let mut found = BTreeSet::new();
        for (name, content) in &self.metas {
            match name.as_str() {
                "robots" => read(content, None, &mut found),
                TDM_RESERVATION => reserve(content, &mut found),
                crawler if CRAWLERS.iter().any(|part| crawler.contains(part)) => {
                    read(content, Some(crawler), &mut found);
                }
                _ => {}
            }
        }
        for field in headers.x_robots_tag.unwrap_or_default().lines() {
            read(field, None, &mut found);
        }
        reserve(headers.tdm_reservation.unwrap_or_default(), &mut found);
        found.into_iter().take(MOST).collect()
    }
}

/// Reads directives, separated by commas. A crawler before a colon is that of all behind it.
fn read(text: &str, crawler: Option<&str>, found: &mut BTreeSet<String>) {
    let mut crawler = crawler.map(str::to_owned);
    for item in text.to_ascii_lowercase().split(',') {
        let mut directive = item.trim();
        if let Some((name, rest)) = directive.split_once(':') {
            let name = name.trim();
            // A date after a directive with a value can have commas and colons.
            if WITH_VALUE.contains(&name) || name.contains(char::is_whitespace) {
                continue;
            }
            crawler = Some(name.to_owned()).filter(|name| name != "*" && name != "robots");
            directive = rest.trim();
        }
        let means = DIRECTIVES.iter().find(|(name, _)| *name == directive);
        for word in means.map_or(&[][..], |(_, words)| words) {
            found.insert(match &crawler {
                Some(crawler) => format!("{crawler}: {word}"),
                None => (*word).to_owned(),
            });
        }
    }
}

fn reserve(value: &str, found: &mut BTreeSet<String>) {
    if value.trim() == "1" {
        found.insert(TDM_RESERVATION.to_owned());
    }
}
