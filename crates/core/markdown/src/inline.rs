//! Text with its styles as one line of Markdown, or as lines with breaks.

use std::ops::Range;

use crate::address::Addresses;
use crate::blank::is_blank;
use crate::context::Context;
use crate::escape::escape;
use crate::form::Form;
use crate::formula::{Dollars, Formulas, Sought};
use crate::spans::{Kept, code, styled, writable};
use crate::structure::{Image, Joint, Span, Style};

/// The text of a paragraph, heading or cell, from one or more blocks.
#[derive(Debug, Default)]
pub(crate) struct Inline {
    /// A `\n` is a line break.
    text: String,
    /// Starts, ends and styles. Addresses are absolute.
    spans: Vec<(usize, usize, Style)>,
    /// In the order of their positions.
    images: Vec<Shown>,
}

/// An image in a text.
#[derive(Debug)]
struct Shown {
    at: usize,
    alt: String,
    /// `None` if the image is not written.
    source: Option<String>,
    link: Option<String>,
}

impl Inline {
    /// Whether there is nothing to see.
    pub(crate) fn is_blank(&self) -> bool {
        is_blank(&self.text) && self.images.iter().all(|image| image.source.is_none())
    }

    /// Appends the text of a block.
    pub(crate) fn push(
        &mut self,
        text: &str,
        joint: Joint,
        (spans, images): (&[Span], &[Image]),
        addresses: &Addresses,
    ) {
        self.separate(joint, text.chars().next());
        let start = self.text.len();
        self.text.push_str(text);
        for image in images {
            let at = start + image.at as usize;
            self.images.push(Shown::new(image, at, addresses));
        }
        for span in spans {
            let Some(style) = addresses.style(&span.style) else {
                continue;
            };
            let span_start = start + span.start as usize;
            let span_end = start + span.end as usize;
            let continued =
                self.spans.iter_mut().rev().find(|(_, end, before)| {
                    *before == style && *end <= start && span_start == start
                });
            match continued {
                Some((_, end, _)) if self.text[*end..start].trim().is_empty() => *end = span_end,
                _ => self.spans.push((span_start, span_end, style)),
            }
        }
    }

    /// Appends an image that is between blocks.
    pub(crate) fn push_image(&mut self, image: &Image, joint: Joint, addresses: &Addresses) {
        self.separate(joint.max(Joint::Space), None);
        let at = self.text.len();
        self.images.push(Shown::new(image, at, addresses));
    }

    fn separate(&mut self, joint: Joint, next: Option<char>) {
        if self.text.is_empty() && self.images.is_empty() {
            return;
        }
        let previous = self.text.chars().next_back();
        let last = self.images.last();
        let after_image = last.is_some_and(|image| image.at == self.text.len());
        match joint {
            Joint::Line => self.text.push('\n'),
            Joint::Glued if !after_image && !words(previous, next) => {}
            _ => self.text.push(' '),
        }
    }

    /// Writes the text as Markdown.
    pub(crate) fn write(&self, context: Context, form: &Form) -> String {
        let spans = styled(&self.text, &self.spans, form);
        let images: Vec<usize> = self.images.iter().map(|image| image.at).collect();
        let formulas = Formulas::find(Sought {
            text: &self.text,
            code: &code(&spans),
            images: &images,
            context,
            has_tex: form.has_tex,
        });
        let spans = writable(&self.text, spans, &formulas);
        let writer = Writer {
            inline: self,
            context,
            dollars: self.dollars(&spans, &formulas),
            formulas,
        };
        let mut out = String::with_capacity(self.text.len() + self.text.len() / 8);
        let ends = Ends {
            start: 0,
            end: self.text.len(),
            with_start: true,
            with_end: true,
            in_link: false,
        };
        writer.range(&mut out, ends, &spans);
        out.truncate(out.trim_end_matches(' ').len());
        out
    }

    /// The dollars that a reader with math sees, with those of addresses.
    fn dollars(&self, spans: &[Kept<'_>], formulas: &Formulas) -> Dollars {
        let images = self.images.iter().map(|image| image.at);
        let marks = spans.iter().flat_map(|span| [span.start, span.end]);
        let dollars = formulas.dollars.clone();
        let dollars = dollars.with_marks(&self.text, marks.chain(images).collect());
        let of_spans = |span: &Kept<'_>| matches!(span.style, Style::Link(to) if to.contains('$'));
        let of_images = |image: &Shown| {
            let addresses = [&image.source, &image.link].into_iter().flatten();
            let mut texts = addresses.chain([&image.alt]);
            texts.any(|text| text.contains('$'))
        };
        if spans.iter().any(of_spans) || self.images.iter().any(of_images) {
            dollars.anywhere()
        } else {
            dollars
        }
    }
}

impl Shown {
    fn new(image: &Image, at: usize, addresses: &Addresses) -> Self {
        Self {
            at,
            alt: image.alt.clone(),
            source: addresses.image(&image.source),
            link: (image.link.as_ref()).and_then(|link| addresses.link(link)),
        }
    }
}

/// Whether both characters are of words, so that gluing them would make one word of two. Scripts
/// without spaces have no such words.
fn words(previous: Option<char>, next: Option<char>) -> bool {
    let of_word =
        |c: char| c.is_alphanumeric() && !matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{20000}'..);
    previous.is_some_and(of_word) && next.is_some_and(of_word)
}

/// Writes parts of a text.
struct Writer<'i> {
    inline: &'i Inline,
    context: Context,
    formulas: Formulas,
    dollars: Dollars,
}

/// A part of the text, and whether the images at its ends are in it.
#[derive(Clone, Copy)]
struct Ends {
    start: usize,
    end: usize,
    with_start: bool,
    with_end: bool,
    /// Whether a link is around it, which can have no link inside.
    in_link: bool,
}

impl Ends {
    fn inside(self, span: &Kept<'_>) -> Self {
        Self {
            start: span.start,
            end: span.end,
            with_start: false,
            with_end: false,
            in_link: self.in_link || matches!(span.style, Style::Link(_)),
        }
    }
}

impl Writer<'_> {
    /// Writes `text[start..end]` with these spans inside it. Images at its ends are outside of a span.
    fn range(&self, out: &mut String, ends: Ends, spans: &[Kept<'_>]) {
        let mut from = Ends { end: 0, ..ends };
        let mut rest = spans;
        while let Some((span, after)) = rest.split_first() {
            let inside = after.iter().take_while(|inner| inner.start < span.end);
            let (inner, after) = after.split_at(inside.count());
            self.text(
                out,
                Ends {
                    end: span.start,
                    with_end: true,
                    ..from
                },
            );
            self.span(out, ends.inside(span), span, inner);
            from = Ends {
                start: span.end,
                with_start: true,
                ..from
            };
            rest = after;
        }
        self.text(
            out,
            Ends {
                end: ends.end,
                with_end: ends.with_end,
                ..from
            },
        );
    }

    /// Writes text without spans, and the images in it.
    fn text(&self, out: &mut String, ends: Ends) {
        let mut at = ends.start;
        let images = &self.inline.images;
        let first = images.partition_point(|image| image.at < ends.start);
        for image in &images[first..] {
            if image.at > ends.end {
                break;
            }
            let is_at_end = image.at == ends.start && !ends.with_start
                || image.at == ends.end && !ends.with_end;
            if is_at_end {
                continue;
            }
            self.plain(out, at..image.at);
            let rest = &self.inline.text[image.at..];
            let is_before_text = !rest.is_empty() && !rest.starts_with(char::is_whitespace);
            if self.image(out, image, ends.in_link) && is_before_text {
                out.push(' ');
            }
            at = image.at;
        }
        self.plain(out, at..ends.end);
    }

    /// Writes text without spans and images: formulas as they are, the rest escaped.
    fn plain(&self, out: &mut String, part: Range<usize>) {
        let (text, context) = (&self.inline.text, self.context);
        let mut at = part.start;
        for formula in self.formulas.within(&part) {
            escape(out, text, at..formula.start, context, &self.dollars);
            formula.write(out, text, context);
            at = formula.end;
        }
        escape(out, text, at..part.end, context, &self.dollars);
    }

    /// Writes an image. Returns false if it is not written.
    fn image(&self, out: &mut String, image: &Shown, in_link: bool) -> bool {
        let Some(source) = &image.source else {
            return false;
        };
        let link = image.link.as_ref().filter(|_| !in_link);
        // An image is a word.
        let is_after_text = out.chars().next_back().is_some_and(|c| !c.is_whitespace());
        out.push_str(if is_after_text { " " } else { "" });
        out.push_str(if link.is_some() { "[![" } else { "![" });
        // Brackets are escaped wherever they are.
        let alt = &image.alt;
        let dollars = Dollars::default().anywhere();
        escape(out, alt, 0..alt.len(), Context::Cell, &dollars);
        for to in [Some(source), link].into_iter().flatten() {
            out.push_str("](");
            address(out, to);
            out.push(')');
        }
        true
    }

    fn span(&self, out: &mut String, ends: Ends, span: &Kept<'_>, inside: &[Kept<'_>]) {
        let delimiter = match span.style {
            Style::Code => return self.code(out, &self.inline.text[span.start..span.end]),
            Style::Link(to) => {
                out.push('[');
                self.range(out, ends, inside);
                out.push_str("](");
                address(out, to);
                out.push(')');
                return;
            }
            Style::Strong => "**",
            Style::Emphasis => "*",
            Style::Strike => "~~",
        };
        let mut inner = String::new();
        self.range(&mut inner, ends, inside);
        let before = out.chars().next_back();
        let after = self.inline.text[span.end..].chars().next();
        if emphasizes(before, &inner, after) {
            out.push_str(delimiter);
            out.push_str(&inner);
            out.push_str(delimiter);
        } else {
            self.range(out, ends, inside);
        }
    }

    /// Writes code between more backticks than it has in a row.
    fn code(&self, out: &mut String, text: &str) {
        let longest = longest_run(text, '`');
        let fence = "`".repeat(longest + 1);
        out.push_str(&fence);
        let pad = text.starts_with('`') || text.ends_with('`');
        out.push_str(if pad { " " } else { "" });
        if self.context == Context::Cell {
            out.push_str(&text.replace('|', "\\|"));
        } else {
            out.push_str(text);
        }
        out.push_str(if pad { " " } else { "" });
        out.push_str(&fence);
    }
}

/// The length of the longest run of a character.
pub(crate) fn longest_run(text: &str, of: char) -> usize {
    let runs = text.split(|c| c != of).map(|run| run.len() / of.len_utf8());
    runs.max().unwrap_or(0)
}

/// Whether delimiters around this text emphasise it. CommonMark's rule depends on the characters on both
/// sides; this one is stricter, so that no table of punctuation is needed.
/// <https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run>
fn emphasizes(before: Option<char>, inner: &str, after: Option<char>) -> bool {
    let (Some(first), Some(last)) = (inner.chars().next(), inner.chars().next_back()) else {
        return false;
    };
    let beside = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || c.is_ascii_punctuation());
    let opens = first.is_alphanumeric() || beside(before);
    let closes = last.is_alphanumeric() || beside(after);
    let apart = !matches!(before, Some('*' | '~')) && !inner.ends_with('\\');
    opens && closes && apart
}

/// Writes an address so that nothing in it ends the link.
fn address(out: &mut String, address: &str) {
    for c in address.chars() {
        match c {
            '(' | ')' | '<' | '>' | '[' | ']' | '\\' | '`' | '|' | '"' | '*' | '~' => {
                out.push_str(&format!("%{:02X}", u32::from(c)));
            }
            // A character reference would be decoded.
            '&' => out.push_str("&amp;"),
            c if c.is_control() => {}
            c if c.is_whitespace() => out.push_str("%20"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Inline, address, emphasizes};
    use crate::context::Context;
    use crate::form::Form;
    use crate::options::MarkdownOptions;
    use crate::structure::{Joint, Span, Structure, Style};

    fn span(start: u32, end: u32, style: Style) -> Span {
        Span { start, end, style }
    }

    fn written(text: &str, spans: &[Span]) -> String {
        let mut inline = Inline::default();
        let options = MarkdownOptions::default().with_links(true);
        let form = Form::new(&Structure::default(), "", &options);
        inline.push(text, Joint::Paragraph, (spans, &[]), &form.addresses);
        inline.write(Context::Paragraph, &form)
    }

    #[test]
    fn styles_are_written_where_they_are_read_as_styles() {
        let strong = |start, end| span(start, end, Style::Strong);
        assert_eq!(written("a bold word", &[strong(2, 6)]), "a **bold** word");
        // A closing delimiter after punctuation and before a letter closes nothing.
        assert_eq!(written("bold:word", &[strong(0, 5)]), "bold:word");
        assert_eq!(written("Note: a", &[strong(0, 6)]), "**Note:** a");
        let both = [strong(0, 1), span(0, 1, Style::Emphasis)];
        assert_eq!(written("x y", &both), "***x*** y");
    }

    #[test]
    fn code_is_not_escaped_and_its_backticks_are_inside() {
        let code = |start, end| [span(start, end, Style::Code)];
        assert_eq!(written("see a*b", &code(4, 7)), "see `a*b`");
        assert_eq!(written("a `` b", &code(0, 6)), "```a `` b```");
        assert_eq!(written("`x`", &code(0, 3)), "`` `x` ``");
    }

    #[test]
    fn an_address_cannot_end_its_link() {
        let mut out = String::new();
        address(&mut out, "/a b_(c)?x=1&y=<2>");
        assert_eq!(out, "/a%20b_%28c%29?x=1&amp;y=%3C2%3E");
        let script = Style::Link("javascript:alert(1)".into());
        assert_eq!(written("x", &[span(0, 1, script)]), "x");
    }

    #[test]
    fn emphasis_needs_sides_that_open_and_close_it() {
        assert!(emphasizes(None, "a", Some('b')));
        assert!(emphasizes(Some('x'), "a", Some('b')));
        assert!(!emphasizes(Some('x'), "(a)", Some('b')));
        assert!(emphasizes(Some(' '), "(a)", Some(' ')));
    }
}
