//! Step 2: finds the first page of each URL key, and its duplicates [P 3].

use std::sync::Arc;

use arrow::array::{RecordBatch, StringBuilder};
use arrow::datatypes::{Date32Type, Int64Type, SchemaRef, TimestampMicrosecondType};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use site_replay::{FoundBy, KnownKeys, Occurrence};
use url_key::{DuplicateCandidate, DuplicateReason, duplicate_reason};

use crate::job::Settings;
use crate::plan::columns::schemas::{DEDUPED, RecordBatchExt, Status, project_to, value_opt};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{RequiredDistribution, Step};
use crate::plan::steps::alias::alias_dates;
use crate::spec::Queries;

/// Finds the duplicates of each URL key, and names the pages they duplicate. With
/// `dedup.lookback = window` rows come by domain in time order; otherwise they come key
/// by key, so that only one key is in memory.
#[derive(Debug, Clone)]
pub(crate) struct Dedupe {
    pub(crate) settings: Arc<Settings>,
}

/// The columns of a page that describe it as a duplicate, or as the page that others
/// duplicate.
#[derive(Debug, Clone)]
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
        let (originals, aliases) = (batch.text("same_content")?, batch.text("alias_dates")?);
        let mut status = StringBuilder::new();
        let mut merged_by = StringBuilder::new();
        let mut duplicate_of = StringBuilder::new();
        for row in 0..batch.num_rows() {
            let was = Status::from_name(before.value(row))?;
            if !matches!(was, Status::Unique | Status::Known | Status::Alias) {
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
            let (key, time, date) = (keys.value(row), times.value(row), dates.value(row));
            let copied = value_opt(originals, row).map(|position| Original {
                position: position.to_owned(),
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
                }
                Occurrence::Duplicate {
                    original,
                    page,
                    found,
                } => {
                    let duplicate = if self.settings.revisions {
                        Status::RevisionCandidate
                    } else {
                        Status::Duplicate
                    };
                    let step = match found {
                        FoundBy::Content => DuplicateReason::SameContent,
                        FoundBy::Alias => DuplicateReason::LearnedParameter,
                        FoundBy::Key => merged_by_step(&self.settings, original, &page),
                    };
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
fn merged_by_step(
    settings: &Settings,
    original: &Original,
    duplicate: &Original,
) -> DuplicateReason {
    let keyer = &settings.keyer;
    let key = |url: &str| {
        // Both URLs had a key before; a URL without a key would be its own normal form.
        keyer.parse(url).map_or_else(
            |_| (url.to_owned(), url.to_owned()),
            |page| {
                let key = match settings.queries {
                    Queries::Learn => keyer.key_with_parts(&page, None, |_| false),
                    Queries::Drop => keyer.key(&page, None),
                };
                (key.normalized, key.text)
            },
        )
    };
    let (first, second) = (key(&original.url), key(&duplicate.url));
    duplicate_reason(&original.seen(&first), &duplicate.seen(&second))
}

impl Original {
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
