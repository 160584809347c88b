//! Feeding of a page into the tokenizer, with a limit on the attributes of a tag.
//!
//! The work of html5ever's tokenizer for a tag grows with the square of its attributes,
//! and it emits a token at the end of a tag, not at its beginning. The page is therefore
//! fed in slices that end after a `<`. After each slice only that `<` is pending. If the
//! next slice emits no token, a tag or a comment has begun there, and its attributes are
//! counted while it is fed.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer};

use crate::limits::{ATTRIBUTES, LimitingSink, PAGE_BYTES};

/// Largest slice in bytes, if there is no `<` before.
const SLICE: u32 = 4 << 10;

/// Feeds a page to its end, or up to a tag with too many attributes. The tokenizer never
/// receives the end of that tag, so it emits no token for it.
pub(crate) fn feed(html: &str, tokenizer: &Tokenizer<LimitingSink>) {
    let html = &html[..html.floor_char_boundary(PAGE_BYTES)];
    let page = StrTendril::from_slice(html);
    let queue = BufferQueue::default();
    let mut at = 0;
    let mut tag: Option<Attributes> = None;
    while at < html.len() {
        let limit = html.ceil_char_boundary(at + SLICE as usize);
        let angle = html.as_bytes()[at..limit]
            .iter()
            .position(|byte| *byte == b'<');
        let end = angle.map_or(limit, |angle| at + angle + 1);
        queue.push_back(page.subtendril(at as u32, (end - at) as u32));
        // The tokenizer returns after every script, so that a browser could run it.
        while !queue.is_empty() {
            let _ = tokenizer.feed(&queue);
        }
        if tokenizer.sink.take_token_seen() {
            tag = None;
        } else if let Some(tag) = &mut tag {
            tag.read(&html.as_bytes()[at..end]);
            if tag.count > ATTRIBUTES {
                return;
            }
        }
        if tag.is_none() && angle.is_some() {
            tag = Some(Attributes::default());
        }
        at = end;
    }
}

/// Counts the attributes of a tag in the same way as the tokenizer.
#[derive(Default)]
struct Attributes {
    state: State,
    count: usize,
}

/// The position of the next byte within a tag.
#[derive(Clone, Copy, Default)]
enum State {
    #[default]
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    /// Inside a value with these quotes.
    Quoted(u8),
    Unquoted,
}

impl Attributes {
    /// Reads the next bytes after the `<`.
    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.state = match (self.state, byte) {
                (State::Quoted(quote), byte) if quote == *byte => State::BeforeName,
                (State::Quoted(quote), _) => State::Quoted(quote),
                (State::BeforeValue, b'"' | b'\'') => State::Quoted(*byte),
                (State::BeforeValue, byte) if byte.is_ascii_whitespace() => State::BeforeValue,
                (State::BeforeValue, _) => State::Unquoted,
                (State::Unquoted, byte) if byte.is_ascii_whitespace() => State::BeforeName,
                (State::Unquoted, _) => State::Unquoted,
                (State::Name | State::AfterName, b'=') => State::BeforeValue,
                (_, b'/') => State::BeforeName,
                (State::Name | State::AfterName, byte) if byte.is_ascii_whitespace() => {
                    State::AfterName
                }
                (_, byte) if byte.is_ascii_whitespace() => State::BeforeName,
                (State::TagName, _) => State::TagName,
                (State::Name, _) => State::Name,
                (State::BeforeName | State::AfterName, _) => {
                    self.count += 1;
                    State::Name
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(tag: &str) -> usize {
        let mut attributes = Attributes::default();
        for byte in tag.bytes() {
            attributes.read(&[byte]);
        }
        attributes.count
    }

    #[test]
    fn attributes_are_counted_as_the_tokenizer_does() {
        assert_eq!(count("p"), 0);
        assert_eq!(count("p =a"), 1);
        assert_eq!(count("p a b=c d = e/f g='h i j' k=\"l 'm\"n/o"), 7);
        assert_eq!(count("a href=x/y/z/ title="), 2);
    }
}
