//! Texts that are judged at the end of their element: formulas, links of headings to themselves, numbers of lines,
//! exponents.

use crate::dom_path::Names;
use crate::elements::Tag;
use crate::exponent::{is_exponent, takes_exponent};
use crate::no_text::names_line_numbers;
use crate::sight::Sight;
use crate::text::Mark;

/// A text that is judged at the end of its element.
#[derive(Debug)]
pub(crate) struct Tentative {
    is: Is,
    tag: Tag,
    /// The number of open elements around it.
    depth: usize,
    /// Where it begins.
    pub(crate) mark: Mark,
}

/// The possible use of a tentative text.
#[derive(Debug)]
enum Is {
    /// A formula, of which TeX is shown if the page has it. An element at the depth `tex_at` has it.
    Formula { tex: String, tex_at: Option<usize> },
    /// A link from a heading to itself: `¶`, `#`.
    Permalink,
    /// The number of a line of code.
    LineNumber,
    /// A text above the line, right after one that can have an exponent.
    Exponent,
}

/// The decision about a tentative text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Kept,
    Dropped,
    /// It is replaced by this TeX.
    Formula(String),
    /// It is an exponent of the text before it.
    Exponent(String),
}

impl Tentative {
    /// Returns the text that begins with a tag, if it is tentative. `depth` is the number of open elements
    /// around it, `in_code` says that it is in a `pre`, and `before` is the text right before the tag.
    pub(crate) fn of(
        tag: Tag,
        names: Names<'_>,
        sight: &Sight<'_>,
        in_code: bool,
        depth: usize,
        before: &str,
        mark: impl FnOnce() -> Mark,
    ) -> Option<Self> {
        let is = if tag == Tag::Math {
            Is::Formula {
                tex: sight.formula.to_string(),
                tex_at: None,
            }
        } else if in_code && (sight.fragment || names_line_numbers(names.class)) {
            Is::LineNumber
        } else if sight.fragment {
            Is::Permalink
        } else if tag == Tag::Sup && takes_exponent(before) {
            Is::Exponent
        } else {
            return None;
        };
        Some(Self {
            is,
            tag,
            depth,
            mark: mark(),
        })
    }

    /// Notes that the element at this depth has the TeX of the formula.
    pub(crate) fn tex_is_at(&mut self, depth: usize) {
        if let Is::Formula { tex_at, .. } = &mut self.is {
            *tex_at = Some(depth);
        }
    }

    /// Handles text at this depth that is not shown.
    pub(crate) fn hidden_text(&mut self, text: &str, depth: usize) {
        if let Is::Formula { tex, tex_at } = &mut self.is
            && *tex_at == Some(depth)
        {
            tex.push_str(text);
        }
    }

    /// Whether its element has ended, after the end of an element `tag` that leaves `depth` open elements.
    pub(crate) fn is_ended(&self, tag: Tag, depth: usize) -> bool {
        self.depth > depth || self.tag == tag && self.depth == depth
    }

    /// Judges the text, which follows `before`. One whose element was closed from outside, at a lower `depth`, is
    /// kept.
    pub(crate) fn verdict(self, text: &str, before: &str, depth: usize) -> Verdict {
        let is_kept = match &self.is {
            _ if self.depth > depth => true,
            Is::Formula { tex, .. } => tex.trim().is_empty(),
            Is::Permalink => text.contains(char::is_alphanumeric),
            Is::LineNumber => text.contains(|c: char| !c.is_ascii_digit() && !c.is_whitespace()),
            Is::Exponent => !is_exponent(text, before),
        };
        match self.is {
            _ if is_kept => Verdict::Kept,
            Is::Formula { tex, .. } => Verdict::Formula(tex),
            Is::Permalink | Is::LineNumber => Verdict::Dropped,
            Is::Exponent => Verdict::Exponent(text.to_owned()),
        }
    }
}
