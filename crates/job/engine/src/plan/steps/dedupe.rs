//! Step 2: finds the first page of each URL key, and its duplicates [P 3].

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use arrow::compute::{concat_batches, filter_record_batch, take};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef, TimestampMicrosecondType};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use site_replay::KnownKeys;
use url_key::{DuplicateCandidate, DuplicateReason, duplicate_reason, may_have_parts};
use url_parameters::{Openness, is_audited};

use crate::job::Job;
use crate::plan::columns::read_order::{LaterCopy, read_order};
use crate::plan::columns::schemas::{DEDUPED, RecordBatchExt, project_to, rows_of, value_opt};
use crate::plan::columns::status::Status;
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{RequiredDistribution, Step, map_batches, to_bytes};
use crate::settings::Settings;

/// Finds the duplicates of each URL key, and names the pages they duplicate. With
/// `paper.lookback = window` rows come by domain in time order; otherwise they come key
/// by key, so that only one key is in memory.
///
/// A key may change within the chunk, and a page may be a copy of one with another key. Site decides about such
/// pages. They share the base of their URLs, and the keys of a base come together: if a base has several rows,
/// and not all parts of their URLs identify pages, a row of status `base` says so. Site gets the rows of
/// earlier dates with these pages.
#[derive(Debug, Clone)]
pub(crate) struct Dedupe {
    pub(crate) settings: Arc<Settings>,
}

/// The columns of a page that describe it as a duplicate, or as the page that others
/// duplicate.
#[derive(Debug, Clone)]
pub(crate) struct Original {
    pub(super) request_url: Option<String>,
    pub(super) url: String,
    pub(super) rule: Option<String>,
    /// Object and row in the archive.
    pub(super) source: String,
    pub(super) row: i64,
    /// `None` for a page of the prior state: it has text.
    pub(super) row_group: Option<i32>,
}

impl Dedupe {
    pub(crate) fn new(job: &Job) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
        }
    }
}

impl Step for Dedupe {
    fn name(&self) -> &'static str {
        "Dedupe"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&DEDUPED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&())
    }

    fn required_distribution(&self) -> RequiredDistribution {
        // Partition by the first sort column.
        RequiredDistribution::KeyPartitioned(&self.required_ordering()[..1])
    }

    fn required_ordering(&self) -> &'static [&'static str] {
        if self.settings.site.lookback.spans_keys() {
            &["domain", "generation", "fetched_at", "url", "source", "row"]
        } else {
            &[
                "base_hash",
                "url_key",
                "generation",
                "fetched_at",
                "url",
                "source",
                "row",
            ]
        }
    }

    fn run(
        &self,
        input: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
        _: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let mut dedupe = PartitionDedupe::new(self.clone());
        Ok(map_batches(self.schema(), input, move |batch| {
            dedupe.batch(&batch)
        }))
    }
}

/// The known keys of the current domain or, without a window, the current key.
struct PartitionDedupe {
    settings: Arc<Settings>,
    /// The domain or URL key that `known` belongs to.
    current: String,
    known: KnownKeys<Original>,
    base: CurrentBase,
}

/// The base of the current key.
#[derive(Default)]
struct CurrentBase {
    hash: Option<i64>,
    is_open: bool,
    is_announced: bool,
}

impl CurrentBase {
    /// Adds a row. Returns whether it is the first row at which it is known that Site decides about the base: a
    /// single row repeats no other.
    fn add(&mut self, hash: i64, is_open: bool) -> bool {
        if self.hash != Some(hash) {
            *self = Self {
                hash: Some(hash),
                is_open,
                is_announced: false,
            };
            return false;
        }
        self.is_open |= is_open;
        self.is_open && !std::mem::replace(&mut self.is_announced, self.is_open)
    }
}

impl PartitionDedupe {
    fn new(step: Dedupe) -> Self {
        let site = &step.settings.site;
        Self {
            known: KnownKeys::new(site.lookback, site.batching),
            settings: step.settings,
            current: String::new(),
            base: CurrentBase::default(),
        }
    }

    fn batch(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let keys = batch.text("url_key")?;
        let settings = Arc::clone(&self.settings);
        let site = &settings.site;
        let spans_keys = site.lookback.spans_keys();
        let parses_all = settings.finds_pages_among_revisions();
        let groups = if spans_keys {
            batch.text("domain")?
        } else {
            keys
        };
        let bases = batch.numbers::<Int64Type>("base_hash")?;
        let openness = batch.numbers::<Int32Type>("openness")?;
        let pages = Originals::new(batch)?;
        let times = batch.numbers::<TimestampMicrosecondType>("fetched_at")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let before = batch.statuses()?;
        let same_content = batch.text("same_content")?;
        let (mut status, mut merged_by, mut duplicate_of) = (Vec::new(), Vec::new(), Vec::new());
        let (mut copies, mut kept, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..batch.num_rows() {
            let was = before.get(row)?;
            let is_open = openness.is_valid(row) && openness.value(row) > Openness::Settled as i32;
            let is_open = is_open || parses_all;
            // A row of an earlier date is only looked up, here or in Site.
            kept.push(was != Status::Known || is_open);
            if matches!(was, Status::Unique | Status::Known) {
                if !spans_keys && self.base.add(bases.value(row), is_open) {
                    open.push(row as u32);
                }
                self.enter(groups.value(row));
            }
            let (key, time, date) = (keys.value(row), times.value(row), dates.value(row));
            let earlier = match was {
                Status::Known => {
                    let page = pages.get(row);
                    let page = match value_opt(same_content, row) {
                        Some(original) => page.at(original),
                        None => page,
                    };
                    self.known.restore(key, date, time, page);
                    None
                }
                Status::Unique => match self.known.earlier(key, date, time) {
                    Some((first, _)) => Some((first, pages.get(row))),
                    None => {
                        self.known.add(key, time, pages.get(row));
                        None
                    }
                },
                _ => None,
            };
            let (is, found, copy) = match earlier {
                None => (was, None, None),
                Some((original, page)) => {
                    let is_checked = is_open && may_have_parts(&page.url) && is_audited(&page.url);
                    let is = match (site.revisions, is_checked) {
                        (true, _) => Status::RevisionCandidate,
                        (false, true) => Status::Audited,
                        (false, false) => Status::Duplicate,
                    };
                    // The others are parsed in any case.
                    let may_be_page =
                        is == Status::Duplicate && site.lookback.rejects_pages_without_text();
                    let by = merged_by_step(&settings, original, &page).as_str();
                    let copy = may_be_page.then(|| original.later_copy(time));
                    (is, Some((by, original.position())), copy.flatten())
                }
            };
            let (by, of) = found.unzip();
            status.push(is as i32);
            merged_by.push(by);
            duplicate_of.push(of);
            copies.push(copy);
        }
        let mut given: Vec<(&str, ArrayRef)> = vec![
            ("status", Arc::new(Int32Array::from(status))),
            ("merged_by", Arc::new(StringArray::from(merged_by))),
            ("duplicate_of", Arc::new(StringArray::from(duplicate_of))),
        ];
        given.extend(read_order(batch, &copies)?);
        let deduped = project_to(batch, &DEDUPED, given)?;
        let deduped = filter_record_batch(&deduped, &BooleanArray::from(kept))?;
        if open.is_empty() {
            return Ok(deduped);
        }
        let announced = open_bases(batch, &open.into())?;
        Ok(concat_batches(&DEDUPED, [&deduped, &announced])?)
    }

    /// Removes the known keys where another domain or key starts.
    fn enter(&mut self, group: &str) {
        if group != self.current {
            group.clone_into(&mut self.current);
            self.known.clear();
        }
    }
}

/// Returns a row of status `base` for the base of each of `rows`.
fn open_bases(batch: &RecordBatch, rows: &UInt32Array) -> Result<RecordBatch> {
    let status = Int32Array::from_value(Status::Base as i32, rows.len());
    let given: Vec<(&str, ArrayRef)> = vec![
        ("status", Arc::new(status)),
        ("domain", take(batch.array("domain")?, rows, None)?),
        ("base_hash", take(batch.array("base_hash")?, rows, None)?),
    ];
    rows_of(&DEDUPED, given)
}

/// The step of the normalisation after which the two pages are equal.
pub(crate) fn merged_by_step(
    settings: &Settings,
    original: &Original,
    duplicate: &Original,
) -> DuplicateReason {
    let key = |url: &str| {
        // Both URLs had a key before; a URL without a key would be its own normal form.
        settings.site.keyer.parse(url).map_or_else(
            |_| (url.to_owned(), url.to_owned()),
            |page| {
                let key = settings.site.unlearned_key(&page, None);
                (key.normalized, key.text)
            },
        )
    };
    let (first, second) = (key(&original.url), key(&duplicate.url));
    duplicate_reason(&original.seen(&first), &duplicate.seen(&second))
}

/// Typed access to the columns of an [`Original`].
pub(crate) struct Originals<'a> {
    request_urls: &'a StringArray,
    urls: &'a StringArray,
    rules: &'a StringArray,
    sources: &'a StringArray,
    row_groups: &'a Int32Array,
    rows: &'a Int64Array,
}

impl<'a> Originals<'a> {
    pub(crate) fn new(batch: &'a RecordBatch) -> Result<Self> {
        Ok(Self {
            request_urls: batch.text("request_url")?,
            urls: batch.text("url")?,
            rules: batch.text("rule")?,
            sources: batch.text("source")?,
            row_groups: batch.numbers::<Int32Type>("row_group")?,
            rows: batch.numbers::<Int64Type>("row")?,
        })
    }

    pub(crate) fn get(&self, row: usize) -> Original {
        let group = self.row_groups;
        Original {
            request_url: value_opt(self.request_urls, row).map(str::to_owned),
            url: self.urls.value(row).to_owned(),
            rule: value_opt(self.rules, row).map(str::to_owned),
            source: self.sources.value(row).to_owned(),
            row: self.rows.value(row),
            row_group: group.is_valid(row).then(|| group.value(row)),
        }
    }
}

impl Original {
    /// Returns the page of a key whose duplicates are those of the page at `position`, which has its content.
    pub(crate) fn at(self, position: &str) -> Self {
        let (source, row) = position.rsplit_once('#').unwrap_or_default();
        Self {
            source: source.to_owned(),
            row: row.parse().unwrap_or_default(),
            row_group: None,
            ..self
        }
    }

    /// Returns the value of `duplicate_of` for a duplicate of this page.
    pub(crate) fn position(&self) -> String {
        format!("{}#{}", self.source, self.row)
    }

    /// Returns where a copy of `time` is read, if the page is parsed in this chunk.
    fn later_copy(&self, time: i64) -> Option<LaterCopy> {
        Some(LaterCopy {
            source: self.source.clone(),
            row_group: self.row_group?,
            row: self.row,
            order: time,
        })
    }

    fn seen<'a>(&'a self, (normalized, unlearned): &'a (String, String)) -> DuplicateCandidate<'a> {
        DuplicateCandidate {
            request_url: self.request_url.as_deref(),
            url: &self.url,
            normalized,
            rule: self.rule.as_deref(),
            unlearned,
        }
    }
}
