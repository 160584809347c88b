//! The window: the entries that the tree of a domain counts [P 6].

use std::collections::VecDeque;

use crate::block_list::BlockList;
use crate::ids::{NodeId, Position, position_difference, position_sum};
use crate::interner::capacity::growth;

/// Microseconds of a day.
pub const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Limits of the window of a domain. The defaults are the paper's [P 6].
///
/// A revision counts as a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowOptions {
    /// Maximum number of entries. The oldest entries above it are evicted. Default 10,000.
    pub max_pages: usize,
    /// Maximum age of an entry, in microseconds before the newest time of a batch. Older
    /// entries are evicted. Default 14 days.
    pub max_age_micros: i64,
    /// Number of entries that are kept in spite of the other limits. Default 100.
    pub min_pages: usize,
}

impl Default for WindowOptions {
    fn default() -> Self {
        WindowOptions {
            max_pages: 10_000,
            max_age_micros: 14 * DAY_MICROS,
            min_pages: 100,
        }
    }
}

impl WindowOptions {
    /// Returns whether the oldest of `len` entries is evicted.
    ///
    /// It is evicted if there are more than [`min_pages`](Self::min_pages) entries and one
    /// of two conditions is true [O F1]: the entry is more than
    /// [`max_age_micros`](Self::max_age_micros) older than `newest_micros`, or there are
    /// more than [`max_pages`](Self::max_pages) entries.
    pub fn evicts(&self, len: usize, oldest_micros: i64, newest_micros: i64) -> bool {
        len > self.min_pages
            && (newest_micros.saturating_sub(oldest_micros) > self.max_age_micros
                || len > self.max_pages)
    }
}

/// Returns the start of the window in a domain's stream of entries.
///
/// `times[start..]` are the entries in the window of a replay after its last batch. `times`
/// are the times of the inserted entries (pages and revisions) in microseconds, ascending.
/// A tail of the stream is enough if it contains the window. The result does not depend on
/// the batches, provided that every batch ended with the time of its newest entry.
pub fn window_start(times: &[i64], options: &WindowOptions) -> usize {
    let Some(&newest) = times.last() else {
        return 0;
    };
    times
        .iter()
        .enumerate()
        .position(|(at, &time)| !options.evicts(times.len() - at, time, newest))
        .unwrap_or(times.len())
}

/// How an entry counts at the nodes of its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A page: counts as support and in the block counts.
    Page,
    /// New blocks of a known page: counts in the block counts only [O E3].
    Revision,
}

/// The entries that a tree counts, in order of insertion.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// Position of the oldest entry.
    start: Position,
    entries: VecDeque<WindowEntry>,
}

/// An entry that the tree has counted, with all data that its removal needs.
#[derive(Debug)]
pub(crate) struct WindowEntry {
    pub(crate) time_micros: i64,
    pub(crate) kind: EntryKind,
    /// Last node of the branch of the entry.
    pub(crate) leaf: NodeId,
    /// The previous entry with this leaf. It may have left the window.
    pub(crate) previous_here: Position,
    pub(crate) blocks: BlockList,
}

impl Window {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the position of the next entry to be inserted.
    pub(crate) fn end(&self) -> Position {
        position_sum(self.start, self.entries.len() as Position)
    }

    pub(crate) fn get(&self, position: Position) -> &WindowEntry {
        &self.entries[position_difference(position, self.start) as usize]
    }

    pub(crate) fn oldest(&self) -> Option<&WindowEntry> {
        self.entries.front()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let lists = self.entries.iter().map(|entry| entry.blocks.heap_bytes());
        self.entries.capacity() * size_of::<WindowEntry>() + lists.sum::<usize>()
    }

    pub(crate) fn push(&mut self, entry: WindowEntry) {
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(growth(self.entries.len()));
        }
        self.entries.push_back(entry);
    }

    /// Removes the entry that was inserted first. Its time need not be the earliest [O F2].
    pub(crate) fn pop(&mut self) -> Option<(Position, WindowEntry)> {
        let entry = self.entries.pop_front()?;
        let position = self.start;
        self.start = position_sum(position, 1);
        Some((position, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(min: usize, max: usize, age: i64) -> WindowOptions {
        WindowOptions {
            max_pages: max,
            max_age_micros: age,
            min_pages: min,
        }
    }

    #[test]
    fn an_entry_of_exactly_the_maximum_age_stays() {
        assert_eq!(window_start(&[0, 10], &options(0, 9, 10)), 0);
        assert_eq!(window_start(&[0, 11], &options(0, 9, 10)), 1);
    }

    #[test]
    fn the_minimum_wins_over_age_and_maximum() {
        assert_eq!(window_start(&[0, 1, 2, 99], &options(3, 9, 10)), 1);
        assert_eq!(window_start(&[0, 1, 2, 3], &options(3, 1, 10)), 1);
        assert_eq!(window_start(&[0, 1, 2, 3], &options(0, 1, 10)), 3);
        assert_eq!(window_start(&[0, 1], &options(0, 0, 10)), 2);
        assert_eq!(window_start(&[], &options(0, 0, 10)), 0);
    }

    #[test]
    fn times_at_both_ends_of_the_range_do_not_overflow() {
        assert_eq!(window_start(&[i64::MIN, i64::MAX], &options(0, 9, 10)), 1);
    }
}
