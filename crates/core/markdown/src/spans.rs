//! The styles of a text that can be written: either apart or nested.

use std::ops::Range;

use crate::blank::is_blank;
use crate::form::Form;
use crate::formula::Formulas;
use crate::structure::Style;

/// A span that is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept<'i> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) style: &'i Style,
}

/// The spans of a text with the styles that are written, trimmed, in the order of their starts.
pub(crate) fn styled<'i>(
    text: &'i str,
    spans: &'i [(usize, usize, Style)],
    form: &Form,
) -> Vec<Kept<'i>> {
    let mut kept: Vec<Kept<'_>> = Vec::new();
    for (start, end, style) in spans {
        let wanted = matches!(style, Style::Link(_) | Style::Code) || form.emphasis;
        let (Some(part), true) = (text.get(*start..*end), wanted) else {
            continue;
        };
        // At the start of a link, a bracket and a colon in code are read as the label of a reference.
        if *style == Style::Code && form.links && part.contains("]:") {
            continue;
        }
        if *style == Style::Code {
            // A line break ends it.
            let mut from = *start;
            for line in part.split('\n') {
                kept.extend(Kept::trimmed(text, from, from + line.len(), style));
                from += line.len() + 1;
            }
        } else {
            kept.extend(Kept::trimmed(text, *start, *end, style));
        }
    }
    // Longer ones first; of equal ones, links are around emphasis, and code is inside.
    kept.sort_by_key(|kept| (kept.start, usize::MAX - kept.end, rank(kept.style)));
    merge_code(&mut kept);
    kept
}

/// The parts of a text that are code.
pub(crate) fn code(spans: &[Kept<'_>]) -> Vec<Range<usize>> {
    let code = spans.iter().filter(|span| *span.style == Style::Code);
    code.map(|span| span.start..span.end).collect()
}

/// Leaves the spans that can be written: either apart or nested, and around whole formulas.
pub(crate) fn writable<'i>(
    text: &str,
    mut spans: Vec<Kept<'i>>,
    formulas: &Formulas,
) -> Vec<Kept<'i>> {
    let mut around: Vec<Kept<'_>> = Vec::new();
    spans.retain(|kept| {
        while around.last().is_some_and(|outer| outer.end <= kept.start) {
            around.pop();
        }
        let marks: &[char] = match kept.style {
            Style::Link(_) => &['[', ']'],
            _ => &['*', '~'],
        };
        let fits = around.iter().all(|outer| kept.fits_in(outer))
            && formulas.are_whole(text, &(kept.start..kept.end), marks);
        if fits {
            around.push(*kept);
        }
        fits
    });
    spans
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

fn rank(style: &Style) -> u8 {
    match style {
        Style::Link(_) => 0,
        Style::Strong => 1,
        Style::Emphasis => 2,
        Style::Strike => 3,
        Style::Code => 4,
    }
}

impl<'i> Kept<'i> {
    /// A span without the whitespace at its ends; `None` if it has no text that is seen.
    fn trimmed(text: &str, start: usize, end: usize, style: &'i Style) -> Option<Self> {
        let span = &text[start..end];
        let start = start + (span.len() - span.trim_start().len());
        let end = start + span.trim().len();
        (!is_blank(&text[start..end])).then_some(Self { start, end, style })
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
