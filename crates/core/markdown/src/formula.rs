//! Formulas in TeX. A reader of Markdown with math sees them unchanged, and no formula in prices.

use std::ops::Range;

use crate::context::Context;
use crate::tex::{is_symbols, is_tex, is_word, plain_words};

/// Bytes of a formula. A longer one is a page with two dollars.
const FORMULA_BYTES: usize = 4000;

/// Words of prose in a formula between single dollars. With more, it is a sentence between two prices.
const PLAIN_WORDS: usize = 2;

/// A formula in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Formula {
    /// With its delimiters.
    pub(crate) start: usize,
    pub(crate) end: usize,
    tex: Range<usize>,
    display: bool,
}

/// The formulas of a text in order, and its other dollars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Formulas {
    found: Vec<Formula>,
    pub(crate) dollars: Dollars,
}

/// The dollars of a text that a reader with math could take for the end of a formula.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dollars {
    /// The position after the last one that can end a formula.
    closing: usize,
    /// The position after the last one.
    last: usize,
    /// Positions where marks of Markdown are between the characters of the text, in order.
    marks: Vec<usize>,
}

impl Dollars {
    /// Dollars follow in an address or in the text of an image.
    pub(crate) fn anywhere(self) -> Self {
        Self {
            closing: usize::MAX,
            last: usize::MAX,
            marks: self.marks,
        }
    }

    /// Notes the marks that are written, and the dollars beside them.
    pub(crate) fn with_marks(mut self, text: &str, mut marks: Vec<usize>) -> Self {
        marks.sort_unstable();
        self.marks = marks;
        self.closing = self.closing.max(self.last_closing(text));
        self
    }

    /// Whether the dollar at this position needs a backslash. `$` begins a formula before a character and `$$`
    /// anywhere, if a dollar follows that ends it.
    pub(crate) fn begins_formula(&self, text: &str, at: usize) -> bool {
        let after = text[at..].trim_start_matches('$');
        let end = text.len() - after.len();
        if end > at + 1 || text[..at].ends_with('$') {
            let is_cut = self.marks.iter().any(|mark| (at..=end).contains(mark));
            return self.last > if is_cut { at + 1 } else { end };
        }
        // A line break is written with a backslash.
        let is_spaced = after.starts_with(|c: char| c.is_whitespace() && c != '\n');
        (!is_spaced || self.is_mark(end)) && self.closing > end
    }

    /// The position after the last dollar that can end a formula: after a character, not before a digit.
    fn last_closing(&self, text: &str) -> usize {
        let is_closing = |at: &usize| {
            let before = text[..*at].chars().next_back();
            let after = text[at + 1..].chars().next();
            let follows = before.is_some_and(|c| !c.is_whitespace()) || self.is_mark(*at);
            let is_digit = after.is_some_and(|c| c.is_ascii_digit());
            follows && (!is_digit || self.is_mark(at + 1))
        };
        let mut dollars = text.rmatch_indices('$').map(|(at, _)| at);
        dollars.find(is_closing).map_or(0, |at| at + 1)
    }

    fn is_mark(&self, at: usize) -> bool {
        self.marks.binary_search(&at).is_ok()
    }
}

/// The delimiters of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delimiters {
    /// `$x$`
    Dollar,
    /// `$$x$$`
    Dollars,
    /// `\(x\)`
    Round,
    /// `\[x\]`
    Square,
}

/// A text in which formulas are sought.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought<'t> {
    pub(crate) text: &'t str,
    /// Parts of the text that are code, in order.
    pub(crate) code: &'t [Range<usize>],
    /// Whether an image is at a position.
    pub(crate) images: &'t [usize],
    pub(crate) context: Context,
    /// Whether the page loads MathJax or KaTeX, so that what stands between their delimiters is a formula.
    pub(crate) has_tex: bool,
}

impl Formulas {
    pub(crate) fn find(sought: Sought<'_>) -> Self {
        let text = sought.text;
        let mut formulas = Self::default();
        if !text.contains('$') && !text.contains("\\(") && !text.contains("\\[") {
            return formulas;
        }
        let bytes = text.as_bytes();
        let mut code = sought.code.iter().peekable();
        let mut at = 0;
        while at < bytes.len() {
            while code.next_if(|code| code.end <= at).is_some() {}
            if let Some(code) = code.peek().filter(|code| code.start <= at) {
                at = code.end;
                continue;
            }
            let run = dollars(bytes, at);
            let delimiters = match (bytes[at], bytes.get(at + 1)) {
                (b'\\', Some(b'(')) => Some(Delimiters::Round),
                (b'\\', Some(b'[')) => Some(Delimiters::Square),
                (b'$', _) if run == 1 => Some(Delimiters::Dollar),
                (b'$', _) if run == 2 => Some(Delimiters::Dollars),
                _ => None,
            };
            let found = delimiters.and_then(|delimiters| sought.formula(at, delimiters));
            at = match (&found, bytes[at]) {
                (Some(found), _) => found.end,
                (None, b'$') => at + run,
                (None, b'\\') => at + 2,
                (None, _) => at + 1,
            };
            formulas.found.extend(found);
        }
        formulas.dollars.closing = formulas.dollars.last_closing(text);
        formulas.dollars.last = text.rfind('$').map_or(0, |at| at + 1);
        if let Some(last) = formulas.found.last() {
            formulas.dollars.closing = formulas.dollars.closing.max(last.end);
            formulas.dollars.last = formulas.dollars.last.max(last.end);
        }
        formulas
    }

    /// The formulas in a part of the text.
    pub(crate) fn within(&self, part: &Range<usize>) -> &[Formula] {
        let first = self
            .found
            .partition_point(|formula| formula.start < part.start);
        let rest = &self.found[first..];
        &rest[..rest.partition_point(|formula| formula.end <= part.end)]
    }

    /// Whether markup around or inside `part` of the text leaves its formulas whole. Inside the markup, characters
    /// of a formula must not be read as its end.
    pub(crate) fn are_whole(&self, text: &str, part: &Range<usize>, marks: &[char]) -> bool {
        let first = self
            .found
            .partition_point(|formula| formula.end <= part.start);
        let overlapping = self.found[first..].iter();
        let mut overlapping = overlapping.take_while(|formula| formula.start < part.end);
        overlapping.all(|formula| {
            let is_inside = part.start <= formula.start && formula.end <= part.end;
            is_inside && !text[formula.tex.clone()].contains(marks)
        })
    }
}

impl Formula {
    /// Writes the formula between dollars, which readers with math have in common.
    pub(crate) fn write(&self, out: &mut String, text: &str, context: Context) {
        let delimiter = if self.display { "$$" } else { "$" };
        out.push_str(delimiter);
        let mut tex = text[self.tex.clone()].chars().peekable();
        while let Some(c) = tex.next() {
            match c {
                '|' if context == Context::Cell => out.push_str("\\|"),
                // TeX needs no space there, and a reader without math would take it for a tag.
                '<' if tex
                    .peek()
                    .is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(*c)) =>
                {
                    out.push_str("< ");
                }
                c => out.push(c),
            }
        }
        out.push_str(delimiter);
    }
}

impl Sought<'_> {
    /// The formula that begins at a delimiter.
    fn formula(&self, at: usize, delimiters: Delimiters) -> Option<Formula> {
        let text = self.text;
        let opening = if delimiters == Delimiters::Dollar {
            1
        } else {
            2
        };
        let inner = at + opening;
        let close = closing(text.as_bytes(), inner, delimiters)?;
        let (start, end) = (at, close + opening);
        let tex = &text[inner..close];
        let begin = inner + (tex.len() - tex.trim_start().len());
        let trimmed = tex.trim();
        let range = match delimiters {
            Delimiters::Dollars => inner..close,
            _ => begin..begin + trimmed.len(),
        };
        let code = self.code.partition_point(|code| code.end <= start);
        let has_code = self.code.get(code).is_some_and(|code| code.start < end);
        let image = self.images.partition_point(|image| *image <= start);
        let has_image = self.images.get(image).is_some_and(|image| *image < end);
        let is_plain = !has_code && !has_image && is_safe(trimmed, self.context);
        let before = text[..start].chars().next_back();
        let after = text[end..].chars().next();
        let stands = match delimiters {
            Delimiters::Dollar => trimmed == tex,
            Delimiters::Dollars => true,
            Delimiters::Round | Delimiters::Square => before != Some('$') && after != Some('$'),
        };
        let is_inline = matches!(delimiters, Delimiters::Dollar | Delimiters::Round);
        // The end of a formula in dollars is not before a digit: `$5-$6`.
        let ends = !is_inline || !after.is_some_and(|c| c.is_ascii_digit());
        let is_formula = match delimiters {
            Delimiters::Dollar => self.is_formula_in_dollars(trimmed, before, after),
            _ => self.has_tex || is_tex(trimmed),
        };
        (is_plain && stands && ends && is_formula).then_some(Formula {
            start,
            end,
            tex: range,
            display: !is_inline,
        })
    }

    /// Whether a text between two dollars is a formula, not that between two prices or variables.
    fn is_formula_in_dollars(&self, tex: &str, before: Option<char>, after: Option<char>) -> bool {
        if is_tex(tex) && plain_words(tex) <= PLAIN_WORDS {
            return true;
        }
        let is_apart = !before.is_some_and(|c| c.is_ascii_alphanumeric())
            && !after.is_some_and(|c| c.is_ascii_alphabetic());
        // `$k$th` is a formula, `US$a$` is not.
        let is_letter =
            tex.chars().count() == 1 && !before.is_some_and(|c| c.is_ascii_alphabetic());
        is_symbols(tex) && (is_apart || is_letter) || is_word(tex) && is_apart
    }
}

/// Whether nothing in a formula ends it, or markup around it, for readers with and without math.
fn is_safe(tex: &str, context: Context) -> bool {
    let taken = ["`", "\n", "$", "](", "][", "]:"];
    let has_mark = taken.iter().any(|mark| tex.contains(mark));
    // A reader of tables takes the backslash away.
    let has_bar = context == Context::Cell && tex.contains("\\|");
    (1..=FORMULA_BYTES).contains(&tex.len()) && !has_mark && !has_bar
}

/// The number of dollars at a position.
fn dollars(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|byte| **byte == b'$').count()
}

/// The position of the delimiter that ends a formula. Formulas are not nested.
fn closing(bytes: &[u8], from: usize, delimiters: Delimiters) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() && at - from <= FORMULA_BYTES {
        match (bytes[at], delimiters, bytes.get(at + 1)) {
            (b'\n', ..) => return None,
            (b'$', Delimiters::Dollar, _) => return (dollars(bytes, at) == 1).then_some(at),
            (b'$', Delimiters::Dollars, _) => return (dollars(bytes, at) == 2).then_some(at),
            (b'$', ..) => return None,
            (b'\\', Delimiters::Round, Some(b')')) | (b'\\', Delimiters::Square, Some(b']')) => {
                return Some(at);
            }
            (b'\\', Delimiters::Round | Delimiters::Square, Some(b'(' | b'[' | b')' | b']')) => {
                return None;
            }
            (b'\\', ..) => at += 2,
            _ => at += 1,
        }
    }
    None
}
