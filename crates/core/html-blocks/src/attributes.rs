//! The attributes of a tag, read from its bytes: the states from "before attribute name"
//! to "after attribute value (quoted)" of the HTML standard.
//! <https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-name-state>

use memchr::memchr;

/// Iterates over the names and values of one tag, as written in the source. Ends with
/// the position at the `>` of the tag, or at the end of the bytes. An attribute that
/// the end of the bytes cuts is not returned.
pub(crate) struct Attributes<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The end of the last attribute.
    end: usize,
    /// The beginning of the last value.
    value: usize,
}

impl<'b> Attributes<'b> {
    /// Starts at the position after the tag's name.
    pub(crate) fn new(bytes: &'b [u8], at: usize) -> Self {
        Self {
            bytes,
            at,
            end: at,
            value: at,
        }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Whether the tag is self-closing: a `/` that is not part of a value precedes its
    /// `>`. Valid once the iterator is at its end.
    pub(crate) fn self_closing(&self) -> bool {
        self.at > self.end && self.bytes[self.at - 1] == b'/'
    }

    /// The position of the value of the last attribute; any if the value is empty.
    pub(crate) fn value_position(&self) -> usize {
        self.value
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Advances to the next byte of one of the `classes`.
    fn find(&mut self, classes: u8) {
        while self
            .peek()
            .is_some_and(|byte| BYTES[usize::from(byte)] & classes == 0)
        {
            self.at += 1;
        }
    }

    /// Advances past all bytes of the `classes`.
    fn skip(&mut self, classes: u8) {
        while self
            .peek()
            .is_some_and(|byte| BYTES[usize::from(byte)] & classes != 0)
        {
            self.at += 1;
        }
    }

    /// The value that begins here, after the `=` and whitespace.
    fn value(&mut self) -> Option<&'b [u8]> {
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                let rest = &self.bytes[self.at + 1..];
                let Some(length) = memchr(quote, rest) else {
                    self.at = self.bytes.len();
                    return None;
                };
                self.value = self.at + 1;
                self.at += length + 2;
                Some(&rest[..length])
            }
            _ => {
                self.value = self.at;
                self.find(SPACE | ANGLE);
                self.peek()?;
                Some(&self.bytes[self.value..self.at])
            }
        }
    }
}

impl<'b> Iterator for Attributes<'b> {
    type Item = (&'b [u8], &'b [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.skip(SPACE | SLASH);
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        // Before attribute name state: a leading `=` is part of the name.
        self.at += 1;
        self.find(SPACE | SLASH | ANGLE | EQUALS);
        let name = &self.bytes[start..self.at];
        self.skip(SPACE);
        self.end = self.at;
        if self.peek()? != b'=' {
            return Some((name, b""));
        }
        self.at += 1;
        self.skip(SPACE);
        let value = self.value()?;
        self.end = self.at;
        Some((name, value))
    }
}

/// Whether a byte is whitespace between attributes.
pub(crate) fn space(byte: u8) -> bool {
    BYTES[usize::from(byte)] & SPACE != 0
}

/// Whether a byte ends a tag name.
pub(crate) fn ends_tag_name(byte: u8) -> bool {
    BYTES[usize::from(byte)] & (SPACE | SLASH | ANGLE) != 0
}

const SPACE: u8 = 1 << 0;
const SLASH: u8 = 1 << 1;
const ANGLE: u8 = 1 << 2;
const EQUALS: u8 = 1 << 3;

/// The class of each byte in a tag.
static BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut spaces: &[u8] = b"\t\n\x0c\r ";
    while let [byte, rest @ ..] = spaces {
        bytes[*byte as usize] = SPACE;
        spaces = rest;
    }
    bytes[b'/' as usize] = SLASH;
    bytes[b'>' as usize] = ANGLE;
    bytes[b'=' as usize] = EQUALS;
    bytes
};

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tag: &str) -> (Vec<(&str, &str)>, usize) {
        let mut attributes = Attributes::new(tag.as_bytes(), 2);
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        let read = attributes
            .by_ref()
            .map(|(name, value)| (text(name), text(value)))
            .collect();
        (read, attributes.position())
    }

    #[test]
    fn every_notation_of_an_attribute_is_read() {
        let tag = "<a href = 'x>y'/title=\"a'b\" hidden id=q/>z";
        let expected = vec![
            ("href", "x>y"),
            ("title", "a'b"),
            ("hidden", ""),
            ("id", "q/"),
        ];
        assert_eq!(read(tag), (expected, tag.len() - 2));
        assert_eq!(read("<a =x=y>").0, [("=x", "y")]);
    }

    #[test]
    fn a_slash_outside_a_value_makes_a_tag_self_closing() {
        let closing = |tag: &str| {
            let mut attributes = Attributes::new(tag.as_bytes(), 2);
            attributes.by_ref().for_each(drop);
            attributes.self_closing()
        };
        for tag in ["<a/>", "<a //>", "<a b/>", "<a b='c'/>", "<a b=c />"] {
            assert!(closing(tag), "{tag}");
        }
        for tag in [
            "<a>",
            "<a/ >",
            "<a b=/>",
            "<a b= c/>",
            "<a b='/'>",
            "<a b=>",
        ] {
            assert!(!closing(tag), "{tag}");
        }
    }

    #[test]
    fn a_cut_attribute_is_not_returned() {
        for tag in ["<a b c='d", "<a b c=d", "<a b c=", "<a b c"] {
            assert_eq!(read(tag).0, [("b", "")], "{tag}");
        }
    }
}
