//! Step 2: the first page of each URL key survives [P 3].

use std::sync::Arc;

use arrow::array::{RecordBatch, StringBuilder};
use arrow::datatypes::{Date32Type, Int64Type, SchemaRef, TimestampMicrosecondType};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use url_key::{DuplicateCandidate, DuplicateReason, duplicate_reason};

use crate::job::Settings;
use crate::key_cache::KeyCache;
use crate::plan::batch_clock::BatchClock;
use crate::plan::columns::schemas::{DEDUPED, RecordBatchExt, Status, project_to, value_opt};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{RequiredDistribution, Step};

/// Finds the duplicates of each URL key in time order, and names what they
/// duplicate. Where keys are forgotten with the window, a domain's rows come in time
/// order; else key by key, so that no more than one is remembered at a time.
#[derive(Debug, Clone)]
pub(crate) struct Dedupe {
    pub(crate) settings: Arc<Settings>,
}

/// What is remembered of the first page of a key.
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
        // What rows come together by is what they are sorted by first.
        RequiredDistribution::KeyPartitioned(&self.required_ordering()[..1])
    }

    fn required_ordering(&self) -> &'static [&'static str] {
        if self.settings.horizon.is_of_domains() {
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
        let mut known = KnownKeys::new(Arc::clone(&self.settings));
        let stream = input.map(move |batch| known.batch(&batch?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            stream,
        )))
    }
}

/// The known keys of the domain whose rows are passing, or the one that is.
struct KnownKeys {
    settings: Arc<Settings>,
    /// A domain or a URL key.
    passing: String,
    known: KeyCache<Original>,
    clock: BatchClock,
}

impl KnownKeys {
    fn new(settings: Arc<Settings>) -> Self {
        Self {
            known: KeyCache::new(settings.horizon),
            clock: BatchClock::new(settings.batch),
            settings,
            passing: String::new(),
        }
    }

    fn batch(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let keys = batch.text("url_key")?;
        let passing = match self.settings.horizon.is_of_domains() {
            true => batch.text("domain")?,
            false => keys,
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
            self.enter(passing.value(row), dates.value(row));
            let seen = Original {
                request_url: value_opt(request_urls, row).map(str::to_owned),
                url: urls.value(row).to_owned(),
                rule: value_opt(rules, row).map(str::to_owned),
                position: format!("{}#{}", sources.value(row), rows.value(row)),
            };
            match self.known.original(keys.value(row), times.value(row)) {
                Some(original) if was == Status::Unique => {
                    let duplicate = if self.settings.revisions {
                        Status::RevisionCandidate
                    } else {
                        Status::Duplicate
                    };
                    status.append_value(duplicate.as_str());
                    merged_by.append_value(self.step(original, &seen).as_str());
                    duplicate_of.append_value(&original.position);
                }
                _ => {
                    self.known.insert(keys.value(row), times.value(row), seen);
                    self.clock.take_in(times.value(row));
                    status.append_value(was.as_str());
                    merged_by.append_null();
                    duplicate_of.append_null();
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

    /// Starts a domain or a key, and ends the batch before a page of a new one.
    fn enter(&mut self, passing: &str, date: i32) {
        if passing != self.passing {
            passing.clone_into(&mut self.passing);
            self.known.clear();
            self.clock = BatchClock::new(self.settings.batch);
        }
        if self.clock.begins(self.settings.batch.of_date(date))
            && let Some(newest) = self.clock.end()
        {
            self.known.end_batch(newest);
        }
    }

    fn step(&self, original: &Original, duplicate: &Original) -> DuplicateReason {
        let normalized = |url: &str| {
            let keyer = &self.settings.keyer;
            // Both had a key a moment ago; a URL that has none is its own form.
            keyer
                .parse(url)
                .map_or_else(|_| url.to_owned(), |page| keyer.key(&page, None).normalized)
        };
        let (first, second) = (normalized(&original.url), normalized(&duplicate.url));
        duplicate_reason(&original.seen(&first), &duplicate.seen(&second))
    }
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

/// Rows of earlier dates have done their part.
fn without_earlier(batch: &RecordBatch) -> Result<RecordBatch> {
    let kept = (batch.text("status")?.iter())
        .map(|status| Some(status != Some(Status::Known.as_str())))
        .collect();
    Ok(arrow::compute::filter_record_batch(batch, &kept)?)
}
