//! The branch of a page: its path in the URL Tree of its domain.

use std::borrow::Cow;

use crate::domain::Domain;
use crate::escape::Decoded;
use crate::options::Reading;

/// The path of a page in the URL Tree, from the root: the labels of the host in reverse order,
/// then the decoded segments of the path. The last segment is left out unless the key has a
/// query [O C1, C2]. The branch is a function of the key alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch<'a> {
    items: Vec<Cow<'a, str>>,
    host_labels: usize,
}

impl<'a> Branch<'a> {
    /// Returns the branch of the page with this [`UrlKey::text`](crate::UrlKey::text).
    ///
    /// ```
    /// use url_key::Branch;
    ///
    /// let branch = Branch::from_key("http://www.bbc.co.uk/news/a%2Fb/1");
    /// assert_eq!(branch.items(), ["uk", "co", "bbc", "www", "news", "a/b"]);
    /// assert_eq!(branch.node(5), "www.bbc.co.uk/news");
    /// ```
    pub fn from_key(key: &'a str) -> Self {
        let rest = key.split_once("://").map_or(key, |(_, rest)| rest);
        let (address, kept_query) = match rest.split_once('?') {
            Some((address, _)) => (address, true),
            None => (rest, false),
        };
        let mut segments = address.split('/');
        let host = host(segments.next().unwrap_or_default());
        let mut items: Vec<Cow<'a, str>> = if Domain::is_address(host) {
            vec![Cow::Borrowed(host)]
        } else {
            host.rsplit('.').map(Cow::Borrowed).collect()
        };
        let host_labels = items.len();
        items.extend(segments.map(segment));
        if !kept_query && items.len() > host_labels {
            items.pop();
        }
        Self { items, host_labels }
    }

    /// The items of the branch, from the root. None is empty.
    pub fn items(&self) -> &[Cow<'a, str>] {
        &self.items
    }

    /// The items as owned strings, independent of the key.
    pub fn to_strings(&self) -> Vec<String> {
        self.items.iter().map(ToString::to_string).collect()
    }

    /// The name of the node `depth` items below the root: host and path, such as
    /// `www.bbc.co.uk/news`. The name of the root is empty. A `depth` beyond the branch gives its
    /// last node.
    pub fn node(&self, depth: usize) -> String {
        let depth = depth.min(self.items.len());
        let labels = depth.min(self.host_labels);
        let host: Vec<&str> = self.items[..labels]
            .iter()
            .rev()
            .map(AsRef::as_ref)
            .collect();
        let mut name = host.join(".");
        for segment in &self.items[labels..depth] {
            name.push('/');
            name.push_str(segment);
        }
        name
    }
}

/// The host of `host[:port]`.
fn host(authority: &str) -> &str {
    let end = match authority.strip_prefix('[') {
        Some(_) => authority.find(']').map(|at| at + 1),
        None => authority.find(':'),
    };
    &authority[..end.unwrap_or(authority.len())]
}

/// Decodes a segment of a key.
fn segment(printed: &str) -> Cow<'_, str> {
    // Keys contain no raw `+`: it is printed as an escape.
    if printed.contains('%') {
        Cow::Owned(Decoded::new(printed, Reading::Server).text().into_owned())
    } else {
        Cow::Borrowed(printed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_names_are_host_and_path() {
        let branch = Branch::from_key("http://www.bbc.co.uk:8080/news/a/1");
        assert_eq!(branch.node(0), "");
        assert_eq!(branch.node(3), "bbc.co.uk");
        assert_eq!(branch.node(4), "www.bbc.co.uk");
        assert_eq!(branch.node(6), "www.bbc.co.uk/news/a");
        assert_eq!(branch.node(7), "www.bbc.co.uk/news/a");
    }

    #[test]
    fn an_ip_literal_is_one_label() {
        for (key, items) in [
            ("http://127.0.0.1:8080/x/1", &["127.0.0.1", "x"][..]),
            ("http://[::1]:8080/x/1", &["[::1]", "x"]),
            ("http://[::1]?x=1", &["[::1]"]),
            ("http://localhost/x", &["localhost"]),
        ] {
            let branch = Branch::from_key(key);
            assert_eq!(branch.items(), items, "{key}");
            assert_eq!(branch.node(1), items[0], "{key}");
        }
    }

    #[test]
    fn the_last_segment_counts_if_a_query_is_kept() {
        let items = |key| Branch::from_key(key).items().join(" ");
        assert_eq!(items("http://a.com/x/%2By%3F"), "com a x");
        assert_eq!(items("http://a.com/x/%2By%3F?b=/c?d"), "com a x +y?");
        assert_eq!(items("http://a.com"), "com a");
        assert_eq!(
            Branch::from_key("http://a.com/x/1").to_strings(),
            ["com", "a", "x"]
        );
    }
}
