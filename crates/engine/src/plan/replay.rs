//! Step 4: each domain's pages, in time order, through its URL Tree [P 4].

use std::sync::Arc;

use arrow::array::{
    Array, BinaryBuilder, BooleanBuilder, Int32Builder, Int64Builder, ListBuilder, RecordBatch,
    StringBuilder, UInt32Array,
};
use arrow::compute::take_record_batch;
use arrow::datatypes::{DataType, Int32Type, Int64Type, SchemaRef, TimestampMicrosecondType};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use site_replay::{PageLabels, SiteReplay};
use template::{Block, BytesError, Layout, Outline, PageSlots, Reason};
use url_key::Domain;
use url_tree::{BlockHash, Entry, Verdict, revision_hashes};

use super::batch_clock::BatchClock;
use super::meter::Meter;
use super::stage::{Named, Phase, REPLAYED, Status, extend, items, list_field, some};
use super::step::{Step, Together, sent};
use crate::job::Settings;
use crate::spec::Batch;

/// Labels the blocks of every page.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    pub(crate) settings: Arc<Settings>,
}

impl Step for Replay {
    fn name(&self) -> &'static str {
        "Replay"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&REPLAYED)
    }

    fn together(&self) -> Together {
        Together::Agreeing(&["domain"])
    }

    fn order(&self) -> &'static [&'static str] {
        &[
            "domain",
            "batch",
            "phase",
            "fetched_at",
            "url",
            "source",
            "row",
        ]
    }

    fn run(
        &self,
        mut input: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
        meter: &Meter,
    ) -> Result<SendableRecordBatchStream> {
        let settings = Arc::clone(&self.settings);
        // In a task of its own, beside the one that writes what it gives: a site with
        // half of all pages is replayed in one partition, and has two cores.
        Ok(sent(self.schema(), 2, meter, |out| async move {
            let mut domain: Option<DomainStream> = None;
            while let Some(batch) = input.next().await {
                let replayed = replay(&batch?, &mut domain, &settings)?;
                if out.send(Ok(replayed)).await.is_err() {
                    break;
                }
            }
            Ok(())
        }))
    }
}

fn replay(
    batch: &RecordBatch,
    domain: &mut Option<DomainStream>,
    settings: &Settings,
) -> Result<RecordBatch> {
    let rows = Rows::of(batch)?;
    let mut kept: Vec<u32> = Vec::new();
    let mut labelled = LabelColumns::default();
    for row in 0..batch.num_rows() {
        let phase = Phase::of(rows.phases.value(row))?;
        if phase == Phase::Pass {
            kept.push(row as u32);
            labelled.pass(rows.statuses.value(row));
            continue;
        }
        let name = rows.domains.value(row);
        if domain.as_ref().is_none_or(|domain| domain.name != name) {
            *domain = Some(DomainStream::new(name, settings));
        }
        let Some(domain) = domain.as_mut() else {
            continue;
        };
        let page = rows.page(row)?;
        match phase {
            Phase::Remember => domain.remember(&page)?,
            Phase::Insert => {
                domain.enter(page.batch);
                let layout = page.layout()?.unwrap_or_default();
                domain.insert(&page, &layout.blocks());
            }
            Phase::Label | Phase::Pass => {
                domain.enter(page.batch);
                kept.push(row as u32);
                domain.label(&page, settings, &mut labelled)?;
            }
        }
    }
    // Some 1.5 KB a page, which go no further.
    let mut batch = batch.clone();
    batch.remove_column(batch.schema_ref().index_of("layout")?);
    labelled.finish(&take_record_batch(&batch, &UInt32Array::from(kept))?)
}

/// The columns of a batch that the replay looks at.
struct Rows<'a> {
    domains: &'a arrow::array::StringArray,
    phases: &'a arrow::array::Int32Array,
    batches: &'a arrow::array::Int64Array,
    statuses: &'a arrow::array::StringArray,
    times: &'a arrow::array::TimestampMicrosecondArray,
    keys: &'a arrow::array::StringArray,
    branches: &'a arrow::array::ListArray,
    hashes: &'a arrow::array::BinaryArray,
    layouts: &'a arrow::array::BinaryArray,
    templates: &'a arrow::array::BinaryArray,
    texts: &'a arrow::array::ListArray,
    positions: &'a arrow::array::Int64Array,
}

struct PageRow<'a> {
    status: Status,
    batch: i64,
    time: i64,
    url_key: &'a str,
    branch: Vec<&'a str>,
    hashes: Vec<BlockHash>,
    layout: Option<&'a [u8]>,
    template: Option<&'a [u8]>,
    texts: &'a arrow::array::ListArray,
    row: usize,
    /// Row of the archive; of a remembered page, its ordinal.
    position: i64,
}

impl<'a> Rows<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Self> {
        Ok(Self {
            domains: batch.text("domain")?,
            phases: batch.numbers::<Int32Type>("phase")?,
            batches: batch.numbers::<Int64Type>("batch")?,
            statuses: batch.text("status")?,
            times: batch.numbers::<TimestampMicrosecondType>("fetched_at")?,
            keys: batch.text("url_key")?,
            branches: batch.lists("branch")?,
            hashes: batch.bytes("hashes")?,
            layouts: batch.bytes("layout")?,
            templates: batch.bytes("template")?,
            texts: batch.lists("texts")?,
            positions: batch.numbers::<Int64Type>("row")?,
        })
    }

    fn page(&self, row: usize) -> Result<PageRow<'a>> {
        let (hashes, rest) = self.hashes.value(row).as_chunks::<16>();
        if !rest.is_empty() {
            return Err(DataFusionError::Internal(format!(
                "{}: {} bytes are no block hashes",
                self.keys.value(row),
                self.hashes.value(row).len()
            )));
        }
        Ok(PageRow {
            status: Status::of(self.statuses.value(row))?,
            batch: self.batches.value(row),
            time: self.times.value(row),
            url_key: some(self.keys, row).unwrap_or_default(),
            branch: items(self.branches, row)?,
            hashes: hashes.to_vec(),
            layout: self.layouts.is_valid(row).then(|| self.layouts.value(row)),
            template: (self.templates.is_valid(row)).then(|| self.templates.value(row)),
            texts: self.texts,
            row,
            position: self.positions.value(row),
        })
    }
}

impl<'a> PageRow<'a> {
    fn entry<'b>(&'b self, hashes: &'b [BlockHash]) -> Entry<'b, &'a str> {
        Entry {
            time_micros: self.time,
            branch: &self.branch,
            hashes,
        }
    }

    fn layout(&self) -> Result<Option<Layout>> {
        let layout = self.layout.map(Layout::from_bytes).transpose();
        layout.map_err(|error| self.broken("layout", &error))
    }

    /// What a remembered page added to the template: nothing, where another heuristic
    /// labelled it.
    fn slots(&self) -> Result<PageSlots> {
        let slots = PageSlots::from_bytes(self.template.unwrap_or_default());
        slots.map_err(|error| self.broken("template", &error))
    }

    fn broken(&self, column: &str, error: &BytesError) -> DataFusionError {
        DataFusionError::Execution(format!("{column} of {}: {error}", self.url_key))
    }

    /// Lengths of the blocks in UTF-16 units [O D8].
    fn utf16_lengths(&self) -> Result<Vec<usize>> {
        let texts = items(self.texts, self.row)?;
        Ok(texts
            .iter()
            .map(|text| text.encode_utf16().count())
            .collect())
    }
}

/// The domain whose pages are passing.
struct DomainStream {
    name: String,
    site: SiteReplay,
    one_by_one: bool,
    clock: BatchClock,
    /// Entries of the domain before this batch.
    before: i64,
    inserted: i64,
    labelled: i64,
    revisions: i64,
}

impl DomainStream {
    fn new(name: &str, settings: &Settings) -> Self {
        let labels = Domain::from_name(name).labels();
        Self {
            name: name.to_owned(),
            site: SiteReplay::new(labels, settings.labelling, settings.window),
            one_by_one: settings.batch == Batch::Page,
            clock: BatchClock::new(settings.batch),
            before: 0,
            inserted: 0,
            labelled: 0,
            revisions: 0,
        }
    }

    /// A page of the window as the last run left it.
    fn remember(&mut self, page: &PageRow<'_>) -> Result<()> {
        let entry = page.entry(&page.hashes);
        if page.status == Status::Revision {
            self.site.insert_unseen(entry);
        } else {
            self.site.remember(entry, &page.slots()?);
        }
        self.clock.take_in(page.time);
        self.before = page.position + 1;
        Ok(())
    }

    fn enter(&mut self, batch: i64) {
        if self.clock.begins(batch) {
            self.end_batch();
        }
    }

    /// Forgets what left the window.
    fn end_batch(&mut self) {
        if let Some(newest) = self.clock.end() {
            self.site.end_batch(newest);
        }
        self.before += self.labelled + self.revisions;
        (self.inserted, self.labelled, self.revisions) = (0, 0, 0);
    }

    fn insert(&mut self, page: &PageRow<'_>, layout: &[Block<'_>]) {
        self.site.insert(page.entry(&page.hashes), layout);
        self.clock.take_in(page.time);
        self.inserted += 1;
    }

    fn label(
        &mut self,
        page: &PageRow<'_>,
        settings: &Settings,
        out: &mut LabelColumns,
    ) -> Result<()> {
        if page.status == Status::Unique && self.one_by_one {
            let layout = page.layout()?.unwrap_or_default();
            self.insert(page, &layout.blocks());
        }
        let kept = (page.status == Status::Unique).then(|| self.site.outline());
        let outline = match kept.flatten() {
            Some(outline) => Some(outline),
            None => (page.layout()?).map(|layout| Outline::of(&layout.blocks())),
        };
        let labels = (self.site).label(&page.branch, &page.hashes, outline.as_ref());
        if page.status == Status::Unique {
            let ordinal = self.before + self.labelled;
            self.labelled += 1;
            out.page(
                Status::Unique,
                page,
                &labels,
                ordinal,
                &page.hashes,
                settings,
            );
            out.learned(self.site.learned());
            return Ok(());
        }
        let lengths = page.utf16_lengths()?;
        let Some(unseen) = revision_hashes(&labels.labels, &page.hashes, &lengths) else {
            out.pass(Status::Duplicate.as_str());
            return Ok(());
        };
        self.site.insert_unseen(page.entry(&unseen));
        self.clock.take_in(page.time);
        // In the order of insertion, which is the order of eviction [O F2]:
        // all new pages of the batch, then its revisions.
        let ordinal = self.before + self.inserted + self.revisions;
        self.revisions += 1;
        out.page(Status::Revision, page, &labels, ordinal, &unseen, settings);
        out.learned(None);
        Ok(())
    }
}

/// The name of a tree node: its host, and the path below it.
pub(super) fn node_name(branch: &[&str], depth: usize, host_labels: usize) -> String {
    let depth = depth.min(branch.len());
    let labels = depth.min(host_labels);
    let host: Vec<&str> = branch[..labels].iter().rev().copied().collect();
    let mut name = host.join(".");
    for segment in &branch[labels..depth] {
        name.push('/');
        name.push_str(segment);
    }
    name
}

/// Labels of the host in a URL key, one for an address.
pub(super) fn host_labels(url_key: &str) -> usize {
    let rest = url_key.split_once("://").map_or(url_key, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.starts_with('[') {
        return 1;
    }
    let host = authority.split(':').next().unwrap_or_default();
    Domain::from_name(host).labels()
}

struct LabelColumns {
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
    fn page(
        &mut self,
        status: Status,
        page: &PageRow<'_>,
        page_labels: &PageLabels,
        ordinal: i64,
        entry: &[BlockHash],
        settings: &Settings,
    ) {
        let number = |count: u32| Some(i32::try_from(count).unwrap_or(i32::MAX));
        let labels = &page_labels.labels;
        let blocks = &labels.blocks;
        let host = host_labels(page.url_key);
        self.status.append_value(status.as_str());
        self.node
            .append_value(node_name(&page.branch, labels.node.depth.into(), host));
        self.support.append_option(number(labels.node.support));
        self.boilerplate
            .append_value((blocks.iter()).map(|label| Some(label.verdict == Verdict::Boilerplate)));
        self.ordinal.append_value(ordinal);
        self.entry_hashes.append_value(distinct(entry));
        if !settings.write_blocks {
            self.reasons.append_null();
            self.counts.append_null();
            self.supports.append_null();
            self.depths.append_null();
            return;
        }
        let reasons = page_labels.reasons.iter().copied().map(Reason::as_str);
        self.reasons.append_value(reasons.map(Some));
        self.counts
            .append_value(blocks.iter().map(|label| number(label.count)));
        self.supports
            .append_value(blocks.iter().map(|label| number(label.support)));
        self.depths
            .append_value(blocks.iter().map(|label| Some(i32::from(label.depth))));
    }

    /// What the template took from the page: it is kept with it.
    fn learned(&mut self, slots: Option<PageSlots>) {
        let bytes = slots.map(|slots| slots.to_bytes());
        self.template.append_option(bytes);
    }

    fn pass(&mut self, status: &str) {
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

    fn finish(mut self, kept: &RecordBatch) -> Result<RecordBatch> {
        extend(
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

/// Distinct hashes in order of first appearance, one after the other.
fn distinct(hashes: &[BlockHash]) -> Vec<u8> {
    let mut seen = std::collections::HashSet::with_capacity(hashes.len());
    hashes
        .iter()
        .filter(|hash| seen.insert(**hash))
        .flatten()
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_read_as_a_host_and_a_path() {
        let branch = ["uk", "co", "bbc", "www", "news", "a"];
        let host = host_labels("http://www.bbc.co.uk/news/a/1");
        assert_eq!(host, 4);
        assert_eq!(node_name(&branch, 3, host), "bbc.co.uk");
        assert_eq!(node_name(&branch, 4, host), "www.bbc.co.uk");
        assert_eq!(node_name(&branch, 6, host), "www.bbc.co.uk/news/a");
        assert_eq!(host_labels("http://127.0.0.1:8080/x"), 1);
        assert_eq!(host_labels("http://[::1]:8080/x"), 1);
        assert_eq!(host_labels("http://localhost?x=1"), 1);
    }
}
