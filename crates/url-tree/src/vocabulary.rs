//! The distinct blocks of a domain: each hash is stored once and is a small
//! number everywhere else.

use std::collections::HashMap;
use std::sync::Arc;

use crate::BlockHash;

/// Number of a block, dense from 0; reused once no entry contains the block.
pub(crate) type BlockId = u32;

/// Hash to number and back, with the number of window entries that contain
/// each block. That number is also the block's count `c` at the domain node,
/// which every entry passes.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// Keyed by hashes that pages choose, so with the standard hasher, which
    /// resists chosen keys. Its order is never observed.
    ids: HashMap<BlockHash, BlockId>,
    /// By id.
    blocks: Vec<Block>,
    /// Ids of blocks that left, last to leave first to be reused.
    free: Vec<BlockId>,
}

#[derive(Debug)]
struct Block {
    hash: BlockHash,
    entries: u32,
}

impl Vocabulary {
    /// The number of a block that some entry contains.
    pub(crate) fn id(&self, hash: &BlockHash) -> Option<BlockId> {
        self.ids.get(hash).copied()
    }

    /// Entries that contain the block.
    pub(crate) fn entries(&self, id: BlockId) -> u32 {
        self.blocks[id as usize].entries
    }

    /// Counts one more entry with these blocks. Returns its distinct ids in
    /// ascending order: a block repeated in a document counts once [O C4].
    pub(crate) fn add(&mut self, hashes: &[BlockHash]) -> Arc<[BlockId]> {
        let mut ids: Vec<BlockId> = hashes.iter().map(|hash| self.intern(hash)).collect();
        ids.sort_unstable();
        ids.dedup();
        for &id in &ids {
            self.blocks[id as usize].entries += 1;
        }
        ids.into()
    }

    /// Takes back one [`add`](Self::add).
    pub(crate) fn remove(&mut self, ids: &[BlockId]) {
        for &id in ids {
            let block = &mut self.blocks[id as usize];
            block.entries -= 1;
            if block.entries == 0 {
                self.ids.remove(&block.hash);
                self.free.push(id);
            }
        }
    }

    fn intern(&mut self, hash: &BlockHash) -> BlockId {
        if let Some(&id) = self.ids.get(hash) {
            return id;
        }
        let block = Block {
            hash: *hash,
            entries: 0,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.blocks[id as usize] = block;
                id
            }
            None => {
                self.blocks.push(block);
                // 2^32 distinct blocks would take 80 GB in this table alone.
                (self.blocks.len() - 1) as BlockId
            }
        };
        self.ids.insert(*hash, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_keeps_its_number_until_its_last_entry_leaves() {
        let (a, b, c) = ([1; 16], [2; 16], [3; 16]);
        let mut vocabulary = Vocabulary::default();
        let first = vocabulary.add(&[b, a, b]);
        assert_eq!(*first, [0, 1]);
        let second = vocabulary.add(&[a]);
        assert_eq!(vocabulary.entries(1), 2);

        vocabulary.remove(&first);
        assert_eq!(vocabulary.id(&b), None);
        assert_eq!(vocabulary.id(&a), Some(1));
        assert_eq!(*vocabulary.add(&[c]), [0]);

        vocabulary.remove(&second);
        assert_eq!(vocabulary.id(&a), None);
    }
}
