//! Pages whose text is wrapped into labelled `<span>`.
//!
//! Read as a stream of tokens, with a stack of spans. A tree would be wrong here:
//! the files are the DOM of an annotator's browser, written out, and the rules by
//! which HTML builds a tree would change it. `<p><span class="x-nc-sel2"><div>`
//! is one: `<div>` ends the paragraph, the span with it, and the text loses its
//! label. Tags in the files nest as the DOM did, so the span that was opened last
//! is the innermost; in all 621 files of L3S-GN1 every one is closed.

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

use crate::error::Reason;
use crate::lines::{Gap, Lines};
use crate::{File, GoldError, decode};

/// What is in a page, in its order.
#[derive(Debug)]
enum Piece<L> {
    /// Text under its innermost label.
    Text(Option<L>, String),
    Gap(Gap),
}

/// A page in pieces of text, each under the label of the innermost labelled
/// `<span>` around it.
#[derive(Debug)]
pub(crate) struct Labelled<L> {
    pieces: Vec<Piece<L>>,
}

impl<L: Copy + PartialEq> Labelled<L> {
    /// Reads a page; `label` tells the label of a `<span>` from its `attribute`.
    pub(crate) fn read(
        file: File<'_>,
        attribute: &'static str,
        label: impl Fn(&str) -> Option<L>,
    ) -> Result<Self, GoldError> {
        let html = decode::text(file)?;
        let error = |reason: Reason, offset| reason.at(file, html.as_bytes(), offset);
        let own_label = |tag: &StartTag<usize>| {
            let value = tag.attributes.get(attribute.as_bytes())?;
            label(&String::from_utf8_lossy(value))
        };
        let mut pieces = Vec::new();
        let mut spans = Spans::default();
        // The element whose content is not text, and where it was opened.
        let mut raw: Option<(&'static str, usize)> = None;
        let mut has_label = false;

        let mut emitter = DefaultEmitter::<usize>::new_with_span();
        emitter.naively_switch_states(true);
        for token in Tokenizer::new_with_emitter(&html, emitter) {
            let Ok(token) = token;
            match token {
                Token::StartTag(tag) => {
                    let (name, start) = (String::from_utf8_lossy(&tag.name), tag.span.start);
                    pieces.push(Piece::Gap(gap(&name)));
                    raw = raw.or(raw_element(&name).map(|element| (element, start)));
                    if name == "span" {
                        let label = own_label(&tag);
                        has_label |= label.is_some();
                        spans.open(label, start);
                    }
                }
                Token::EndTag(tag) => {
                    let name = String::from_utf8_lossy(&tag.name);
                    pieces.push(Piece::Gap(gap(&name)));
                    raw = raw.filter(|(element, _)| *element != name);
                    if name == "span" && !spans.close() {
                        return Err(error(Reason::StraySpanEnd, tag.span.start));
                    }
                }
                Token::String(text) if raw.is_none() => {
                    let text = String::from_utf8_lossy(&text).into_owned();
                    pieces.push(Piece::Text(spans.label(), text));
                }
                _ => {}
            }
        }
        if let Some((element, start)) = raw {
            return Err(error(Reason::OpenRawElement { element }, start));
        }
        if let Some((_, start)) = spans.0.last() {
            return Err(error(Reason::OpenSpan, *start));
        }
        if !has_label {
            return Err(Reason::NoLabel { attribute }.of(file));
        }
        Ok(Labelled { pieces })
    }

    /// The text under the labels that are wanted. A block of the page and a change
    /// of label begin a line; text that is left out is a space at least.
    pub(crate) fn text(&self, wanted: impl Fn(L) -> bool) -> String {
        let mut lines = Lines::default();
        let mut last = None;
        for piece in &self.pieces {
            match piece {
                Piece::Gap(gap) => lines.gap(*gap),
                Piece::Text(_, text) if text.trim_ascii().is_empty() => lines.push(text),
                Piece::Text(Some(label), text) if wanted(*label) => {
                    if last.replace(*label).is_some_and(|last| last != *label) {
                        lines.gap(Gap::Line);
                    }
                    lines.push(text);
                }
                Piece::Text(..) => lines.gap(Gap::Space),
            }
        }
        lines.finish()
    }
}

/// The open spans: of each the label of its text, and where it was opened.
#[derive(Debug)]
struct Spans<L>(Vec<(Option<L>, usize)>);

impl<L> Default for Spans<L> {
    fn default() -> Self {
        Spans(Vec::new())
    }
}

impl<L: Copy> Spans<L> {
    /// The label of the text that comes now.
    fn label(&self) -> Option<L> {
        self.0.last().and_then(|(label, _)| *label)
    }

    /// A span without a label has the one around it.
    fn open(&mut self, label: Option<L>, start: usize) {
        self.0.push((label.or(self.label()), start));
    }

    /// Whether there was one to close.
    fn close(&mut self) -> bool {
        self.0.pop().is_some()
    }
}

/// An element whose content no reader sees.
fn raw_element(name: &str) -> Option<&'static str> {
    ["script", "style", "noscript", "iframe", "noembed"]
        .into_iter()
        .find(|raw| *raw == name)
}

/// What a tag does to the words before and after it.
fn gap(name: &str) -> Gap {
    match name {
        "a" | "abbr" | "acronym" | "b" | "bdi" | "bdo" | "big" | "cite" | "code" | "data"
        | "del" | "dfn" | "em" | "font" | "i" | "ins" | "kbd" | "label" | "mark" | "nobr" | "q"
        | "s" | "samp" | "small" | "span" | "strike" | "strong" | "sub" | "sup" | "time" | "tt"
        | "u" | "var" | "wbr" | "script" | "style" | "noscript" => Gap::None,
        "img" | "iframe" | "input" | "button" | "ruby" | "rt" | "rp" => Gap::Space,
        _ => Gap::Line,
    }
}
