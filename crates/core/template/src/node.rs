//! The texts and the elements of a page.

use crate::style::Style;
use crate::thresholds::text::{LINKS, SENTENCE_CHARS, SHORT_SENTENCES};

/// The numbers of a block, see [`LayoutBlock`](crate::LayoutBlock).
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockText {
    pub(crate) chars: u32,
    pub(crate) link_chars: u32,
    pub(crate) title: u32,
    pub(crate) marks: u32,
    pub(crate) figures: u32,
    pub(crate) style: Style,
}

impl BlockText {
    /// Returns whether it is long enough for sentences, and has at least so many marks.
    pub(crate) fn has_sentences(&self, marks: u32) -> bool {
        let is_long = self.chars >= SENTENCE_CHARS && self.marks >= marks;
        is_long || self.chars >= SHORT_SENTENCES.0 && self.marks >= SHORT_SENTENCES.1
    }

    /// Returns whether it is mostly link text.
    pub(crate) fn is_links(&self) -> bool {
        LINKS.is_exceeded(self.link_chars.into(), self.chars.into())
    }
}

/// An element of a page.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) path: usize,
    /// The parent element; `body` is its own parent.
    pub(crate) parent: usize,
    /// Position after its last descendant.
    pub(crate) next: usize,
    /// The first block in the element.
    pub(crate) first: usize,
    /// The block after the last block in the element.
    pub(crate) end: usize,
    /// The element is part of a text, see [`ElementTraits::text_part`](crate::element::ElementTraits::text_part).
    pub(crate) text_part: bool,
    /// The element is a heading or below one.
    pub(crate) heading: bool,
    /// The element is an `h1` or below one.
    pub(crate) main_heading: bool,
    /// The element is a `th` or below one.
    pub(crate) row_label: bool,
    /// The element is a `figcaption` or below one.
    pub(crate) caption: bool,
    /// The fragments of the element belong together.
    pub(crate) unit: bool,
    /// The code of the element, for the prior.
    pub(crate) code: u8,
    /// The position of its classes among those of the page.
    pub(crate) element: usize,
    /// The element is a `p`.
    pub(crate) paragraph: bool,
    /// The element belongs to comments.
    pub(crate) comments: bool,
    /// The element or one above it is named after tickets or forums.
    pub(crate) ticket: bool,
    /// The element is a header or an address, or below one.
    pub(crate) header: bool,
    /// The element belongs to navigation, a form or the like.
    pub(crate) boilerplate: bool,
    /// The element, or one above it, is hidden by its attributes, and has little text.
    pub(crate) hidden: bool,
    /// The element is a control of a form, see [`ElementTraits::control`](crate::element::ElementTraits::control).
    pub(crate) control: bool,
}
