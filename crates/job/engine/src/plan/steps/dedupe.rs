//! Step 2: finds the first page of each URL key, and its duplicates [P 3].

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, StringBuilder,
};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef, TimestampMicrosecondType};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use site_replay::{FoundBy, KnownKeys, Occurrence};
use url_key::{DuplicateCandidate, DuplicateReason, duplicate_reason};

use crate::job::Job;
use crate::plan::columns::read_order::{ReadOrder, RowPosition};
use crate::plan::columns::schemas::{DEDUPED, RecordBatchExt, Status, project_to, value_opt};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{RequiredDistribution, Step, map_batches, to_bytes};
use crate::plan::learn::learned::Learned;
use crate::plan::steps::alias::alias_dates;
use crate::settings::Settings;

/// Finds the duplicates of each URL key, and names the pages they duplicate. With
/// `paper.lookback = window` rows come by domain in time order; otherwise they come key
/// by key, so that only one key is in memory.
#[derive(Debug, Clone)]
pub(crate) struct Dedupe {
    pub(crate) settings: Arc<Settings>,
    /// Whether duplicates are revision candidates.
    pub(crate) revisions: bool,
    pub(crate) learned: Arc<Learned>,
}

/// The columns of a page that describe it as a duplicate, or as the page that others
/// duplicate.
#[derive(Debug, Clone)]
pub(crate) struct Original {
    request_url: Option<String>,
    url: String,
    rule: Option<String>,
    /// `source#row`, the value of `duplicate_of` for a duplicate of this page.
    pub(crate) position: String,
    /// `None` for a page of the prior state, and for a page with the same content: they have text.
    row_group: Option<i32>,
}

impl Dedupe {
    pub(crate) fn new(job: &Job, revisions: bool, learned: Arc<Learned>) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            revisions,
            learned,
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
        to_bytes(&(self.revisions, self.learned.as_ref()))
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
    step: Dedupe,
    /// The domain or URL key that `known` belongs to.
    current: String,
    known: KnownKeys<Original>,
}

impl PartitionDedupe {
    fn new(step: Dedupe) -> Self {
        Self {
            known: KnownKeys::new(step.settings.site.lookback, step.settings.site.batching),
            step,
            current: String::new(),
        }
    }

    fn batch(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let keys = batch.text("url_key")?;
        let settings = Arc::clone(&self.step.settings);
        let groups = if settings.site.lookback.spans_keys() {
            batch.text("domain")?
        } else {
            keys
        };
        let pages = Originals::new(batch)?;
        let times = batch.numbers::<TimestampMicrosecondType>("fetched_at")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let before = batch.text("status")?;
        let (originals, aliases) = (batch.text("same_content")?, batch.text("alias_dates")?);
        let mut status = StringBuilder::new();
        let mut merged_by = StringBuilder::new();
        let mut duplicate_of = StringBuilder::new();
        let mut read_order = ReadOrder::default();
        for row in 0..batch.num_rows() {
            let was = Status::from_name(before.value(row))?;
            if !matches!(was, Status::Unique | Status::Known | Status::Alias) {
                status.append_value(was.as_str());
                merged_by.append_null();
                duplicate_of.append_null();
                continue;
            }
            self.enter(groups.value(row));
            let page = pages.get(row);
            let (key, time, date) = (keys.value(row), times.value(row), dates.value(row));
            let copied = value_opt(originals, row).map(|position| Original {
                position: position.to_owned(),
                row_group: None,
                ..page.clone()
            });
            let occurrence = match was {
                Status::Known => {
                    self.known.restore(key, date, time, copied.unwrap_or(page));
                    Occurrence::First
                }
                Status::Alias => {
                    let dates = alias_dates(aliases.value(row))?;
                    self.known.add_alias(key, dates, copied.unwrap_or(page));
                    Occurrence::First
                }
                _ => self.known.classify(key, date, time, page, copied),
            };
            match occurrence {
                Occurrence::First => {
                    status.append_value(was.as_str());
                    merged_by.append_null();
                    duplicate_of.append_null();
                    if was == Status::Unique && self.step.learned.has_no_text(pages.row(row)) {
                        self.known.reject(key);
                    }
                }
                Occurrence::Duplicate {
                    original,
                    page,
                    found,
                } => {
                    let duplicate = if self.step.revisions {
                        Status::RevisionCandidate
                    } else {
                        Status::Duplicate
                    };
                    let step = match found {
                        FoundBy::Content => DuplicateReason::SameContent,
                        FoundBy::Alias => DuplicateReason::LearnedParameter,
                        FoundBy::Key => merged_by_step(&settings, original, &page),
                    };
                    status.append_value(duplicate.as_str());
                    merged_by.append_value(step.as_str());
                    duplicate_of.append_value(&original.position);
                    // A revision candidate is parsed in any case.
                    if duplicate == Status::Duplicate
                        && settings.site.lookback.rejects_pages_without_text()
                        && let Some(first) = original.row_position()
                    {
                        read_order.later_copy(row, first, time);
                    }
                }
            }
        }
        let mut given: Vec<(&str, ArrayRef)> = vec![
            ("status", Arc::new(status.finish())),
            ("merged_by", Arc::new(merged_by.finish())),
            ("duplicate_of", Arc::new(duplicate_of.finish())),
        ];
        given.extend(read_order.finish(batch)?);
        let deduped = project_to(batch, &DEDUPED, given)?;
        without_earlier(&deduped)
    }

    /// Removes the known keys where another domain or key starts.
    fn enter(&mut self, group: &str) {
        if group != self.current {
            group.clone_into(&mut self.current);
            self.known.clear();
        }
    }
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
        let (source, position) = self.row(row);
        Original {
            request_url: value_opt(self.request_urls, row).map(str::to_owned),
            url: self.urls.value(row).to_owned(),
            rule: value_opt(self.rules, row).map(str::to_owned),
            position: format!("{source}#{position}"),
            row_group: group.is_valid(row).then(|| group.value(row)),
        }
    }

    /// Returns object and position of a row.
    fn row(&self, row: usize) -> (&'a str, i64) {
        (self.sources.value(row), self.rows.value(row))
    }

    /// Returns the order of copies with equal times.
    pub(crate) fn order(&self, row: usize) -> (&'a str, &'a str, i64) {
        let (source, position) = self.row(row);
        (self.urls.value(row), source, position)
    }
}

impl Original {
    /// Returns the position in the archive, if the page is parsed in this chunk.
    fn row_position(&self) -> Option<RowPosition> {
        let (source, row) = self.position.rsplit_once('#')?;
        Some(RowPosition {
            source: source.to_owned(),
            row_group: self.row_group?,
            row: row.parse().ok()?,
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

/// Removes the rows of earlier dates and aliases: they were only looked up.
fn without_earlier(batch: &RecordBatch) -> Result<RecordBatch> {
    let kept = (batch.text("status")?.iter())
        .map(|status| {
            let added = [Status::Known, Status::Alias].map(Status::as_str);
            Some(status.is_none_or(|status| !added.contains(&status)))
        })
        .collect();
    Ok(arrow::compute::filter_record_batch(batch, &kept)?)
}
