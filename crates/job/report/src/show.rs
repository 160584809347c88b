//! Formats for templates, which pass references.

use std::borrow::Cow;

use crate::format;

pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    format::visible(text)
}

/// A text whose line ends stay.
pub(crate) fn visible_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(format::visible).collect();
    lines.join("\n")
}

pub(crate) fn grouped(number: &u64) -> String {
    format::grouped(*number)
}

pub(crate) fn percent(part: &u64, whole: &u64) -> String {
    format::percent(*part, *whole)
}
