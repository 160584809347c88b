//! What the state of a domain takes.

/// Bytes that a [`DomainReplay`](crate::DomainReplay) has on the heap, by what
/// they are for. What an allocator adds of its own is not in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeapBytes {
    /// The distinct blocks of the window: hashes, their index, in how many
    /// entries they are.
    pub vocabulary: usize,
    /// The nodes of the tree without their counters.
    pub nodes: usize,
    /// Block counts of nodes below the domain node.
    pub counters: usize,
    /// The entries of the window: their times, places and lists of blocks.
    pub window: usize,
}

impl HeapBytes {
    /// All of them.
    pub fn total(&self) -> usize {
        self.vocabulary + self.nodes + self.counters + self.window
    }
}

/// What the items of a vector take, those it has room for included.
pub(crate) fn reserved<T>(items: &Vec<T>) -> usize {
    items.capacity() * size_of::<T>()
}
