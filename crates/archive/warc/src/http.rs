//! The head of an HTTP response.

use crate::html;
use crate::letters;

/// Most headers of a response. Real responses have fewer than a hundred.
const MAX_HEADERS: usize = 512;
/// Most empty lines before a status line.
const MAX_EMPTY_LINES: usize = 4;

/// Status and headers of a response.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) status: Option<u16>,
    /// Whether the status line is one of HTTP.
    pub(crate) is_standard: bool,
    headers: Vec<(String, String)>,
    /// Bytes of the head, its empty line included.
    pub(crate) bytes: usize,
}

impl Head {
    /// Parses the head of `response`. The status line may be that of an old server (`HTTP 200 OK`,
    /// `http/1.0 200`, `ICY 200 OK`, `200 OK`) or missing, if headers follow. Returns `None` for
    /// other bytes.
    pub(crate) fn parse(response: &[u8]) -> Option<Self> {
        let mut start = 0;
        for _ in 0..MAX_EMPTY_LINES {
            match response[start..] {
                [b'\r', b'\n', ..] => start += 2,
                [b'\n', ..] => start += 1,
                _ => break,
            }
        }
        let found = &response[start..];
        let line_end = memchr::memchr(b'\n', found)?;
        let line = letters::text(&found[..line_end]);
        let (line, headers_start) = match StatusLine::of(line.trim_end()) {
            Some(line) => (line, line_end + 1),
            None if is_header(&line) => (StatusLine::default(), 0),
            None => return None,
        };
        let (headers, bytes) = headers(&found[headers_start..]);
        Some(Self {
            status: line.status,
            is_standard: line.is_standard && start == 0,
            headers,
            bytes: start + headers_start + bytes,
        })
    }

    /// The head of a record without one, which has the type of its content.
    pub(crate) fn of_type(content_type: Option<&str>) -> Self {
        let header = |value: &str| ("content-type".to_owned(), value.to_owned());
        Self {
            headers: content_type.map(header).into_iter().collect(),
            ..Self::default()
        }
    }

    /// Returns the last header with this name, which is in lower case.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().rev().find(|(found, _)| found == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Returns the values of all headers with this name, joined by `separator`.
    pub(crate) fn all(&self, name: &str, separator: &str) -> Option<String> {
        let named = self.headers.iter().filter(|(found, _)| found == name);
        let values: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        (!values.is_empty()).then(|| values.join(separator))
    }

    /// Returns the type of the content, and whether there were several.
    pub(crate) fn content_type(&self) -> Option<(String, bool)> {
        Some(last_type(&self.all("content-type", ", ")?))
    }
}

/// The first line of a response.
#[derive(Debug, Default)]
struct StatusLine {
    status: Option<u16>,
    is_standard: bool,
}

impl StatusLine {
    fn of(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let first = words.next()?;
        let is = |name: &str| {
            let start = first.get(..name.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        if is("HTTP/") || first.eq_ignore_ascii_case("HTTP") || first.eq_ignore_ascii_case("ICY") {
            return Some(Self {
                status: words.next().and_then(status),
                is_standard: first.starts_with("HTTP/"),
            });
        }
        let status = status(first).filter(|_| first.len() == 3)?;
        Some(Self {
            status: Some(status),
            is_standard: false,
        })
    }
}

/// Reads the status that begins a word.
fn status(word: &str) -> Option<u16> {
    let status = word.get(..3)?.parse().ok()?;
    let ends = !word[3..].starts_with(|letter: char| letter.is_ascii_digit());
    ((100..1000).contains(&status) && ends).then_some(status)
}

/// Whether a line is a header: a name of letters, digits and dashes, and a value.
fn is_header(line: &str) -> bool {
    line.split_once(':').is_some_and(|(name, value)| {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        // The scheme of an address is followed by a slash.
        !name.is_empty() && name.bytes().all(is_name) && value.starts_with([' ', '\t'])
    })
}

/// Parses headers up to the empty line. Returns them with the number of bytes. Lines without a header
/// are skipped.
fn headers(bytes: &[u8]) -> (Vec<(String, String)>, usize) {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut end = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if html::is_certainly_html(line) {
            // Some old servers sent no empty line.
            break;
        }
        end += line.len();
        let text = letters::text(line);
        let text = text.trim_end();
        if text.is_empty() {
            break;
        }
        if text.starts_with([' ', '\t']) {
            if let Some((_, value)) = found.last_mut() {
                value.push(' ');
                value.push_str(text.trim_start());
            }
        } else if found.len() < MAX_HEADERS
            && let Some((name, value)) = text.trim_start_matches(':').split_once(':')
        {
            let name = name.trim().to_ascii_lowercase();
            found.push((name, value.trim().to_owned()));
        }
    }
    (found, end)
}

/// Returns the last type of a `Content-Type` that has several, as browsers do, and whether it has
/// several. If the last type has no charset, and the one before it is equal, that one's charset is
/// added.
fn last_type(value: &str) -> (String, bool) {
    let parts = split(value);
    let essence = |part: &str| {
        let essence = part.split(';').next().unwrap_or_default().trim();
        essence.to_ascii_lowercase()
    };
    let is_type = |part: &&str| part.contains('/') && essence(part) != "*/*";
    let types: Vec<&str> = parts.into_iter().filter(is_type).collect();
    let [before @ .., last] = types.as_slice() else {
        return (value.to_owned(), false);
    };
    let equal = |part: &&&str| essence(part) == essence(last);
    let mut before = before.iter().rev().take_while(equal);
    let charset = match charset(last) {
        Some(_) => None,
        None => before.find_map(|part| charset(part)),
    };
    let is_several = types.len() > 1;
    match charset {
        Some(charset) => (format!("{}; charset={charset}", essence(last)), is_several),
        None if is_several => ((*last).to_owned(), true),
        None => (value.to_owned(), false),
    }
}

/// Splits a list at commas that are not quoted.
fn split(value: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let comma = |letter: char| {
        is_quoted ^= letter == '"';
        letter == ',' && !is_quoted
    };
    value.split(comma).map(str::trim).collect()
}

/// Returns the first `charset` of a Content-Type. Its separator may be missing.
pub(crate) fn charset(content_type: &str) -> Option<String> {
    let lower = content_type.to_ascii_lowercase();
    lower.match_indices("charset").find_map(|(at, name)| {
        let is_part = lower[..at].ends_with(|letter: char| letter.is_ascii_alphanumeric());
        let value = content_type[at + name.len()..]
            .trim_start()
            .strip_prefix('=')?
            .trim_start();
        let value = match value.strip_prefix(['"', '\'']) {
            Some(quoted) => quoted.split(['"', '\'']).next()?.trim(),
            None => value.split([';', ',', ' ', '\t']).next()?,
        };
        (!is_part && !value.is_empty()).then(|| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_line_has_the_form_of_any_server() {
        for (line, status, is_standard) in [
            ("HTTP/1.1 200 OK", Some(200), true),
            ("HTTP/2 200", Some(200), true),
            ("HTTP/1.0    404", Some(404), true),
            ("HTTP/1.1 okay", None, true),
            ("HTTP 200 Document follows", Some(200), false),
            ("http/1.0 200 ok", Some(200), false),
            ("\r\n\r\nHTTP/1.1 200 OK", Some(200), false),
            ("ICY 200 OK", Some(200), false),
            ("200 OK", Some(200), false),
            ("Content-Length: 4", None, false),
        ] {
            let response = format!("{line}\r\nContent-Type: text/html\r\n\r\nbody");
            let head = Head::parse(response.as_bytes()).expect("a head");
            assert_eq!(
                (head.status, head.is_standard),
                (status, is_standard),
                "{line}"
            );
            assert_eq!(head.get("content-type"), Some("text/html"), "{line}");
            assert_eq!(&response[head.bytes..], "body", "{line}");
        }
        for other in [
            "<html>\n",
            "HTTP/1.1 200",
            "20 trees\n\n",
            "http://a.example/ 200\n",
            "",
            "\n",
        ] {
            assert!(Head::parse(other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn lines_that_are_no_headers_are_skipped_or_folded() {
        let head = Head::parse(
            b"HTTP/2 200 Line one\n  Line two: more\n:status: 200\nno header\nFolded : 1 \n 2\nLocation: /\xe9\n\nbody",
        )
        .unwrap();
        assert_eq!(head.get("location"), Some("/%E9"));
        assert_eq!(head.get("status"), Some("200"));
        assert_eq!(head.get("folded"), Some("1 2"));
        assert_eq!(head.get("line two"), None);
    }

    #[test]
    fn a_page_may_follow_the_headers_without_an_empty_line() {
        let response = b"HTTP/1.0 200 OK\nContent-type: text/html\n<HTML>\nTrees\n";
        let head = Head::parse(response).unwrap();
        assert_eq!(&response[head.bytes..], b"<HTML>\nTrees\n");
    }

    #[test]
    fn the_last_of_several_types_counts() {
        for (value, expected, is_several) in [
            ("text/html", "text/html", false),
            ("text/html; a=\"b, c\"", "text/html; a=\"b, c\"", false),
            ("text/plain, text/html", "text/html", true),
            (
                "text/html; charset=gbk, text/html",
                "text/html; charset=gbk",
                true,
            ),
            (
                "text/html; charset=gbk, text/html; charset=utf-8",
                "text/html; charset=utf-8",
                true,
            ),
            ("text/plain; charset=gbk, text/html", "text/html", true),
            ("text/html, */*", "text/html, */*", false),
            ("", "", false),
        ] {
            assert_eq!(
                last_type(value),
                (expected.to_owned(), is_several),
                "{value}"
            );
        }
    }

    #[test]
    fn a_charset_has_any_form() {
        for (value, expected) in [
            ("text/html; Charset=\"utf-8\"", Some("utf-8")),
            ("text/html;charset='utf-8'", Some("utf-8")),
            ("text/html charset=utf-8", Some("utf-8")),
            ("text/html; charset = utf-8 ; a=b", Some("utf-8")),
            ("text/html; charset=one; charset=two", Some("one")),
            ("text/html; charset=", None),
            ("text/html; charset=; a=b", None),
            ("text/html; xcharset=utf-8", None),
            ("text/html", None),
        ] {
            assert_eq!(charset(value).as_deref(), expected, "{value}");
        }
    }
}
