//! One tag, read from the source of a page: the tag name state and the self-closing start
//! tag state of the HTML standard.

use std::borrow::Cow;

use memchr::memchr2;

use crate::attributes::{Attributes, ends_tag_name};
use crate::character_reference;
use crate::elements::{Name, Tag};
use crate::sight::Sight;

/// The parts of a tag that blocks depend on.
#[derive(Debug)]
pub(crate) struct SourceTag<'p> {
    /// The name as written in the source.
    pub(crate) name: &'p str,
    /// The number of attributes, repeated names included.
    pub(crate) attributes: usize,
    /// The value of the first `class` as written in the source; empty if there is none.
    class: &'p [u8],
    /// The value of the first `id`, likewise.
    id: &'p [u8],
    pub(crate) has_href: bool,
    /// Whether there is a `name` or an `id`.
    pub(crate) is_named: bool,
    pub(crate) self_closing: bool,
    /// Whether its [`Sight`] may depend on its attributes.
    pub(crate) has_sight: bool,
    /// The position after its `>`.
    pub(crate) end: usize,
}

impl<'p> SourceTag<'p> {
    /// Reads the tag whose name begins at `start` with a letter. Returns `None` if the page
    /// ends inside the tag.
    pub(crate) fn read(page: &'p str, start: usize) -> Option<Self> {
        let bytes = page.as_bytes();
        let name = bytes[start..]
            .iter()
            .position(|byte| ends_tag_name(*byte))?;
        let mut attributes = Attributes::new(bytes, start + name);
        let mut tag = Self {
            name: &page[start..start + name],
            attributes: 0,
            class: b"",
            id: b"",
            has_href: false,
            is_named: false,
            self_closing: false,
            has_sight: false,
            end: 0,
        };
        let (mut has_class, mut has_id) = (false, false);
        for (name, value) in attributes.by_ref() {
            tag.attributes += 1;
            tag.has_sight |= Sight::may_depend_on(name, value);
            match name.len() {
                4 if name.eq_ignore_ascii_case(b"href") => tag.has_href = true,
                2 if name.eq_ignore_ascii_case(b"id") => {
                    tag.is_named = true;
                    if !has_id {
                        tag.id = value;
                        has_id = true;
                    }
                }
                4 if name.eq_ignore_ascii_case(b"name") => tag.is_named = true,
                5 if !has_class && name.eq_ignore_ascii_case(b"class") => {
                    tag.class = value;
                    has_class = true;
                }
                _ => {}
            }
        }
        if attributes.position() == bytes.len() {
            return None;
        }
        tag.self_closing = attributes.self_closing();
        tag.end = attributes.position() + 1;
        Some(tag)
    }

    /// The value of `class` with its character references decoded; empty if there is none.
    pub(crate) fn class(&self) -> Cow<'p, str> {
        decoded(self.class)
    }

    /// The value of `id` with its character references decoded; empty if there is none.
    pub(crate) fn id(&self) -> Cow<'p, str> {
        decoded(self.id)
    }
}

/// The value of an attribute with its character references decoded.
pub(crate) fn decoded(source: &[u8]) -> Cow<'_, str> {
    // ASCII characters delimit the value, so it never splits a character.
    let value = str::from_utf8(source).unwrap_or_default();
    match memchr2(b'&', b'\0', source) {
        None => Cow::Borrowed(value),
        Some(_) => Cow::Owned(character_reference::value(value).replace('\0', "\u{fffd}")),
    }
}

/// The name of a tag in lower case. An unknown name is written into `buffer`.
pub(crate) fn name<'n>(source: &'n str, buffer: &'n mut String) -> Name<'n> {
    let tag = Tag::named(source);
    let text = match tag {
        Tag::Other => {
            buffer.clear();
            buffer.extend(source.chars().map(|c| match c {
                '\0' => char::REPLACEMENT_CHARACTER,
                c => c.to_ascii_lowercase(),
            }));
            buffer
        }
        tag => tag.name(),
    };
    Name { tag, text }
}
