//! Rows of tables, and sentences, with figures.
//!
//! The hash of a block has letters only, so `12 kg` and `40 kg` are one block, and on a known site each
//! table of figures would repeat. A row of such a table is therefore known by its digits too: its
//! cells are content, unless other pages have the same row. So are the sentences of a page without other text.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::block_counts::BlockCounts;
use crate::element_code as code;
use crate::main_text::has_sentences;
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

/// Returns the digests of the rows and of the sentences with figures of a page, ascending and without repetitions.
pub(crate) fn digests(outline: &Outline) -> Vec<u32> {
    let rows = figure_rows(outline)
        .into_iter()
        .chain(figure_sentences(outline));
    let mut digests: Vec<u32> = rows.map(|row| row.digest).take(most::MAX_ROWS).collect();
    digests.sort_unstable();
    digests.dedup();
    digests
}

/// Returns the sentences with figures of a page, each as a row of one block.
fn figure_sentences(outline: &Outline) -> impl Iterator<Item = FigureRow> {
    let blocks = outline.blocks.iter().enumerate();
    blocks
        .filter(|(_, block)| {
            has_sentences(block, 1)
                && !LINKS.is_exceeded(block.link_chars.into(), block.chars.into())
        })
        .filter_map(|(at, _)| FigureRow::new(outline, at..at + 1))
}

/// Returns the rows with figures of the tables of a page.
///
/// A table of figures has two such rows or more, which are half of its rows, no tables in it, and short
/// cells, most of them no links.
fn figure_rows(outline: &Outline) -> Vec<FigureRow> {
    let mut rows = Vec::new();
    for table in data_tables(outline) {
        let all: Vec<Option<FigureRow>> = rows_of(outline, table)
            .map(|blocks| FigureRow::new(outline, blocks))
            .collect();
        let with_figures = all.iter().flatten().count();
        if with_figures >= most::ROWS
            && most::OF_TABLE.is_reached(with_figures as u64, all.len() as u64)
        {
            rows.extend(all.into_iter().flatten());
        }
    }
    rows.truncate(most::MAX_ROWS);
    rows
}

/// Returns the rows of the tables with short cells.
pub(crate) fn data_rows(outline: &Outline) -> Vec<Range<usize>> {
    let tables = data_tables(outline).into_iter();
    tables.flat_map(|table| rows_of(outline, table)).collect()
}

/// Returns the tables of a page that have no tables in them, and short cells, most of them no links. Reads each
/// element and each block a fixed number of times, however deep tables are nested.
fn data_tables(outline: &Outline) -> Vec<usize> {
    let is_outer: Vec<bool> = outline
        .nodes
        .iter()
        .map(|node| node.code == code::TABLE && outline.nodes[node.parent].code != code::TABLE)
        .collect();
    if !is_outer.contains(&true) {
        return Vec::new();
    }
    let tables = before(is_outer.iter().map(|is_outer| u64::from(*is_outer)));
    let of_blocks = |of: fn(&BlockText) -> u64| before(outline.blocks.iter().map(of));
    let chars = of_blocks(|block| u64::from(block.chars));
    let links = of_blocks(|block| u64::from(block.link_chars));
    let long = of_blocks(|block| u64::from(block.chars > most::CELL_CHARS));
    let is_of_data = |at: &usize| {
        let node = &outline.nodes[*at];
        let sum = |before: &[u64]| before[node.end] - before[node.first];
        let (chars, links) = (sum(&chars), sum(&links));
        is_outer[*at]
            && tables[node.next] == tables[at + 1]
            && sum(&long) == 0
            && chars <= most::MEAN_CHARS * (node.end - node.first) as u64
            && !LINKS.is_exceeded(links, chars)
    };
    (1..outline.nodes.len()).filter(is_of_data).collect()
}

/// Returns the sums of all values before each, and of all.
fn before(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut sum = 0;
    let sums = values.map(|value| {
        sum += value;
        sum
    });
    std::iter::once(0).chain(sums).collect()
}

fn rows_of(outline: &Outline, table: usize) -> impl Iterator<Item = Range<usize>> {
    let inside = outline.nodes[table..outline.nodes[table].next].iter();
    let rows = inside.filter(|node| node.code == code::ROW);
    rows.map(|row| row.first..row.end)
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
            if self.is_own(&row, counts) {
                own[row.blocks].fill(true);
            }
        }
        own
    }

    /// Returns the blocks that are sentences with figures that hardly any other page has.
    pub(crate) fn own_sentences(&self, outline: &Outline, counts: BlockCounts<'_>) -> Vec<usize> {
        let own = figure_sentences(outline).filter(|row| self.is_own(row, counts));
        own.map(|row| row.blocks.start).collect()
    }

    fn is_own(&self, row: &FigureRow, counts: BlockCounts<'_>) -> bool {
        let pages = self.0.get(&row.digest).copied().unwrap_or_default();
        let counts = BlockCounts {
            blocks: &[pages],
            ..counts
        };
        !counts.is_repeated(0) && !counts.is_familiar(0)
    }
}
