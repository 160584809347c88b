//! The blocklist: addresses whose pages are keyed but not used.

use std::collections::BTreeSet;
use std::ops::Bound;

use crate::rules::{as_http, entries};

/// A list of literal prefixes of URLs [O B7].
///
/// A page is blocklisted if an entry is a prefix of its normalised URL, written
/// with `http` whatever its scheme and, where the port is the default one, both
/// without it and with `:80`. Prefixes are literal: `http://a.com/news` covers
/// `/newsletter`, and `http://a.com` covers `a.com.au`; with its port,
/// `http://a.com:80`, it does not. As in a rule file, `https://` in an entry
/// means the pages of both schemes.
#[derive(Clone, Debug, Default)]
pub struct Blocklist {
    /// No entry is a prefix of another.
    prefixes: BTreeSet<String>,
}

impl Blocklist {
    /// Reads a blocklist: one prefix per line; blank lines and lines that start
    /// with `#` say nothing.
    pub fn parse(text: &str) -> Self {
        let mut blocklist = Blocklist::default();
        let sorted: BTreeSet<String> = entries(text).map(|(_, entry)| as_http(entry)).collect();
        for prefix in sorted {
            if !blocklist.covers(&prefix) {
                blocklist.prefixes.insert(prefix);
            }
        }
        blocklist
    }

    /// Whether some entry is a prefix of `url`. Between a prefix of `url` and
    /// `url` itself there are only longer strings with that prefix, so the entry
    /// is the last one not after `url`.
    pub(crate) fn covers(&self, url: &str) -> bool {
        let not_after = (Bound::Unbounded, Bound::Included(url));
        self.prefixes
            .range::<str, _>(not_after)
            .next_back()
            .is_some_and(|prefix| url.starts_with(prefix.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_literal_prefixes() {
        let list = Blocklist::parse(
            "# ads\nhttp://a.com/x\n\nhttp://a.com/x/y\n  http://a.com/guestbook\nhttps://b.com:443\n",
        );
        assert!(list.covers("http://a.com/x"));
        assert!(list.covers("http://a.com/x/z"));
        assert!(list.covers("http://a.com/xy"));
        assert!(list.covers("http://a.com/guestbooks"));
        assert!(list.covers("http://b.com:80/login"));
        assert!(!list.covers("http://a.com/guest"));
        assert!(!list.covers("http://a.com"));
        assert!(!Blocklist::default().covers("http://a.com"));
    }
}
