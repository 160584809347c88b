//! Text under construction: whitespace, joining, and the amount of link text.

/// How the pieces of one block are joined if only inline tags or comments separate them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joining {
    /// Without a separator, as browsers show them: `<b>Hel</b>lo, <i>x</i>!` is `Hello, x!`.
    #[default]
    Tight,
    /// With one space, as in the original: `Hel lo, x !` [O G5].
    Spaced,
}

/// The run has reached its limit of characters. The first character that did not fit, and all
/// after it, were dropped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Text under construction: trimmed, with each run of Unicode whitespace (no-break spaces
/// included) collapsed to one space. In lines, the whitespace stays as it is, but for that at the ends of
/// lines and the empty lines around the text.
#[derive(Debug)]
pub(crate) struct Run {
    text: String,
    state: State,
    /// Whitespace before the next text, if the text is in lines.
    gap: Option<Gap>,
    limit: usize,
}

/// The state of a run beside its text.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    chars: usize,
    link_chars: usize,
    space_pending: bool,
    ends_in_link: bool,
}

/// Whitespace between two lines, or in one.
#[derive(Clone, Debug, Default)]
struct Gap {
    line_ends: usize,
    /// The whitespace after the last line end.
    indent: String,
    /// A tag ended the line: a line end of the source that follows it is the same one.
    by_tag: bool,
    /// It ends with a carriage return: a line feed after it is part of the same line end.
    after_return: bool,
}

impl Gap {
    fn is_any(&self) -> bool {
        self.line_ends > 0 || !self.indent.is_empty()
    }
}

/// A position in a run to which it can return.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    bytes: usize,
    state: State,
    gap: Option<Gap>,
}

/// Whether text is inside a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Plain,
    Link,
}

impl Run {
    /// An empty run of at most `limit` characters.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            text: String::new(),
            state: State::default(),
            gap: None,
            limit,
        }
    }

    /// Sets whether the text is in lines. The run must be empty.
    pub(crate) fn set_lines(&mut self, in_lines: bool) {
        if in_lines != self.is_in_lines() {
            self.gap = in_lines.then(Gap::default);
        }
    }

    pub(crate) fn is_in_lines(&self) -> bool {
        self.gap.is_some()
    }

    /// Drops a text of numbers alone.
    pub(crate) fn drop_numbers(&mut self) {
        let is_of_numbers = |c: char| c.is_ascii_digit() || c.is_whitespace();
        if self.text.chars().all(is_of_numbers) {
            self.text.clear();
        }
    }

    /// Ends the line, unless it is empty.
    pub(crate) fn end_line(&mut self) {
        if let Some(gap) = &mut self.gap
            && gap.line_ends == 0
            && !self.text.is_empty()
        {
            *gap = Gap {
                line_ends: 1,
                indent: String::new(),
                by_tag: true,
                after_return: false,
            };
        }
    }

    /// The current position.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            bytes: self.text.len(),
            state: self.state,
            gap: self.gap.clone(),
        }
    }

    /// The text since a position.
    pub(crate) fn since(&self, mark: &Mark) -> &str {
        self.text.get(mark.bytes..).unwrap_or_default()
    }

    /// The text right before a position: none if whitespace follows it.
    pub(crate) fn before(&self, mark: &Mark) -> &str {
        let is_apart = mark.state.space_pending || mark.gap.as_ref().is_some_and(Gap::is_any);
        let text = self.text.get(..mark.bytes).unwrap_or_default();
        if is_apart { "" } else { text }
    }

    /// Returns to a position: the text after it is dropped.
    pub(crate) fn revert(&mut self, mark: Mark) {
        // Words on both sides of it stay two.
        let space_pending = mark.state.space_pending || self.state.space_pending;
        self.text.truncate(mark.bytes);
        self.state = mark.state;
        self.state.space_pending = space_pending && !self.text.is_empty();
        self.gap = mark.gap;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The length of the text in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The position in bytes at which text that follows without whitespace begins.
    pub(crate) fn next_at(&self) -> usize {
        self.text.len() + usize::from(self.state.space_pending)
    }

    /// The number of characters inside links. A space counts if the characters on both its sides
    /// count, so this equals the length exactly if all the text is link text.
    pub(crate) fn link_chars(&self) -> usize {
        self.state.link_chars
    }

    /// Separates the text so far from the text that follows by a space.
    pub(crate) fn space(&mut self) {
        self.state.space_pending = !self.text.is_empty();
    }

    /// Returns whether a space separates the text so far from the text that follows, and removes it.
    pub(crate) fn take_space(&mut self) -> bool {
        std::mem::take(&mut self.state.space_pending)
    }

    /// Appends a piece. Splitting a piece and pushing both parts has the same result.
    pub(crate) fn push(&mut self, piece: &str, place: Place) -> Result<(), Full> {
        if self.gap.is_some() {
            return self.push_lines(piece, place);
        }
        let mut rest = piece;
        loop {
            let word = &rest[space_length(rest)..];
            if word.len() < rest.len() {
                self.space();
            }
            if word.is_empty() {
                return Ok(());
            }
            let end = collapsed_prefix(word);
            self.push_collapsed(&word[..end], place)?;
            rest = &word[end..];
        }
    }

    /// Appends a piece of a text in lines.
    fn push_lines(&mut self, piece: &str, place: Place) -> Result<(), Full> {
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            if first.is_whitespace() {
                self.whitespace(first);
                rest = &rest[first.len_utf8()..];
            } else {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                self.close_gap(place)?;
                self.push_chars(&rest[..end], place)?;
                rest = &rest[end..];
            }
        }
        Ok(())
    }

    fn whitespace(&mut self, c: char) {
        let Some(gap) = &mut self.gap else {
            return;
        };
        let continues_return = c == '\n' && std::mem::take(&mut gap.after_return);
        gap.after_return = c == '\r';
        match c {
            '\n' if continues_return => {}
            '\n' | '\r' if gap.by_tag => gap.by_tag = false,
            '\n' | '\r' => {
                gap.line_ends += 1;
                gap.indent.clear();
            }
            '\u{b}' | '\u{c}' => gap.indent.push(' '),
            c => gap.indent.push(c),
        }
    }

    /// Appends the whitespace before a text in lines.
    fn close_gap(&mut self, place: Place) -> Result<(), Full> {
        let Some(gap) = self.gap.replace(Gap::default()) else {
            return Ok(());
        };
        let line_ends = if self.text.is_empty() {
            0
        } else {
            gap.line_ends
        };
        let space = "\n".repeat(line_ends.min(self.limit)) + &gap.indent;
        let place = match place {
            Place::Link if self.state.ends_in_link => Place::Link,
            _ => Place::Plain,
        };
        self.push_chars(&space, place)
    }

    /// Appends text that needs no collapsing and neither begins nor ends with a space.
    fn push_collapsed(&mut self, text: &str, place: Place) -> Result<(), Full> {
        if self.state.space_pending {
            let state = &mut self.state;
            if state.chars + 2 > self.limit {
                return Err(Full);
            }
            self.text.push(' ');
            state.chars += 1;
            state.link_chars += usize::from(place == Place::Link && state.ends_in_link);
            state.space_pending = false;
        }
        self.push_chars(text, place)
    }

    /// Appends text as it is, up to the limit.
    fn push_chars(&mut self, text: &str, place: Place) -> Result<(), Full> {
        let link = place == Place::Link;
        let state = &mut self.state;
        let fitting = first_chars(text, self.limit - state.chars);
        // Most pieces are ASCII, and counted by that.
        let chars = if fitting.is_ascii() {
            fitting.len()
        } else {
            fitting.chars().count()
        };
        self.text.push_str(fitting);
        state.chars += chars;
        state.link_chars += if link { chars } else { 0 };
        state.ends_in_link = link;
        if fitting.len() < text.len() {
            Err(Full)
        } else {
            Ok(())
        }
    }

    /// Returns the text in a string without spare capacity, and empties the run.
    pub(crate) fn take(&mut self) -> String {
        // Of one line, the indent says nothing.
        let is_line = self.gap.is_some() && !self.text.contains('\n');
        let text = if is_line {
            self.text.trim_start().to_owned()
        } else {
            self.text.clone()
        };
        self.text.clear();
        *self = Self {
            text: std::mem::take(&mut self.text),
            ..Self::new(self.limit)
        };
        text
    }
}

/// The length in bytes of the whitespace at the start of a text.
pub(crate) fn space_length(text: &str) -> usize {
    let mut at = 0;
    // Seven of ten texts are whitespace alone: the indentation of the next tag.
    while let Some(stretch) = text.as_bytes()[at..].first_chunk::<8>()
        && spaces(stretch)
    {
        at += 8;
    }
    while let Some(byte) = text.as_bytes().get(at) {
        at += match BYTES[usize::from(*byte)] {
            Byte::Space => 1,
            Byte::MaybeSpace => match text[at..].chars().next() {
                Some(c) if c.is_whitespace() => c.len_utf8(),
                _ => return at,
            },
            Byte::Other => return at,
        };
    }
    at
}

/// Whether bytes are ASCII whitespace. The loop has no branches: it vectorises.
fn spaces(stretch: &[u8; 8]) -> bool {
    let space = |byte: u8| (byte == b' ') | (byte.wrapping_sub(b'\t') < 5);
    (stretch.iter()).fold(true, |spaces, byte| spaces & space(*byte))
}

/// The length in bytes of the longest prefix that needs no collapsing: words separated by one
/// ASCII space each.
fn collapsed_prefix(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(stretch) = bytes[at..].first_chunk::<17>()
        && collapsed(stretch)
    {
        at += 16;
    }
    while let Some(stretch) = bytes[at..].first_chunk::<9>()
        && collapsed(stretch)
    {
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        at += match BYTES[usize::from(*byte)] {
            Byte::Other => 1,
            Byte::Space => match bytes[at..] {
                [b' ', next, ..] if BYTES[usize::from(next)] == Byte::Other => 2,
                _ => return at,
            },
            Byte::MaybeSpace => match text[at..].chars().next() {
                Some(c) if !c.is_whitespace() => c.len_utf8(),
                _ => return at,
            },
        };
    }
    at
}

/// Whether all bytes but the last need no collapsing. May return false for bytes that need none.
/// The loop has no branches: it vectorises, and avoids the misprediction that a branch at the
/// end of each word costs.
fn collapsed<const N: usize>(stretch: &[u8; N]) -> bool {
    let space = |byte: u8| byte == b' ';
    let other =
        |byte: u8| (byte.wrapping_sub(b'\t') < 5) | (byte == 0xc2) | (byte.wrapping_sub(0xe1) < 3);
    let mut changes = 0;
    for at in 0..N - 1 {
        let (byte, next) = (stretch[at], stretch[at + 1]);
        changes |= u8::from(other(byte) | (space(byte) & (space(next) | other(next))));
    }
    changes == 0
}

/// The class of a byte, by the character that it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    Other,
    Space,
    /// The first byte of some whitespace and of other characters.
    MaybeSpace,
}

const BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Other; 256];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = match at as u8 {
            b'\t'..=b'\r' | b' ' => Byte::Space,
            0xc2 | 0xe1 | 0xe2 | 0xe3 => Byte::MaybeSpace,
            _ => Byte::Other,
        };
        at += 1;
    }
    bytes
};

/// The first `chars` characters, without whitespace at a cut.
fn first_chars(text: &str, chars: usize) -> &str {
    if text.len() <= chars {
        return text;
    }
    text.char_indices()
        .nth(chars)
        .map_or(text, |(end, _)| text[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(pieces: &[(&str, Place)], limit: usize) -> (String, usize, Result<(), Full>) {
        let mut run = Run::new(limit);
        let full = pieces
            .iter()
            .try_for_each(|(piece, place)| run.push(piece, *place));
        let link_chars = run.link_chars();
        (run.take(), link_chars, full)
    }

    #[test]
    fn whitespace_collapses_across_pieces() {
        let pieces = [" one\n ", "\u{a0}two", "three \u{2003}", " four "];
        let pieces = pieces.map(|piece| (piece, Place::Plain));
        assert_eq!(run(&pieces, 99), ("one twothree four".into(), 0, Ok(())));
    }

    #[test]
    fn every_whitespace_character_collapses() {
        for space in (0..=0xffff)
            .filter_map(char::from_u32)
            .filter(|c| c.is_whitespace())
        {
            for before in 0..20 {
                let word = "é".repeat(before % 2) + &"x".repeat(before);
                let text = format!("{word}a {space}b{space}c d{space}");
                let collapsed = format!("{word}a b c d");
                assert_eq!(run(&[(&text, Place::Plain)], 99).0, collapsed, "{space:?}");
                let text = format!("{word}{space}{space}a long word after {space}it");
                let collapsed = format!("{word} a long word after it");
                assert_eq!(run(&[(&text, Place::Plain)], 99).0, collapsed.trim_start());
            }
        }
        let text = "â ã¢ 日本語 ‘x’ … \u{200b} \u{3042}";
        assert_eq!(run(&[(text, Place::Plain)], 99).0, text);
    }

    #[test]
    fn zero_width_characters_are_not_whitespace() {
        let text = "a\u{200b}b\u{ad}c\u{feff}d";
        assert_eq!(run(&[(text, Place::Plain)], 99).0, text);
    }

    #[test]
    fn link_chars_equal_the_length_if_all_is_link_text() {
        use Place::{Link, Plain};
        let (text, link_chars, _) = run(&[("Home", Link), (" ", Plain), ("Über uns", Link)], 99);
        assert_eq!((text.chars().count(), link_chars), (13, 13));
        let (text, link_chars, _) = run(&[("Home", Link), (" | ", Plain), ("News", Link)], 99);
        assert_eq!((text.as_str(), link_chars), ("Home | News", 8));
    }

    #[test]
    fn a_full_run_does_not_depend_on_the_pieces() {
        let text = "añb cde fg";
        for limit in 1..10 {
            let (whole, _, full) = run(&[(text, Place::Plain)], limit);
            assert_eq!(full, Err(Full));
            assert!(whole.chars().count() <= limit && !whole.ends_with(' '));
            let singles: Vec<_> = text
                .char_indices()
                .map(|(at, c)| (&text[at..at + c.len_utf8()], Place::Plain))
                .collect();
            assert_eq!(run(&singles, limit).0, whole);
        }
        assert_eq!(run(&[("añb cde fg ", Place::Plain)], 10).2, Ok(()));
    }
}
