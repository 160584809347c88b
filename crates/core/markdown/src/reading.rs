//! The state of a page that is being read.

use crate::structure::{Image, Joint, Span, Style};

/// The state between two events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Open containers with their depths.
    pub(crate) open: Vec<(usize, u32)>,
    pub(crate) styles: Vec<OpenStyle>,
    /// Separators since the last piece.
    pub(crate) boxed: bool,
    pub(crate) breaks: usize,
    pub(crate) space: bool,
    /// The piece of the block whose text has begun.
    pub(crate) begun: Option<(u32, Joint)>,
    pub(crate) spans: Vec<Span>,
    /// The language that an element around code names, and its depth.
    pub(crate) language: Option<(usize, String)>,
    /// Images in the text that has begun.
    pub(crate) images: Vec<Image>,
    /// The code that is open.
    pub(crate) code: Option<OpenCode>,
    /// The last item of each list, and the number of its items. Other containers have zeros.
    pub(crate) items: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenStyle {
    pub(crate) style: Style,
    /// The number of open elements around it.
    pub(crate) open: usize,
    pub(crate) start: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenCode {
    pub(crate) depth: usize,
    pub(crate) container: u32,
    /// Whether an element inside has named the language.
    pub(crate) is_named_inside: bool,
}

impl Reading {
    pub(crate) fn joint(&self) -> Joint {
        match self.breaks {
            _ if self.boxed => Joint::Paragraph,
            0 if self.space => Joint::Space,
            0 => Joint::Glued,
            1 => Joint::Line,
            _ => Joint::Paragraph,
        }
    }

    pub(crate) fn container(&self) -> u32 {
        self.open.last().map_or(0, |(_, container)| *container)
    }

    pub(crate) fn separated(&mut self) {
        (self.boxed, self.breaks, self.space) = (false, 0, false);
    }

    /// Ends the innermost style that `is`, at a position of the current block.
    pub(crate) fn end_style(&mut self, is: impl Fn(&Style) -> bool, at: usize) {
        if let Some(found) = self.styles.iter().rposition(|open| is(&open.style)) {
            let ended = self.styles.remove(found);
            self.span(ended.style, ended.start, at);
        }
    }

    pub(crate) fn span(&mut self, style: Style, start: usize, end: usize) {
        if self.begun.is_some()
            && start < end
            && let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end))
        {
            self.spans.push(Span { start, end, style });
        }
    }
}
