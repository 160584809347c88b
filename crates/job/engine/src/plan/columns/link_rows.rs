//! Rows of the table `links`: one per link of a page.

use arrow::array::RecordBatch;
use datafusion::error::Result;
use tables::Table;

use crate::plan::columns::column::column;
use crate::plan::columns::page::StoredLink;
use crate::plan::columns::table_rows::{PageRows, table_rows};

/// Rows of `links` per batch. Each row repeats the URL of its page, which can have 8 KB, and has an address of up to 6 KB, so a
/// batch has at most 30 MB. A lower value costs more calls of the writer.
const LINK_ROWS: usize = 2048;

/// A link of a page.
struct LinkRow<'a> {
    /// The row of its page.
    row: u32,
    /// In the page.
    ordinal: i32,
    link: &'a StoredLink<'a>,
    in_content: bool,
}

/// Returns the links of `pages` of `batch`, in batches of at most `LINK_ROWS`. There are none unless the job writes them.
pub(crate) fn link_rows(batch: &RecordBatch, pages: &PageRows<'_>) -> Result<Vec<RecordBatch>> {
    let mut links = Vec::new();
    for (row, (page, labels)) in pages.rows.iter().zip(pages.pages.iter().zip(&pages.labels)) {
        links.extend((0..).zip(&page.links).map(|(ordinal, link)| LinkRow {
            row: *row,
            ordinal,
            link,
            in_content: labels.is_content.get(link.block) == Some(&true),
        }));
    }
    let batches = links.chunks(LINK_ROWS);
    batches.map(|links| rows(batch, links)).collect()
}

fn rows(batch: &RecordBatch, links: &[LinkRow<'_>]) -> Result<RecordBatch> {
    let pages: Vec<u32> = links.iter().map(|link| link.row).collect();
    let columns = vec![
        column("ordinal", links, |link| Some(link.ordinal)),
        column("target", links, |link| Some(link.link.target)),
        column("text", links, |link| Some(link.link.text)),
        column("in_content", links, |link| Some(link.in_content)),
    ];
    table_rows(Table::Links, batch, &pages, columns)
}
