//! Pages whose text is wrapped into labelled `<span>` elements.
//!
//! A page is read as a stream of tokens with a stack of spans, not as a tree. The files
//! are serialised DOMs of an annotator's browser, and the HTML rules of tree building
//! would change them: in `<p><span class="x-nc-sel2"><div>` the `<div>` ends the
//! paragraph and the span, and the text loses its label. Tags in the files nest as in
//! the DOM, so the span opened last is the innermost. All spans are closed in the 621
//! files of L3S-GN1.

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

use crate::error::GoldErrorKind;
use crate::text_builder::{Gap, TextBuilder};
use crate::{File, GoldError, decode};

/// A piece of a page.
#[derive(Debug)]
enum Piece<L> {
    /// A text with its innermost label.
    Text(Option<L>, String),
    /// A separator between two texts.
    Gap(Gap),
}

/// The texts of a page in document order, each with the label of the innermost labelled
/// `<span>` around it.
#[derive(Debug)]
pub(crate) struct LabelledPage<L> {
    pieces: Vec<Piece<L>>,
}

impl<L: Copy + PartialEq> LabelledPage<L> {
    /// Reads a page. `label` maps the value of `attribute` of a `<span>` to its label.
    pub(crate) fn read(
        file: File<'_>,
        attribute: &'static str,
        label: impl Fn(&str) -> Option<L>,
    ) -> Result<Self, GoldError> {
        let html = decode::text(file)?;
        let error = |kind: GoldErrorKind, offset| kind.at_byte(file, html.as_bytes(), offset);
        let own_label = |tag: &StartTag<usize>| {
            let value = tag.attributes.get(attribute.as_bytes())?;
            label(&String::from_utf8_lossy(value))
        };
        let mut pieces = Vec::new();
        let mut spans = Spans::default();
        // The open element whose content is not text, with the offset of its start tag.
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
                        return Err(error(GoldErrorKind::StraySpanEnd, tag.span.start));
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
            return Err(error(GoldErrorKind::OpenRawElement { element }, start));
        }
        if let Some((_, start)) = spans.0.last() {
            return Err(error(GoldErrorKind::OpenSpan, *start));
        }
        if !has_label {
            return Err(GoldErrorKind::NoLabel { attribute }.for_file(file));
        }
        Ok(LabelledPage { pieces })
    }

    /// Returns the text whose label is `wanted`. A block of the page and a change of
    /// label begin a line. Text that is left out becomes at least a space.
    pub(crate) fn text(&self, wanted: impl Fn(L) -> bool) -> String {
        let mut lines = TextBuilder::default();
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

/// The stack of open spans, each with the label of its text and the offset of its tag.
#[derive(Debug)]
struct Spans<L>(Vec<(Option<L>, usize)>);

impl<L> Default for Spans<L> {
    fn default() -> Self {
        Spans(Vec::new())
    }
}

impl<L: Copy> Spans<L> {
    /// The label of the text at the current position.
    fn label(&self) -> Option<L> {
        self.0.last().and_then(|(label, _)| *label)
    }

    /// Opens a span. A span without a label inherits the label around it.
    fn open(&mut self, label: Option<L>, start: usize) {
        self.0.push((label.or(self.label()), start));
    }

    /// Closes the innermost span. Returns `false` if none is open.
    fn close(&mut self) -> bool {
        self.0.pop().is_some()
    }
}

/// Returns the name of an element whose content is not visible text.
fn raw_element(name: &str) -> Option<&'static str> {
    ["script", "style", "noscript", "iframe", "noembed"]
        .into_iter()
        .find(|raw| *raw == name)
}

/// Returns the separator that a tag puts between the words before and after it.
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
