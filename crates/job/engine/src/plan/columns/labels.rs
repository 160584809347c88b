//! The labels of a page as one value, the column `labels`, and the columns of `window_entries`.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{BinaryBuilder, Int32Builder, Int64Builder, RecordBatch};
use datafusion::error::{DataFusionError, Result};
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use site_replay::PageLabels;
use template::{PagePaths, Reason};
use url_tree::{BlockHash, Verdict};

use crate::plan::columns::schemas::{REPLAYED, RecordBatchExt, project_to};
use crate::plan::columns::status::Status;
use crate::plan::exec::step::to_bytes;
use crate::settings::Settings;

/// The labels of a page. Borrows from the column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredLabels<'a> {
    /// The node of the URL Tree that was selected, and the number of its pages.
    pub(crate) node: &'a str,
    pub(crate) support: i32,
    /// The likeliest kind of the page, and how likely that is in hundredths, if the job writes kinds.
    pub(crate) kind: Option<(&'a str, u8)>,
    /// Whether each block is content.
    pub(crate) is_content: Vec<bool>,
    /// Of each block, if the job writes `blocks` or `site_blocks`; else empty.
    pub(crate) details: Vec<LabelDetail<'a>>,
}

/// The columns of the tables `blocks` and `site_blocks` that come from a label.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct LabelDetail<'a> {
    pub(crate) reason: &'a str,
    pub(crate) count: i32,
    pub(crate) support: i32,
    /// Of the node in the branch of the page.
    pub(crate) depth: u16,
}

/// The columns that [`crate::plan::steps::site::Site`] adds.
#[derive(Default)]
pub(crate) struct LabelColumns {
    status: Int32Builder,
    labels: BinaryBuilder,
    ordinal: Int64Builder,
    entry_hashes: BinaryBuilder,
    template: BinaryBuilder,
}

impl LabelColumns {
    /// Appends a labelled page. `entry` are the hashes that it adds to its window.
    pub(crate) fn page(
        &mut self,
        status: Status,
        node: &str,
        page_labels: &PageLabels,
        ordinal: i64,
        entry: &[BlockHash],
        settings: &Settings,
    ) -> Result<()> {
        let number = |count: u32| {
            let too_large = |_| {
                DataFusionError::Execution(format!("{node}: a count of {count} pages is too large"))
            };
            i32::try_from(count).map_err(too_large)
        };
        let labels = &page_labels.labels;
        let details = labels.blocks.iter().zip(&page_labels.reasons);
        let details = details
            .filter(|_| settings.keeps_block_details())
            .map(|(label, reason)| {
                Ok(LabelDetail {
                    reason: Reason::as_str(*reason),
                    count: number(label.count)?,
                    support: number(label.support)?,
                    depth: label.depth,
                })
            });
        let is_content = labels
            .blocks
            .iter()
            .map(|label| label.verdict != Verdict::Boilerplate);
        let stored = StoredLabels {
            node,
            support: number(labels.node.support)?,
            kind: page_labels
                .kind
                .map(|likely| (likely.kind.as_str(), likely.hundredths)),
            is_content: is_content.collect(),
            details: details.collect::<Result<_>>()?,
        };
        self.labels.append_value(to_bytes(&stored)?);
        self.status.append_value(status as i32);
        self.ordinal.append_value(ordinal);
        self.entry_hashes.append_value(distinct(entry));
        Ok(())
    }

    /// Appends the DOM paths that the page added to the template, stored with its window entry.
    pub(crate) fn learned(&mut self, slots: Option<PagePaths>) {
        let bytes = slots.map(|slots| slots.to_bytes());
        self.template.append_option(bytes);
    }

    /// Appends a row without labels.
    pub(crate) fn pass(&mut self, status: Status) {
        self.status.append_value(status as i32);
        self.labels.append_null();
        self.template.append_null();
        self.ordinal.append_null();
        self.entry_hashes.append_null();
    }

    /// Adds the columns to `kept`.
    pub(crate) fn finish(mut self, kept: &RecordBatch) -> Result<RecordBatch> {
        project_to(
            kept,
            &REPLAYED,
            vec![
                ("status", Arc::new(self.status.finish())),
                ("labels", Arc::new(self.labels.finish())),
                ("template", Arc::new(self.template.finish())),
                ("ordinal", Arc::new(self.ordinal.finish())),
                ("entry_hashes", Arc::new(self.entry_hashes.finish())),
            ],
        )
    }
}

/// Reads the labels of pages in `rows` of a batch.
pub(crate) fn labels_of<'a>(batch: &'a RecordBatch, rows: &[u32]) -> Result<Vec<StoredLabels<'a>>> {
    let column = batch.bytes("labels")?;
    let labels = rows
        .iter()
        .map(|row| postcard::from_bytes(column.value(*row as usize)));
    let labels = labels.collect::<std::result::Result<_, _>>();
    labels.map_err(|error| DataFusionError::External(error.into()))
}

/// Returns the distinct hashes in order of first appearance, concatenated.
fn distinct(hashes: &[BlockHash]) -> Vec<u8> {
    let mut seen = HashSet::with_capacity_and_hasher(hashes.len(), RandomState::default());
    let distinct: Vec<BlockHash> = hashes
        .iter()
        .copied()
        .filter(|hash| seen.insert(*hash))
        .collect();
    distinct.into_flattened()
}
