//! Where text ends that is not read as markup.

use memchr::{memchr, memchr2};

use crate::attributes::ends_tag_name;

/// Whether the end tag of this element begins here, at a `<`.
pub(crate) fn end_tag(source: &[u8], name: &[u8]) -> bool {
    source
        .strip_prefix(b"</")
        .is_some_and(|source| tag_name(source, name))
}

/// Whether a tag's name, up to what ends it, is this one.
fn tag_name(source: &[u8], name: &[u8]) -> bool {
    source.len() > name.len()
        && source[..name.len()].eq_ignore_ascii_case(name)
        && ends_tag_name(source[name.len()])
}

/// How far the text of a script goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScriptText {
    /// Where its end tag begins, if it has one.
    pub(crate) end: Option<usize>,
    /// The last `<` that could have begun it.
    pub(crate) angle: Option<usize>,
}

/// How the text of a script is read: `<!--` hides `<script>` from old browsers,
/// and there is a `<script>` with an end tag of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Plain,
    /// After `<!--`.
    Escaped,
    /// After `<!--` and `<script>`.
    DoubleEscaped,
}

/// The text of a script from here on: the states of script data, folded.
/// <https://html.spec.whatwg.org/multipage/parsing.html#script-data-state>
pub(crate) fn script(bytes: &[u8], from: usize) -> ScriptText {
    let mut state = Script::Plain;
    let mut at = from;
    let mut angle = None;
    // Where `-->` may begin: the dashes of `<!--` may be its own.
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
    fn a_script_in_a_comment_in_a_script_has_its_own_end_tag() {
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
    fn the_last_angle_is_told_where_the_end_tag_is_missing() {
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
