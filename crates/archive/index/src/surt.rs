//! Ranges of the sorted keys of an index.
//!
//! A key (SURT) is the host with its labels reversed, `)`, and path and query: `com,example,news)/2011/trees?id=1`. Writers of
//! indexes differ in the rest: most leave out `www.`, sort parameters, and drop session ids and the slash at the end, and some
//! do not reverse addresses. A range here has the keys of all of them, so it may have keys of other pages too.

use std::net::Ipv4Addr;

use url_key::{reversed_host, without_www};

/// Keys from `start` on and before `end`, in the order of bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyRange {
    /// First key that may be in the range.
    pub start: String,
    /// First key after the range.
    pub end: String,
}

impl KeyRange {
    fn new(start: String, end: String) -> Self {
        Self { start, end }
    }

    /// Whether a key, or a line that begins with a key, is in the range.
    pub fn contains(&self, key: &str) -> bool {
        (self.start.as_str()..self.end.as_str()).contains(&key)
    }
}

/// All keys.
pub(crate) fn every_key() -> KeyRange {
    KeyRange::new(String::new(), char::MAX.to_string())
}

/// Keys of the hosts of a domain.
pub(crate) fn of_domain(name: &str) -> Vec<KeyRange> {
    let own = reversed_host(name);
    let hosts = KeyRange::new(format!("{own})"), format!("{own}-"));
    let mut ranges = of_host(name);
    ranges.push(hosts);
    ranges
}

/// Keys of a host, with any port.
pub(crate) fn of_host(name: &str) -> Vec<KeyRange> {
    let ranges = names(name).into_iter().flat_map(|name| {
        let default = KeyRange::new(format!("{name})"), format!("{name}*"));
        [
            default,
            KeyRange::new(format!("{name}:"), format!("{name};")),
        ]
    });
    ranges.collect()
}

/// Keys of the URLs of a host and port that begin with a path.
pub(crate) fn of_prefix(host: &str, port: Option<u16>, path: &str) -> Vec<KeyRange> {
    let path = unchanged(path);
    let port = port.map_or(String::new(), |port| format!(":{port}"));
    let ranges = names(host).into_iter().map(|name| {
        let start = format!("{name}{port}){path}");
        let mut end = start.clone();
        // The last letter is ASCII and below DEL: `)` or a letter of a path.
        if let Some(last) = end.pop() {
            end.push(char::from_u32(u32::from(last) + 1).unwrap_or(char::MAX));
        }
        KeyRange::new(start, end)
    });
    ranges.collect()
}

/// Sorts ranges and joins those that overlap.
pub(crate) fn joined(mut ranges: Vec<KeyRange>) -> Vec<KeyRange> {
    ranges.sort();
    let mut joined: Vec<KeyRange> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => {
                if last.end < range.end {
                    last.end = range.end;
                }
            }
            _ => joined.push(range),
        }
    }
    joined
}

/// The spellings of a host in keys.
fn names(host: &str) -> Vec<String> {
    let mut names = vec![reversed_host(host)];
    if is_ipv4(host) {
        names.push(host.to_owned());
    }
    let rest = without_www(host);
    if rest != host {
        names.push(reversed_host(rest));
    }
    names
}

/// Whether a host is an IPv4 address, whose labels some indexes keep in order.
fn is_ipv4(host: &str) -> bool {
    host.parse::<Ipv4Addr>().is_ok()
}

/// The beginning of a path that no writer of indexes changes, in lower case.
fn unchanged(path: &str) -> String {
    let mut kept = String::new();
    for letter in path.chars().map(|letter| letter.to_ascii_lowercase()) {
        let is_plain = letter.is_ascii_alphanumeric() || "/_.~-".contains(letter);
        if !is_plain || (letter == '/' && kept.ends_with('/')) {
            break;
        }
        kept.push(letter);
    }
    kept.truncate(kept.trim_end_matches('/').len());
    kept
}
