//! Dense ids for values that come and go.
//!
//! An [`Interner`] stores each value once and gives it a `u32` id. Other structures store
//! the id, which is smaller than the value and compares faster. [`Interner::remove`] frees
//! an id; a later value gets it, so ids stay dense and memory stays proportional to the
//! values in use.
//!
//! ```
//! use url_tree::interner::{Interner, Keyed};
//!
//! #[derive(Default)]
//! struct Word {
//!     text: String,
//!     uses: u32,
//! }
//!
//! impl Keyed for Word {
//!     type Key<'k> = &'k str;
//!
//!     fn key(&self) -> &str {
//!         &self.text
//!     }
//! }
//!
//! let mut words = Interner::<Word>::default();
//! let tree = words.insert(Word { text: "tree".into(), uses: 1 });
//! let leaf = words.insert(Word { text: "leaf".into(), uses: 1 });
//! assert_eq!((tree, leaf), (0, 1));
//! assert_eq!(words.find("leaf"), Some(leaf));
//!
//! words[tree].uses -= 1;
//! assert_eq!(words.remove(tree).text, "tree");
//! assert_eq!(words.find("tree"), None);
//! // The id is free again.
//! assert_eq!(words.insert(Word { text: "root".into(), uses: 1 }), tree);
//! ```
//!
//! # Design
//!
//! - **The hash table contains ids only.** The key of an entry is read from its value, so
//!   no key is stored twice.
//! - **Ids are reused first in, first out.** Values that arrive together then have
//!   neighbouring ids also after thousands of removals, and lists of ids compress well.
//!   `slab` and other arenas reuse the last freed id first, and `slab` needs a tag per
//!   value.
//! - **Collections grow by an eighth** ([`capacity`]).
//! - **The hash has a random seed**, because keys come from web pages: see [`Interner`].
//!
//! # Non-goals
//!
//! It counts no references: the owner of the values decides when one is unused. It does
//! not detect a use of a freed id.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash};
use std::ops::{Index, IndexMut};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

pub mod capacity;

use capacity::{growth, reserve_one, vec_heap_bytes};

/// A value with a key that identifies it in an [`Interner`].
///
/// The key of an interned value must not change.
pub trait Keyed {
    /// The key, possibly borrowed from the value.
    type Key<'k>: Hash + Eq
    where
        Self: 'k;

    /// Returns the key of this value.
    fn key(&self) -> Self::Key<'_>;
}

/// Values with dense ids, findable by their keys.
///
/// Web pages choose the keys, and a page could choose thousands whose usual hashes
/// collide. Keys are therefore hashed with a random seed. foldhash resists such attacks as
/// long as the attacker does not see hashes, and no page does. The order of the table is
/// never observed, so ids do not depend on the seed.
#[derive(Debug)]
pub struct Interner<T> {
    /// The ids, hashed by the keys of their values.
    ids: HashTable<u32>,
    seed: RandomState,
    /// The values by id; defaults at free ids.
    values: Vec<T>,
    /// Free ids, the one that was freed first at the front.
    free: VecDeque<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner {
            ids: HashTable::new(),
            seed: RandomState::default(),
            values: Vec::new(),
            free: VecDeque::new(),
        }
    }
}

impl<T: Keyed + Default> Interner<T> {
    /// Creates an interner whose id 0 is `root`, which [`find`](Self::find) never returns.
    pub fn with_root(root: T) -> Self {
        Interner {
            values: vec![root],
            ..Interner::default()
        }
    }

    /// Returns the id of the value with this key.
    pub fn find<'k>(&'k self, key: T::Key<'k>) -> Option<u32> {
        let hash = self.seed.hash_one(&key);
        let has_key = |&id: &u32| self.values[id as usize].key() == key;
        self.ids.find(hash, has_key).copied()
    }

    /// Stores a value and returns its id. No stored value may have the same key.
    pub fn insert(&mut self, value: T) -> u32 {
        if self.free.is_empty() && self.values.len() == self.values.capacity() {
            self.values.reserve_exact(growth(self.values.len()));
        }
        let id = if let Some(id) = self.free.pop_front() {
            self.values[id as usize] = value;
            id
        } else {
            self.values.push(value);
            // 2^32 values of 20 bytes would take 80 GB in this vector alone.
            (self.values.len() - 1) as u32
        };
        let (seed, values) = (&self.seed, &self.values);
        let hash = |&id: &u32| seed.hash_one(values[id as usize].key());
        reserve_one(&mut self.ids, hash);
        self.ids.insert_unique(hash(&id), id, hash);
        id
    }

    /// Removes a value and frees its id.
    pub fn remove(&mut self, id: u32) -> T {
        let hash = self.seed.hash_one(self.values[id as usize].key());
        if let Ok(entry) = self.ids.find_entry(hash, |&other| other == id) {
            entry.remove();
        }
        self.free.push_back(id);
        std::mem::take(&mut self.values[id as usize])
    }

    /// Returns the values by id, with defaults at free ids.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the number of values that [`find`](Self::find) can return.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether [`find`](Self::find) can return no value.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the heap bytes of the collections, without those of the values themselves.
    pub fn heap_bytes(&self) -> usize {
        self.ids.allocation_size()
            + vec_heap_bytes(&self.values)
            + self.free.capacity() * size_of::<u32>()
    }
}

impl<T> Index<u32> for Interner<T> {
    type Output = T;

    fn index(&self, id: u32) -> &T {
        &self.values[id as usize]
    }
}

impl<T> IndexMut<u32> for Interner<T> {
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.values[id as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Number(u64);

    impl Keyed for Number {
        type Key<'k> = u64;

        fn key(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn freed_ids_are_reused_in_the_order_they_were_freed() {
        let mut numbers = Interner::<Number>::default();
        let ids: Vec<u32> = (10..14).map(|n| numbers.insert(Number(n))).collect();
        assert_eq!(ids, [0, 1, 2, 3]);
        assert_eq!(numbers.remove(2), Number(12));
        assert_eq!(numbers.remove(0), Number(10));
        assert_eq!((numbers.find(12), numbers.find(13)), (None, Some(3)));
        assert_eq!(numbers.len(), 2);
        let ids: Vec<u32> = (20..23).map(|n| numbers.insert(Number(n))).collect();
        assert_eq!(ids, [2, 0, 4]);
        assert_eq!(numbers.find(20), Some(2));
    }

    #[test]
    fn the_root_is_not_found() {
        let mut numbers = Interner::with_root(Number(7));
        assert_eq!(numbers.find(7), None);
        assert!(numbers.is_empty());
        assert_eq!(numbers.insert(Number(7)), 1);
        assert_eq!((&numbers[0], numbers.find(7)), (&Number(7), Some(1)));
    }

    /// Values come and go, and their number stays close to the capacity of the table, which
    /// is seven eighths of its size.
    #[test]
    fn a_steady_number_of_values_takes_constant_memory() {
        let most = 48_000;
        let mut numbers = Interner::<Number>::default();
        let allocated = allocation_counter::measure(|| {
            for at in 0..20 * most {
                if at >= most {
                    let id = numbers.find(at - most).expect("it was inserted");
                    numbers.remove(id);
                }
                numbers.insert(Number(at));
            }
        });
        assert_eq!(numbers.len(), most as usize);
        assert_eq!(numbers.values().len(), most as usize);
        assert_eq!(allocated.bytes_current, numbers.heap_bytes() as i64);
        let table = numbers.ids.allocation_size();
        assert!(table <= 5 * 65_536 + 64, "{table}");
    }
}
