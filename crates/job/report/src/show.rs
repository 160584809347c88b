//! Formats for templates, which pass references.

use std::borrow::Cow;

use crate::format;

pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    format::visible(text)
}

pub(crate) fn grouped(number: &u64) -> String {
    format::grouped(*number)
}

pub(crate) fn percent(part: &u64, whole: &u64) -> String {
    format::percent(*part, *whole)
}
