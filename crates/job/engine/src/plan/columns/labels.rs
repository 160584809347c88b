//! The labels of a page as one value, the column `labels`, and the columns of `window_entries`.

use std::collections::HashSet;

use arrow::array::RecordBatch;
use datafusion::error::{DataFusionError, Result};
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use site_replay::PageLabels;
use template::{PagePaths, Reason};
use url_key::Branch;
use url_tree::{BlockHash, Verdict};

use crate::plan::columns::column::column;
use crate::plan::columns::schemas::{REPLAYED, RecordBatchExt, project_to};
use crate::plan::columns::status::Status;
use crate::plan::exec::step::{from_bytes, to_bytes};
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

/// The values that [`crate::plan::steps::site::Site`] adds to a row.
pub(crate) struct LabelledRow {
    status: Status,
    page: Option<Labelled>,
}

struct Labelled {
    labels: Vec<u8>,
    ordinal: i64,
    entry_hashes: Vec<u8>,
    template: Option<Vec<u8>>,
}

impl LabelledRow {
    /// A labelled page. `entry` are the hashes that it adds to its window, and `slots` the DOM paths that it added to the
    /// template, stored with its window entry.
    pub(crate) fn page(
        status: Status,
        branch: &Branch<'_>,
        labels: &PageLabels,
        ordinal: i64,
        entry: &[BlockHash],
        slots: Option<PagePaths>,
        settings: &Settings,
    ) -> Result<Self> {
        let node = branch.node(labels.labels.node.depth.into());
        let page = Labelled {
            labels: to_bytes(&StoredLabels::new(&node, labels, settings)?)?,
            ordinal,
            entry_hashes: distinct(entry),
            template: slots.map(|slots| slots.to_bytes()),
        };
        Ok(Self {
            status,
            page: Some(page),
        })
    }

    /// A row without labels.
    pub(crate) fn pass(status: Status) -> Self {
        Self { status, page: None }
    }
}

impl<'a> StoredLabels<'a> {
    /// The labels of a page for which `node` was selected.
    fn new(node: &'a str, page: &PageLabels, settings: &Settings) -> Result<Self> {
        let number = |count: u32| {
            let too_large = |_| {
                DataFusionError::Execution(format!("{node}: a count of {count} pages is too large"))
            };
            i32::try_from(count).map_err(too_large)
        };
        let blocks = &page.labels.blocks;
        let details = blocks.iter().zip(&page.reasons);
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
        let kind = page.kind.as_ref();
        let is_content = blocks
            .iter()
            .map(|label| label.verdict != Verdict::Boilerplate);
        Ok(Self {
            node,
            support: number(page.labels.node.support)?,
            kind: kind.map(|likely| (likely.kind.as_str(), likely.hundredths)),
            is_content: is_content.collect(),
            details: details.collect::<Result<_>>()?,
        })
    }
}

/// Adds the columns of `rows` to `kept`.
pub(crate) fn with_labels(kept: &RecordBatch, rows: &[LabelledRow]) -> Result<RecordBatch> {
    let of_page = |name, bytes: fn(&Labelled) -> Option<&[u8]>| {
        column(name, rows, move |row| row.page.as_ref().and_then(bytes))
    };
    let given = vec![
        column("status", rows, |row| Some(row.status as i32)),
        of_page("labels", |page| Some(&page.labels)),
        of_page("template", |page| page.template.as_deref()),
        column("ordinal", rows, |row| Some(row.page.as_ref()?.ordinal)),
        of_page("entry_hashes", |page| Some(&page.entry_hashes)),
    ];
    project_to(kept, &REPLAYED, given)
}

/// Reads the labels of pages in `rows` of a batch.
pub(crate) fn labels_of<'a>(batch: &'a RecordBatch, rows: &[u32]) -> Result<Vec<StoredLabels<'a>>> {
    let column = batch.bytes("labels")?;
    let labels = rows.iter().map(|row| column.value(*row as usize));
    labels.map(from_bytes).collect()
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
