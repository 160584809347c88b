//! Builds the columns of labels.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{
    BinaryBuilder, BooleanBuilder, Int32Builder, Int64Builder, ListBuilder, RecordBatch,
    StringBuilder,
};
use arrow::datatypes::DataType;
use datafusion::error::{DataFusionError, Result};
use foldhash::fast::RandomState;
use site_replay::PageLabels;
use template::{PagePaths, Reason};
use url_tree::{BlockHash, Verdict};

use crate::plan::columns::schemas::{REPLAYED, Status, list_field, project_to};
use crate::settings::Settings;

/// The columns that [`crate::plan::steps::site::Site`] adds.
pub(crate) struct LabelColumns {
    status: StringBuilder,
    node: StringBuilder,
    support: Int32Builder,
    boilerplate: ListBuilder<BooleanBuilder>,
    reasons: ListBuilder<StringBuilder>,
    counts: ListBuilder<Int32Builder>,
    supports: ListBuilder<Int32Builder>,
    depths: ListBuilder<Int32Builder>,
    ordinal: Int64Builder,
    entry_hashes: BinaryBuilder,
    template: BinaryBuilder,
}

impl Default for LabelColumns {
    fn default() -> Self {
        let numbers =
            || ListBuilder::new(Int32Builder::new()).with_field(list_field(DataType::Int32));
        Self {
            status: StringBuilder::new(),
            node: StringBuilder::new(),
            support: Int32Builder::new(),
            boilerplate: ListBuilder::new(BooleanBuilder::new())
                .with_field(list_field(DataType::Boolean)),
            reasons: ListBuilder::new(StringBuilder::new()).with_field(list_field(DataType::Utf8)),
            counts: numbers(),
            supports: numbers(),
            depths: numbers(),
            ordinal: Int64Builder::new(),
            entry_hashes: BinaryBuilder::new(),
            template: BinaryBuilder::new(),
        }
    }
}

impl LabelColumns {
    /// Appends a labelled page. `entry` are the hashes that it adds to its window.
    pub(crate) fn page(
        &mut self,
        status: Status,
        node: String,
        page_labels: &PageLabels,
        ordinal: i64,
        entry: &[BlockHash],
        settings: &Settings,
    ) -> Result<()> {
        let number = |count: u32| {
            let too_large = |_| {
                DataFusionError::Execution(format!("{node}: a count of {count} pages is too large"))
            };
            i32::try_from(count).map(Some).map_err(too_large)
        };
        let labels = &page_labels.labels;
        let blocks = &labels.blocks;
        self.status.append_value(status.as_str());
        self.support.append_option(number(labels.node.support)?);
        self.boilerplate.append_value(
            blocks
                .iter()
                .map(|label| Some(label.verdict == Verdict::Boilerplate)),
        );
        self.ordinal.append_value(ordinal);
        self.entry_hashes.append_value(distinct(entry));
        if !settings.write_blocks {
            self.reasons.append_null();
            self.counts.append_null();
            self.supports.append_null();
            self.depths.append_null();
            self.node.append_value(node);
            return Ok(());
        }
        let reasons = page_labels.reasons.iter().copied().map(Reason::as_str);
        self.reasons.append_value(reasons.map(Some));
        let counts = blocks.iter().map(|label| number(label.count));
        self.counts
            .append_value(counts.collect::<Result<Vec<_>>>()?);
        let supports = blocks.iter().map(|label| number(label.support));
        self.supports
            .append_value(supports.collect::<Result<Vec<_>>>()?);
        self.depths
            .append_value(blocks.iter().map(|label| Some(i32::from(label.depth))));
        self.node.append_value(node);
        Ok(())
    }

    /// Appends the DOM paths that the page added to the template, stored with its window entry.
    pub(crate) fn learned(&mut self, slots: Option<PagePaths>) {
        let bytes = slots.map(|slots| slots.to_bytes());
        self.template.append_option(bytes);
    }

    /// Appends a row without labels.
    pub(crate) fn pass(&mut self, status: &str) {
        self.status.append_value(status);
        self.node.append_null();
        self.support.append_null();
        self.boilerplate.append_null();
        self.reasons.append_null();
        self.template.append_null();
        self.counts.append_null();
        self.supports.append_null();
        self.depths.append_null();
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
                ("node", Arc::new(self.node.finish())),
                ("support", Arc::new(self.support.finish())),
                ("boilerplate", Arc::new(self.boilerplate.finish())),
                ("reasons", Arc::new(self.reasons.finish())),
                ("template", Arc::new(self.template.finish())),
                ("counts", Arc::new(self.counts.finish())),
                ("supports", Arc::new(self.supports.finish())),
                ("depths", Arc::new(self.depths.finish())),
                ("ordinal", Arc::new(self.ordinal.finish())),
                ("entry_hashes", Arc::new(self.entry_hashes.finish())),
            ],
        )
    }
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
