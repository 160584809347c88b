//! Rows of the table `blocks`: one per text block of a page.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, BinaryBuilder, BooleanArray, Int32Array, RecordBatch, StringArray,
    StringBuilder,
};
use arrow::compute::take;
use arrow::datatypes::{Int32Type, Int64Type};
use datafusion::error::{DataFusionError, Result};
use tables::Table;
use url_key::Branch;

use crate::plan::columns::schemas::{RecordBatchExt, SEPARATOR};
use crate::plan::columns::table_rows::table_rows;

/// Rows of `blocks` per batch. Each row repeats the URL of its page, which can have 8 KB, so a
/// batch has at most 32 MB of URLs. A lower value costs more calls of the writer.
const BLOCK_ROWS: usize = 4096;

/// The row of the page of a block, and the ordinal of the block in the page.
type BlockPosition = (u32, i32);

/// Returns the blocks of the pages in `rows` of `batch`, in batches of at most `BLOCK_ROWS`.
pub(crate) fn block_rows(
    batch: &RecordBatch,
    rows: &[u32],
) -> Result<impl Iterator<Item = Result<RecordBatch>>> {
    let positions = block_positions(batch, rows)?;
    let batches = positions.len().div_ceil(BLOCK_ROWS);
    Ok((0..batches).map(move |index| {
        let end = positions.len().min((index + 1) * BLOCK_ROWS);
        blocks(batch, &positions[index * BLOCK_ROWS..end])
    }))
}

fn block_positions(batch: &RecordBatch, rows: &[u32]) -> Result<Vec<BlockPosition>> {
    let labels = batch.lists("boilerplate")?;
    let blocks = |row: u32| (0..labels.value_length(row as usize)).map(move |at| (row, at));
    Ok(rows.iter().copied().flat_map(blocks).collect())
}

/// Returns one row of `blocks` per position.
fn blocks(batch: &RecordBatch, positions: &[BlockPosition]) -> Result<RecordBatch> {
    let pages: Vec<u32> = positions.iter().map(|(page, _)| *page).collect();
    let column = |name: &str| -> Result<ArrayRef> {
        let list = batch.lists(name)?;
        let offsets = list.value_offsets();
        let positions = positions
            .iter()
            .map(|(page, at)| offsets[*page as usize] + at);
        Ok(take(
            list.values(),
            &Int32Array::from_iter_values(positions),
            None,
        )?)
    };
    let hashes = batch.bytes("hashes")?;
    let mut hash = BinaryBuilder::new();
    for (page, at) in positions {
        let at = 16 * at.unsigned_abs() as usize;
        hash.append_value(&hashes.value(*page as usize)[at..at + 16]);
    }
    let boilerplate = column("boilerplate")?;
    let boilerplate: &BooleanArray = boilerplate.as_boolean();
    let labels: StringArray = boilerplate
        .iter()
        .map(|boilerplate| {
            Some(if boilerplate == Some(true) {
                "boilerplate"
            } else {
                "content"
            })
        })
        .collect();
    let ordinals = positions.iter().map(|(_, at)| *at);
    table_rows(
        Table::Blocks,
        batch,
        &pages,
        vec![
            ("ordinal", Arc::new(Int32Array::from_iter_values(ordinals))),
            ("text", values_of_blocks(batch.text("texts")?, positions)),
            ("hash", Arc::new(hash.finish())),
            ("label", Arc::new(labels)),
            ("reason", column("reasons")?),
            ("count", column("counts")?),
            ("support", column("supports")?),
            ("node", node_names(batch, &pages, &column("depths")?)?),
            ("link_chars", Arc::new(link_chars(batch, positions)?)),
            ("slot", values_of_blocks(batch.text("slots")?, positions)),
            ("chrome", Arc::new(chrome(batch, positions)?)),
        ],
    )
}

/// Returns the value of each block. `pages` has one per block of a page, and the blocks of a page are
/// consecutive in `positions`.
fn values_of_blocks(pages: &StringArray, positions: &[BlockPosition]) -> ArrayRef {
    let mut values = StringBuilder::new();
    for blocks in positions.chunk_by(|one, next| one.0 == next.0) {
        let (page, first) = blocks[0];
        let page = pages.value(page as usize).split(SEPARATOR);
        let page = page.skip(first.unsigned_abs() as usize);
        page.take(blocks.len())
            .for_each(|value| values.append_value(value));
    }
    Arc::new(values.finish())
}

fn link_chars(batch: &RecordBatch, positions: &[BlockPosition]) -> Result<Int32Array> {
    let pages = batch.bytes("link_chars")?;
    let of_block = |(page, at): &BlockPosition| {
        let (chars, _) = pages.value(*page as usize).as_chunks::<4>();
        let chars = u32::from_le_bytes(chars[at.unsigned_abs() as usize]);
        i32::try_from(chars).map_err(|_| too_large(batch, *page, "link_chars", chars))
    };
    positions.iter().map(of_block).collect::<Result<_>>()
}

fn chrome(batch: &RecordBatch, positions: &[BlockPosition]) -> Result<BooleanArray> {
    let pages = batch.bytes("chrome")?;
    let of_block = |(page, at): &BlockPosition| {
        let is_chrome = pages.value(*page as usize)[at.unsigned_abs() as usize];
        Some(is_chrome == 1)
    };
    Ok(positions.iter().map(of_block).collect())
}

fn too_large(batch: &RecordBatch, page: u32, column: &str, value: u32) -> DataFusionError {
    let source = |batch: &RecordBatch| -> Result<String> {
        let source = batch.text("source")?.value(page as usize);
        let row = batch.numbers::<Int64Type>("row")?.value(page as usize);
        Ok(format!("row {row} of {source}"))
    };
    source(batch).map_or_else(
        |error| error,
        |page| DataFusionError::Execution(format!("{page}: {value} is too large for `{column}`")),
    )
}

/// Returns the name of the node at each depth of the branch of the page.
fn node_names(batch: &RecordBatch, pages: &[u32], depths: &ArrayRef) -> Result<ArrayRef> {
    let keys = batch.text("url_key")?;
    let depths = depths.as_primitive::<Int32Type>();
    let mut names = StringBuilder::new();
    let mut depths = depths.values().iter();
    for rows in pages.chunk_by(|one, next| one == next) {
        let branch = Branch::from_key(keys.value(rows[0] as usize));
        for depth in depths.by_ref().take(rows.len()) {
            names.append_value(branch.node(depth.unsigned_abs() as usize));
        }
    }
    Ok(Arc::new(names.finish()))
}
