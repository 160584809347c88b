//! The file that names the feeds.

use std::collections::BTreeMap;

use url::Url;

/// A feed of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedFeed {
    /// Name of the site, by which a user groups feeds.
    pub site: String,
    /// URL of the feed.
    pub url: Url,
}

/// The feeds of a list, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedList {
    /// In the order of the lines.
    pub feeds: Vec<ListedFeed>,
}

/// A line that names no feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
#[non_exhaustive]
pub struct ListError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The problem.
    pub problem: String,
}

impl FeedList {
    /// Reads a list. A line is a URL, or a site, a tab and a URL. The site of a URL alone is its host.
    /// Empty lines and lines that start with `#` are ignored.
    ///
    /// # Errors
    /// [`ListError`] of the first line without an http or https URL, or with a URL of an earlier line.
    pub fn parse(text: &str) -> Result<Self, ListError> {
        let mut lines = BTreeMap::new();
        let mut feeds = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let number = number + 1;
            let failed = |problem: String| ListError {
                line: number,
                problem,
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (site, address) = match line.split_once('\t') {
                Some((site, address)) => (Some(site.trim()), address.trim()),
                None => (None, line),
            };
            let url = Url::parse(address)
                .map_err(|error| failed(format!("{address:?} is not a URL: {error}")))?;
            let host = match (url.scheme(), url.host_str()) {
                ("http" | "https", Some(host)) => host,
                _ => return Err(failed(format!("{address} is not an http or https URL"))),
            };
            if !url.username().is_empty() || url.password().is_some() {
                // It would be in every row. The address is not printed for the same reason.
                let problem = "a URL with a user name or password, which would be in every row";
                return Err(failed(problem.to_owned()));
            }
            let site = site.filter(|site| !site.is_empty()).unwrap_or(host);
            if let Some(first) = lines.insert(url.to_string(), number) {
                return Err(failed(format!("{address} is the feed of line {first} too")));
            }
            feeds.push(ListedFeed {
                site: site.to_owned(),
                url,
            });
        }
        Ok(Self { feeds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_urls_with_or_without_a_site() {
        let text = "# Feeds\n\ngazette\thttp://www.gazette.example/rss\n\
                    https://www.bugle.example/atom.xml\r\n";
        let list = FeedList::parse(text).unwrap();
        let feeds: Vec<_> = (list.feeds.iter())
            .map(|feed| (feed.site.as_str(), feed.url.as_str()))
            .collect();
        assert_eq!(
            feeds,
            [
                ("gazette", "http://www.gazette.example/rss"),
                ("www.bugle.example", "https://www.bugle.example/atom.xml"),
            ]
        );
    }

    #[test]
    fn a_line_that_names_no_feed_is_an_error_with_its_number() {
        for (text, error) in [
            (
                "\nwww.gazette.example/rss",
                "line 2: \"www.gazette.example/rss\" is not a URL: relative URL without a base",
            ),
            (
                "a\tfile:///etc/passwd",
                "line 1: file:///etc/passwd is not an http or https URL",
            ),
            (
                "http://a.example/\n#\nb\thttp://A.example",
                "line 3: http://A.example is the feed of line 1 too",
            ),
            (
                "http://me:secret@a.example/rss",
                "line 1: a URL with a user name or password, which would be in every row",
            ),
        ] {
            assert_eq!(FeedList::parse(text).unwrap_err().to_string(), error);
        }
    }
}
