//! The blocks of a page as bytes, to be sent from where pages are parsed to where their
//! site is replayed.

use std::ops::Range;

use crate::{BytesError, LayoutBlock, varint};

/// The blocks of a page as far as its template is concerned, without their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The slots, one after the other.
    paths: String,
    blocks: Vec<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    path: Range<usize>,
    common_prefix: u16,
    chars: u32,
    link_chars: u32,
    title: u32,
}

impl Layout {
    /// The blocks as bytes. Of each slot there is what differs from the one before: some
    /// 20 bytes for a block of a usual page.
    pub fn to_bytes(blocks: &[LayoutBlock<'_>]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(20 * blocks.len());
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
            varint::write(&mut bytes, block.title);
            before = block.path;
        }
        bytes
    }

    /// The layout in these bytes.
    ///
    /// # Errors
    /// [`BytesError`] where they are not from [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut layout = Self::default();
        let mut rest = bytes;
        let mut before = 0..0;
        while !rest.is_empty() {
            let place = layout.pull(&mut rest, before).ok_or(BytesError)?;
            before = place.path.clone();
            layout.blocks.push(place);
        }
        Ok(layout)
    }

    fn pull(&mut self, bytes: &mut &[u8], before: Range<usize>) -> Option<Place> {
        let same = varint::read(bytes)?;
        let rest = varint::read(bytes)?;
        let (rest, after) = bytes.split_at_checked(rest)?;
        *bytes = after;
        self.paths.get(before.clone())?.get(..same)?;
        let path = match rest {
            [] => before.start..before.start + same,
            rest => {
                let start = self.paths.len();
                (self.paths).extend_from_within(before.start..before.start + same);
                self.paths.push_str(std::str::from_utf8(rest).ok()?);
                start..self.paths.len()
            }
        };
        Some(Place {
            path,
            common_prefix: varint::read(bytes)?,
            chars: varint::read(bytes)?,
            link_chars: varint::read(bytes)?,
            title: varint::read(bytes)?,
        })
    }

    /// The blocks.
    pub fn blocks(&self) -> Vec<LayoutBlock<'_>> {
        let block = |place: &Place| LayoutBlock {
            path: &self.paths[place.path.clone()],
            common_prefix: place.common_prefix,
            chars: place.chars,
            link_chars: place.link_chars,
            title: place.title,
        };
        self.blocks.iter().map(block).collect()
    }
}

/// Bytes that two texts begin with, up to the end of a character.
fn common_prefix(one: &str, other: &str) -> usize {
    let (one_bytes, other_bytes) = (one.as_bytes(), other.as_bytes());
    let eights = (one_bytes.chunks_exact(8).zip(other_bytes.chunks_exact(8)))
        .take_while(|(one, other)| one == other)
        .count();
    let rest = (one_bytes[8 * eights..].iter()).zip(&other_bytes[8 * eights..]);
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
                ("([a-cä]{1,3}>){0,3}[a-cä]{0,3}", any::<u16>(), any::<u32>(), any::<u32>(), any::<u32>()),
                0..20,
            )
        ) {
            let blocks: Vec<LayoutBlock<'_>> = (pages.iter())
                .map(|(path, common_prefix, chars, link_chars, title)| LayoutBlock {
                    path,
                    common_prefix: *common_prefix,
                    chars: *chars,
                    link_chars: *link_chars,
                    title: *title,
                })
                .collect();
            let bytes = Layout::to_bytes(&blocks);
            let layout = Layout::from_bytes(&bytes).expect("they are from there");
            prop_assert_eq!(layout.blocks(), blocks);
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
            title: 0,
        };
        let bytes = Layout::to_bytes(&[block]);
        assert!(bytes.len() < 20);
        for end in 1..bytes.len() {
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
            title: 128,
        };
        let blocks = [
            block("div.ä>p", 0, 300, 0),
            block("div.ö>p", u16::MAX, u32::MAX, 127),
        ];
        let bytes = [
            0, 8, 100, 105, 118, 46, 195, 164, 62, 112, 0, 172, 2, 0, 128, 1, 4, 4, 195, 182, 62,
            112, 255, 255, 3, 255, 255, 255, 255, 15, 127, 128, 1,
        ];
        assert_eq!(Layout::to_bytes(&blocks), bytes);
        let layout = Layout::from_bytes(&bytes).expect("it is a layout");
        assert_eq!(layout.blocks(), blocks);
    }
}
