//! Rows of the table `site_blocks`: the blocks that a site repeats and that its texts lack, once a date.
//!
//! A date of a site is counted in the order of its pages, so the rows are the same however pages are cut into batches. It
//! takes at most [`COUNTED`] blocks of memory: a page with new repeated blocks at each fetch cannot fill it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, Date32Array, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::Date32Type;
use datafusion::error::{DataFusionError, Result};
use foldhash::fast::RandomState;
use tables::{Partitioning, Table};

use crate::plan::columns::labels::StoredLabels;
use crate::plan::columns::page::StoredPage;
use crate::plan::columns::schemas::{RecordBatchExt, rows_of};
use crate::plan::columns::table_rows::PageRows;

/// Different blocks of a site and date that are counted, the first ones. Each takes at most 3 KB, and usually 200 bytes. Of 17
/// sites the most are 1,000. A lower value loses blocks of large sites, a higher one takes more memory for hostile ones.
const COUNTED: usize = 1 << 13;

/// Rows of a site and date: the blocks that most of its pages have.
const ROWS: usize = 1000;

/// Bytes of a text that are kept. Imprints have some hundreds.
const TEXT_BYTES: usize = 2000;

type Hash = [u8; 16];

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
    positions: HashMap<Hash, usize, RandomState>,
}

/// A block that pages repeat, as on the first page of the date that has it.
#[derive(Debug)]
struct SiteBlock {
    hash: Hash,
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
    let (domains, hashes) = (batch.text("domain")?, batch.bytes("hashes")?);
    let dates = batch.numbers::<Date32Type>("date")?;
    let mut sites: Vec<SiteBlocks> = Vec::new();
    for (row, (page, labels)) in pages.rows.iter().zip(pages.pages.iter().zip(&pages.labels)) {
        let row = *row as usize;
        let (domain, date) = (domains.value(row), dates.value(row));
        if !sites.last().is_some_and(|site| site.is_of(domain, date)) {
            sites.push(SiteBlocks::new(domain, date));
        }
        let (hashes, _) = hashes.value(row).as_chunks::<16>();
        if let Some(site) = sites.last_mut() {
            site.page(hashes, page, labels)?;
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
    fn page(
        &mut self,
        hashes: &[Hash],
        page: &StoredPage<'_>,
        labels: &StoredLabels<'_>,
    ) -> Result<()> {
        self.pages += 1;
        for (ordinal, hash) in hashes.iter().enumerate() {
            let parts = (
                page.texts.get(ordinal),
                page.details.get(ordinal),
                labels.details.get(ordinal),
            );
            let (Some(text), Some(detail), Some(label)) = parts else {
                let missing = format!("block {ordinal} has no details");
                return Err(DataFusionError::Internal(missing));
            };
            if labels.is_content[ordinal] || label.count < 2 {
                continue;
            }
            let number = self.pages;
            if let Some(at) = self.positions.get(hash) {
                let block = &mut self.blocks[*at];
                if block.last_page < number {
                    (block.pages, block.last_page) = (block.pages + 1, number);
                }
                continue;
            }
            self.positions.insert(*hash, self.blocks.len());
            self.blocks.push(SiteBlock {
                hash: *hash,
                text: text[..text.floor_char_boundary(TEXT_BYTES)].to_owned(),
                slot: detail.slot.to_owned(),
                reason: label.reason.to_owned(),
                count: label.count,
                support: label.support,
                pages: 1,
                last_page: number,
            });
        }
        Ok(())
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
        let blocks = &self.blocks;
        let texts = |of: fn(&SiteBlock) -> &str| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(blocks.iter().map(of)))
        };
        let numbers = |of: fn(&SiteBlock) -> i32| -> ArrayRef {
            Arc::new(Int32Array::from_iter_values(blocks.iter().map(of)))
        };
        let domain = std::iter::repeat_n(self.domain.as_str(), blocks.len());
        let hash = BinaryArray::from_iter_values(blocks.iter().map(|block| block.hash));
        rows_of(
            &Table::SiteBlocks.schema(Partitioning::Day),
            blocks.len(),
            vec![
                (
                    "date",
                    Arc::new(Date32Array::from_value(self.date, blocks.len())),
                ),
                ("domain", Arc::new(StringArray::from_iter_values(domain))),
                ("text", texts(|block| &block.text)),
                ("hash", Arc::new(hash)),
                ("pages", numbers(|block| block.pages)),
                (
                    "site_pages",
                    Arc::new(Int32Array::from_value(self.pages, blocks.len())),
                ),
                ("count", numbers(|block| block.count)),
                ("support", numbers(|block| block.support)),
                ("reason", texts(|block| &block.reason)),
                ("slot", texts(|block| &block.slot)),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::Int32Type;

    use super::*;

    /// A site with pages of these blocks, all of them repeated boilerplate.
    fn site(pages: &[&[u16]]) -> SiteBlocks {
        let mut site = SiteBlocks::new("tea.example", 15_000);
        for numbers in pages {
            let texts: Vec<String> = numbers.iter().map(u16::to_string).collect();
            site.page(&hashes(numbers), &page(&texts), &labels(numbers.len()))
                .unwrap();
        }
        site
    }

    fn hashes(numbers: &[u16]) -> Vec<Hash> {
        let hash = |number: &u16| {
            let mut hash = [0; 16];
            hash[..2].copy_from_slice(&number.to_be_bytes());
            hash
        };
        numbers.iter().map(hash).collect()
    }

    fn page(texts: &[String]) -> StoredPage<'_> {
        let detail = crate::plan::columns::page::StoredBlock {
            link_chars: 0,
            slot: "div>p",
            chrome: false,
        };
        StoredPage {
            title: None,
            charset: "UTF-8",
            charset_source: "utf8",
            warnings: Vec::new(),
            texts: texts.iter().map(String::as_str).collect(),
            markup: None,
            said: None,
            details: vec![detail; texts.len()],
            links: Vec::new(),
        }
    }

    fn labels(blocks: usize) -> StoredLabels<'static> {
        let detail = crate::plan::columns::labels::LabelDetail {
            reason: "counted",
            count: 2,
            support: 3,
            depth: 0,
        };
        StoredLabels {
            node: "tea.example",
            support: 3,
            kind: None,
            is_content: vec![false; blocks],
            details: vec![detail; blocks],
        }
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
        let texts = ["1", "2", "3"].map(str::to_owned);
        let mut labels = labels(3);
        labels.is_content[0] = true;
        labels.details[1].count = 1;
        site.page(&hashes(&[1, 2, 3]), &page(&texts), &labels)
            .unwrap();
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
