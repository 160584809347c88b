//! The blocks and images that are written.

use crate::address::Addresses;
use crate::structure::{Content, Joint, MarkupError, Piece, Structure};

/// A piece that is written, and what separates it from the piece written before.
pub(crate) struct KeptPiece<'p> {
    pub(crate) piece: &'p Piece,
    pub(crate) joint: Joint,
    /// The text of a block; the alternative text of an image.
    pub(crate) text: &'p str,
}

/// The pieces to write. An image is written if it has an address and the blocks beside it are written.
pub(crate) fn kept<'p, T: AsRef<str>>(
    structure: &'p Structure,
    texts: &'p [T],
    keep: &[bool],
    addresses: &Addresses,
) -> Result<Vec<KeptPiece<'p>>, MarkupError> {
    let mut block: usize = 0;
    let mut pending: Option<Joint> = None;
    let mut pieces = Vec::new();
    for piece in &structure.pieces {
        let joint = pending.map_or(piece.joint, |pending| pending.max(piece.joint));
        let (is_kept, text) = match &piece.content {
            Content::Image(image) => {
                let before = block.checked_sub(1).and_then(|before| keep.get(before));
                let beside = [before, keep.get(block)];
                let all = beside.iter().flatten().all(|kept| **kept) && !keep.is_empty();
                let is_written = all && addresses.image(&image.source).is_some();
                (is_written, image.alt.as_str())
            }
            Content::Block { spans, images } => {
                let text = texts[block].as_ref();
                let of_spans = spans.iter().map(|span| (span.start, span.end));
                let of_images = images.iter().map(|image| (0, image.at));
                for (start, end) in of_spans.chain(of_images) {
                    let range = start as usize..end as usize;
                    if start > end || text.get(range).is_none() {
                        return Err(MarkupError::Position { block });
                    }
                }
                block += 1;
                (keep[block - 1] && !text.is_empty(), text)
            }
        };
        if is_kept {
            pending = None;
            pieces.push(KeptPiece { piece, joint, text });
        } else {
            pending = Some(joint);
        }
    }
    Ok(pieces)
}
