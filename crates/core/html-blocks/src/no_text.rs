//! Parts of a page that are not text for readers: hidden words, readings, copies of formulas, numbers of lines,
//! invisible characters.

use std::borrow::Cow;

use memchr::memchr3;

use crate::dom_path::Names;
use crate::elements::{Element, Name, Tag};
use crate::sight::Sight;
use crate::stack::{ElementText, is_reading};

/// Returns how the text of an element is shown. A few words inside a line that are hidden are dropped.
pub(crate) fn element_text(
    name: Name<'_>,
    element: Element,
    names: Names<'_>,
    sight: &Sight<'_>,
) -> ElementText {
    // MediaWiki hides formulas, and shows pictures of them.
    let is_hidden = sight.hidden && !names.class.contains("mwe-math");
    if is_no_text(name, names, sight) || (is_hidden && element.inline()) {
        ElementText::Dropped
    } else if is_hidden {
        ElementText::Hidden
    } else {
        ElementText::Shown
    }
}

/// Whether the content of an element is not text, or a copy of what is beside it.
fn is_no_text(name: Name<'_>, names: Names<'_>, sight: &Sight<'_>) -> bool {
    // An icon that is a letter of a font, and formulas as MathJax sets them.
    let is_decoration = || matches!(name.tag, Tag::I | Tag::Nobr) || name.text.starts_with("mjx-");
    // KaTeX and MathJax have formulas twice: as they are shown, and as MathML or TeX.
    let is_copy = |class| {
        matches!(
            class,
            "katex-html" | "MJX_Assistive_MathML" | "MathJax_Preview"
        )
    };
    (name.tag == Tag::Template && !sight.shadow)
        || is_reading(name.tag)
        || (sight.silent && is_decoration())
        || (name.tag == Tag::Span && names.class.split_ascii_whitespace().any(is_copy))
}

/// Whether a class is one that highlighters give to numbers of lines: `lineno`, `hljs-ln-numbers`, `gutter`.
pub(crate) fn names_line_numbers(class: &str) -> bool {
    class.split_ascii_whitespace().any(|class| {
        let letters = class.chars().filter(char::is_ascii_alphabetic);
        let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        name == "ln"
            || name.ends_with("gutter")
            || ["lineno", "linenos", "number", "numbers"]
                .iter()
                .any(|end| name.ends_with(end) && (name.contains("line") || name.contains("ln")))
    })
}

/// Whether the lines of a `pre` are the numbers of the lines of the one beside it.
pub(crate) fn is_line_numbers(text: &str, path: &str) -> bool {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u32>);
    let Some(Ok(first)) = numbers.next() else {
        return false;
    };
    let mut last = first;
    let ascend = numbers.all(|number| {
        let next = last.checked_add(1);
        last = next.unwrap_or(last);
        number.ok() == next
    });
    let is_named = || path.split(['>', '.']).any(names_line_numbers);
    ascend && (last > first || is_named())
}

/// A text without characters that are not seen: soft hyphens, spaces without width and byte order marks. Words
/// have them for line breaks, and are others for every search with them.
pub(crate) fn without_invisible(text: &str) -> Cow<'_, str> {
    if text.is_ascii()
        // Their first bytes in UTF-8.
        || memchr3(0xc2, 0xe2, 0xef, text.as_bytes()).is_none()
        || !text.contains(INVISIBLE)
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(INVISIBLE, ""))
}

const INVISIBLE: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// Returns the TeX of a formula without the style that MediaWiki sets for all of them.
pub(crate) fn tex_of(tex: &str) -> &str {
    let tex = tex.trim();
    let styled = tex
        .strip_prefix("{\\displaystyle")
        .or(tex.strip_prefix("{\\textstyle"));
    let styled = styled.and_then(|tex| tex.strip_suffix('}'));
    styled.map_or(tex, str::trim)
}
