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
use crate::node::{BlockText, Node};
use crate::thresholds::figures as most;
use crate::thresholds::text::LINKS;

/// Returns a digest of the letters and digits of a text; never 0.
pub(crate) fn figures(text: &str) -> u32 {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    let digest = letters.fold(SEED, |digest, letter| mix(digest, u32::from(letter)));
    digest.max(1)
}

/// The digest of no letters (FNV-1a).
const SEED: u32 = 0x811c_9dc5;

const PRIME: u32 = 0x0100_0193;

/// Returns a digest with one more number.
fn mix(digest: u32, number: u32) -> u32 {
    if number < 0x100 {
        // The other bytes are 0: one multiplication instead of four in sequence.
        return (digest ^ number).wrapping_mul(const { PRIME.wrapping_pow(4) });
    }
    let bytes = number.to_le_bytes();
    bytes.iter().fold(digest, |digest, byte| {
        (digest ^ u32::from(*byte)).wrapping_mul(PRIME)
    })
}

/// A row with figures: its blocks, and a digest of their letters and digits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FigureRow {
    blocks: Range<usize>,
    digest: u32,
}

/// The rows of tables and the sentences with figures of a page. They are found once, for the contribution of the page
/// to the template and for its labels.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// The rows of the tables with short cells.
    pub(crate) data_rows: Vec<Range<usize>>,
    /// The rows with figures of tables of figures.
    rows: Vec<FigureRow>,
    /// The sentences with figures, each as a row of one block.
    sentences: Vec<FigureRow>,
}

impl Figures {
    pub(crate) fn new(blocks: &[BlockText], nodes: &[Node]) -> Self {
        let tables = data_tables(blocks, nodes);
        let rows = tables.iter().flat_map(|table| rows_of(nodes, *table));
        Self {
            data_rows: rows.collect(),
            rows: figure_rows(blocks, nodes, &tables),
            sentences: figure_sentences(blocks).collect(),
        }
    }

    /// Returns the digests of the rows and of the sentences, ascending and without repetitions.
    pub(crate) fn digests(&self) -> Vec<u32> {
        let rows = self.rows.iter().chain(&self.sentences);
        let mut digests: Vec<u32> = rows.map(|row| row.digest).take(most::MAX_ROWS).collect();
        digests.sort_unstable();
        digests.dedup();
        digests
    }
}

/// Returns the sentences with figures of a page, each as a row of one block.
fn figure_sentences(blocks: &[BlockText]) -> impl Iterator<Item = FigureRow> {
    let is_sentence =
        |block: &BlockText| block.figures != 0 && block.has_sentences(1) && !block.is_links();
    let all = blocks.iter().enumerate();
    all.filter(move |(_, block)| is_sentence(block))
        .filter_map(|(at, _)| FigureRow::new(blocks, at..at + 1))
}

/// Returns the rows with figures of the tables of a page.
///
/// A table of figures has two such rows or more, which are half of its rows, no tables in it, and short
/// cells, most of them no links.
fn figure_rows(blocks: &[BlockText], nodes: &[Node], tables: &[usize]) -> Vec<FigureRow> {
    let mut rows = Vec::new();
    for table in tables {
        let all: Vec<Option<FigureRow>> = rows_of(nodes, *table)
            .map(|row| FigureRow::new(blocks, row))
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

/// Returns the tables of a page that have no tables in them, and short cells, most of them no links. Reads each
/// element and each block a fixed number of times, however deep tables are nested.
fn data_tables(blocks: &[BlockText], nodes: &[Node]) -> Vec<usize> {
    let is_outer: Vec<bool> = nodes
        .iter()
        .map(|node| node.code == code::TABLE && nodes[node.parent].code != code::TABLE)
        .collect();
    if !is_outer.contains(&true) {
        return Vec::new();
    }
    let tables = before(is_outer.iter().map(|is_outer| u64::from(*is_outer)));
    let of_blocks = |of: fn(&BlockText) -> u64| before(blocks.iter().map(of));
    let chars = of_blocks(|block| u64::from(block.chars));
    let links = of_blocks(|block| u64::from(block.link_chars));
    let long = of_blocks(|block| u64::from(block.chars > most::CELL_CHARS));
    let is_of_data = |at: &usize| {
        let node = &nodes[*at];
        let sum = |before: &[u64]| before[node.end] - before[node.first];
        let (chars, links) = (sum(&chars), sum(&links));
        is_outer[*at]
            && tables[node.next] == tables[at + 1]
            && sum(&long) == 0
            && chars <= most::MEAN_CHARS * (node.end - node.first) as u64
            && !LINKS.is_exceeded(links, chars)
    };
    (1..nodes.len()).filter(is_of_data).collect()
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

fn rows_of(nodes: &[Node], table: usize) -> impl Iterator<Item = Range<usize>> {
    let inside = nodes[table..nodes[table].next].iter();
    let rows = inside.filter(|node| node.code == code::ROW);
    rows.map(|row| row.first..row.end)
}

impl FigureRow {
    /// Returns a row; `None` without figures.
    fn new(texts: &[BlockText], blocks: Range<usize>) -> Option<Self> {
        let texts = &texts[blocks.clone()];
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
    pub(crate) fn own_cells(&self, figures: &Figures, counts: BlockCounts<'_>) -> Vec<bool> {
        let mut own = vec![false; counts.blocks.len()];
        let rows = figures.rows.iter();
        for row in rows.filter(|row| self.is_own(row, counts)) {
            own[row.blocks.clone()].fill(true);
        }
        own
    }

    /// Returns those of the sentences with figures that `is_wanted` takes and that hardly any other page has.
    pub(crate) fn own_sentences(
        &self,
        figures: &Figures,
        counts: BlockCounts<'_>,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let sentences = figures.sentences.iter();
        let own = sentences.filter(|row| is_wanted(row.blocks.start) && self.is_own(row, counts));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_that_of_fnv_over_four_bytes_per_number() {
        for number in [0, 1, 0xff, 0x100, 0x1_f600] {
            let bytes = u32::to_le_bytes(number);
            let plainly = bytes.iter().fold(SEED, |digest, byte| {
                (digest ^ u32::from(*byte)).wrapping_mul(PRIME)
            });
            assert_eq!(mix(SEED, number), plainly);
        }
    }
}
