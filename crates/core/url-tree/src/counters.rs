//! Block counts of one node.

use hashbrown::HashTable;

use crate::ids::BlockId;
use crate::interner::capacity::reserve_one;

/// Positive counts: per block, the entries of a node that contain it.
#[derive(Debug, Default)]
pub(crate) struct Counters(HashTable<(BlockId, u32)>);

impl Counters {
    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.allocation_size()
    }

    pub(crate) fn count(&self, id: BlockId) -> u32 {
        let counter = self.0.find(spread(id), |(counted, _)| *counted == id);
        counter.map_or(0, |(_, count)| *count)
    }

    pub(crate) fn add(&mut self, id: BlockId) {
        match self.0.find_mut(spread(id), |(counted, _)| *counted == id) {
            Some((_, count)) => *count += 1,
            None => self.insert((id, 1)),
        }
    }

    /// Decreases the count of a block by one. A block without a count is ignored.
    pub(crate) fn subtract(&mut self, id: BlockId) {
        let counter = self.0.find_entry(spread(id), |(counted, _)| *counted == id);
        if let Ok(mut counter) = counter {
            let (_, count) = counter.get_mut();
            *count -= 1;
            if *count == 0 {
                counter.remove();
            }
        }
    }

    /// Sets the count of a block to 0.
    pub(crate) fn remove(&mut self, id: BlockId) {
        let counter = self.0.find_entry(spread(id), |(counted, _)| *counted == id);
        if let Ok(counter) = counter {
            counter.remove();
        }
    }

    fn insert(&mut self, counter: (BlockId, u32)) {
        let hash = |(id, _): &(BlockId, u32)| spread(*id);
        reserve_one(&mut self.0, hash);
        self.0.insert_unique(spread(counter.0), counter, hash);
    }

    pub(crate) fn add_all(&mut self, ids: &[BlockId]) {
        ids.iter().for_each(|&id| self.add(id));
    }

    pub(crate) fn subtract_all(&mut self, ids: &[BlockId]) {
        ids.iter().for_each(|&id| self.subtract(id));
    }
}

impl Clone for Counters {
    /// Clones with minimal capacity.
    fn clone(&self) -> Self {
        self.0.iter().copied().collect()
    }
}

/// No block may occur twice.
impl FromIterator<(BlockId, u32)> for Counters {
    fn from_iter<I: IntoIterator<Item = (BlockId, u32)>>(counts: I) -> Self {
        let mut counters = Counters::default();
        counts
            .into_iter()
            .for_each(|counter| counters.insert(counter));
        counters
    }
}

/// Hashes dense ids by multiplication with 2^64 / golden ratio.
///
/// Pages cannot choose the ids of their blocks, so a stronger hash is not needed.
fn spread(id: BlockId) -> u64 {
    u64::from(id).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl PartialEq for Counters {
        fn eq(&self, other: &Self) -> bool {
            let same = |(id, count): &(BlockId, u32)| other.count(*id) == *count;
            self.0.len() == other.0.len() && self.0.iter().all(same)
        }
    }

    #[test]
    fn a_steady_number_of_counters_takes_constant_memory() {
        let most = 6_000;
        let mut counters = Counters::default();
        // Consecutive ids would be spread too evenly to collide.
        let scattered = |at: u32| {
            let bits = at.wrapping_mul(0x85EB_CA6B);
            bits ^ (bits >> 13)
        };
        for at in 0..60 * most {
            counters.add(scattered(at));
            if let Some(gone) = at.checked_sub(most) {
                counters.subtract(scattered(gone));
            }
        }
        assert_eq!(counters.0.len(), most as usize);
        assert_eq!(counters.count(scattered(60 * most - 1)), 1);
        assert!(
            counters.heap_bytes() <= 9 * 8_192 + 64,
            "{}",
            counters.heap_bytes()
        );
    }
}
