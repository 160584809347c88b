//! The markup of a page: what its blocks do not say.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::reading::Reading;
use crate::structure::{Content, MarkupError, Piece, Structure};

/// The markup of a page's blocks: lists, tables, headings, code, links, emphasis and images.
///
/// Collect it while the blocks are built: it is an [`Observer`](html_blocks::Observer). Labels come later,
/// often in another process, so it has bytes: [`Markup::to_bytes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup {
    pub(crate) structure: Structure,
    pub(crate) reading: Reading,
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
        Self::checked(structure)
    }

    /// Checks that containers and pieces are in containers before them.
    fn checked(structure: Structure) -> Result<Self, MarkupError> {
        let wrong = |reason: String| MarkupError::Bytes { reason };
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
            reading: Reading::default(),
        })
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        let pieces = &self.structure.pieces;
        let is_block = |piece: &&Piece| matches!(piece.content, Content::Block { .. });
        pieces.iter().filter(is_block).count()
    }
}

impl Serialize for Markup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.structure.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Markup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let structure = Structure::deserialize(deserializer)?;
        Self::checked(structure).map_err(D::Error::custom)
    }
}
