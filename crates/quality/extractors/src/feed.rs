//! A page on its way into the tokenizer.
//!
//! The tokenizer tells when a tag has ended, not when one has begun, and its work
//! for a tag grows with the square of its attributes. So it is fed up to and with
//! a `<` each time. Nothing is pending then but that `<`; if what follows brings
//! no token, a tag or comment has begun there, and its attributes are counted
//! while it is fed.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer};

use crate::limits::{ATTRIBUTES, Limits, PAGE_BYTES};

/// Bytes fed at a time, if no `<` comes before.
const SLICE: u32 = 4 << 10;

/// Feeds a page to its end, or to a tag with too many attributes. Such a tag is
/// left pending, and nothing becomes of it.
pub(crate) fn feed(html: &str, tokenizer: &Tokenizer<Limits>) {
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
        // It stops at the end of every script, in case one is to be run.
        while !queue.is_empty() {
            let _ = tokenizer.feed(&queue);
        }
        if tokenizer.sink.take_progress() {
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

/// Counts the attributes of a tag as the tokenizer does.
#[derive(Default)]
struct Attributes {
    state: State,
    count: usize,
}

/// Where in a tag its next byte is.
#[derive(Clone, Copy, Default)]
enum State {
    #[default]
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    /// Inside these quotes.
    Quoted(u8),
    Unquoted,
}

impl Attributes {
    /// Reads what comes after the `<`, piece by piece.
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
