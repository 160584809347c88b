//! The end of raw text: the end tag that closes an RCDATA, RAWTEXT or script element.

use memchr::{memchr, memchr2};

use crate::attributes::ends_tag_name;

/// Whether the source, which starts with `<`, starts with the end tag of this element: the
/// end tag open and end tag name states of RCDATA, RAWTEXT and script data.
pub(crate) fn end_tag(source: &[u8], name: &[u8]) -> bool {
    source
        .strip_prefix(b"</")
        .is_some_and(|source| tag_name(source, name))
}

/// Whether a tag's name, up to its delimiter, is this one.
fn tag_name(source: &[u8], name: &[u8]) -> bool {
    source.len() > name.len()
        && source[..name.len()].eq_ignore_ascii_case(name)
        && ends_tag_name(source[name.len()])
}

/// The extent of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScriptText {
    /// The position of its end tag, if it has one.
    pub(crate) end: Option<usize>,
    /// The position of the last `<` that could have begun the end tag.
    pub(crate) angle: Option<usize>,
}

/// The script data states, grouped. After `<!--`, which once hid scripts from old
/// browsers, a nested `<script>` has its own end tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    /// Script data.
    Plain,
    /// Script data escaped: after `<!--`.
    Escaped,
    /// Script data double escaped: after `<!--` and `<script>`.
    DoubleEscaped,
}

/// Finds the end of the script that begins at `from`.
/// <https://html.spec.whatwg.org/multipage/parsing.html#script-data-state>
pub(crate) fn script(bytes: &[u8], from: usize) -> ScriptText {
    let mut state = Script::Plain;
    let mut at = from;
    let mut angle = None;
    // The first position at which `-->` may begin. It may share the dashes of `<!--`.
    let mut dashes = from;
    loop {
        let found = match state {
            Script::Plain => memchr(b'<', &bytes[at..]),
            _ => memchr2(b'<', b'>', &bytes[at..]),
        };
        let Some(found) = found else {
            return ScriptText { end: None, angle };
        };
        at += found;
        let source = &bytes[at..];
        if source[0] == b'>' {
            if bytes[dashes..at].ends_with(b"--") {
                state = Script::Plain;
            }
        } else if state == Script::DoubleEscaped {
            if end_tag(source, b"script") {
                state = Script::Escaped;
            }
        } else {
            angle = Some(at);
            if end_tag(source, b"script") {
                let end = Some(at);
                return ScriptText { end, angle };
            } else if state == Script::Plain && source.starts_with(b"<!--") {
                state = Script::Escaped;
                dashes = at + 2;
            } else if state == Script::Escaped && tag_name(&source[1..], b"script") {
                state = Script::DoubleEscaped;
            }
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> Option<&str> {
        script(source.as_bytes(), 0).end.map(|end| &source[..end])
    }

    #[test]
    fn a_script_ends_at_its_end_tag() {
        assert_eq!(
            text("if (a</b/.c) '</scripty'</SCRIPT >x"),
            Some("if (a</b/.c) '</scripty'")
        );
        assert_eq!(text("a</script"), None);
    }

    #[test]
    fn a_nested_script_in_a_comment_has_its_own_end_tag() {
        let hidden = "<!-- <script> </script> </scripts> ";
        assert_eq!(text(&format!("{hidden}</script>")), Some(hidden));
        assert_eq!(text("<!-- </script> -->"), Some("<!-- "));
        assert_eq!(
            text("<!-- <script> --> </script>"),
            Some("<!-- <script> --> ")
        );
        assert_eq!(text("<!--><script></script>"), Some("<!--><script>"));
        assert_eq!(text("<!-<script></script>"), Some("<!-<script>"));
        assert_eq!(text("<!-- <script></script>"), None);
    }

    #[test]
    fn a_missing_end_tag_gives_the_last_angle() {
        assert_eq!(
            script(b"a<b</c", 0),
            ScriptText {
                end: None,
                angle: Some(3)
            }
        );
        assert_eq!(script(b"<!-- <script> <", 0).angle, Some(5));
    }
}
