//! HTTP responses that are not pages, and the charset of those that are.

use std::fmt;

/// Why a response is not processed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseProblem {
    /// The status is not 2xx.
    Status(i32),
    /// The media type is not HTML or plain text.
    ContentType(String),
}

impl fmt::Display for ResponseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "the response was {status}"),
            Self::ContentType(media_type) => write!(f, "the response was `{media_type}`"),
        }
    }
}

/// Returns why a response with this status and this Content-Type header is not a page.
/// A missing status or header is not a problem.
pub fn response_problem(
    status: Option<i32>,
    content_type: Option<&str>,
) -> Option<ResponseProblem> {
    if let Some(status) = status.filter(|status| !(200..300).contains(status)) {
        return Some(ResponseProblem::Status(status));
    }
    let content_type = content_type?.trim();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let is_page = ["text/html", "application/xhtml+xml", "text/plain", ""]
        .iter()
        .any(|known| essence.eq_ignore_ascii_case(known));
    (!is_page).then(|| ResponseProblem::ContentType(content_type.to_owned()))
}

/// Returns the charset that HTTP declared: the archive's own column if it has one, else
/// the parameter of the Content-Type header.
pub fn http_charset<'a>(
    charset: Option<&'a str>,
    content_type: Option<&'a str>,
) -> Option<&'a str> {
    charset.or_else(|| charset_parameter(content_type?))
}

fn charset_parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        (name.trim().eq_ignore_ascii_case("charset"))
            .then(|| value.trim().trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_type_declares_a_charset_unless_the_archive_does() {
        for (header, charset) in [
            ("text/html; charset=ISO-8859-1", Some("ISO-8859-1")),
            ("text/html;boundary=x; Charset=\"utf-8\"", Some("utf-8")),
            ("text/html", None),
        ] {
            assert_eq!(http_charset(None, Some(header)), charset, "{header}");
            assert_eq!(http_charset(Some("x"), Some(header)), Some("x"));
        }
        assert_eq!(http_charset(None, None), None);
    }

    #[test]
    fn only_successful_responses_of_text_are_pages() {
        for (status, content_type, problem) in [
            (None, None, None),
            (Some(204), Some(" "), None),
            (Some(200), Some("Text/HTML; charset=utf-8"), None),
            (Some(404), Some("text/html"), Some("the response was 404")),
            (
                None,
                Some("image/png"),
                Some("the response was `image/png`"),
            ),
        ] {
            let found = response_problem(status, content_type);
            let found = found.map(|problem| problem.to_string());
            assert_eq!(found.as_deref(), problem, "{status:?} {content_type:?}");
        }
    }
}
