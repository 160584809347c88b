//! Text with its styles as one line of Markdown, or as lines with breaks.

use crate::escape::{Context, escape};
use crate::options::MarkdownOptions;
use crate::structure::{Image, Joint, Span, Style};

/// The text of a paragraph, heading or cell, from one or more blocks.
#[derive(Debug, Default)]
pub(crate) struct Inline {
    /// A `\n` is a line break.
    text: String,
    spans: Vec<(usize, usize, Style)>,
    /// Positions of images, with their texts and addresses.
    images: Vec<(usize, String, String)>,
}

impl Inline {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.images.is_empty()
    }

    /// Appends the text of a block.
    pub(crate) fn push(&mut self, text: &str, joint: Joint, spans: &[Span], images: &[Image]) {
        self.separate(joint, text.chars().next());
        let start = self.text.len();
        self.text.push_str(text);
        for Image { at, alt, source } in images {
            let image = (start + *at as usize, alt.clone(), source.clone());
            self.images.push(image);
        }
        for span in spans {
            let span_start = start + span.start as usize;
            let span_end = start + span.end as usize;
            let continued = self.spans.iter_mut().rev().find(|(_, end, style)| {
                *style == span.style && *end <= start && span_start == start
            });
            match continued {
                Some((_, end, _)) if self.text[*end..start].trim().is_empty() => *end = span_end,
                _ => self.spans.push((span_start, span_end, span.style.clone())),
            }
        }
    }

    pub(crate) fn push_image(&mut self, alt: &str, source: &str, joint: Joint) {
        self.separate(joint.max(Joint::Space), None);
        let image = (self.text.len(), alt.to_owned(), source.to_owned());
        self.images.push(image);
    }

    fn separate(&mut self, joint: Joint, next: Option<char>) {
        if self.is_empty() {
            return;
        }
        let previous = self.text.chars().next_back();
        let after_image = self
            .images
            .last()
            .is_some_and(|(at, ..)| *at == self.text.len());
        match joint {
            Joint::Line => self.text.push('\n'),
            Joint::Glued if !after_image && !words(previous, next) => {}
            _ => self.text.push(' '),
        }
    }

    /// Writes the text as Markdown.
    pub(crate) fn write(&self, context: Context, options: &MarkdownOptions) -> String {
        let spans = self.kept_spans(options);
        let writer = Writer {
            inline: self,
            context,
            images: options.images,
        };
        let mut out = String::with_capacity(self.text.len() + self.text.len() / 8);
        let ends = Ends {
            start: 0,
            end: self.text.len(),
            with_start: true,
            with_end: true,
        };
        writer.range(&mut out, ends, &spans);
        out.truncate(out.trim_end_matches(' ').len());
        out
    }

    /// The spans to write: trimmed, either apart or nested, in the order of their starts.
    fn kept_spans(&self, options: &MarkdownOptions) -> Vec<Kept<'_>> {
        let mut spans: Vec<Kept<'_>> = Vec::new();
        for (start, end, style) in &self.spans {
            let wanted = match style {
                Style::Link(address) => options.links && usable(address),
                Style::Code => true,
                _ => options.emphasis,
            };
            let (Some(text), true) = (self.text.get(*start..*end), wanted) else {
                continue;
            };
            // At the start of a link, a bracket and a colon in code are read as the label of a reference.
            if *style == Style::Code && options.links && text.contains("]:") {
                continue;
            }
            if *style == Style::Code {
                // A line break ends it.
                let mut from = *start;
                for line in text.split('\n') {
                    spans.extend(Kept::trimmed(&self.text, from, from + line.len(), style));
                    from += line.len() + 1;
                }
            } else {
                spans.extend(Kept::trimmed(&self.text, *start, *end, style));
            }
        }
        // Longer ones first; of equal ones, links are around emphasis, and code is inside.
        spans.sort_by_key(|kept| (kept.start, usize::MAX - kept.end, rank(kept.style)));
        merge_code(&mut spans);
        let mut around: Vec<Kept<'_>> = Vec::new();
        spans.retain(|kept| {
            while around.last().is_some_and(|outer| outer.end <= kept.start) {
                around.pop();
            }
            let fits = around.iter().all(|outer| kept.fits_in(outer));
            if fits {
                around.push(*kept);
            }
            fits
        });
        spans
    }
}

/// Joins code spans that touch: their backticks would be one run.
fn merge_code(spans: &mut Vec<Kept<'_>>) {
    let mut last: Option<usize> = None;
    let mut kept: Vec<Kept<'_>> = Vec::with_capacity(spans.len());
    for span in spans.drain(..) {
        match last.map(|last| &mut kept[last]) {
            Some(code) if *span.style == Style::Code && span.start <= code.end => {
                code.end = code.end.max(span.end);
                continue;
            }
            _ if *span.style == Style::Code => last = Some(kept.len()),
            _ => {}
        }
        kept.push(span);
    }
    *spans = kept;
}

/// Whether both characters are of words, so that gluing them would make one word of two. Scripts
/// without spaces have no such words.
fn words(previous: Option<char>, next: Option<char>) -> bool {
    let of_word =
        |c: char| c.is_alphanumeric() && !matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{20000}'..);
    previous.is_some_and(of_word) && next.is_some_and(of_word)
}

fn rank(style: &Style) -> u8 {
    match style {
        Style::Link(_) => 0,
        Style::Strong => 1,
        Style::Emphasis => 2,
        Style::Strike => 3,
        Style::Code => 4,
    }
}

/// Whether an address can be written: scripts are not addresses.
fn usable(address: &str) -> bool {
    let scheme = address
        .split([':', '/', '?', '#'])
        .next()
        .unwrap_or_default();
    let has_scheme = address.as_bytes().get(scheme.len()) == Some(&b':');
    let known = ["http", "https", "mailto", "ftp", "tel"];
    !has_scheme || known.iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// A span that is written.
#[derive(Clone, Copy, Debug)]
struct Kept<'i> {
    start: usize,
    end: usize,
    style: &'i Style,
}

impl<'i> Kept<'i> {
    /// A span without the whitespace at its ends; `None` if it has no text.
    fn trimmed(text: &str, start: usize, end: usize, style: &'i Style) -> Option<Self> {
        let span = &text[start..end];
        let start = start + (span.len() - span.trim_start().len());
        let end = start + span.trim().len();
        (start < end).then_some(Self { start, end, style })
    }

    /// Whether a span after this one in order can be written: it begins behind it, or in it. Emphasis
    /// in emphasis is written only if both are the same text, because `**a *b***` and its like are
    /// read in several ways.
    fn fits_in(&self, outer: &Self) -> bool {
        if self.start >= outer.end {
            return true;
        }
        let inside = self.end <= outer.end;
        let same = (self.start, self.end) == (outer.start, outer.end);
        inside
            && match (outer.style, self.style) {
                (Style::Code, _) | (Style::Link(_), Style::Link(_)) => false,
                (Style::Link(_), _) | (_, Style::Link(_) | Style::Code) => true,
                (Style::Strong, Style::Emphasis) => same,
                _ => false,
            }
    }
}

/// Writes parts of a text.
struct Writer<'i> {
    inline: &'i Inline,
    context: Context,
    images: bool,
}

/// A part of the text, and whether the images at its ends are in it.
#[derive(Clone, Copy)]
struct Ends {
    start: usize,
    end: usize,
    with_start: bool,
    with_end: bool,
}

impl Ends {
    fn inside(span: &Kept<'_>) -> Self {
        Self {
            start: span.start,
            end: span.end,
            with_start: false,
            with_end: false,
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
            self.span(out, span, inner);
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
        let first = images.partition_point(|(image, ..)| *image < ends.start);
        for (image, alt, source) in &images[first..] {
            if *image > ends.end {
                break;
            }
            let is_at_end =
                *image == ends.start && !ends.with_start || *image == ends.end && !ends.with_end;
            if is_at_end {
                continue;
            }
            escape(out, &self.inline.text, at..*image, self.context);
            let rest = &self.inline.text[*image..];
            let is_before_text = !rest.is_empty() && !rest.starts_with(char::is_whitespace);
            if self.image(out, alt, source) && is_before_text {
                out.push(' ');
            }
            at = *image;
        }
        escape(out, &self.inline.text, at..ends.end, self.context);
    }

    /// Writes an image. Returns false if it is not written.
    fn image(&self, out: &mut String, alt: &str, source: &str) -> bool {
        if !self.images || !usable(source) {
            return false;
        }
        // An image is a word.
        let is_after_text = out.chars().next_back().is_some_and(|c| !c.is_whitespace());
        out.push_str(if is_after_text { " ![" } else { "![" });
        // Brackets are escaped wherever they are.
        escape(out, alt, 0..alt.len(), Context::Cell);
        out.push_str("](");
        address(out, source);
        out.push(')');
        true
    }

    fn span(&self, out: &mut String, span: &Kept<'_>, inside: &[Kept<'_>]) {
        let delimiter = match span.style {
            Style::Code => return self.code(out, &self.inline.text[span.start..span.end]),
            Style::Link(to) => {
                out.push('[');
                self.range(out, Ends::inside(span), inside);
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
        self.range(&mut inner, Ends::inside(span), inside);
        let before = out.chars().next_back();
        let after = self.inline.text[span.end..].chars().next();
        if emphasizes(before, &inner, after) {
            out.push_str(delimiter);
            out.push_str(&inner);
            out.push_str(delimiter);
        } else {
            self.range(out, Ends::inside(span), inside);
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
    use crate::escape::Context;
    use crate::options::MarkdownOptions;
    use crate::structure::{Joint, Span, Style};

    fn span(start: u32, end: u32, style: Style) -> Span {
        Span { start, end, style }
    }

    fn written(text: &str, spans: &[Span]) -> String {
        let mut inline = Inline::default();
        inline.push(text, Joint::Paragraph, spans, &[]);
        let options = MarkdownOptions {
            links: true,
            images: true,
            ..MarkdownOptions::default()
        };
        inline.write(Context::Paragraph, &options)
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
