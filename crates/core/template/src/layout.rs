//! The blocks of a page as bytes. They are sent from the parser of pages to the replay of
//! their site.

use std::ops::Range;

use crate::measures::Measures;
use crate::outline::{LayoutBlock, Outline};
use crate::style::Style;
use crate::title::Title;
use crate::varint::{self, BytesError};

impl<'p> LayoutBlock<'p> {
    /// Measures the text of a block, on a page with the title `title`.
    pub fn new(
        path: &'p str,
        common_prefix: u16,
        text: &str,
        link_chars: u32,
        title: &Title,
    ) -> Self {
        let measures = Measures::new(text);
        // Saturates for texts that no column of a table can have.
        let saturated = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            path,
            common_prefix,
            chars: saturated(measures.chars),
            link_chars,
            marks: saturated(measures.marks),
            title: title.shown_by(text),
            figures: measures.figures,
            style: Style::new(text),
        }
    }
}

/// The blocks of a page without their texts, with the fields that a template needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The texts of the DOM paths, concatenated.
    paths: String,
    blocks: Vec<EncodedBlock>,
    declared: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct EncodedBlock {
    path: Range<usize>,
    common_prefix: u16,
    chars: u32,
    link_chars: u32,
    marks: u32,
    title: u32,
    figures: u32,
    style: Style,
}

impl Layout {
    /// Encodes blocks, to about 28 bytes per block of a typical page, and what the page declares to be: the bits of
    /// `html_blocks::Declared`.
    ///
    /// A path is encoded as its difference from the path of the previous block.
    pub fn to_bytes(blocks: &[LayoutBlock<'_>], declared: u16) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(28 * blocks.len() + 3);
        varint::write(&mut bytes, declared);
        let mut before = "";
        for block in blocks {
            let same = common_prefix(before, block.path);
            let rest = &block.path[same..];
            varint::write(&mut bytes, same as u64);
            varint::write(&mut bytes, rest.len() as u64);
            bytes.extend_from_slice(rest.as_bytes());
            varint::write(&mut bytes, block.common_prefix);
            varint::write(&mut bytes, block.chars);
            varint::write(&mut bytes, block.link_chars);
            varint::write(&mut bytes, block.marks);
            varint::write(&mut bytes, block.title);
            varint::write(&mut bytes, block.figures);
            varint::write(&mut bytes, block.style.bits());
            before = block.path;
        }
        bytes
    }

    /// Decodes a layout.
    ///
    /// # Errors
    /// Returns [`BytesError`] if [`to_bytes`](Self::to_bytes) cannot have written the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut rest = bytes;
        // A block of a usual page has 31 bytes, and most have the path of the block before.
        let mut layout = Self {
            paths: String::with_capacity(2 * bytes.len()),
            blocks: Vec::with_capacity(bytes.len() / 28),
            declared: varint::read(&mut rest).ok_or(BytesError)?,
        };
        let mut before = 0..0;
        while !rest.is_empty() {
            let block = layout.read_block(&mut rest, before).ok_or(BytesError)?;
            before = block.path.clone();
            layout.blocks.push(block);
        }
        Ok(layout)
    }

    fn read_block(&mut self, bytes: &mut &[u8], before: Range<usize>) -> Option<EncodedBlock> {
        let same = varint::read(bytes)?;
        let rest = varint::read(bytes)?;
        let (rest, after) = bytes.split_at_checked(rest)?;
        *bytes = after;
        self.paths.get(before.clone())?.get(..same)?;
        let path = match rest {
            [] => before.start..before.start + same,
            rest => {
                let start = self.paths.len();
                self.paths
                    .extend_from_within(before.start..before.start + same);
                self.paths.push_str(std::str::from_utf8(rest).ok()?);
                start..self.paths.len()
            }
        };
        Some(EncodedBlock {
            path,
            common_prefix: varint::read(bytes)?,
            chars: varint::read(bytes)?,
            link_chars: varint::read(bytes)?,
            marks: varint::read(bytes)?,
            title: varint::read(bytes)?,
            figures: varint::read(bytes)?,
            style: Style::from_bits(varint::read(bytes)?),
        })
    }

    /// Returns the outline of the page.
    pub fn outline(&self) -> Outline {
        Outline::new(&self.blocks()).declaring(self.declared)
    }

    /// Returns the blocks.
    fn blocks(&self) -> Vec<LayoutBlock<'_>> {
        let block = |block: &EncodedBlock| LayoutBlock {
            path: &self.paths[block.path.clone()],
            common_prefix: block.common_prefix,
            chars: block.chars,
            link_chars: block.link_chars,
            marks: block.marks,
            title: block.title,
            figures: block.figures,
            style: block.style,
        };
        self.blocks.iter().map(block).collect()
    }
}

/// Returns the length in bytes of the common prefix of two texts, in whole characters.
fn common_prefix(one: &str, other: &str) -> usize {
    let (one_bytes, other_bytes) = (one.as_bytes(), other.as_bytes());
    let eights = one_bytes
        .chunks_exact(8)
        .zip(other_bytes.chunks_exact(8))
        .take_while(|(one, other)| one == other)
        .count();
    let rest = one_bytes[8 * eights..]
        .iter()
        .zip(&other_bytes[8 * eights..]);
    let same = 8 * eights + rest.take_while(|(one, other)| one == other).count();
    (0..=same)
        .rev()
        .find(|at| one.is_char_boundary(*at) && other.is_char_boundary(*at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn blocks_round_trip(
            pages in prop::collection::vec(
                ("([a-cä]{1,3}>){0,3}[a-cä]{0,3}", any::<u16>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<u64>()),
                0..20,
            ),
            declared in any::<u16>(),
        ) {
            let blocks: Vec<LayoutBlock<'_>> = pages
                .iter()
                .map(|(path, common_prefix, chars, link_chars, marks, title, bits)| LayoutBlock {
                    path,
                    common_prefix: *common_prefix,
                    chars: *chars,
                    link_chars: *link_chars,
                    marks: *marks,
                    title: *title,
                    figures: *bits as u32,
                    style: Style::from_bits(*bits),
                })
                .collect();
            let bytes = Layout::to_bytes(&blocks, declared);
            let layout = Layout::from_bytes(&bytes).expect("to_bytes wrote the bytes");
            prop_assert_eq!(layout.blocks(), blocks);
            prop_assert_eq!(layout.declared, declared);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Layout::from_bytes(&bytes);
        }
    }

    #[test]
    fn a_truncated_layout_is_an_error() {
        let block = LayoutBlock {
            path: "div>p",
            common_prefix: 0,
            chars: 300,
            link_chars: 0,
            marks: 0,
            title: 0,
            figures: 0,
            style: Style::default(),
        };
        let bytes = Layout::to_bytes(&[block], 0);
        assert!(bytes.len() < 20);
        for end in 2..bytes.len() {
            assert_eq!(Layout::from_bytes(&bytes[..end]), Err(BytesError), "{end}");
        }
    }

    #[test]
    fn the_format_is_unchanged() {
        let block = |path, common_prefix, chars, link_chars| LayoutBlock {
            path,
            common_prefix,
            chars,
            link_chars,
            marks: 5,
            title: 128,
            figures: 200,
            style: Style::from_bits(129),
        };
        let blocks = [
            block("div.ä>p", 0, 300, 0),
            block("div.ö>p", u16::MAX, u32::MAX, 127),
        ];
        let bytes = [
            3, 0, 8, 100, 105, 118, 46, 195, 164, 62, 112, 0, 172, 2, 0, 5, 128, 1, 200, 1, 129, 1,
            4, 4, 195, 182, 62, 112, 255, 255, 3, 255, 255, 255, 255, 15, 127, 5, 128, 1, 200, 1,
            129, 1,
        ];
        assert_eq!(Layout::to_bytes(&blocks, 3), bytes);
        let layout = Layout::from_bytes(&bytes).expect("it is a layout");
        assert_eq!(layout.blocks(), blocks);
    }
}
