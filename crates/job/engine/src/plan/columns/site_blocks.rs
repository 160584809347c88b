//! Rows of the table `site_blocks`: the blocks that a site repeats and that its texts lack, once a date.
//!
//! A date of a site is counted in the order of its pages, so the rows are the same however pages are cut into batches. It
//! takes at most [`COUNTED`] blocks of memory: a page with new repeated blocks at each fetch cannot fill it.

use std::collections::HashMap;

use arrow::array::RecordBatch;
use arrow::datatypes::Date32Type;
use datafusion::error::Result;
use foldhash::fast::RandomState;
use tables::{Partitioning, Table};
use url_tree::BlockHash;

use crate::plan::columns::column::{column, dates};
use crate::plan::columns::schemas::{RecordBatchExt, rows_of};
use crate::plan::columns::table_rows::{PageBlock, PageRows};

/// Different blocks of a site and date that are counted, the first ones. Each takes at most 3 KB, and usually 200 bytes. Of 17
/// sites the most are 1,000. A lower value loses blocks of large sites, a higher one takes more memory for hostile ones.
const COUNTED: usize = 1 << 13;

/// Rows of a site and date: the blocks that most of its pages have.
const ROWS: usize = 1000;

/// Bytes of a text that are kept. Imprints have some hundreds.
const TEXT_BYTES: usize = 2000;

/// The blocks that the pages of a site repeat on a date.
#[derive(Debug)]
pub(crate) struct SiteBlocks {
    domain: String,
    /// In days since 1970.
    date: i32,
    pages: i32,
    /// In the order of their first pages.
    blocks: Vec<SiteBlock>,
    /// Of each hash in `blocks`.
    positions: HashMap<BlockHash, usize, RandomState>,
}

/// A block that pages repeat, as on the first page of the date that has it.
#[derive(Debug)]
struct SiteBlock {
    hash: BlockHash,
    text: String,
    slot: String,
    reason: String,
    count: i32,
    support: i32,
    /// Pages of the date that have it.
    pages: i32,
    /// The number of the last of them.
    last_page: i32,
}

/// Returns what `pages` of `batch` repeat, by site and date in the order of rows.
pub(crate) fn site_blocks(batch: &RecordBatch, pages: &PageRows<'_>) -> Result<Vec<SiteBlocks>> {
    let (domains, dates) = (batch.text("domain")?, batch.numbers::<Date32Type>("date")?);
    let mut sites: Vec<SiteBlocks> = Vec::new();
    for (position, row) in pages.rows.iter().enumerate() {
        let row = *row as usize;
        let (domain, date) = (domains.value(row), dates.value(row));
        if !sites.last().is_some_and(|site| site.is_of(domain, date)) {
            sites.push(SiteBlocks::new(domain, date));
        }
        if let Some(site) = sites.last_mut() {
            site.page(&pages.blocks(position)?);
        }
    }
    Ok(sites)
}

impl SiteBlocks {
    fn new(domain: &str, date: i32) -> Self {
        Self {
            domain: domain.to_owned(),
            date,
            pages: 0,
            blocks: Vec::new(),
            positions: HashMap::default(),
        }
    }

    fn is_of(&self, domain: &str, date: i32) -> bool {
        (self.domain.as_str(), self.date) == (domain, date)
    }

    /// Counts the blocks of a page that its text lacks and that other pages have too.
    fn page(&mut self, blocks: &[PageBlock<'_>]) {
        self.pages += 1;
        let number = self.pages;
        let is_repeated = |block: &&PageBlock<'_>| !block.is_content && block.label.count >= 2;
        for block in blocks.iter().filter(is_repeated) {
            if let Some(at) = self.positions.get(block.hash) {
                let counted = &mut self.blocks[*at];
                if counted.last_page < number {
                    (counted.pages, counted.last_page) = (counted.pages + 1, number);
                }
                continue;
            }
            self.positions.insert(*block.hash, self.blocks.len());
            self.blocks.push(SiteBlock {
                hash: *block.hash,
                text: block.text[..block.text.floor_char_boundary(TEXT_BYTES)].to_owned(),
                slot: block.detail.slot.to_owned(),
                reason: block.label.reason.to_owned(),
                count: block.label.count,
                support: block.label.support,
                pages: 1,
                last_page: number,
            });
        }
    }

    /// Leaves the first [`COUNTED`] blocks.
    pub(crate) fn bounded(mut self) -> Self {
        self.blocks.truncate(COUNTED);
        self.positions.retain(|_, at| *at < COUNTED);
        self
    }

    /// Adds later pages of the same site and date, of which a block is counted if there is room for it. Returns those of
    /// another site or date.
    pub(crate) fn merge(&mut self, later: Self) -> Option<Self> {
        if !self.is_of(&later.domain, later.date) {
            return Some(later);
        }
        self.pages += later.pages;
        for block in later.blocks {
            if let Some(at) = self.positions.get(&block.hash) {
                self.blocks[*at].pages += block.pages;
            } else if self.blocks.len() < COUNTED {
                self.positions.insert(block.hash, self.blocks.len());
                self.blocks.push(block);
            }
        }
        None
    }

    /// Returns the rows of the table: the blocks that most pages have, ties by count and hash.
    pub(crate) fn rows(mut self) -> Result<RecordBatch> {
        let order = |block: &SiteBlock| (-block.pages, -block.count, block.hash);
        self.blocks.sort_unstable_by_key(order);
        self.blocks.truncate(ROWS);
        let (blocks, site) = (&self.blocks, &self);
        let columns = vec![
            dates("date", blocks, |_| Some(site.date)),
            column("domain", blocks, |_| Some(&*site.domain)),
            column("text", blocks, |block| Some(&*block.text)),
            column("hash", blocks, |block| Some(&block.hash[..])),
            column("pages", blocks, |block| Some(block.pages)),
            column("site_pages", blocks, |_| Some(site.pages)),
            column("count", blocks, |block| Some(block.count)),
            column("support", blocks, |block| Some(block.support)),
            column("reason", blocks, |block| Some(&*block.reason)),
            column("slot", blocks, |block| Some(&*block.slot)),
        ];
        rows_of(&Table::SiteBlocks.schema(Partitioning::Day), columns)
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::Int32Type;

    use super::*;
    use crate::plan::columns::labels::LabelDetail;
    use crate::plan::columns::page::StoredBlock;

    /// A site with pages of these blocks, all of them repeated boilerplate.
    fn site(pages: &[&[u16]]) -> SiteBlocks {
        let mut site = SiteBlocks::new("tea.example", 15_000);
        for numbers in pages {
            page(&mut site, numbers, |_| {});
        }
        site
    }

    /// Counts a page of these blocks, repeated boilerplate but for `change`.
    fn page(
        site: &mut SiteBlocks,
        numbers: &[u16],
        change: impl Fn(&mut [(bool, LabelDetail<'_>)]),
    ) {
        let label = LabelDetail {
            reason: "counted",
            count: 2,
            support: 3,
            depth: 0,
        };
        let detail = StoredBlock {
            link_chars: 0,
            slot: "div>p",
            chrome: false,
        };
        let mut labels = vec![(false, label); numbers.len()];
        change(&mut labels);
        let texts: Vec<String> = numbers.iter().map(u16::to_string).collect();
        let hashes: Vec<BlockHash> = numbers.iter().map(hash).collect();
        let blocks = labels
            .iter()
            .enumerate()
            .map(|(at, (is_content, label))| PageBlock {
                row: 0,
                ordinal: at as i32,
                hash: &hashes[at],
                text: &texts[at],
                is_content: *is_content,
                detail: &detail,
                label,
            });
        site.page(&blocks.collect::<Vec<_>>());
    }

    fn hash(number: &u16) -> BlockHash {
        let mut hash = [0; 16];
        hash[..2].copy_from_slice(&number.to_be_bytes());
        hash
    }

    /// Text and pages of each row.
    fn rows(site: SiteBlocks) -> Vec<(String, i32)> {
        let rows = site.rows().unwrap();
        let texts = rows.text("text").unwrap().iter().flatten();
        let pages = rows.column_by_name("pages").unwrap();
        let pages = pages.as_primitive::<Int32Type>().values();
        texts
            .map(str::to_owned)
            .zip(pages.iter().copied())
            .collect()
    }

    #[test]
    fn a_page_counts_once_and_the_most_repeated_come_first() {
        let found = rows(site(&[&[1, 2, 2], &[3, 2], &[2, 3]]));
        let expected = [("2", 3), ("3", 2), ("1", 1)];
        assert_eq!(
            found,
            expected.map(|(text, pages)| (text.to_owned(), pages))
        );
    }

    #[test]
    fn content_and_what_no_other_page_has_are_left_out() {
        let mut site = site(&[]);
        page(&mut site, &[1, 2, 3], |labels| {
            labels[0].0 = true;
            labels[1].1.count = 1;
        });
        assert_eq!(rows(site), [("3".to_owned(), 1)]);
    }

    #[test]
    fn rows_are_the_same_however_pages_are_cut_into_batches() {
        let most = u16::try_from(COUNTED).unwrap();
        // More blocks than are counted, and later pages with the first and the last of them.
        let many: Vec<Vec<u16>> = (0..9)
            .map(|page| (page * 1000..page * 1000 + 1000).collect())
            .collect();
        let mut pages: Vec<&[u16]> = many.iter().map(Vec::as_slice).collect();
        let again = [0, most - 1, most, 8999];
        pages.extend([&again[..], &again[..2]]);
        let at_once = rows(site(&pages).bounded());
        assert_eq!(at_once.len(), ROWS);
        assert_eq!(
            at_once[..2],
            [("0".to_owned(), 3), ((most - 1).to_string(), 3)]
        );
        assert_eq!(at_once[2], ("1".to_owned(), 1));
        for cut in [1, 2, 3, 5] {
            let mut batches = pages.chunks(cut).map(site);
            let mut merged = batches.next().unwrap().bounded();
            for batch in batches {
                assert!(merged.merge(batch).is_none());
            }
            assert_eq!(rows(merged), at_once, "{cut}");
        }
    }

    #[test]
    fn another_site_or_date_is_not_merged() {
        let mut of_site = site(&[&[1]]);
        for other in [
            SiteBlocks::new("leaf.example", 15_000),
            SiteBlocks::new("tea.example", 15_001),
        ] {
            assert!(of_site.merge(other).is_some());
        }
    }
}
