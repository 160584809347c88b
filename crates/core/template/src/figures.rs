//! Rows of tables with figures.
//!
//! The hash of a block has letters only, so `12 kg` and `40 kg` are one block, and on a known site each
//! table of figures would repeat. A row of such a table is therefore known by its digits too: its
//! cells are content, unless other pages have the same row.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::block_counts::BlockCounts;
use crate::element_code as code;
use crate::outline::{BlockText, Outline};
use crate::thresholds::figures as most;
use crate::thresholds::text::LINKS;

/// Returns a digest of the letters and digits of a text with a digit; 0 for other texts.
pub(crate) fn figures(text: &str) -> u32 {
    if !text.chars().any(char::is_numeric) {
        return 0;
    }
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    let digest = letters.fold(SEED, |digest, letter| mix(digest, u32::from(letter)));
    digest.max(1)
}

/// The digest of no letters (FNV-1a).
const SEED: u32 = 0x811c_9dc5;

/// Returns a digest with one more number.
fn mix(digest: u32, number: u32) -> u32 {
    let bytes = number.to_le_bytes();
    bytes.iter().fold(digest, |digest, byte| {
        (digest ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

/// A row with figures: its blocks, and a digest of their letters and digits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FigureRow {
    blocks: Range<usize>,
    digest: u32,
}

/// Returns the digests of the rows with figures of a page, ascending and without repetitions.
pub(crate) fn digests(outline: &Outline) -> Vec<u32> {
    let mut digests: Vec<u32> = figure_rows(outline).iter().map(|row| row.digest).collect();
    digests.sort_unstable();
    digests.dedup();
    digests
}

/// Returns the rows with figures of the tables of a page.
///
/// A table of figures has two such rows or more, which are half of its rows, no tables in it, and short
/// cells, most of them no links.
fn figure_rows(outline: &Outline) -> Vec<FigureRow> {
    let mut rows = Vec::new();
    let mut at = 1;
    while let Some(node) = outline.nodes.get(at) {
        let is_outer = node.code == code::TABLE && outline.nodes[node.parent].code != code::TABLE;
        if is_outer && is_of_figures(outline, at) {
            let inside = outline.nodes[at..node.next].iter();
            let all = inside.filter(|node| node.code == code::ROW);
            let all: Vec<Option<FigureRow>> = all
                .map(|row| FigureRow::new(outline, row.first..row.end))
                .collect();
            let with_figures = all.iter().flatten().count();
            if with_figures >= most::ROWS
                && most::OF_TABLE.is_reached(with_figures as u64, all.len() as u64)
            {
                rows.extend(all.into_iter().flatten());
            }
            at = node.next;
        } else {
            at += 1;
        }
    }
    rows.truncate(most::MAX_ROWS);
    rows
}

/// Returns whether a table has short cells, most of them no links, and no tables in it.
fn is_of_figures(outline: &Outline, table: usize) -> bool {
    let node = &outline.nodes[table];
    let mut inside = outline.nodes[table + 1..node.next].iter();
    let has_table = inside
        .any(|node| node.code == code::TABLE && outline.nodes[node.parent].code != code::TABLE);
    let blocks = &outline.blocks[node.first..node.end];
    let sum =
        |of: fn(&BlockText) -> u32| -> u64 { blocks.iter().map(|one| u64::from(of(one))).sum() };
    let (chars, links) = (sum(|block| block.chars), sum(|block| block.link_chars));
    let has_short_cells = blocks.iter().all(|block| block.chars <= most::CELL_CHARS)
        && chars <= most::MEAN_CHARS * blocks.len() as u64;
    has_short_cells && !LINKS.is_exceeded(links, chars) && !has_table
}

impl FigureRow {
    /// Returns a row; `None` without figures.
    fn new(outline: &Outline, blocks: Range<usize>) -> Option<Self> {
        let texts = &outline.blocks[blocks.clone()];
        let has_figures = texts.iter().any(|block| block.figures != 0);
        let digest = texts.iter().fold(SEED, |digest, block| {
            mix(mix(digest, block.chars), block.figures)
        });
        has_figures.then_some(FigureRow { blocks, digest })
    }
}

/// The number of pages of the window with each row.
#[derive(Debug, Default)]
pub(crate) struct RowCounts(HashMap<u32, u32, RandomState>);

impl RowCounts {
    pub(crate) fn add(&mut self, rows: &[u32]) {
        for row in rows {
            *self.0.entry(*row).or_default() += 1;
        }
    }

    /// Reverts one [`add`](Self::add).
    pub(crate) fn subtract(&mut self, rows: &[u32]) {
        for row in rows {
            if let Some(count) = self.0.get_mut(row) {
                *count -= 1;
                if *count == 0 {
                    self.0.remove(row);
                }
            }
        }
    }

    /// Returns, per block of a page, whether it is in a row with figures that hardly any other page has.
    pub(crate) fn own_cells(&self, outline: &Outline, counts: BlockCounts<'_>) -> Vec<bool> {
        let mut own = vec![false; outline.blocks.len()];
        for row in figure_rows(outline) {
            let pages = self.0.get(&row.digest).copied().unwrap_or_default();
            let counts = BlockCounts {
                blocks: &[pages],
                ..counts
            };
            if !counts.is_repeated(0) && !counts.is_familiar(0) {
                own[row.blocks].fill(true);
            }
        }
        own
    }
}
