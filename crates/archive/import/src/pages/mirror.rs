//! Mirrors of sites: folders that `wget -r` or HTTrack has written, with a file per page.
//!
//! The path of a file is the host and the path of its page. HTTrack changes paths, and notes the address
//! and the time of a page in a comment.

use std::net::Ipv4Addr;
use std::str::FromStr;

use memchr::memmem;
use object_store::{ObjectMeta, ObjectStoreExt};
use tables::Location;
use tokio::runtime::Handle;
use url::Url;
use warc::begins_as_html;

use crate::pages::columns::Column;
use crate::pages::error::RowsError;
use crate::pages::row::{Row, Value, Values};

/// Bytes of a file that say whether it is HTML.
const LOOKED_AT: u64 = 1024;
/// Bytes of a page in which HTTrack's comment is. It follows the first tag.
const COMMENT_WITHIN: usize = 16 << 10;
/// Ends of names to which a mirror adds `.html`.
const DYNAMIC: [&str; 14] = [
    "php", "php3", "php4", "php5", "phtml", "asp", "aspx", "jsp", "jspx", "cgi", "cfm", "pl", "py",
    "do",
];

/// A time that pages were fetched at, in any form that a list may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageTime(pub(crate) i64);

impl FromStr for PageTime {
    type Err = PageTimeError;

    fn from_str(text: &str) -> Result<Self, PageTimeError> {
        let micros = tables::time_of_text(text);
        micros
            .map(Self)
            .ok_or_else(|| PageTimeError(text.to_owned()))
    }
}

/// A text that is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time such as 2011-10-24T12:00:00Z or 2011-10-24")]
pub struct PageTimeError(String);

/// The files of a mirror as rows.
pub(crate) struct Mirror {
    folder: Location,
    files: std::iter::Enumerate<std::vec::IntoIter<ObjectMeta>>,
    /// The host of all files, if the folder is that of one host.
    host: Option<String>,
    time: Option<PageTime>,
    /// Files that are not HTML.
    pub(crate) others: u64,
}

impl Mirror {
    pub(crate) fn new(folder: Location, files: Vec<ObjectMeta>, time: Option<PageTime>) -> Self {
        let has_hosts = files.iter().any(|file| {
            let path = relative(&folder, file);
            Place::of(&path.split('/').collect::<Vec<_>>()).is_some()
        });
        let name = folder.path().filename().unwrap_or_default();
        let host = (!has_hosts && host(name).is_some()).then(|| name.to_owned());
        Self {
            folder,
            files: files.into_iter().enumerate(),
            host,
            time,
            others: 0,
        }
    }

    /// Returns the next file that is HTML, with its path, its time and the address of its path.
    pub(crate) fn next(&mut self, runtime: &Handle) -> Result<Option<Row>, RowsError> {
        for (number, file) in self.files.by_ref() {
            let path = relative(&self.folder, &file);
            if !is_html_name(&path) {
                let start = 0..file.size.min(LOOKED_AT);
                let read = self.folder.store().get_range(&file.location, start.clone());
                let is_html = !start.is_empty()
                    && begins_as_html(&runtime.block_on(read).map_err(RowsError::Store)?);
                if !is_html {
                    self.others += 1;
                    continue;
                }
            }
            let mut values = Values::default();
            let parts: Vec<&str> = self
                .host
                .as_deref()
                .into_iter()
                .chain(path.split('/'))
                .collect();
            if let Some(url) = Place::of(&parts).and_then(|place| place.url()) {
                values.set(Column::Url, Value::Text(url));
            }
            let micros = match self.time {
                Some(time) => time.0,
                None => file.last_modified.timestamp_micros(),
            };
            values.set(Column::FetchedAt, Value::Time(micros));
            values.set(Column::Path, Value::Text(path));
            return Ok(Some(Row {
                number: i64::try_from(number).unwrap_or(i64::MAX).saturating_add(1),
                values: Ok(values),
            }));
        }
        Ok(None)
    }
}

fn relative(folder: &Location, file: &ObjectMeta) -> String {
    let parts = file.location.prefix_match(folder.path());
    let parts: Option<Vec<String>> =
        parts.map(|parts| parts.map(|part| part.as_ref().to_owned()).collect());
    parts.unwrap_or_default().join("/")
}

fn is_html_name(path: &str) -> bool {
    let end = path
        .rsplit_once('.')
        .map(|(_, end)| end.to_ascii_lowercase());
    matches!(end.as_deref(), Some("html" | "htm" | "xhtml" | "shtml"))
}

/// Address and time of a page in the comment that HTTrack adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) url: Option<String>,
    pub(crate) time: Option<i64>,
}

impl Comment {
    pub(crate) fn of(html: &[u8]) -> Self {
        let start = &html[..html.len().min(COMMENT_WITHIN)];
        let found = memmem::find(start, b"<!-- Mirrored from ").map(|at| &start[at + 19..]);
        let comment = found.and_then(|rest| Some(&rest[..memmem::find(rest, b"-->")?]));
        let comment = String::from_utf8_lossy(comment.unwrap_or_default());
        let Some((address, tool)) = comment.split_once(" by HTTrack") else {
            return Self::default();
        };
        let address = match address.trim() {
            address if address.contains("://") => address.to_owned(),
            address => format!("http://{address}"),
        };
        let time = tool.rsplit_once("], ").map_or(tool, |(_, time)| time);
        Self {
            url: Url::parse(&address).ok().map(Into::into),
            time: tables::time_of_text(time),
        }
    }
}

/// The place of a page, by the parts of its path.
#[derive(Debug, PartialEq, Eq)]
struct Place<'a> {
    scheme: &'a str,
    host: String,
    path: &'a [&'a str],
}

impl<'a> Place<'a> {
    /// Reads `HOST/PATH` or, as `wget --protocol-directories` writes, `SCHEME/HOST/PATH`.
    fn of(parts: &'a [&'a str]) -> Option<Self> {
        match parts {
            [scheme @ ("http" | "https"), name, path @ ..] if !path.is_empty() => {
                let host = host(name)?;
                Some(Self { scheme, host, path })
            }
            [name, path @ ..] if !path.is_empty() => {
                let host = host(name)?;
                let scheme = "http";
                Some(Self { scheme, host, path })
            }
            _ => None,
        }
    }

    fn url(&self) -> Option<String> {
        let (name, folders) = self.path.split_last()?;
        let (name, query) = name_and_query(name);
        let mut url = format!("{}://{}/", self.scheme, self.host);
        for folder in folders {
            url.push_str(&escaped(folder));
            url.push('/');
        }
        url.push_str(&escaped(name));
        if let Some(query) = query {
            url.push('?');
            url.push_str(&query.replace('#', "%23"));
        }
        Url::parse(&url).ok().map(Into::into)
    }
}

/// Escapes letters of a name that have a meaning in an address. Mirrors leave escapes as they are.
fn escaped(name: &str) -> String {
    name.replace('?', "%3F")
        .replace('#', "%23")
        .replace('\\', "%5C")
}

/// Returns the host that a folder is named after, with its port: `host:8080`, or `host+8080` and
/// `host_8080` where a colon is not possible.
fn host(folder: &str) -> Option<String> {
    let (name, port) = match folder.rsplit_once([':', '+', '_']) {
        Some((name, port)) if port.parse::<u16>().is_ok() => (name, Some(port)),
        _ => (folder, None),
    };
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte) || byte >= 0x80;
    let is_domain = name.rsplit_once('.').is_some_and(|(rest, top)| {
        let is_top = top.starts_with("xn--") || top.chars().all(char::is_alphabetic);
        is_top && top.chars().count() >= 2 && !rest.is_empty() && name.bytes().all(is_plain)
    });
    let is_host = is_domain || name == "localhost" || name.parse::<Ipv4Addr>().is_ok();
    is_host.then(|| match port {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    })
}

/// Splits the name of a file into that of the page and its query. `?` is `@` where it is not possible,
/// `.html` was added to a query and to a program, and `index.html` is the page of the folder.
fn name_and_query(file: &str) -> (&str, Option<&str>) {
    let is_query = |(name, query): &(&str, &str)| !name.is_empty() && query.contains('=');
    let split = (file.split_once('?')).or_else(|| file.split_once('@').filter(is_query));
    let (name, query) = match split {
        Some((name, query)) => (name, Some(query.strip_suffix(".html").unwrap_or(query))),
        None => (file, None),
    };
    let program = name.strip_suffix(".html").filter(|name| {
        let end = name
            .rsplit_once('.')
            .map(|(_, end)| end.to_ascii_lowercase());
        end.is_some_and(|end| DYNAMIC.contains(&end.as_str()))
    });
    match program.unwrap_or(name) {
        "index.html" => ("", query),
        name => (name, query),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Option<String> {
        let parts: Vec<&str> = path.split('/').collect();
        Place::of(&parts)?.url()
    }

    #[test]
    fn host_and_path_are_the_address() {
        for (path, expected) in [
            ("a.example/index.html", "http://a.example/"),
            ("a.example/b/c.html", "http://a.example/b/c.html"),
            ("a.example/b/index.html", "http://a.example/b/"),
            ("a.example/b", "http://a.example/b"),
            ("https/a.example/b", "https://a.example/b"),
            ("a.example:8080/b", "http://a.example:8080/b"),
            ("a.example+8080/b", "http://a.example:8080/b"),
            ("a.example_8080/b", "http://a.example:8080/b"),
            ("localhost/b", "http://localhost/b"),
            ("192.0.2.1/b", "http://192.0.2.1/b"),
            ("a.example/b.php?id=1", "http://a.example/b.php?id=1"),
            (
                "a.example/b.php@id=1&c=2.html",
                "http://a.example/b.php?id=1&c=2",
            ),
            ("a.example/index.html?p=5", "http://a.example/?p=5"),
            ("a.example/index.html@p=5.html", "http://a.example/?p=5"),
            ("a.example/b.php.html", "http://a.example/b.php"),
            ("a.example/@user/b", "http://a.example/@user/b"),
            ("a.example/user@host", "http://a.example/user@host"),
            ("a.example/b c#d%20e", "http://a.example/b%20c%23d%20e"),
            ("a.example/caf\u{e9}", "http://a.example/caf%C3%A9"),
        ] {
            assert_eq!(url(path).as_deref(), Some(expected), "{path}");
        }
        for path in [
            "index.html",
            "a.example",
            "news/b.html",
            "v1.2/b.html",
            "hts-cache/new.zip",
            "",
        ] {
            assert_eq!(url(path), None, "{path}");
        }
    }

    #[test]
    fn httrack_says_address_and_time() {
        let html =
            b"<!DOCTYPE html>\n<html>\n<!-- Mirrored from www.a.example/b.php?id=1 by HTTrack \
            Website Copier/3.x [XR&CO'2014], Mon, 24 Oct 2011 12:00:00 GMT -->\n<p>Trees";
        let comment = Comment::of(html);
        assert_eq!(
            comment.url.as_deref(),
            Some("http://www.a.example/b.php?id=1")
        );
        assert_eq!(comment.time, Some(1_319_457_600_000_000));
        for other in [
            &b"<!-- Mirrored from a.example -->"[..],
            b"<!-- Mirrored from a.example by HTTrack",
            b"",
        ] {
            assert_eq!(Comment::of(other), Comment::default());
        }
    }

    #[test]
    fn a_time_is_that_of_a_list() {
        assert_eq!(
            "2011-10-24T12:00:00Z".parse(),
            Ok(PageTime(1_319_457_600_000_000))
        );
        assert!(PageTime::from_str("yesterday").is_err());
    }
}
