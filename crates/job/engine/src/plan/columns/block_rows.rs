//! Rows of the table `blocks`: one per text block of a page.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanArray, Int32Array, RecordBatch, StringArray, StringBuilder,
};
use arrow::datatypes::Int64Type;
use datafusion::error::{DataFusionError, Result};
use tables::Table;
use url_key::Branch;

use crate::plan::columns::labels::{LabelDetail, StoredLabels};
use crate::plan::columns::page::{StoredBlock, StoredPage};
use crate::plan::columns::schemas::RecordBatchExt;
use crate::plan::columns::table_rows::{PageRows, table_rows};

/// Rows of `blocks` per batch. Each row repeats the URL of its page, which can have 8 KB, so a
/// batch has at most 32 MB of URLs. A lower value costs more calls of the writer.
const BLOCK_ROWS: usize = 4096;

/// A block of a page.
struct BlockRow<'a> {
    /// The row of its page.
    row: u32,
    /// In the page.
    ordinal: usize,
    page: &'a StoredPage<'a>,
    labels: &'a StoredLabels<'a>,
}

impl<'a> BlockRow<'a> {
    fn detail(&self) -> Result<&'a StoredBlock<'a>> {
        self.page
            .details
            .get(self.ordinal)
            .ok_or_else(|| self.missing())
    }

    fn label(&self) -> Result<&'a LabelDetail<'a>> {
        self.labels
            .details
            .get(self.ordinal)
            .ok_or_else(|| self.missing())
    }

    fn missing(&self) -> DataFusionError {
        DataFusionError::Internal(format!("block {} has no details", self.ordinal))
    }
}

/// Returns the blocks of `pages` of `batch`, in batches of at most `BLOCK_ROWS`.
pub(crate) fn block_rows(
    batch: &RecordBatch,
    pages: &PageRows<'_>,
) -> impl Iterator<Item = Result<RecordBatch>> {
    let mut positions = Vec::new();
    for (row, (page, labels)) in pages.rows.iter().zip(pages.pages.iter().zip(&pages.labels)) {
        positions.extend((0..page.texts.len()).map(|ordinal| BlockRow {
            row: *row,
            ordinal,
            page,
            labels,
        }));
    }
    let count = positions.len().div_ceil(BLOCK_ROWS);
    (0..count).map(move |index| {
        let end = positions.len().min((index + 1) * BLOCK_ROWS);
        blocks(batch, &positions[index * BLOCK_ROWS..end])
    })
}

fn blocks(batch: &RecordBatch, blocks: &[BlockRow<'_>]) -> Result<RecordBatch> {
    let pages: Vec<u32> = blocks.iter().map(|block| block.row).collect();
    let details = blocks
        .iter()
        .map(BlockRow::detail)
        .collect::<Result<Vec<_>>>()?;
    let labels = blocks
        .iter()
        .map(BlockRow::label)
        .collect::<Result<Vec<_>>>()?;
    let hashes = batch.bytes("hashes")?;
    let mut hash = BinaryBuilder::new();
    for block in blocks {
        let of_page = hashes.value(block.row as usize);
        hash.append_value(&of_page[16 * block.ordinal..][..16]);
    }
    let label = blocks
        .iter()
        .map(|block| match block.labels.is_content[block.ordinal] {
            true => "content",
            false => "boilerplate",
        });
    let label = StringArray::from_iter_values(label);
    let numbers = |value: &dyn Fn(&LabelDetail<'_>) -> i32| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(
            labels.iter().map(|label| value(label)),
        ))
    };
    let ordinals = blocks.iter().map(|block| block.ordinal as i32);
    let text =
        StringArray::from_iter_values(blocks.iter().map(|block| block.page.texts[block.ordinal]));
    let reasons = StringArray::from_iter_values(labels.iter().map(|label| label.reason));
    let slots = StringArray::from_iter_values(details.iter().map(|detail| detail.slot));
    let chrome: BooleanArray = details.iter().map(|detail| Some(detail.chrome)).collect();
    let link_chars = blocks.iter().zip(&details).map(|(block, detail)| {
        let chars = detail.link_chars;
        i32::try_from(chars).map_err(|_| too_large(batch, block.row, "link_chars", chars))
    });
    let link_chars: Int32Array = link_chars.collect::<Result<Vec<i32>>>()?.into();
    table_rows(
        Table::Blocks,
        batch,
        &pages,
        vec![
            ("ordinal", Arc::new(Int32Array::from_iter_values(ordinals))),
            ("text", Arc::new(text)),
            ("hash", Arc::new(hash.finish())),
            ("label", Arc::new(label)),
            ("reason", Arc::new(reasons)),
            ("count", numbers(&|label| label.count)),
            ("support", numbers(&|label| label.support)),
            ("node", node_names(batch, blocks, &labels)?),
            ("link_chars", Arc::new(link_chars)),
            ("slot", Arc::new(slots)),
            ("chrome", Arc::new(chrome)),
        ],
    )
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

/// Returns the name of the node of each label, which is in the branch of its page.
fn node_names(
    batch: &RecordBatch,
    blocks: &[BlockRow<'_>],
    labels: &[&LabelDetail<'_>],
) -> Result<ArrayRef> {
    let keys = batch.text("url_key")?;
    let mut names = StringBuilder::new();
    let mut labels = labels.iter();
    for of_page in blocks.chunk_by(|one, next| one.row == next.row) {
        let branch = Branch::from_key(keys.value(of_page[0].row as usize));
        for label in labels.by_ref().take(of_page.len()) {
            names.append_value(branch.node(label.depth.into()));
        }
    }
    Ok(Arc::new(names.finish()))
}
