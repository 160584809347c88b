//! The plan of one chunk: six steps. DataFusion moves and sorts the rows between them.
//!
//! ```text
//! row_group_scan   the row groups of the chunk
//!   Scan           narrow columns of the archive          any partition
//!   Key            URL, title -> domain, URL key          any partition
//!   ∪ prior pages with one of these keys
//!   Dedupe         keeps the first page of each key       by key or domain, in time order
//!   Block          HTML -> text blocks                    by row group, in row order,
//!                                                         then later copies of its pages
//!   ∪ windows of these domains in the prior state
//!   Replay         one URL Tree per domain                by domain, in time order
//!   Write          data files, and counts of every row    any partition; small chunks: one
//! ```
//!
//! Each step declares the distribution and the ordering that it requires. DataFusion's
//! optimizer inserts the shuffles and sorts. Rows that need no more work, such as duplicates,
//! pass through the later steps with few columns filled, so that `Write` sees every row once.
//!
//! # Reasons for its shape
//!
//! - *Learning comes before the plan.* Duplicates are decided before HTML is read, so pages that differ in
//!   undecided parts of their URLs are compared in a separate pass ([`learn`]).
//! - *Scan reads row groups that come as rows.* Later steps fetch HTML by object and row, so HTML never passes a
//!   shuffle or a sort, and a plan on workers divides the list of row groups over them.
//! - *Block runs before the shuffle by domain*, grouped by row group so that each is read once. One giant domain is
//!   parsed as parallel as a thousand small ones. Only counting hashes is sequential.
//! - *A later copy replaces a first page without text.* Dedupe sends the later copies of a key, as narrow rows, behind
//!   the row group of the first page, and Block reads them until one has text. With revisions, all copies are parsed
//!   anyway, and Replay chooses.
//! - *A page waits for its batch.* It is inserted on arrival and labelled when its whole batch is in the tree. Until
//!   then its row is in a queue behind the replay, which spills. So a page is one row of the last sort.
//! - *Sorts take large batches.* Steps emit batches of 256 rows, because rows can be wide, and a merge looks at every
//!   batch that it holds for each column of each output batch. So a physical rule coalesces before every sort.
//! - *State of earlier dates is joined, not carried.* Keys and windows come from the output tables, joined with the
//!   keys and domains of the chunk, which a pass of Scan and Key collects as 64 bits per key.
//!   Closed months are rolled up, so that a nightly run reads the dates of the current month only.

pub(crate) mod codec;
pub(crate) mod columns;
pub(crate) mod exec;
pub(crate) mod html_reader;
pub(crate) mod learn;
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
use arrow::datatypes::{Date32Type, Int64Type};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_plan::collect;
use datafusion::prelude::{DataFrame, SessionContext};
use tables::{DateRange, Table, date_from_days, days_from_date};

use crate::accounting::{ChunkOutput, RowCounts};
use crate::archive::Census;
use crate::job::Job;
use crate::metrics::PlanMetrics;
use crate::plan::prior::chunk_keys::collect_chunk_keys;
use crate::plan::prior::state::PriorState;
use crate::progress::ProgressReporter;
use crate::session_extension::with_metrics;
use columns::schemas::{RecordBatchExt, value_opt};
use exec::cpu_metrics::plan_metrics;
use exec::step::apply;
use learn::learned::Learned;
use learn::{learn, url_parameters};
use row_group_scan::row_group_scan;
use session::session;
use steps::{alias, block, dedupe, key, replay, scan, write};

/// Runs the plan of `chunk`. Its rows are then in data files that no table refers to yet.
pub(crate) async fn run_chunk(
    job: &Job,
    census: &Census,
    chunk: DateRange,
    prior: &PriorState,
    reporter: ProgressReporter,
) -> Result<ChunkOutput> {
    let context = session(job)?;
    let (learned, learning) = learn(job, census, chunk, prior, &reporter).await?;
    let learned = Arc::new(learned);
    let input = ChunkInput {
        census,
        chunk,
        prior,
        learned: Arc::clone(&learned),
    };
    let (plan, metrics) = plan(&context, job, input, reporter.clone()).await?;
    let plan = DataFrame::new(context.state(), plan);
    let plan = plan.create_physical_plan().await?;
    let batches = collect(Arc::clone(&plan), context.task_ctx()).await?;
    let plan = with_metrics(job.session_extension.as_ref(), plan).await;
    reporter.executed(chunk, plan.as_ref());
    let mut written = written(&batches)?;
    written.metrics = metrics;
    written.metrics.add(learning);
    written.learned = learned_rows(&learned)?;
    written.metrics.add(plan_metrics(plan.as_ref()));
    Ok(written)
}

/// Returns the physical plan of `chunk` as text.
pub(crate) async fn explain_chunk(
    job: &Job,
    census: &Census,
    chunk: DateRange,
    prior: &PriorState,
) -> Result<String> {
    let context = session(job)?;
    let reporter = ProgressReporter::unwatched();
    let input = ChunkInput {
        census,
        chunk,
        prior,
        learned: Arc::default(),
    };
    let (plan, _) = plan(&context, job, input, reporter).await?;
    let physical = DataFrame::new(context.state(), plan)
        .create_physical_plan()
        .await?;
    Ok(datafusion::physical_plan::displayable(physical.as_ref())
        .indent(false)
        .to_string())
}

/// The input of a plan.
struct ChunkInput<'a> {
    census: &'a Census,
    chunk: DateRange,
    prior: &'a PriorState,
    learned: Arc<Learned>,
}

/// Returns the plan of `chunk`, and the metrics of the query that collected its keys.
async fn plan(
    context: &SessionContext,
    job: &Job,
    input: ChunkInput<'_>,
    reporter: ProgressReporter,
) -> Result<(LogicalPlan, PlanMetrics)> {
    let ChunkInput {
        census,
        chunk,
        prior,
        learned,
    } = input;
    let settings = &job.settings;
    let has_aliases = !learned.verdicts.is_empty();
    let scan = scan::Scan::new(job, chunk);
    let scanned = apply(scan, row_group_scan(job, census, chunk)?)?;
    let keyed = apply(key::Key::new(job, Arc::clone(&learned)), scanned)?;
    let mut metrics = PlanMetrics::default();
    let mut known = None;
    prior.register(context, job, chunk.first()).await?;
    if !prior.is_empty() {
        let (keys, collecting) = collect_chunk_keys(context, keyed.clone(), job, &learned).await?;
        metrics = collecting;
        known = prior.keys(context, job, chunk, &keys, &learned).await?;
    }
    let mut keyed = union(keyed, known)?;
    if has_aliases {
        let alias = alias::Alias::new(job, Arc::clone(&learned), chunk);
        keyed = apply(alias, keyed)?;
    }
    let dedupe = dedupe::Dedupe::new(job, settings.site.revisions, learned);
    let deduped = apply(dedupe, keyed)?;
    let blocked = apply(block::Block::new(job, reporter), deduped)?;
    let windows = prior.windows(context, settings.site.window).await?;
    let replay = replay::Replay::new(job, days_from_date(chunk.last()));
    let replayed = apply(replay, union(blocked, windows)?)?;
    let partitions = job.output.partitioning().partitions(chunk).len();
    let extent = write::ChunkExtent::new(job, census.html_bytes(chunk), partitions);
    let written = apply(write::Write::new(job, extent), replayed)?;
    Ok((written, metrics))
}

fn union(rows: LogicalPlan, more: Option<LogicalPlan>) -> Result<LogicalPlan> {
    match more {
        Some(more) => LogicalPlanBuilder::from(rows).union(more)?.build(),
        None => Ok(rows),
    }
}

/// Returns the rows of `url_parameters`, if there are any.
fn learned_rows(learned: &Learned) -> Result<Option<RecordBatch>> {
    let changes = &learned.changes;
    (!changes.is_empty())
        .then(|| url_parameters(changes))
        .transpose()
}

/// Reads the rows that the partitions of [`Write`](write::Write) return.
fn written(batches: &[RecordBatch]) -> Result<ChunkOutput> {
    let mut written = ChunkOutput::default();
    for batch in batches {
        let (tables, files) = (batch.text("table")?, batch.text("file")?);
        let (statuses, causes) = (batch.text("status")?, batch.text("cause")?);
        let dates = batch.numbers::<Date32Type>("date")?;
        let count = |name: &str, row: usize| -> Result<u64> {
            let numbers = batch.numbers::<Int64Type>(name)?;
            let number = numbers.value(row);
            u64::try_from(number)
                .map_err(|_| DataFusionError::Internal(format!("`{name}` is {number}")))
        };
        for row in 0..batch.num_rows() {
            if let Some(name) = value_opt(tables, row) {
                let table = Table::from_name(name)
                    .ok_or_else(|| DataFusionError::Internal(format!("no table `{name}`")))?;
                let file = files.value(row).to_owned();
                written.files.entry(table).or_default().push(file);
                continue;
            }
            written.accounting.add(
                date_from_days(dates.value(row)),
                statuses.value(row),
                value_opt(causes, row),
                RowCounts::new(
                    count("rows", row)?,
                    count("html_bytes", row)?,
                    count("text_bytes", row)?,
                ),
            );
        }
    }
    Ok(written)
}
