//! Step 4: each domain's pages, in time order, through its URL Tree [P 4].

use std::sync::Arc;

use arrow::array::{Array, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{Int32Type, Int64Type, SchemaRef, TimestampMicrosecondType};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::TryStreamExt;
use site_replay::SiteReplay;
use template::{BytesError, Layout, Outline, PageSlots};
use url_key::Domain;
use url_tree::{BlockHash, Entry, revision_hashes};

use super::batch_clock::BatchClock;
use super::label_columns::LabelColumns;
use super::meter::Meter;
use super::stage::{Named, Phase, REPLAYED, Status, items, some};
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
        input: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
        meter: &Meter,
    ) -> Result<SendableRecordBatchStream> {
        let (settings, outlining) = (Arc::clone(&self.settings), meter.clone());
        // In tasks of their own, beside the one that writes what they give: a site with
        // half of all pages is replayed in one partition, and has all cores.
        Ok(sent(self.schema(), 2, meter, |out| async move {
            let mut domain: Option<DomainStream> = None;
            let mut outlined = input
                .map_ok(|batch| outlined(batch, Arc::clone(&settings), outlining.clone()))
                .try_buffered(OUTLINED_BATCHES);
            while let Some((batch, outlines)) = outlined.try_next().await? {
                let replayed = replay(&batch, outlines, &mut domain, &settings)?;
                if out.send(Ok(replayed)).await.is_err() {
                    break;
                }
            }
            Ok(())
        }))
    }
}

/// Batches whose outlines are made while those before them are replayed.
const OUTLINED_BATCHES: usize = 2;

/// Blocks of a batch whose outlines are made ahead, some 5 MB of them; a usual batch has
/// as many. Others are outlined when it is their turn.
const OUTLINED_BLOCKS: usize = 1 << 15;

/// A batch, with the outlines that its replay will ask for first: no other page has a
/// part in them.
async fn outlined(
    batch: RecordBatch,
    settings: Arc<Settings>,
    meter: Meter,
) -> Result<(RecordBatch, Vec<Option<Outline>>)> {
    let task = SpawnedTask::spawn(async move {
        let outlines = meter.time(|| outlines(&batch, &settings))?;
        Ok((batch, outlines))
    });
    let joined = task.join().await;
    joined.map_err(|panic| DataFusionError::External(Box::new(panic)))?
}

fn outlines(batch: &RecordBatch, settings: &Settings) -> Result<Vec<Option<Outline>>> {
    let rows = Rows::of(batch)?;
    let mut blocks = 0;
    (0..batch.num_rows())
        .map(|row| {
            let comes = match Phase::of(rows.phases.value(row))? {
                Phase::Insert => true,
                // Else the site has kept its outline since it was inserted.
                Phase::Label => {
                    settings.batch == Batch::Page
                        || Status::of(rows.statuses.value(row))? != Status::Unique
                }
                Phase::Remember | Phase::Pass => false,
            };
            if !comes {
                return Ok(None);
            }
            let page = rows.page(row)?;
            blocks += page.hashes.len();
            match blocks <= OUTLINED_BLOCKS {
                true => page.outline(),
                false => Ok(None),
            }
        })
        .collect()
}

/// Where a page has none of the `outlines`, one per row, it is outlined here.
fn replay(
    batch: &RecordBatch,
    outlines: Vec<Option<Outline>>,
    domain: &mut Option<DomainStream>,
    settings: &Settings,
) -> Result<RecordBatch> {
    let rows = Rows::of(batch)?;
    let mut kept: Vec<u32> = Vec::new();
    let mut labelled = LabelColumns::default();
    for (row, outline) in outlines.into_iter().enumerate() {
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
                domain.insert(&page, outline)?;
            }
            Phase::Label | Phase::Pass => {
                domain.enter(page.batch);
                kept.push(row as u32);
                domain.label(&page, outline, settings, &mut labelled)?;
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

pub(super) struct PageRow<'a> {
    status: Status,
    batch: i64,
    time: i64,
    pub(super) url_key: &'a str,
    pub(super) branch: Vec<&'a str>,
    hashes: &'a [BlockHash],
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
            hashes,
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

    /// Nothing, where the page has no layout.
    fn outline(&self) -> Result<Option<Outline>> {
        let layout = self.layout.map(Layout::from_bytes).transpose();
        let layout = layout.map_err(|error| self.broken("layout", &error))?;
        Ok(layout.map(|layout| Outline::of(&layout.blocks())))
    }

    /// The outline that was made before, or else one that is made now.
    fn outline_unless(&self, made: Option<Outline>) -> Result<Option<Outline>> {
        match made {
            Some(outline) => Ok(Some(outline)),
            None => self.outline(),
        }
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
        let entry = page.entry(page.hashes);
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

    fn insert(&mut self, page: &PageRow<'_>, outline: Option<Outline>) -> Result<()> {
        let outline = page.outline_unless(outline)?;
        self.site.insert(page.entry(page.hashes), outline);
        self.clock.take_in(page.time);
        self.inserted += 1;
        Ok(())
    }

    fn label(
        &mut self,
        page: &PageRow<'_>,
        mut outline: Option<Outline>,
        settings: &Settings,
        out: &mut LabelColumns,
    ) -> Result<()> {
        if page.status == Status::Unique {
            if self.one_by_one {
                self.insert(page, outline)?;
            }
            outline = self.site.outline();
        }
        let outline = page.outline_unless(outline)?;
        let labels = (self.site).label(&page.branch, page.hashes, outline.as_ref());
        if page.status == Status::Unique {
            let ordinal = self.before + self.labelled;
            self.labelled += 1;
            out.page(
                Status::Unique,
                page,
                &labels,
                ordinal,
                page.hashes,
                settings,
            );
            out.learned(self.site.learned());
            return Ok(());
        }
        let lengths = page.utf16_lengths()?;
        let Some(unseen) = revision_hashes(&labels.labels, page.hashes, &lengths) else {
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
