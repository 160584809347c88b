//! Targets of later records of a file: redirects, and captures that revisits repeat.

use std::collections::{HashMap, VecDeque};

use url::Url;

/// Redirects and digests that are kept, each. They take some 20 MB. A lower value loses request URLs
/// and revisits in files that a crawler wrote long after the first capture.
const MAX_ENTRIES: usize = 100_000;
/// Most bytes of a URL that is kept.
const MAX_URL_BYTES: usize = 4096;

/// A map that forgets its oldest entries.
#[derive(Debug)]
struct Recent<V> {
    entries: HashMap<String, V>,
    order: VecDeque<String>,
}

impl<V> Default for Recent<V> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<V> Recent<V> {
    /// Inserts a value. The first value of a key stays if `key` is known.
    fn insert(&mut self, key: String, value: V) {
        if self.entries.contains_key(&key) {
            return;
        }
        if self.order.len() == MAX_ENTRIES
            && let Some(oldest) = self.order.pop_front()
        {
            self.entries.remove(&oldest);
        }
        self.order.push_back(key.clone());
        self.entries.insert(key, value);
    }
}

/// Redirects and captures of one file, the latest [`MAX_ENTRIES`] of each.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Target of a redirect -> the first URL of its chain.
    redirects: Recent<String>,
    /// Payload digest -> position of the capture.
    captures: Recent<u64>,
}

impl Links {
    /// Notes the redirect of `url` to `location`, which may be relative.
    pub(crate) fn redirect(&mut self, url: &str, location: &str) {
        let Ok(target) = Url::parse(url).and_then(|base| base.join(location)) else {
            return;
        };
        let mut target = target;
        target.set_fragment(None);
        let first = self.request_url(url).unwrap_or_else(|| url.to_owned());
        if target.as_str() != url && target.as_str().len() + first.len() <= MAX_URL_BYTES {
            self.redirects.insert(target.into(), first);
        }
    }

    /// Returns the first URL of the redirects that lead to `url`.
    pub(crate) fn request_url(&self, url: &str) -> Option<String> {
        let found = self.redirects.entries.get(url).cloned();
        // Files have URLs as crawlers wrote them, such as `http://a.example` without a path.
        let found = found.or_else(|| {
            let normal = Url::parse(url).ok()?;
            self.redirects.entries.get(normal.as_str()).cloned()
        });
        found.filter(|first| first != url)
    }

    /// Notes the capture at `position` with this payload digest.
    pub(crate) fn capture(&mut self, digest: &str, position: u64) {
        if digest.len() <= 256 {
            self.captures.insert(digest.to_owned(), position);
        }
    }

    /// Returns the position of the capture with this payload digest.
    pub(crate) fn repeated(&self, digest: &str) -> Option<u64> {
        self.captures.entries.get(digest).copied()
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
    fn the_oldest_entries_are_forgotten() {
        let mut links = Links::default();
        for position in 0..=MAX_ENTRIES as u64 {
            links.capture(&position.to_string(), position);
        }
        assert_eq!(links.repeated("0"), None);
        assert_eq!(links.repeated("1"), Some(1));
    }
}
