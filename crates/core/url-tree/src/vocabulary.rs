//! The distinct blocks of a domain: each hash is stored once and is a small
//! number everywhere else.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::BlockHash;
use crate::capacity::{growth, reserve_one};
use crate::heap::reserved;
use crate::window::{Position, position_difference, position_sum};

/// Number of a block, dense from 0; reused once no entry contains the block.
pub(crate) type BlockId = u32;

/// Hash to number and back, with the entries of the window that contain each
/// block: how many, which is the block's count `c` at the domain node, and, of
/// one that is in a single entry, in which. That is all that is known of nearly
/// every block of a site, and all that is needed: at each node its count is 1
/// if the entry passed there, else 0.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// Ids by hash; the hash itself is in `blocks` alone.
    ids: HashTable<BlockId>,
    /// Pages choose their texts and MD5 is public: who tries a few million texts
    /// has thousands whose hashes begin alike. So hashes are hashed again, with a
    /// random seed, which foldhash holds against all who do not see its results;
    /// no page does. Order in the table is never observed.
    seed: RandomState,
    /// By id.
    blocks: Vec<Block>,
    /// Ids of blocks that left, first to leave first to be reused: so blocks that
    /// come with one page go on having neighbouring ids.
    free: VecDeque<BlockId>,
    /// Of blocks in several entries, by slot.
    shared: Vec<Shared>,
    /// Slots of blocks that no longer are, last first.
    free_slots: Vec<u32>,
}

#[derive(Debug)]
struct Block {
    hash: BlockHash,
    found: Found,
}

/// The entries that contain a block, in four bytes: most blocks need no more.
#[derive(Debug, Clone, Copy)]
struct Found(u32);

enum Entries {
    /// The position of the only one.
    One(Position),
    /// The slot where more is known.
    Several(u32),
}

/// A block in several entries.
#[derive(Debug)]
struct Shared {
    entries: u32,
    /// Sum of their positions, modulo 2^31: when one is left, it is its
    /// position.
    positions: Position,
}

/// A block, and the one entry that had or has it besides the one at hand.
pub(crate) type Sharing = (BlockId, Position);

impl Vocabulary {
    /// The number of a block that some entry contains.
    pub(crate) fn id(&self, hash: &BlockHash) -> Option<BlockId> {
        let is_it = |&id: &BlockId| self.blocks[id as usize].hash == *hash;
        self.ids.find(hashed(&self.seed, hash), is_it).copied()
    }

    /// Entries that contain the block.
    pub(crate) fn entries(&self, id: BlockId) -> u32 {
        match self.blocks[id as usize].found.entries() {
            Entries::One(_) => 1,
            Entries::Several(slot) => self.shared[slot as usize].entries,
        }
    }

    /// Where the block is, if it is in a single entry.
    pub(crate) fn only_entry(&self, id: BlockId) -> Option<Position> {
        match self.blocks[id as usize].found.entries() {
            Entries::One(position) => Some(position),
            Entries::Several(_) => None,
        }
    }

    /// Blocks that are in several entries, in how many.
    pub(crate) fn shared(&self) -> impl Iterator<Item = (BlockId, u32)> {
        let entries = |block: &Block| match block.found.entries() {
            Entries::One(_) => None,
            Entries::Several(slot) => Some(self.shared[slot as usize].entries),
        };
        (0..)
            .zip(&self.blocks)
            .filter_map(move |(id, block)| Some((id, entries(block)?)))
    }

    /// Counts one more entry with these blocks. Returns its distinct ids in
    /// ascending order (a block repeated in a document counts once [O C4]), and
    /// those of them that were in a single entry before.
    pub(crate) fn add(
        &mut self,
        hashes: &[BlockHash],
        entry: Position,
    ) -> (Vec<BlockId>, Vec<Sharing>) {
        let mut ids: Vec<BlockId> = (hashes.iter())
            .map(|hash| self.id(hash).unwrap_or_else(|| self.insert(hash, entry)))
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let mut newly_shared = Vec::new();
        for &id in &ids {
            match self.blocks[id as usize].found.entries() {
                // It came with this entry.
                Entries::One(position) if position == entry => {}
                Entries::One(earlier) => {
                    newly_shared.push((id, earlier));
                    self.share(id, earlier, entry);
                }
                Entries::Several(slot) => {
                    let shared = &mut self.shared[slot as usize];
                    shared.entries += 1;
                    shared.positions = position_sum(shared.positions, entry);
                }
            }
        }
        (ids, newly_shared)
    }

    /// Takes back an [`add`](Self::add). Returns the blocks that are left in a
    /// single entry.
    pub(crate) fn remove(
        &mut self,
        ids: impl Iterator<Item = BlockId>,
        entry: Position,
    ) -> Vec<Sharing> {
        let mut no_longer_shared = Vec::new();
        for id in ids {
            let Entries::Several(slot) = self.blocks[id as usize].found.entries() else {
                self.release(id);
                continue;
            };
            let shared = &mut self.shared[slot as usize];
            shared.entries -= 1;
            shared.positions = position_difference(shared.positions, entry);
            if shared.entries == 1 {
                self.blocks[id as usize].found = Found::one(shared.positions);
                no_longer_shared.push((id, shared.positions));
                self.free_slots.push(slot);
            }
        }
        no_longer_shared
    }

    fn share(&mut self, id: BlockId, one: Position, other: Position) {
        let shared = Shared {
            entries: 2,
            positions: position_sum(one, other),
        };
        let slot = match self.free_slots.pop() {
            Some(slot) => {
                self.shared[slot as usize] = shared;
                slot
            }
            None => {
                self.shared.push(shared);
                (self.shared.len() - 1) as u32
            }
        };
        self.blocks[id as usize].found = Found::several(slot);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.ids.allocation_size()
            + reserved(&self.blocks)
            + self.free.capacity() * size_of::<BlockId>()
            + reserved(&self.shared)
            + reserved(&self.free_slots)
    }

    /// A block that is in no entry but this.
    fn insert(&mut self, hash: &BlockHash, entry: Position) -> BlockId {
        if self.free.is_empty() && self.blocks.len() == self.blocks.capacity() {
            self.blocks.reserve_exact(growth(self.blocks.len()));
        }
        let block = Block {
            hash: *hash,
            found: Found::one(entry),
        };
        let id = match self.free.pop_front() {
            Some(id) => {
                self.blocks[id as usize] = block;
                id
            }
            None => {
                self.blocks.push(block);
                // 2^32 distinct blocks would take 80 GB in this vector alone.
                (self.blocks.len() - 1) as BlockId
            }
        };
        let (seed, blocks) = (&self.seed, &self.blocks);
        let rehash = |&id: &BlockId| hashed(seed, &blocks[id as usize].hash);
        reserve_one(&mut self.ids, rehash);
        self.ids.insert_unique(hashed(seed, hash), id, rehash);
        id
    }

    fn release(&mut self, id: BlockId) {
        let hash = hashed(&self.seed, &self.blocks[id as usize].hash);
        if let Ok(entry) = self.ids.find_entry(hash, |&other| other == id) {
            entry.remove();
        }
        self.free.push_back(id);
    }
}

const SEVERAL: u32 = 1 << 31;

impl Found {
    fn one(position: Position) -> Self {
        Found(position)
    }

    fn several(slot: u32) -> Self {
        Found(slot | SEVERAL)
    }

    fn entries(self) -> Entries {
        match self.0 & SEVERAL {
            0 => Entries::One(self.0),
            _ => Entries::Several(self.0 & !SEVERAL),
        }
    }
}

fn hashed(seed: &RandomState, hash: &BlockHash) -> u64 {
    seed.hash_one(u128::from_ne_bytes(*hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_keeps_its_number_until_its_last_entry_leaves() {
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

    /// Also where positions begin again from 0.
    #[test]
    fn of_a_block_in_one_entry_it_is_known_in_which() {
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

    /// A window that stays as long as it is needs no more room than at first,
    /// however many blocks come and go.
    #[test]
    fn blocks_that_come_and_go_leave_the_table_as_large_as_it_was() {
        let hash = |at: u32| u128::from(at).to_be_bytes();
        // Close to what a table of this size takes, which is seven eighths of it.
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
        assert_eq!(vocabulary.ids.len(), most as usize);
        assert_eq!(vocabulary.blocks.len(), most as usize);
        let allocated = vocabulary.ids.allocation_size();
        assert!(allocated <= 5 * 65_536 + 64, "{allocated}");
    }
}
