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
    /// The element of that name.
    tag: Tag,
    /// The number of attributes, repeated names included.
    pub(crate) attributes: usize,
    /// The value of the first `class` as written in the source; empty if there is none.
    class: &'p str,
    /// The value of the first `id`, likewise.
    id: &'p str,
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
        let length = bytes[start..]
            .iter()
            .position(|byte| ends_tag_name(*byte))?;
        let name = &page[start..start + length];
        let mut tag = Self {
            name,
            tag: Tag::named(name),
            attributes: 0,
            class: "",
            id: "",
            has_href: false,
            is_named: false,
            self_closing: false,
            has_sight: false,
            end: start + length + 1,
        };
        // Half of all tags have no attributes: end tags, and items of lists.
        if bytes[start + length] == b'>' {
            return Some(tag);
        }
        let mut attributes = Attributes::new(bytes, start + length);
        tag.read_attributes(page, &mut attributes);
        if attributes.position() == bytes.len() {
            return None;
        }
        tag.self_closing = attributes.self_closing();
        tag.end = attributes.position() + 1;
        Some(tag)
    }

    fn read_attributes(&mut self, page: &'p str, attributes: &mut Attributes<'p>) {
        let (mut has_class, mut has_id) = (false, false);
        while let Some((name, value)) = attributes.next() {
            self.attributes += 1;
            self.has_sight |= Sight::may_depend_on(name, value);
            // ASCII characters delimit the value, so it never splits a character.
            let at = attributes.value_position();
            let value = || page.get(at..at + value.len()).unwrap_or_default();
            match name.len() {
                4 if name.eq_ignore_ascii_case(b"href") => self.has_href = true,
                2 if name.eq_ignore_ascii_case(b"id") => {
                    self.is_named = true;
                    if !has_id {
                        self.id = value();
                        has_id = true;
                    }
                }
                4 if name.eq_ignore_ascii_case(b"name") => self.is_named = true,
                5 if !has_class && name.eq_ignore_ascii_case(b"class") => {
                    self.class = value();
                    has_class = true;
                }
                _ => {}
            }
        }
    }

    /// The name in lower case. That of an unknown element is written into `buffer`.
    pub(crate) fn lower_name<'n>(&self, buffer: &'n mut String) -> Name<'n> {
        let text = match self.tag {
            Tag::Other => {
                buffer.clear();
                buffer.extend(self.name.chars().map(|c| match c {
                    '\0' => char::REPLACEMENT_CHARACTER,
                    c => c.to_ascii_lowercase(),
                }));
                buffer
            }
            tag => tag.name(),
        };
        Name {
            tag: self.tag,
            text,
        }
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
pub(crate) fn decoded(source: &str) -> Cow<'_, str> {
    // Three of ten start tags have a class, and one has an id.
    if source.is_empty() || memchr2(b'&', b'\0', source.as_bytes()).is_none() {
        return Cow::Borrowed(source);
    }
    Cow::Owned(character_reference::value(source).replace('\0', "\u{fffd}"))
}
