//! Targets of later records of a file: redirects, and captures that revisits repeat.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use md5::{Digest, Md5};
use url::Url;

use crate::capture::{Decoded, Found, Repeated};
use crate::digest;
use crate::entry::{Capture, Entry, Revisit};

/// Redirects, and names of captures, that are kept. They take some 20 MB each. A lower value loses
/// request URLs and revisits in files that a crawler wrote long after the first capture.
const MAX_REDIRECTS: usize = 100_000;
const MAX_NAMES: usize = 3 * MAX_REDIRECTS;
/// Most bytes of a URL that is kept.
const MAX_URL_BYTES: usize = 4096;

/// A map that forgets its oldest entries.
#[derive(Debug)]
struct Recent<K, V> {
    entries: HashMap<K, V>,
    order: VecDeque<K>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    /// Inserts a value, so that there are at most `max`. The first value of a key stays if `key` is
    /// known.
    fn insert(&mut self, key: K, value: V, max: usize) {
        if self.entries.contains_key(&key) {
            return;
        }
        if self.order.len() == max
            && let Some(oldest) = self.order.pop_front()
        {
            self.entries.remove(&oldest);
        }
        self.order.push_back(key.clone());
        self.entries.insert(key, value);
    }
}

/// A name of a capture, by which a revisit refers to it.
#[derive(Debug, Clone, Copy)]
enum Name<'a> {
    /// The id of the record.
    Id(&'a str),
    /// URL and time.
    Place(&'a str, i64),
    /// The payload digest.
    Digest(&'a str),
}

impl Name<'_> {
    /// A short key of the name: names are long, and there are three of each capture.
    fn key(self) -> [u8; 16] {
        let text = match self {
            Self::Id(id) => format!("id {}", id.trim_matches(['<', '>'])),
            // Crawlers write times with and without fractions of a second.
            Self::Place(url, time) => match Url::parse(url) {
                Ok(url) => format!("place {} {url}", time.div_euclid(1_000_000)),
                Err(_) => format!("place {} {url}", time.div_euclid(1_000_000)),
            },
            Self::Digest(stored) => format!("digest {}", digest::normal(stored)),
        };
        Md5::digest(text.as_bytes()).into()
    }
}

/// The latest redirects and captures of one file: what its records say about each other.
#[derive(Debug, Default)]
pub struct Links {
    /// Captures with a body.
    count: u64,
    /// Target of a redirect -> the first URL of its chain.
    redirects: Recent<String, String>,
    /// Key of a name -> position of the capture.
    captures: Recent<[u8; 16], u64>,
}

impl Links {
    /// Returns a record with what the records before it say. Each record of the file comes once, in its order.
    pub fn entry(&mut self, decoded: Decoded) -> Entry {
        let record_id = decoded.origin.record_id.as_deref();
        let (capture, revisit) = match decoded.found {
            Some(found) => self.linked(found, record_id),
            None => (None, None),
        };
        Entry {
            record_type: decoded.record_type,
            origin: decoded.origin,
            capture,
            revisit,
            content_type: decoded.content_type,
            warnings: decoded.warnings,
        }
    }

    /// Returns a capture, or a revisit of one that is not before it in this file.
    fn linked(
        &mut self,
        found: Found,
        record_id: Option<&str>,
    ) -> (Option<Capture>, Option<Revisit>) {
        let mut capture = found.capture;
        if let Some(repeated) = found.repeated {
            capture.repeats = self.repeated(&repeated, &capture.url);
            if capture.repeats.is_none() {
                return (None, Some(revisit(capture, repeated)));
            }
        }
        if let Some(target) = found.redirect {
            self.redirect(&capture.url, &target);
        }
        capture.position = self.count;
        if capture.repeats.is_none() {
            self.capture(Name::Digest(&capture.payload_digest), self.count);
            self.capture(Name::Place(&capture.url, capture.fetched_at), self.count);
            if let Some(id) = record_id {
                self.capture(Name::Id(id), self.count);
            }
            self.count += 1;
        }
        capture.request_url = self.request_url(&capture.url);
        (Some(capture), None)
    }

    /// The position of the capture that a revisit of `url` repeats. The id of its record is the most certain
    /// name. A page that was not modified may have no digest.
    fn repeated(&self, names: &Repeated, url: &str) -> Option<u64> {
        let by = |name: Option<Name<'_>>| self.captured(name?);
        let url = names.url.as_deref().unwrap_or(url);
        by(names.id.as_deref().map(Name::Id))
            .or_else(|| by(names.digest.as_deref().map(Name::Digest)))
            .or_else(|| by(names.time.map(|time| Name::Place(url, time))))
    }

    /// Notes the redirect of `url` to `location`, which may be relative.
    fn redirect(&mut self, url: &str, location: &str) {
        let Ok(target) = Url::parse(url).and_then(|base| base.join(location)) else {
            return;
        };
        let mut target = target;
        target.set_fragment(None);
        let first = self.request_url(url).unwrap_or_else(|| url.to_owned());
        if target.as_str() != url && target.as_str().len() + first.len() <= MAX_URL_BYTES {
            self.redirects.insert(target.into(), first, MAX_REDIRECTS);
        }
    }

    /// Returns the first URL of the redirects that lead to `url`.
    fn request_url(&self, url: &str) -> Option<String> {
        let found = self.redirects.entries.get(url).cloned();
        // Files have URLs as crawlers wrote them, such as `http://a.example` without a path.
        let found = found.or_else(|| {
            let normal = Url::parse(url).ok()?;
            self.redirects.entries.get(normal.as_str()).cloned()
        });
        found.filter(|first| first != url)
    }

    /// Notes a name of the capture at `position`.
    fn capture(&mut self, name: Name<'_>, position: u64) {
        self.captures.insert(name.key(), position, MAX_NAMES);
    }

    /// Returns the position of the capture with this name.
    fn captured(&self, name: Name<'_>) -> Option<u64> {
        self.captures.entries.get(&name.key()).copied()
    }
}

/// The revisit of a capture that is not in its file.
fn revisit(capture: Capture, repeated: Repeated) -> Revisit {
    Revisit {
        url: capture.url,
        fetched_at: capture.fetched_at,
        status: capture.status,
        content_type: capture.content_type,
        payload_digest: repeated.digest,
        refers_to_url: repeated.url,
        refers_to_time: repeated.time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_redirects_leads_to_its_first_url() {
        let mut links = Links::default();
        links.redirect("http://a.example", "/b");
        links.redirect("http://a.example/b", "https://c.example/d#e");
        let first = Some("http://a.example".to_owned());
        assert_eq!(links.request_url("http://a.example/b"), first);
        assert_eq!(links.request_url("https://c.example/d"), first);
        assert_eq!(links.request_url("https://c.example/"), None);
        links.redirect("http://loop.example/", "http://loop.example/");
        assert_eq!(links.request_url("http://loop.example/"), None);
    }

    #[test]
    fn a_capture_is_known_by_each_of_its_names() {
        let mut links = Links::default();
        let digest = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
        let time = 1_319_457_600_500_000;
        for name in [
            Name::Id("<urn:uuid:1>"),
            Name::Place("http://a.example", time),
            Name::Digest(digest),
        ] {
            links.capture(name, 7);
        }
        for (name, expected) in [
            (Name::Id("urn:uuid:1"), Some(7)),
            (Name::Place("http://a.example/", time - 500_000), Some(7)),
            (
                Name::Digest("sha-1:da39a3ee5e6b4b0d3255bfef95601890afd80709"),
                Some(7),
            ),
            (Name::Id(digest), None),
            (Name::Place("http://a.example/", time + 1_000_000), None),
            (Name::Place("http://a.example/b", time), None),
        ] {
            assert_eq!(links.captured(name), expected, "{name:?}");
        }
    }

    #[test]
    fn the_oldest_entries_are_forgotten() {
        let mut links = Links::default();
        let name = |position: u64| position.to_string();
        for position in 0..=MAX_NAMES as u64 {
            links.capture(Name::Id(&name(position)), position);
        }
        assert_eq!(links.captured(Name::Id("0")), None);
        assert_eq!(links.captured(Name::Id("1")), Some(1));
    }
}
