//! The pages of a set on their way through a replay.

use std::collections::{HashMap, HashSet};

use url_key::UrlKey;
use url_tree::DAY_MICROS;

use crate::{Fetched, GoldPage, GoldSet, InputError, PageBlocks};

/// The dates of pages, in days since 1970.
pub(super) struct Dates {
    /// By index of the page.
    pub(super) of_pages: Vec<i32>,
    /// The last of them.
    pub(super) last: i32,
    /// Whether any page has a time. If none has, a page's date is its index.
    pub(super) are_known: bool,
}

impl Dates {
    pub(super) fn new(pages: &[GoldPage]) -> Self {
        let are_known = pages.iter().any(|page| page.fetched_at.is_some());
        let date = |(index, page): (usize, &GoldPage)| {
            let day = match page.fetched_at {
                Some(time) => time.div_euclid(DAY_MICROS),
                None if are_known => 0,
                None => index as i64,
            };
            i32::try_from(day).unwrap_or(i32::MAX)
        };
        let of_pages: Vec<i32> = pages.iter().enumerate().map(date).collect();
        Self {
            last: of_pages.iter().copied().max().unwrap_or_default(),
            of_pages,
            are_known,
        }
    }
}

/// The URL key of a page, or the reason why a job does not process the page.
pub(super) type Key = Result<UrlKey, String>;

/// Whether a page is the first of its URL key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The page is not processed.
    Unkeyed,
    /// The first page of its key.
    First,
    /// A duplicate of the page with this index.
    Duplicate(usize),
}

/// A parsed page.
pub(super) struct ParsedPage {
    pub(super) blocks: PageBlocks,
    /// Whether the template can use the page: its layout is not too large.
    pub(super) has_outline: bool,
    /// Seconds to find the blocks.
    pub(super) parsing: f64,
    /// Seconds to measure the blocks and to compare them with the title, which only the
    /// template needs.
    pub(super) measuring: f64,
}

/// Calls `each` with the index and the HTML of the `wanted` pages, in the order of the
/// file. Reads nothing if no page is wanted.
pub(super) fn for_each_page(
    set: &GoldSet,
    pages: &[GoldPage],
    wanted: &HashSet<usize>,
    mut each: impl FnMut(usize, Fetched<'_>),
) -> Result<(), InputError> {
    if wanted.is_empty() {
        return Ok(());
    }
    let by_row: HashMap<usize, usize> = (wanted.iter())
        .map(|index| (pages[*index].row, *index))
        .collect();
    set.for_each_fetched(|page| {
        if let Some(index) = by_row.get(&page.row) {
            each(*index, page);
        }
    })
}
