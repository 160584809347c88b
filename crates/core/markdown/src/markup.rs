//! The markup of a page: what its blocks do not say.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The markup of a page's blocks: lists, tables, headings, code, links, emphasis and images.
///
/// Collect it while the blocks are built: it is an [`Observer`](html_blocks::Observer). Labels come later,
/// often in another process, so it has bytes: [`Markup::to_bytes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup {
    pub(crate) structure: Structure,
    pub(crate) reading: crate::collect::Reading,
}

/// The part that has bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Structure {
    pub(crate) containers: Vec<Container>,
    /// Blocks and images in source order.
    pub(crate) pieces: Vec<Piece>,
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
        /// The text of code, with its whitespace and the whitespace before it.
        verbatim: Option<String>,
    },
    Image {
        alt: String,
        source: String,
    },
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
    /// The bytes are not those of [`Markup::to_bytes`].
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

impl Markup {
    /// Writes the markup as bytes (postcard). Equal markup has equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Writing to memory fails for types without a length alone; there are none.
        postcard::to_allocvec(&self.structure).unwrap_or_default()
    }

    /// Reads the bytes of [`Markup::to_bytes`].
    ///
    /// # Errors
    /// Returns [`MarkupError::Bytes`] for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MarkupError> {
        let wrong = |reason: String| MarkupError::Bytes { reason };
        let structure: Structure =
            postcard::from_bytes(bytes).map_err(|error| wrong(error.to_string()))?;
        for (at, container) in structure.containers.iter().enumerate() {
            if container.parent as usize > at {
                return Err(wrong(format!("container {at} is before the one around it")));
            }
        }
        for (at, piece) in structure.pieces.iter().enumerate() {
            if piece.container as usize > structure.containers.len() {
                return Err(wrong(format!("piece {at} has no container")));
            }
        }
        Ok(Self {
            structure,
            reading: crate::collect::Reading::default(),
        })
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        let pieces = &self.structure.pieces;
        let is_block = |piece: &&Piece| matches!(piece.content, Content::Block { .. });
        pieces.iter().filter(is_block).count()
    }
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
