//! Rows of the table `blocks`: one per text block of a page.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringBuilder};
use datafusion::error::Result;
use tables::Table;
use url_key::Branch;

use crate::plan::columns::column::column;
use crate::plan::columns::schemas::RecordBatchExt;
use crate::plan::columns::table_rows::{PageBlock, PageRows, table_rows};

/// Rows of `blocks` per batch. Each row repeats the URL of its page, which can have 8 KB, so a
/// batch has at most 32 MB of URLs. A lower value costs more calls of the writer.
const BLOCK_ROWS: usize = 4096;

/// Returns the blocks of `pages` of `batch`, in batches of at most `BLOCK_ROWS`.
pub(crate) fn block_rows(batch: &RecordBatch, pages: &PageRows<'_>) -> Result<Vec<RecordBatch>> {
    let mut all = Vec::new();
    for position in 0..pages.rows.len() {
        all.extend(pages.blocks(position)?);
    }
    let batches = all.chunks(BLOCK_ROWS);
    batches.map(|blocks| rows(batch, blocks)).collect()
}

fn rows(batch: &RecordBatch, blocks: &[PageBlock<'_>]) -> Result<RecordBatch> {
    let pages: Vec<u32> = blocks.iter().map(|block| block.row).collect();
    let label = |block: &PageBlock<'_>| match block.is_content {
        true => Some("content"),
        false => Some("boilerplate"),
    };
    let columns = vec![
        column("ordinal", blocks, |block| Some(block.ordinal)),
        column("text", blocks, |block| Some(block.text)),
        column("hash", blocks, |block| Some(&block.hash[..])),
        column("label", blocks, label),
        column("reason", blocks, |block| Some(block.label.reason)),
        column("count", blocks, |block| Some(block.label.count)),
        column("support", blocks, |block| Some(block.label.support)),
        ("node", node_names(batch, blocks)?),
        column("link_chars", blocks, |block| Some(block.detail.link_chars)),
        column("slot", blocks, |block| Some(block.detail.slot)),
        column("chrome", blocks, |block| Some(block.detail.chrome)),
    ];
    table_rows(Table::Blocks, batch, &pages, columns)
}

/// Returns the name of the node of each label, which is in the branch of its page.
fn node_names(batch: &RecordBatch, blocks: &[PageBlock<'_>]) -> Result<ArrayRef> {
    let keys = batch.text("url_key")?;
    let mut names = StringBuilder::new();
    for of_page in blocks.chunk_by(|one, next| one.row == next.row) {
        let branch = Branch::from_key(keys.value(of_page[0].row as usize));
        for block in of_page {
            names.append_value(branch.node(block.label.depth.into()));
        }
    }
    Ok(Arc::new(names.finish()))
}
