//! Heap bytes of the state of a domain.

/// Heap bytes of a [`DomainReplay`](crate::DomainReplay), by purpose.
///
/// They do not include the overhead of the allocator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeapBytes {
    /// The distinct blocks of the window: hashes, ids and the entries that contain them.
    pub vocabulary: usize,
    /// The nodes of the tree without their counters.
    pub nodes: usize,
    /// Block counts of the nodes below the domain node.
    pub counters: usize,
    /// The entries of the window: times, leaves and lists of blocks.
    pub window: usize,
}

impl HeapBytes {
    /// Returns the sum of all parts.
    pub fn total(&self) -> usize {
        self.vocabulary + self.nodes + self.counters + self.window
    }
}
