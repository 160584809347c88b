//! The blocks of one entry.

use unsigned_varint::{decode, encode};

use crate::ids::BlockId;

/// Ascending distinct ids, encoded as runs of consecutive ids.
///
/// A run is its distance from the previous run and its length. The blocks of a template
/// have consecutive ids, and so have the new blocks of a page.
#[derive(Debug, Default)]
pub(crate) struct BlockList(Box<[u8]>);

/// Lowest bit of a distance. It is set if the run has more than one id; the length minus
/// two then follows.
const SEVERAL: u64 = 1;

impl BlockList {
    /// Encodes ascending distinct ids.
    pub(crate) fn pack(ids: &[BlockId]) -> Self {
        let mut bytes = Vec::with_capacity(ids.len());
        let mut next = 0;
        for run in ids.chunk_by(|id, after| id + 1 == *after) {
            let (first, last) = (u64::from(run[0]), u64::from(run[run.len() - 1]));
            let distance = (first - next) << 1;
            next = last + 1;
            if run.len() == 1 {
                write(&mut bytes, distance);
            } else {
                write(&mut bytes, distance | SEVERAL);
                write(&mut bytes, run.len() as u64 - 2);
            }
        }
        BlockList(bytes.into())
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.len()
    }

    /// Decodes the ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = BlockId> {
        let mut bytes = &*self.0;
        let mut next = 0;
        let runs = std::iter::from_fn(move || {
            let distance = read(&mut bytes)?;
            let first = next + (distance >> 1);
            let length = if distance & SEVERAL == 0 {
                1
            } else {
                read(&mut bytes)? + 2
            };
            next = first + length;
            // `pack` wrote ids, so these are ids.
            Some((first..next).map(|id| id as BlockId))
        });
        runs.flatten()
    }
}

fn write(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(encode::u64(number, &mut encode::u64_buffer()));
}

/// Reads the number at the start of `bytes` and advances `bytes` past it.
fn read(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = decode::u64(bytes).ok()?;
    *bytes = rest;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip() {
        for ids in [
            &[][..],
            &[0],
            &[0, 1, 2, 3],
            &[127, 128, 256, 16_384, 16_512, 40_000],
            &[u32::MAX - 1, u32::MAX],
            &[0, 2, u32::MAX],
        ] {
            let list = BlockList::pack(ids);
            assert_eq!(list.iter().collect::<Vec<_>>(), ids);
        }
    }

    #[test]
    fn a_template_and_the_blocks_of_a_page_take_a_few_bytes() {
        let template = 3..50;
        let page = 70_000..70_012;
        let ids: Vec<BlockId> = template.chain(page).collect();
        assert_eq!(BlockList::pack(&ids).heap_bytes(), 6);
    }

    #[test]
    fn the_bytes_of_a_list_are_frozen() {
        let ids = [0, 1, 2, 70, 300, 301, u32::MAX - 1, u32::MAX];
        let bytes = [1, 1, 134, 1, 203, 3, 0, 161, 251, 255, 255, 31, 0];
        assert_eq!(*BlockList::pack(&ids).0, bytes);
        let list = BlockList(bytes.into());
        assert_eq!(list.iter().collect::<Vec<_>>(), ids);
    }
}
