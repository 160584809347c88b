//! The markup of a page as it travels: containers, and blocks and images in source order.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The part that has bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Structure {
    pub(crate) containers: Vec<Container>,
    /// Blocks and images in source order.
    pub(crate) pieces: Vec<Piece>,
    /// The address that the first `base` element with one has.
    pub(crate) base: Option<String>,
    /// Whether the page loads MathJax or KaTeX.
    pub(crate) has_tex: bool,
}

/// An element that Markdown has a notation for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Container {
    /// The container around it, counted from 1; 0 is the page. Always before it.
    pub(crate) parent: u32,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// Levels 1 to 6.
    Heading(u8),
    Quote,
    List,
    /// A numbered list and its first number.
    Ordered(u32),
    /// An item and the number of items of its list before it.
    Item(u32),
    /// Code and its language, empty if it is unknown.
    Code(String),
    Table,
    /// The caption of a table: a paragraph above it.
    Caption,
    Row,
    /// The numbers of columns and rows of a cell.
    Cell(u16, u16),
}

/// A block or an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// The innermost container, counted from 1; 0 is the page.
    pub(crate) container: u32,
    pub(crate) joint: Joint,
    pub(crate) content: Content,
}

/// The separator between a piece and the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Joint {
    /// Nothing: `<span>dr</span>ink`.
    #[default]
    Glued,
    Space,
    /// A line break.
    Line,
    Paragraph,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Content {
    Block {
        spans: Vec<Span>,
        /// In the order of their positions.
        images: Vec<Image>,
    },
    Image(Image),
}

/// An image between blocks or in a block's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Image {
    /// The position of the text after it, in bytes; 0 between blocks.
    pub(crate) at: u32,
    pub(crate) alt: String,
    pub(crate) source: String,
    /// The address of the link around it.
    pub(crate) link: Option<String>,
}

/// A part of a block's text with a style, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) style: Style,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Style {
    Strong,
    Emphasis,
    Strike,
    Code,
    /// A link and its address as written.
    Link(String),
}

/// Markup that does not fit the blocks it is given with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MarkupError {
    /// The bytes are not those of [`Markup::to_bytes`](crate::Markup::to_bytes).
    #[error("the bytes of the markup cannot be read: {reason}")]
    Bytes {
        /// The defect.
        reason: String,
    },
    /// The markup is that of another page.
    #[error("the markup is of {expected} blocks, and {found} blocks are given")]
    Blocks {
        /// The number of blocks of the markup.
        expected: usize,
        /// The number of texts or labels.
        found: usize,
    },
    /// A position is outside of its block.
    #[error("the markup of block {block} has a position outside of its text")]
    Position {
        /// The number of the block, from 0.
        block: usize,
    },
}

impl Structure {
    pub(crate) fn kind(&self, container: u32) -> Option<&Kind> {
        let at = (container as usize).checked_sub(1)?;
        Some(&self.containers[at].kind)
    }

    /// The containers of a container from the outermost to itself.
    pub(crate) fn chain(&self, container: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut at = container;
        while at > 0 {
            chain.push(at);
            at = self.containers[at as usize - 1].parent;
        }
        chain.reverse();
        chain
    }
}
