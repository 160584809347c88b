//! Counts of the blocks of a page.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

use crate::thresholds::pages;

/// Numbers of pages of the site that contain the blocks of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCounts<'c> {
    /// Pages of the site so far, including the page itself: `n`.
    pub pages: u32,
    /// Per block of the page, the number of these pages that contain it: `c`.
    pub blocks: &'c [u32],
    /// Per block, the first block of the page with an equal text: [`first_equal`].
    pub first: &'c [usize],
}

/// Returns, for each text of a page, the position of the first that equals it.
///
/// ```
/// assert_eq!(template::first_equal(&["a", "b", "a"]), [0, 1, 0]);
/// ```
pub fn first_equal<T: Eq + Hash>(texts: &[T]) -> Vec<usize> {
    let mut first = HashMap::with_capacity_and_hasher(texts.len(), RandomState::default());
    let places = texts.iter().enumerate();
    places
        .map(|(at, text)| *first.entry(text).or_insert(at))
        .collect()
}

impl BlockCounts<'_> {
    /// Returns whether more than a quarter of the pages, and at least two, contain the block.
    pub(crate) fn is_repeated(self, block: usize) -> bool {
        self.blocks[block] > (self.pages / pages::REPEATED).max(1)
    }

    /// Returns whether more than one page in fifty, and at least three, contain the block.
    pub(crate) fn is_familiar(self, block: usize) -> bool {
        self.blocks[block] > (self.pages / pages::FAMILIAR).max(2)
    }

    /// Returns whether more than three quarters of the pages, and at least two, contain the
    /// block.
    ///
    /// The block then belongs to the site. A teaser repeats a block of one page on fewer pages.
    pub(crate) fn is_on_most_pages(self, block: usize) -> bool {
        self.blocks[block] > (self.pages - self.pages.div_ceil(pages::REPEATED)).max(1)
    }
}
