//! The source of a page as tags and texts, for methods without a tree.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::cell::RefCell;

use crate::dom::is_inline;
use crate::text::TextBuilder;

/// A piece of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A tag, from `<` to `>`.
    Tag { name: &'a str, source: &'a str },
    /// A text between tags, with character references not decoded.
    Text(&'a str),
}

/// An iterator over the pieces of the source. Comments and the elements `script`,
/// `style`, `noscript` and `title` are skipped [Weninger 3, algorithm 1].
pub(crate) struct Pieces<'a> {
    rest: &'a str,
    /// Whether the rest has no end tag of each of these elements.
    unclosed: [bool; SKIPPED.len()],
}

const SKIPPED: [&str; 4] = ["script", "style", "noscript", "title"];

impl<'a> Pieces<'a> {
    pub(crate) fn new(html: &'a str) -> Self {
        Self {
            rest: html,
            unclosed: [false; SKIPPED.len()],
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (piece, rest) = self.rest.split_at(length);
        self.rest = rest;
        piece
    }

    /// Skips the content of an element and its end tag. The content of an unclosed
    /// element is not skipped.
    fn skip_element(&mut self, element: usize) {
        if self.unclosed[element] {
            return;
        }
        match end_tag(self.rest, SKIPPED[element]) {
            Some(length) => drop(self.take(length)),
            None => self.unclosed[element] = true,
        }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let text = markup(self.rest);
            if text > 0 {
                return Some(Piece::Text(self.take(text)));
            }
            if self.rest.starts_with("<!--") {
                let length = self.rest[4..].find("-->");
                self.take(length.map_or(self.rest.len(), |length| 4 + length + 3));
                continue;
            }
            let length = self
                .rest
                .find('>')
                .map_or(self.rest.len(), |close| close + 1);
            let source = self.take(length);
            let name = source[1..].trim_start_matches('/');
            let end = name.find(|c: char| !c.is_ascii_alphanumeric());
            let name = &name[..end.unwrap_or(name.len())];
            let hidden = SKIPPED
                .iter()
                .position(|element| element.eq_ignore_ascii_case(name));
            if let (Some(element), false) = (hidden, source.starts_with("</")) {
                self.skip_element(element);
                continue;
            }
            return Some(Piece::Tag { name, source });
        }
    }
}

/// Returns the number of bytes before the next tag or comment.
fn markup(text: &str) -> usize {
    let bytes = text.as_bytes();
    let begins = |at: &usize| {
        matches!(bytes.get(at + 1), Some(b'/' | b'!' | b'?'))
            || bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
    };
    text.match_indices('<')
        .map(|(at, _)| at)
        .find(begins)
        .unwrap_or(bytes.len())
}

/// Returns the number of bytes up to and including the end tag of an element.
fn end_tag(text: &str, name: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find("</")?;
        let rest = &text.as_bytes()[at + 2..];
        if rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return Some(
                text[at..]
                    .find('>')
                    .map_or(text.len(), |close| at + close + 1),
            );
        }
        from = at + 2;
    }
}

/// Builds the text of the kept pieces.
#[derive(Debug, Default)]
pub(crate) struct KeptSource {
    lines: TextBuilder,
}

impl KeptSource {
    /// Ends the line at a tag that is not inline, whether the text around it is kept or
    /// not.
    pub(crate) fn tag(&mut self, name: &str) {
        if !is_inline(&name.to_ascii_lowercase()) {
            self.lines.end_line();
        }
    }

    pub(crate) fn text(&mut self, source: &str) {
        if source.contains('&') {
            self.lines.push(&decode_references(source));
        } else {
            self.lines.push(source);
        }
    }

    pub(crate) fn finish(self) -> String {
        self.lines.finish()
    }
}

/// Decodes character references such as `&amp;`.
fn decode_references(source: &str) -> String {
    #[derive(Default)]
    struct Characters(RefCell<String>);
    impl TokenSink for Characters {
        type Handle = ();
        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            if let Token::CharacterTokens(text) = token {
                self.0.borrow_mut().push_str(&text);
            }
            TokenSinkResult::Continue
        }
    }
    let tokenizer = Tokenizer::new(Characters::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(source));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_comments_are_skipped() {
        let html =
            "<title>t</title>a < b<!-- <p> --><P class=x>c<script>if (a<b) {}</SCRIPT >d<br/>";
        let pieces: Vec<String> = Pieces::new(html)
            .map(|piece| match piece {
                Piece::Tag { name, .. } => format!("<{name}>"),
                Piece::Text(text) => text.to_owned(),
            })
            .collect();
        assert_eq!(pieces, ["a < b", "<P>", "c", "d", "<br>"]);
    }

    #[test]
    fn the_content_of_unclosed_elements_is_kept() {
        let html = "a<script>b<script>c<!--d";
        let texts: Vec<&str> = Pieces::new(html)
            .filter_map(|piece| match piece {
                Piece::Text(text) => Some(text),
                Piece::Tag { .. } => None,
            })
            .collect();
        assert_eq!(texts, ["a", "b", "c"]);
    }

    #[test]
    fn lines_end_at_blocks_and_references_are_decoded() {
        let mut kept = KeptSource::default();
        kept.text("Tea &amp;\n");
        kept.tag("b");
        kept.text(" milk");
        kept.tag("DIV");
        kept.text("caf&eacute;");
        assert_eq!(kept.finish(), "Tea & milk\ncafé");
    }
}
