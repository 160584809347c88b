//! The items of a feed that a reader has seen.

use std::collections::{HashSet, VecDeque};

use crate::item::ItemDigest;

/// Digests of items, the oldest first, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    order: VecDeque<ItemDigest>,
    digests: HashSet<ItemDigest>,
}

impl Seen {
    /// Digests kept per feed that are not in its last version, 16 bytes each. The paper keeps 30,000
    /// per site. A lower value repeats items that a feed shows again after a long time.
    pub const CAPACITY: usize = 2_000;

    /// Whether the item was seen.
    pub fn contains(&self, digest: &ItemDigest) -> bool {
        self.digests.contains(digest)
    }

    /// Adds an item as the newest.
    pub fn add(&mut self, digest: ItemDigest) {
        if self.digests.insert(digest) {
            self.order.push_back(digest);
        }
    }

    /// Removes the oldest items until [`Seen::CAPACITY`] are left. The items of `current`, the present
    /// version of the feed, become the newest and are all kept, because the next poll finds them again.
    pub fn trim(&mut self, current: &HashSet<ItemDigest>) {
        let (newest, mut older): (VecDeque<_>, VecDeque<_>) =
            (self.order.drain(..)).partition(|digest| current.contains(digest));
        while older.len() > Self::CAPACITY {
            if let Some(oldest) = older.pop_front() {
                self.digests.remove(&oldest);
            }
        }
        older.extend(newest);
        self.order = older;
    }

    /// Number of digests.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether no item was seen.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The digests, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &ItemDigest> {
        self.order.iter()
    }
}

impl FromIterator<ItemDigest> for Seen {
    fn from_iter<I: IntoIterator<Item = ItemDigest>>(digests: I) -> Self {
        let mut seen = Self::default();
        digests.into_iter().for_each(|digest| seen.add(digest));
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: usize) -> ItemDigest {
        ItemDigest((number as u128).to_be_bytes())
    }

    #[test]
    fn the_oldest_leave_and_items_of_the_present_version_stay() {
        let mut seen: Seen = (0..Seen::CAPACITY + 10).map(digest).collect();
        let current = HashSet::from([digest(0), digest(1)]);
        seen.trim(&current);
        assert_eq!(seen.len(), Seen::CAPACITY + 2);
        assert!(seen.contains(&digest(0)) && seen.contains(&digest(1)));
        assert!(!seen.contains(&digest(2)) && !seen.contains(&digest(9)));
        assert!(seen.contains(&digest(10)));
        let last: Vec<_> = seen.iter().skip(Seen::CAPACITY).copied().collect();
        assert_eq!(last, [digest(0), digest(1)]);
    }

    #[test]
    fn a_feed_larger_than_the_capacity_is_kept_whole() {
        let current: HashSet<_> = (0..Seen::CAPACITY * 2).map(digest).collect();
        let mut seen: Seen = current.iter().copied().collect();
        seen.trim(&current);
        assert_eq!(seen.len(), Seen::CAPACITY * 2);
    }
}
