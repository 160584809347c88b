//! How collections grow that a domain holds for long.

use hashbrown::HashTable;

/// For how many more items a full collection makes room: an eighth of those it
/// has. Doubling would leave half of a large one empty; an eighth still means
/// that an item is moved some nine times at most.
pub(crate) fn growth(items: usize) -> usize {
    items / 8 + 8
}

/// Makes room in a table for one more item. A table in which items come and go
/// fills with the marks of those that went, and hashbrown would then double one
/// whose own size is enough.
pub(crate) fn reserve_one<T: Copy>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.len() == table.capacity() {
        let mut fresh = HashTable::with_capacity(table.len() + growth(table.len()));
        for item in table.iter() {
            fresh.insert_unique(hash(item), *item, &hash);
        }
        *table = fresh;
    }
}
