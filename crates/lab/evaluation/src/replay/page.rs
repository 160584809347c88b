//! The pages of a set on their way through a replay.

use std::collections::{HashMap, HashSet};

use site_replay::{Content, Role};
use url_key::UrlKey;
use url_parameters::Signature;
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

/// The URL key of a page, and whether the page is the first with it.
#[derive(Clone, Debug)]
pub(super) struct Keyed {
    pub(super) key: UrlKey,
    pub(super) role: Role<usize>,
}

/// The URL key of a page and its role, or the reason why a job does not process the page.
pub(super) type Key = Result<Keyed, String>;

/// The pages that were read, by index.
pub(super) type Parsed = HashMap<usize, Seen>;

/// A page that was read.
pub(super) struct Seen {
    /// The title in its HTML, if its key needs one.
    pub(super) title: Option<String>,
    /// The page, or the reason why it has no text.
    pub(super) page: Result<ParsedPage, String>,
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            title: None,
            page: Err("the set has no such page".to_owned()),
        }
    }
}

impl Content for Seen {
    fn has_text(&mut self) -> bool {
        (self.page.as_ref()).is_ok_and(|page| !page.blocks.hashes.is_empty())
    }

    fn signature(&mut self) -> Signature {
        let page = self.page.as_ref();
        page.map_or_else(|_| Signature::default(), |page| page.signature.clone())
    }
}

/// A parsed page.
pub(super) struct ParsedPage {
    pub(super) blocks: PageBlocks,
    /// The title and the longest blocks; empty if pages are not compared.
    pub(super) signature: Signature,
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
