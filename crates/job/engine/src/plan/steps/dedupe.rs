//! Step 2: finds the first page of each URL key, and its duplicates [P 3].

use std::sync::Arc;

use arrow::array::{RecordBatch, StringBuilder};
use arrow::datatypes::{Date32Type, Int64Type, SchemaRef, TimestampMicrosecondType};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use site_replay::{KnownKeys, Occurrence};
use url_key::{DuplicateCandidate, DuplicateReason, Keyer, duplicate_reason};

use crate::job::Settings;
use crate::plan::columns::schemas::{DEDUPED, RecordBatchExt, Status, project_to, value_opt};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{RequiredDistribution, Step};

/// Finds the duplicates of each URL key, and names the pages they duplicate. With
/// `dedup.lookback = window` rows come by domain in time order; otherwise they come key
/// by key, so that only one key is in memory.
#[derive(Debug, Clone)]
pub(crate) struct Dedupe {
    pub(crate) settings: Arc<Settings>,
}

/// The columns of a page that describe it as a duplicate, or as the page that others
/// duplicate.
#[derive(Debug)]
struct Original {
    request_url: Option<String>,
    url: String,
    rule: Option<String>,
    position: String,
}

impl Step for Dedupe {
    fn name(&self) -> &'static str {
        "Dedupe"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&DEDUPED)
    }

    fn required_distribution(&self) -> RequiredDistribution {
        // Partition by the first sort column.
        RequiredDistribution::KeyPartitioned(&self.required_ordering()[..1])
    }

    fn required_ordering(&self) -> &'static [&'static str] {
        if self.settings.lookback.spans_keys() {
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
        let mut dedupe = PartitionDedupe::new(Arc::clone(&self.settings));
        let stream = input.map(move |batch| dedupe.batch(&batch?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            stream,
        )))
    }
}

/// The known keys of the current domain or, without a window, the current key.
struct PartitionDedupe {
    settings: Arc<Settings>,
    /// The domain or URL key that `known` belongs to.
    current: String,
    known: KnownKeys<Original>,
}

impl PartitionDedupe {
    fn new(settings: Arc<Settings>) -> Self {
        Self {
            known: KnownKeys::new(settings.lookback, settings.batching),
            settings,
            current: String::new(),
        }
    }

    fn batch(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let keys = batch.text("url_key")?;
        let groups = if self.settings.lookback.spans_keys() {
            batch.text("domain")?
        } else {
            keys
        };
        let urls = batch.text("url")?;
        let (request_urls, rules) = (batch.text("request_url")?, batch.text("rule")?);
        let (sources, rows) = (batch.text("source")?, batch.numbers::<Int64Type>("row")?);
        let times = batch.numbers::<TimestampMicrosecondType>("fetched_at")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let before = batch.text("status")?;
        let mut status = StringBuilder::new();
        let mut merged_by = StringBuilder::new();
        let mut duplicate_of = StringBuilder::new();
        for row in 0..batch.num_rows() {
            let was = Status::from_name(before.value(row))?;
            if !matches!(was, Status::Unique | Status::Known) {
                status.append_value(was.as_str());
                merged_by.append_null();
                duplicate_of.append_null();
                continue;
            }
            self.enter(groups.value(row));
            let page = Original {
                request_url: value_opt(request_urls, row).map(str::to_owned),
                url: urls.value(row).to_owned(),
                rule: value_opt(rules, row).map(str::to_owned),
                position: format!("{}#{}", sources.value(row), rows.value(row)),
            };
            let (key, time) = (keys.value(row), times.value(row));
            let in_batch = self.settings.batching.batch_of(dates.value(row));
            let occurrence = if was == Status::Known {
                self.known.restore(key, in_batch, time, page);
                Occurrence::First
            } else {
                self.known.classify(key, in_batch, time, page)
            };
            match occurrence {
                Occurrence::First => {
                    status.append_value(was.as_str());
                    merged_by.append_null();
                    duplicate_of.append_null();
                }
                Occurrence::Duplicate { original, page } => {
                    let duplicate = if self.settings.revisions {
                        Status::RevisionCandidate
                    } else {
                        Status::Duplicate
                    };
                    let step = merged_by_step(&self.settings.keyer, original, &page);
                    status.append_value(duplicate.as_str());
                    merged_by.append_value(step.as_str());
                    duplicate_of.append_value(&original.position);
                }
            }
        }
        let deduped = project_to(
            batch,
            &DEDUPED,
            vec![
                ("status", Arc::new(status.finish())),
                ("merged_by", Arc::new(merged_by.finish())),
                ("duplicate_of", Arc::new(duplicate_of.finish())),
            ],
        )?;
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
fn merged_by_step(keyer: &Keyer, original: &Original, duplicate: &Original) -> DuplicateReason {
    let normalized = |url: &str| {
        // Both URLs had a key before; a URL without a key would be its own normal form.
        keyer
            .parse(url)
            .map_or_else(|_| url.to_owned(), |page| keyer.key(&page, None).normalized)
    };
    let (first, second) = (normalized(&original.url), normalized(&duplicate.url));
    duplicate_reason(&original.seen(&first), &duplicate.seen(&second))
}

impl Original {
    fn seen<'a>(&'a self, normalized: &'a str) -> DuplicateCandidate<'a> {
        DuplicateCandidate {
            request_url: self.request_url.as_deref(),
            url: &self.url,
            normalized,
            rule: self.rule.as_deref(),
        }
    }
}

/// Removes the rows of earlier dates: they were only looked up.
fn without_earlier(batch: &RecordBatch) -> Result<RecordBatch> {
    let kept = (batch.text("status")?.iter())
        .map(|status| Some(status != Some(Status::Known.as_str())))
        .collect();
    Ok(arrow::compute::filter_record_batch(batch, &kept)?)
}
