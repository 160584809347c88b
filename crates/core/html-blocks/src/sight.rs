//! Attributes that decide whether and how the content of an element is shown.

use std::borrow::Cow;

use crate::elements::Tag;

/// How the content of an element is shown, by its attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sight<'t> {
    /// Readers do not see it: `hidden`, or a style with `display: none` or `visibility: hidden`.
    pub(crate) hidden: bool,
    /// Software that reads pages aloud leaves it out: an icon, or a copy of what is beside it.
    pub(crate) silent: bool,
    /// A link to a place of the same page.
    pub(crate) fragment: bool,
    /// A template whose content is shown: a declarative shadow root.
    pub(crate) shadow: bool,
    /// The content is TeX: `annotation` of a formula, or a script of MathJax.
    pub(crate) tex: bool,
    /// The TeX of a formula, empty if it is not given here.
    pub(crate) formula: Cow<'t, str>,
}

impl<'t> Sight<'t> {
    /// That of most tags.
    pub(crate) const PLAIN: Self = Self {
        hidden: false,
        silent: false,
        fragment: false,
        shadow: false,
        tex: false,
        formula: Cow::Borrowed(""),
    };

    /// Reads the attributes of a tag. `value` returns the value of the first attribute of a name.
    pub(crate) fn new(tag: Tag, name: &str, value: impl Fn(&str) -> Option<Cow<'t, str>>) -> Self {
        let starts = |name, start: &str| {
            let value = value(name).unwrap_or_default();
            let value = value.trim_start().as_bytes();
            value.len() >= start.len()
                && value[..start.len()].eq_ignore_ascii_case(start.as_bytes())
        };
        let is_hidden = |value: Cow<'_, str>| !value.eq_ignore_ascii_case("until-found");
        // Text of an element that is opened by its summary is there for readers; a dialog that scripts open
        // is not.
        let is_closed = tag == Tag::Dialog && value("open").is_none();
        Self {
            hidden: is_closed
                || value("hidden").is_some_and(is_hidden)
                || value("style").is_some_and(|style| hides(&style)),
            silent: value("aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true")),
            fragment: tag == Tag::A && starts("href", "#"),
            shadow: tag == Tag::Template && value("shadowrootmode").is_some(),
            tex: match tag {
                Tag::Script => starts("type", "math/tex"),
                _ => name == "annotation" && starts("encoding", "application/x-tex"),
            },
            formula: match tag {
                Tag::Math => value("alttext").unwrap_or_default(),
                _ => Cow::default(),
            },
        }
    }

    /// Whether an attribute may matter, by its name and its value as written in the source. Most tags have
    /// none that does, and are not read again.
    pub(crate) fn may_depend_on(name: &[u8], value: &[u8]) -> bool {
        let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
        let has = |word: &[u8]| {
            let mut parts = value.windows(word.len());
            parts.any(|part| part.eq_ignore_ascii_case(word))
        };
        match name.len() {
            4 => {
                is(b"href") && matches!(value.first(), Some(b'#' | b'&' | b' '))
                    || is(b"type") && (value.contains(&b'/') || value.contains(&b'&'))
            }
            5 => is(b"style") && (has(b"none") || has(b"hidden") || value.contains(&b'&')),
            6 => is(b"hidden"),
            7 => is(b"alttext"),
            8 => is(b"encoding"),
            11 => is(b"aria-hidden"),
            14 => is(b"shadowrootmode"),
            _ => false,
        }
    }
}

/// Whether a style hides its element.
fn hides(style: &str) -> bool {
    style.split(';').any(|rule| {
        let Some((name, value)) = rule.split_once(':') else {
            return false;
        };
        let value = value.trim_start();
        let is = |known: &str, hidden: &str| {
            name.trim().eq_ignore_ascii_case(known)
                && value
                    .get(..hidden.len())
                    .is_some_and(|value| value.eq_ignore_ascii_case(hidden))
        };
        is("display", "none") || is("visibility", "hidden")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(tag: Tag, attributes: &[(&str, &'static str)]) -> Sight<'static> {
        Sight::new(tag, tag.name(), |name| {
            let found = attributes.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| Cow::Borrowed(*value))
        })
    }

    #[test]
    fn attributes_and_styles_hide() {
        for (name, value, hidden) in [
            ("hidden", "", true),
            ("hidden", "until-found", false),
            ("style", "color:red; DISPLAY : None", true),
            ("style", "visibility:hidden!important", true),
            ("style", "display:block", false),
            ("style", "--x:display;background:none", false),
        ] {
            assert_eq!(
                sight(Tag::Div, &[(name, value)]).hidden,
                hidden,
                "{name}={value}"
            );
        }
        assert!(sight(Tag::Dialog, &[]).hidden);
        assert!(!sight(Tag::Dialog, &[("open", "")]).hidden);
    }

    #[test]
    fn a_link_to_a_place_of_the_page_is_a_fragment() {
        assert!(sight(Tag::A, &[("href", "#top")]).fragment);
        assert!(!sight(Tag::A, &[("href", "/#top")]).fragment);
        assert!(!sight(Tag::Div, &[("href", "#top")]).fragment);
    }
}
