//! The blocklist: URL prefixes whose pages get a key but are not used.

use std::collections::BTreeSet;
use std::ops::Bound;

use crate::entries::{as_http, entries};

/// A list of literal prefixes of URLs [O B7].
///
/// A page is blocklisted if an entry is a prefix of its normalised URL with the scheme `http`. A
/// URL with the default port is matched both without it and with `:80`. Prefixes are literal:
/// `http://a.com/news` covers `/newsletter`, and `http://a.com` covers `a.com.au`, but
/// `http://a.com:80` does not. As in a rule file, `https://` in an entry covers both schemes.
#[derive(Clone, Debug, Default)]
pub struct Blocklist {
    /// The entries. None is a prefix of another.
    prefixes: BTreeSet<String>,
}

impl Blocklist {
    /// Reads a blocklist: one prefix per line. Blank lines and lines that start
    /// with `#` are ignored.
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

    /// Whether an entry is a prefix of `url`. All strings between a prefix of `url` and `url` itself
    /// have that prefix, and no entry is a prefix of another. So only the last entry that is not
    /// greater than `url` can be one.
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
