//! Growth of collections that stay in memory for long.

use hashbrown::HashTable;

/// Items by which a full collection of `len` items grows: one eighth, and at least 8.
///
/// Doubling would leave half of a large collection empty. Growth by an eighth leaves at
/// most a ninth empty and moves each item about nine times.
pub fn growth(len: usize) -> usize {
    len / 8 + 8
}

/// Makes room for one more item in a full table.
///
/// A full table is rebuilt at [`growth`]. hashbrown itself would double it: removed items
/// leave markers, and in a table with a steady number of items the markers fill it.
pub fn reserve_one<T: Copy>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.len() == table.capacity() {
        let mut fresh = HashTable::with_capacity(table.len() + growth(table.len()));
        for item in table.iter() {
            fresh.insert_unique(hash(item), *item, &hash);
        }
        *table = fresh;
    }
}

/// Heap bytes of a vector, including its unused capacity.
pub fn vec_heap_bytes<T>(items: &Vec<T>) -> usize {
    items.capacity() * size_of::<T>()
}
