//! The index of an index: blocks of lines, each with its first key.

use crawl_index::{KeyRange, Pointer};

/// The blocks that may have keys of the chosen records. A block ends where the next one begins.
#[derive(Debug)]
pub(crate) struct Pointers {
    ranges: Vec<KeyRange>,
    last: Option<Pointer>,
    found: Vec<Pointer>,
}

impl Pointers {
    pub(crate) fn new(ranges: Vec<KeyRange>) -> Self {
        Self {
            ranges,
            last: None,
            found: Vec::new(),
        }
    }

    /// Takes the next block of an index.
    pub(crate) fn add(&mut self, block: Pointer) {
        let end = block.key.clone();
        self.end(Some(&end));
        self.last = Some(block);
    }

    /// Returns the blocks of an index that has ended.
    pub(crate) fn take(&mut self) -> Vec<Pointer> {
        self.end(None);
        std::mem::take(&mut self.found)
    }

    /// Keeps the last block if it may have a key up to `end`.
    fn end(&mut self, end: Option<&str>) {
        let may_have = |block: &Pointer| {
            let overlaps = |range: &KeyRange| {
                block.key < range.end && end.is_none_or(|end| range.start.as_str() <= end)
            };
            self.ranges.iter().any(overlaps)
        };
        self.found.extend(self.last.take().filter(may_have));
    }
}
