//! The plan of one unit, the sites of a bucket on the dates of a chunk: six steps. DataFusion moves and sorts the rows between them.
//!
//! ```text
//! row_group_scan   the row groups of the chunk
//!   Scan           narrow columns of the archive          any partition
//!   Key            URL, title -> domain, URL key          any partition
//!   ∪ earlier pages that these may repeat
//!   Dedupe         finds the first page of each key       by base URL or domain, in time order
//!   Block          HTML -> text blocks                    by row group, in row order,
//!                                                         then later copies of its pages
//!   ∪ windows of these domains in the prior state
//!   Site           keys that may change; a URL Tree       by domain, in time order
//!   Write          data files, and counts of every row    any partition; small chunks: one
//! ```
//!
//! Each step declares the distribution and the ordering that it requires. DataFusion's
//! optimizer inserts the shuffles and sorts. Rows that need no more work, such as duplicates,
//! pass through the later steps with few columns filled, so that `Write` sees every row once.
//!
//! # Reasons for its shape
//!
//! - *Keys are decided in time order.* Dedupe knows the verdicts of earlier chunks only. It decides which pages need not
//!   be parsed. Site decides about the pages of a base URL whose parts are not all decided
//!   ([`site_keys`](steps::site_keys)), and parses the rare page that Dedupe left out.
//! - *Scan reads row groups that come as rows.* Later steps fetch HTML by object and row, so HTML never passes a
//!   shuffle or a sort, and a plan on workers divides the list of row groups over them.
//! - *Block runs before the shuffle by domain*, grouped by row group so that each is read once. One giant domain is
//!   parsed as parallel as a thousand small ones. Only counting hashes is sequential.
//! - *A later copy replaces a first page without text.* Dedupe sends the later copies of a key, as narrow rows, behind
//!   the row group of the first page, and Block reads them until one has text. With revisions, all copies are parsed
//!   anyway, and Site chooses.
//! - *A page waits for its batch.* It is inserted on arrival and labelled when its whole batch is in the tree. Until
//!   then its row is in a queue behind the replay, which spills. So a page is one row of the last sort.
//! - *Sorts take large batches.* Steps emit batches of 256 rows, because rows can be wide, and a merge looks at every
//!   batch that it holds for each column of each output batch. So a physical rule coalesces before every sort.
//! - *State of earlier dates is joined, not carried.* Keys and windows come from the output tables, joined with the
//!   keys and domains of the chunk, which a pass of Scan and Key collects as 64 bits per key.
//!   Closed months are rolled up, so that a nightly run reads the dates of the current month only.

pub(crate) mod archive_pages;
pub(crate) mod codec;
pub(crate) mod columns;
pub(crate) mod exec;
pub(crate) mod html_reader;
pub(crate) mod prior;
mod row_group_scan;
pub(crate) mod session;
pub(crate) mod steps;
#[cfg(test)]
pub(crate) mod test_support;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::{DataFrame, SessionContext};
use tables::{Bucket, DateRange, days_from_date};

use crate::accounting::UnitOutput;
use crate::archive::Census;
use crate::job::Job;
use crate::metrics::PlanMetrics;
use crate::plan::prior::chunk_keys::collect_chunk_keys;
use crate::plan::prior::learned::Learned;
use crate::plan::prior::shared_keys::{KeyFile, SharedKeys};
use crate::plan::prior::state::PriorState;
use crate::progress::{ProgressReporter, RowsAndBytes};
use crate::session_extension::with_metrics;
use columns::schemas::RecordBatchExt;
use exec::cpu_metrics::plan_metrics;
use exec::step::{apply, from_bytes};
use row_group_scan::row_group_scan;
use session::session;
use steps::{block, dedupe, key, scan, site, write};

/// A unit of work: the sites of a bucket on the dates of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    pub(crate) census: &'a Census,
    pub(crate) chunk: DateRange,
    pub(crate) bucket: Bucket,
    /// The tables before the chunk.
    pub(crate) prior: &'a PriorState,
}

impl Unit<'_> {
    /// Returns the part of the chunk that the unit has if buckets are alike.
    pub(crate) fn size(&self) -> RowsAndBytes {
        RowsAndBytes {
            rows: (self.bucket).share(self.census.rows(self.chunk).into_values().sum()),
            html_bytes: self.bucket.share(self.census.html_bytes(self.chunk)),
        }
    }
}

/// Runs the plan of `unit`. Its rows are then in data files that no table refers to yet.
pub(crate) async fn run_unit(
    job: &Job,
    unit: Unit<'_>,
    reporter: ProgressReporter,
) -> Result<UnitOutput> {
    let context = session(job)?;
    let planned = plan(&context, job, unit, reporter.clone()).await?;
    let batches = collect(Arc::clone(&planned.plan), context.task_ctx()).await;
    planned.discard_keys().await;
    let batches = batches?;
    let plan = with_metrics(job.session_extension.as_ref(), planned.plan).await;
    reporter.executed(unit.chunk, plan.as_ref());
    let mut written = written(&batches)?;
    written.metrics = planned.metrics;
    written.metrics.add(plan_metrics(plan.as_ref()));
    Ok(written)
}

/// Returns the physical plan of `unit` as text.
pub(crate) async fn explain_unit(job: &Job, unit: Unit<'_>) -> Result<String> {
    let context = session(job)?;
    let planned = plan(&context, job, unit, ProgressReporter::unwatched()).await?;
    planned.discard_keys().await;
    Ok(displayable(planned.plan.as_ref()).indent(false).to_string())
}

/// The plan of a unit.
struct Planned {
    plan: Arc<dyn ExecutionPlan>,
    /// Metrics of the query that collected its keys.
    metrics: PlanMetrics,
    /// The object that has its keys, for other processes.
    keys: Option<KeyFile>,
}

impl Planned {
    /// Deletes the object with the keys, once the plan has run.
    async fn discard_keys(&self) {
        if let Some(keys) = &self.keys {
            keys.delete().await;
        }
    }
}

/// Returns the plan of `unit`.
async fn plan(
    context: &SessionContext,
    job: &Job,
    unit: Unit<'_>,
    reporter: ProgressReporter,
) -> Result<Planned> {
    let Unit {
        census,
        chunk,
        bucket,
        prior,
    } = unit;
    let settings = &job.settings;
    let keyed = |learned: &Arc<Learned>| {
        let scan = scan::Scan::new(job, chunk, bucket);
        let scanned = apply(scan, row_group_scan(job, census, chunk, bucket)?)?;
        apply(key::Key::new(job, Arc::clone(learned)), scanned)
    };
    let (mut metrics, mut known, mut key_file) = (PlanMetrics::default(), None, None);
    let mut learned = Arc::new(Learned::default());
    let location = job.output.location();
    (prior.register(context, location, chunk.first(), bucket)).await?;
    if !prior.is_empty() {
        if settings.site.learns() {
            let of_domains = !prior.has_few_parameters(context).await?;
            if of_domains {
                let (_, collecting) = collect_chunk_keys(context, keyed(&learned)?, job).await?;
                metrics.add(collecting);
            }
            learned = Arc::new(prior.learned(context, of_domains).await?);
        }
        let (keys, collecting) = collect_chunk_keys(context, keyed(&learned)?, job).await?;
        metrics.add(collecting);
        let keys = match job.session_extension {
            Some(_) => SharedKeys::written(keys, location).await?,
            None => SharedKeys::here(keys),
        };
        key_file = keys.file().cloned();
        known = prior
            .known_rows(context, job, chunk.first(), keys, &learned)
            .await?;
    }
    let keyed = union(keyed(&learned)?, known)?;
    let deduped = apply(dedupe::Dedupe::new(job), keyed)?;
    let blocked = apply(block::Block::new(job, reporter.clone()), deduped)?;
    let windows = prior.windows(context, settings.site.window).await?;
    let site = site::Site::new(job, days_from_date(chunk.last()), learned);
    let replayed = apply(site, union(blocked, windows)?)?;
    let partitions = census.dates_with_input(chunk);
    let partitions = job.output.partitioning().containing(partitions).len();
    let html_bytes = bucket.share(census.html_bytes(chunk));
    let extent = write::ChunkExtent::new(job, html_bytes, partitions, bucket);
    let written = apply(write::Write::new(job, extent, reporter), replayed)?;
    let plan = DataFrame::new(context.state(), written);
    Ok(Planned {
        plan: plan.create_physical_plan().await?,
        metrics,
        keys: key_file,
    })
}

fn union(rows: LogicalPlan, more: Option<LogicalPlan>) -> Result<LogicalPlan> {
    match more {
        Some(more) => LogicalPlanBuilder::from(rows).union(more)?.build(),
        None => Ok(rows),
    }
}

/// Reads the output that the partitions of [`Write`](write::Write) return.
fn written(batches: &[RecordBatch]) -> Result<UnitOutput> {
    let mut written = UnitOutput::default();
    for batch in batches {
        for output in batch.bytes("output")?.iter().flatten() {
            written.add(from_bytes(output)?);
        }
    }
    Ok(written)
}
