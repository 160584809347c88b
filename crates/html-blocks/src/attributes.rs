//! The attributes of a tag, read from its bytes.

/// Names and values of one tag, as they stand in the source. Ends at the tag's
/// end, with the position on its `>`, or where the bytes end: an attribute that
/// they cut does not count.
pub(crate) struct Attributes<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Attributes<'b> {
    /// From a position after the tag's name.
    pub(crate) fn at(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, skipped: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        self.at += rest
            .iter()
            .position(|byte| !skipped(*byte))
            .unwrap_or(rest.len());
    }

    fn value(&mut self) -> Option<&'b [u8]> {
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let start = self.at;
                self.skip(|byte| byte != quote);
                self.peek()?;
                self.at += 1;
                Some(&self.bytes[start..self.at - 1])
            }
            _ => {
                let start = self.at;
                self.skip(|byte| !space(byte) && byte != b'>');
                self.peek()?;
                Some(&self.bytes[start..self.at])
            }
        }
    }
}

impl<'b> Iterator for Attributes<'b> {
    type Item = (&'b [u8], &'b [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|byte| space(byte) || byte == b'/');
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        // A first `=` is part of the name.
        self.at += 1;
        self.skip(|byte| !space(byte) && !matches!(byte, b'/' | b'>' | b'='));
        let name = &self.bytes[start..self.at];
        self.skip(space);
        if self.peek()? != b'=' {
            return Some((name, b""));
        }
        self.at += 1;
        self.skip(space);
        self.value().map(|value| (name, value))
    }
}

/// What separates attributes.
pub(crate) fn space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tag: &str) -> (Vec<(&str, &str)>, usize) {
        let mut attributes = Attributes::at(tag.as_bytes(), 2);
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        let read = attributes
            .by_ref()
            .map(|(name, value)| (text(name), text(value)))
            .collect();
        (read, attributes.position())
    }

    #[test]
    fn all_ways_to_write_an_attribute() {
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
    fn a_cut_attribute_does_not_count() {
        for tag in ["<a b c='d", "<a b c=d", "<a b c=", "<a b c"] {
            assert_eq!(read(tag).0, [("b", "")], "{tag}");
        }
    }
}
