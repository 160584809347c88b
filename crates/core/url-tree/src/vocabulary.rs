//! The distinct blocks of a domain. Each hash is stored once and has a small id.

use crate::ids::{BlockHash, BlockId, Position, position_difference, position_sum};
use crate::interner::capacity::vec_heap_bytes;
use crate::interner::{Interner, Keyed};

/// The blocks of the window, and the entries that contain each of them.
///
/// The number of entries is the count `c` of the block at the domain node. Nearly every
/// block of a site is in one entry only. The position of this entry is then stored, and
/// that suffices: the block counts 1 at each node that the entry passed, and 0 elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    blocks: Interner<Block>,
    /// The blocks in several entries.
    shared: Vec<SharedBlock>,
    /// Unused places of `shared`.
    free_shared: Vec<u32>,
}

#[derive(Debug, Default)]
struct Block {
    hash: BlockHash,
    entries: PackedEntries,
}

/// MD5 is public, so a page could be made of texts whose hashes have the same prefix. The
/// interner hashes the key again with a random seed.
impl Keyed for Block {
    type Key<'k> = u128;

    fn key(&self) -> u128 {
        u128::from_ne_bytes(self.hash)
    }
}

/// [`Entries`] in four bytes.
#[derive(Debug, Clone, Copy, Default)]
struct PackedEntries(u32);

/// The entries that contain a block.
enum Entries {
    /// One entry, at this position.
    One(Position),
    /// Several entries: the index into [`Vocabulary::shared`].
    Several(u32),
}

/// The number and the positions of several entries that contain a block.
#[derive(Debug)]
struct SharedBlock {
    entries: u32,
    /// Sum of their positions, modulo 2^31. Once a single entry is left, the sum is its
    /// position.
    positions: Position,
}

/// A block, and the only other entry that contains it.
pub(crate) type OtherEntry = (BlockId, Position);

impl Vocabulary {
    /// Returns the id of a block that an entry contains.
    pub(crate) fn id(&self, hash: &BlockHash) -> Option<BlockId> {
        self.blocks.find(u128::from_ne_bytes(*hash))
    }

    /// Returns the number of entries that contain the block.
    pub(crate) fn entries(&self, id: BlockId) -> u32 {
        match self.blocks[id].entries.unpack() {
            Entries::One(_) => 1,
            Entries::Several(index) => self.shared[index as usize].entries,
        }
    }

    /// Returns the entry that contains the block, if there is only one.
    pub(crate) fn only_entry(&self, id: BlockId) -> Option<Position> {
        match self.blocks[id].entries.unpack() {
            Entries::One(position) => Some(position),
            Entries::Several(_) => None,
        }
    }

    /// Returns the blocks in several entries, with the number of entries.
    pub(crate) fn shared(&self) -> impl Iterator<Item = (BlockId, u32)> {
        let entries = |block: &Block| match block.entries.unpack() {
            Entries::One(_) => None,
            Entries::Several(index) => Some(self.shared[index as usize].entries),
        };
        (0..)
            .zip(self.blocks.values())
            .filter_map(move |(id, block)| Some((id, entries(block)?)))
    }

    /// Adds an entry with these blocks.
    ///
    /// Returns the distinct ids in ascending order, because a repeated block counts once
    /// [O C4], and the blocks that were in a single entry before.
    pub(crate) fn add(
        &mut self,
        hashes: &[BlockHash],
        entry: Position,
    ) -> (Vec<BlockId>, Vec<OtherEntry>) {
        let mut ids: Vec<BlockId> = hashes
            .iter()
            .map(|hash| self.id(hash).unwrap_or_else(|| self.insert(hash, entry)))
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let mut newly_shared = Vec::new();
        for &id in &ids {
            match self.blocks[id].entries.unpack() {
                // This entry is the first with the block.
                Entries::One(position) if position == entry => {}
                Entries::One(earlier) => {
                    newly_shared.push((id, earlier));
                    self.share(id, earlier, entry);
                }
                Entries::Several(index) => {
                    let shared = &mut self.shared[index as usize];
                    shared.entries += 1;
                    shared.positions = position_sum(shared.positions, entry);
                }
            }
        }
        (ids, newly_shared)
    }

    /// Reverts an [`add`](Self::add). Returns the blocks that are left in a single entry.
    pub(crate) fn remove(
        &mut self,
        ids: impl Iterator<Item = BlockId>,
        entry: Position,
    ) -> Vec<OtherEntry> {
        let mut no_longer_shared = Vec::new();
        for id in ids {
            let Entries::Several(index) = self.blocks[id].entries.unpack() else {
                self.blocks.remove(id);
                continue;
            };
            let shared = &mut self.shared[index as usize];
            shared.entries -= 1;
            shared.positions = position_difference(shared.positions, entry);
            if shared.entries == 1 {
                self.blocks[id].entries = PackedEntries::one(shared.positions);
                no_longer_shared.push((id, shared.positions));
                self.free_shared.push(index);
            }
        }
        no_longer_shared
    }

    fn share(&mut self, id: BlockId, one: Position, other: Position) {
        let shared = SharedBlock {
            entries: 2,
            positions: position_sum(one, other),
        };
        let index = if let Some(index) = self.free_shared.pop() {
            self.shared[index as usize] = shared;
            index
        } else {
            self.shared.push(shared);
            (self.shared.len() - 1) as u32
        };
        self.blocks[id].entries = PackedEntries::several(index);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.blocks.heap_bytes() + vec_heap_bytes(&self.shared) + vec_heap_bytes(&self.free_shared)
    }

    /// Adds a block that only this entry contains.
    fn insert(&mut self, hash: &BlockHash, entry: Position) -> BlockId {
        self.blocks.insert(Block {
            hash: *hash,
            entries: PackedEntries::one(entry),
        })
    }
}

/// Marks an index among positions, which have 31 bits.
const SEVERAL: u32 = 1 << 31;

impl PackedEntries {
    fn one(position: Position) -> Self {
        PackedEntries(position)
    }

    fn several(index: u32) -> Self {
        PackedEntries(index | SEVERAL)
    }

    fn unpack(self) -> Entries {
        if self.0 & SEVERAL == 0 {
            Entries::One(self.0)
        } else {
            Entries::Several(self.0 & !SEVERAL)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn a_block_keeps_its_id_until_its_last_entry_leaves() {
        let (a, b, c) = ([1; 16], [2; 16], [3; 16]);
        let mut vocabulary = Vocabulary::default();
        let (first, _) = vocabulary.add(&[b, a, b], 0);
        assert_eq!(first, [0, 1]);
        let (second, _) = vocabulary.add(&[a], 1);
        assert_eq!(vocabulary.entries(1), 2);

        vocabulary.remove(first.into_iter(), 0);
        assert_eq!(vocabulary.id(&b), None);
        assert_eq!(vocabulary.id(&a), Some(1));
        assert_eq!(vocabulary.add(&[c], 2).0, [0]);

        vocabulary.remove(second.into_iter(), 1);
        assert_eq!(vocabulary.id(&a), None);
    }

    /// The positions wrap around to 0 within the test.
    #[test]
    fn the_only_entry_of_a_block_is_known() {
        let block = [7; 16];
        let first = position_difference(0, 2);
        let (second, third) = (position_sum(first, 1), position_sum(first, 2));
        assert_eq!(third, 0);
        let mut vocabulary = Vocabulary::default();
        assert_eq!(vocabulary.add(&[block], first).1, []);
        assert_eq!(vocabulary.only_entry(0), Some(first));
        assert_eq!(vocabulary.add(&[block], second).1, [(0, first)]);
        assert_eq!(vocabulary.add(&[block], third).1, []);
        assert_eq!(vocabulary.only_entry(0), None);
        assert_eq!(vocabulary.remove([0].into_iter(), first), []);
        assert_eq!(vocabulary.shared().collect::<Vec<_>>(), [(0, 2)]);
        assert_eq!(vocabulary.remove([0].into_iter(), second), [(0, third)]);
        assert_eq!(vocabulary.only_entry(0), Some(third));
        assert_eq!(vocabulary.remove([0].into_iter(), third), []);
        assert_eq!(vocabulary.id(&block), None);
    }

    #[test]
    fn a_steady_number_of_blocks_takes_constant_memory() {
        let hash = |at: u32| u128::from(at).to_be_bytes();
        // Close to the capacity of a table of this size, which is seven eighths of it.
        let most = 48_000;
        let mut vocabulary = Vocabulary::default();
        let mut ids = VecDeque::new();
        for at in 0..20 * most {
            if at >= most {
                let gone: Vec<BlockId> = ids.pop_front().into_iter().flatten().collect();
                vocabulary.remove(gone.into_iter(), at - most);
            }
            ids.push_back(vocabulary.add(&[hash(at)], at).0);
        }
        assert_eq!(vocabulary.blocks.len(), most as usize);
        let blocks = vocabulary.blocks.values().len();
        assert_eq!(blocks, most as usize);
        // The ids, a block of 20 bytes each with at most a ninth more, and one free id.
        let allocated = vocabulary.blocks.heap_bytes();
        let most = (5 * 65_536 + 64) + 20 * (blocks + blocks / 8 + 8) + 64;
        assert!(allocated <= most, "{allocated}");
    }
}
