//! Block counts of one node.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::vocabulary::BlockId;

/// Entries a node lists before it counts. Below `N_MIN` documents almost no
/// heuristic asks a node for counts, and most nodes of a real site (a day, a
/// tag, a gallery) never get further: a pointer per entry instead of a
/// counter per block.
const LISTED: usize = 4;

/// How many entries of a node contain each block.
#[derive(Debug)]
pub(crate) enum Counters {
    /// The entries themselves, as sorted ids shared with the window.
    Listed(Vec<Arc<[BlockId]>>),
    /// Positive counts only.
    Counted(HashMap<BlockId, u32, BuildHasherDefault<IdHasher>>),
}

impl Default for Counters {
    fn default() -> Self {
        Counters::Listed(Vec::new())
    }
}

impl Counters {
    pub(crate) fn add(&mut self, entry: &Arc<[BlockId]>) {
        match self {
            Counters::Listed(entries) if entries.len() < LISTED => entries.push(Arc::clone(entry)),
            Counters::Listed(entries) => {
                let mut counts = HashMap::default();
                for id in entries.iter().chain([entry]).flat_map(|ids| ids.iter()) {
                    *counts.entry(*id).or_insert(0) += 1;
                }
                *self = Counters::Counted(counts);
            }
            Counters::Counted(counts) => {
                for &id in entry.iter() {
                    *counts.entry(id).or_insert(0) += 1;
                }
            }
        }
    }

    /// Takes back one [`add`](Self::add) of the same entry.
    pub(crate) fn remove(&mut self, entry: &Arc<[BlockId]>) {
        match self {
            Counters::Listed(entries) => {
                if let Some(at) = entries.iter().position(|kept| Arc::ptr_eq(kept, entry)) {
                    entries.swap_remove(at);
                }
            }
            Counters::Counted(counts) => {
                for id in entry.iter() {
                    if let Some(count) = counts.get_mut(id) {
                        *count -= 1;
                        if *count == 0 {
                            counts.remove(id);
                        }
                    }
                }
            }
        }
    }

    pub(crate) fn count(&self, id: BlockId) -> u32 {
        match self {
            Counters::Listed(entries) => (entries.iter())
                .map(|ids| u32::from(ids.binary_search(&id).is_ok()))
                .sum(),
            Counters::Counted(counts) => counts.get(&id).copied().unwrap_or(0),
        }
    }
}

/// Spreads dense ids by multiplication with 2^64 / golden ratio. No page can
/// choose its ids, so nothing stronger is needed.
#[derive(Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, id: u32) {
        self.0 = (self.0 ^ u64::from(id)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_and_counted_entries_give_the_same_counts() {
        let entries: Vec<Arc<[BlockId]>> = (0..9)
            .map(|entry| (0..20).filter(|id| id % (entry + 1) == 0).collect())
            .collect();
        let expected = |range: std::ops::Range<usize>, id: BlockId| {
            let with = entries[range].iter().filter(|ids| ids.contains(&id));
            with.count() as u32
        };
        let mut counters = Counters::default();
        for (at, entry) in entries.iter().enumerate() {
            counters.add(entry);
            for id in 0..21 {
                assert_eq!(counters.count(id), expected(0..at + 1, id));
            }
        }
        assert!(matches!(counters, Counters::Counted(_)));
        for (at, entry) in entries.iter().enumerate() {
            counters.remove(entry);
            for id in 0..21 {
                assert_eq!(counters.count(id), expected(at + 1..entries.len(), id));
            }
        }
    }
}
