//! Bytes and types that are those of HTML.

/// Beginnings of HTML without a type, in lower case.
const BEGINNINGS: [&str; 14] = [
    "<!doctype html",
    "<html",
    "<head",
    "<body",
    "<title",
    "<meta",
    "<!--",
    "<script",
    "<table",
    "<div",
    "<p>",
    "<p ",
    "<h1",
    "<a ",
];
/// Beginnings that only HTML has.
const CERTAIN: [&str; 2] = ["<!doctype html", "<html"];
/// Bytes at the beginning of a body that decide.
pub(crate) const LOOKED_AT: usize = 1024;

/// Whether a body without a content type begins as HTML does.
pub fn begins_as_html(body: &[u8]) -> bool {
    let start = beginning(body);
    let is = |beginning: &&str| start.starts_with(*beginning);
    BEGINNINGS.iter().any(is)
        || CERTAIN
            .iter()
            .any(|it| without_prolog(&start).starts_with(it))
}

/// Whether a body is HTML whatever its type says: it has the beginning of a whole document.
pub(crate) fn is_certainly_html(body: &[u8]) -> bool {
    let start = beginning(body);
    CERTAIN
        .iter()
        .any(|it| without_prolog(&start).starts_with(it))
}

/// Whether a content type is that of HTML, or `None` if it says nothing.
pub fn is_html(content_type: Option<&str>) -> Option<bool> {
    let essence = content_type?.trim_start();
    let end = |letter: char| letter == ';' || letter == ',' || letter.is_whitespace();
    let essence = essence.split(end).next()?.to_ascii_lowercase();
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Some(true),
        // The last one is Heritrix's.
        "*/*" | "unknown/unknown" | "application/unknown" | "no-type" => None,
        other => other.contains('/').then_some(false),
    }
}

/// The first letters of a body in lower case.
fn beginning(body: &[u8]) -> String {
    let start = String::from_utf8_lossy(&body[..body.len().min(LOOKED_AT)]).to_ascii_lowercase();
    start.trim_start_matches('\u{feff}').trim_start().to_owned()
}

/// Leaves out the declaration of XML, comments and white space.
fn without_prolog(mut start: &str) -> &str {
    loop {
        let end = match start {
            start if start.starts_with("<?xml") => "?>",
            start if start.starts_with("<!--") => "-->",
            start => return start,
        };
        start = match start.split_once(end) {
            Some((_, rest)) => rest.trim_start(),
            None => return "",
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_known_by_its_beginning() {
        for (body, weak, certain) in [
            (&b"\xef\xbb\xbf \n<!DOCTYPE HTML><p>"[..], true, true),
            (b"<!-- saved --><html>", true, true),
            (
                b"<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC",
                true,
                true,
            ),
            (b"<?xml version=\"1.0\"?><rss>", false, false),
            (b"<!-- hide\nvar a = 1;", true, false),
            (b"<p>Trees", true, false),
            (b"Trees <html>", false, false),
            (b"", false, false),
        ] {
            assert_eq!(
                (begins_as_html(body), is_certainly_html(body)),
                (weak, certain),
                "{body:?}"
            );
        }
    }

    #[test]
    fn a_type_is_known_in_any_form() {
        for (value, expected) in [
            ("text/html", Some(true)),
            (" Text/HTML; charset=utf-8", Some(true)),
            ("text/html charset=utf-8", Some(true)),
            ("text/html, text/html", Some(true)),
            ("application/xhtml+xml", Some(true)),
            ("image/png", Some(false)),
            ("", None),
            ("*/*", None),
            ("html", None),
        ] {
            assert_eq!(is_html(Some(value)), expected, "{value}");
        }
    }
}
