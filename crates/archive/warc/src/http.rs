//! The head of an HTTP response.

/// Most headers of a response. Real responses have fewer than a hundred.
const MAX_HEADERS: usize = 512;

/// Status and headers of a response.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) status: Option<u16>,
    headers: Vec<(String, String)>,
    /// Bytes of the head, its empty line included.
    pub(crate) bytes: usize,
}

impl Head {
    /// Parses the head of `response`. Returns `None` if it does not begin with a status line.
    pub(crate) fn parse(response: &[u8]) -> Option<Self> {
        if !response.starts_with(b"HTTP/") {
            return None;
        }
        // httparse knows HTTP/1.0 and 1.1 only, and crawlers write others in the same form.
        let line_end = response.iter().position(|byte| *byte == b'\n')?;
        let line = String::from_utf8_lossy(&response[..line_end]);
        let status = line.split_ascii_whitespace().nth(1)?.parse().ok();
        let (headers, bytes) = headers(&response[line_end + 1..]);
        Some(Self {
            status,
            headers,
            bytes: line_end + 1 + bytes,
        })
    }

    /// Returns the last header with this name, which is in lower case.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().rev().find(|(found, _)| found == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Returns the values of all headers with this name, one per line.
    pub(crate) fn lines(&self, name: &str) -> Option<String> {
        let named = self.headers.iter().filter(|(found, _)| found == name);
        let values: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        (!values.is_empty()).then(|| values.join("\n"))
    }
}

/// Parses headers up to the empty line. Returns them with the number of bytes.
fn headers(bytes: &[u8]) -> (Vec<(String, String)>, usize) {
    let mut parsed = [httparse::EMPTY_HEADER; MAX_HEADERS];
    if let Ok(httparse::Status::Complete((end, found))) =
        httparse::parse_headers(bytes, &mut parsed)
    {
        let found = found.iter().map(|header| {
            let value = String::from_utf8_lossy(header.value).trim().to_owned();
            (header.name.to_ascii_lowercase(), value)
        });
        return (found.collect(), end);
    }
    // Lines without a header, such as `:status: 200`, are skipped.
    let mut found = Vec::new();
    let mut end = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        end += line.len();
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if text.is_empty() {
            break;
        }
        if found.len() < MAX_HEADERS
            && let Some((name, value)) = text.trim_start_matches(':').split_once(':')
        {
            let name = name.trim().to_ascii_lowercase();
            found.push((name, value.trim().to_owned()));
        }
    }
    (found, end)
}

/// Returns the `charset` parameter of a Content-Type.
pub(crate) fn charset(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_of_http_2_is_read() {
        let head = Head::parse(b"HTTP/2 200\r\nContent-Type: text/html\r\n\r\nbody").unwrap();
        assert_eq!(head.status, Some(200));
        assert_eq!(head.get("content-type"), Some("text/html"));
        assert_eq!(head.bytes, 39);
    }

    #[test]
    fn pseudo_headers_and_lines_without_a_name_are_skipped() {
        let head =
            Head::parse(b"HTTP/2 200 \n:status: 200\nno header\nLocation: /a\n\nbody").unwrap();
        assert_eq!(head.get("location"), Some("/a"));
        assert_eq!(head.get("status"), Some("200"));
    }

    #[test]
    fn other_bytes_are_no_head() {
        assert!(Head::parse(b"<html>").is_none());
        assert!(Head::parse(b"HTTP/1.1 200").is_none());
    }

    #[test]
    fn a_charset_may_be_quoted() {
        assert_eq!(
            charset("text/html; Charset=\"utf-8\""),
            Some("utf-8".to_owned())
        );
        assert_eq!(charset("text/html; charset="), None);
        assert_eq!(charset("text/html"), None);
    }
}
