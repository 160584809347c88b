//! The plan of one chunk: five steps, with DataFusion moving and sorting the
//! rows between them.
//!
//! ```text
//! work (row groups)
//!   Scan      narrow columns of the archive               any partition
//!   Key       URL, title -> domain, URL key               any partition
//!   ∪ pages of earlier dates with one of these keys
//!   Dedupe    first of each key survives                  by domain, in time order
//!   Block     HTML -> text blocks                         by row group, front to back
//!   ∪ windows of these domains as earlier dates left them
//!   Replay    one URL Tree per domain                     by domain, in time order
//!   Write     data files, and an account of every row     as it comes; few: together
//! ```
//!
//! A step says by which columns it wants rows together and in which order, and
//! the optimizer puts the shuffle and the sort before it. Rows that are done (a
//! duplicate, say) ride along, narrow, so that `Write` sees every row once.

mod batch_clock;
pub(crate) mod columns;
pub(crate) mod exec;
mod html_reader;
pub(crate) mod session;
mod steps;
#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{Date32Builder, Int32Builder, Int64Builder, RecordBatch, StringBuilder};
use arrow::datatypes::{Date32Type, Int64Type};
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_plan::collect;
use datafusion::prelude::{DataFrame, SessionContext};
use tables::{DateRange, Table, date_from_days, days_from_date};

use crate::accounting::{ChunkOutput, RowCounts};
use crate::archive::Census;
use crate::job::Job;
use crate::metrics::PlanMetrics;
use crate::progress::{ProgressReporter, Unwatched};
use crate::state::chunk_keys;
use crate::state::prior_state::Earlier;
use columns::schemas::{Named, WORK, some};
use exec::cpu_metrics::plan_metrics;
use exec::step::apply;
use session::{gathered_size, session};
use steps::{block, dedupe, key, replay, scan, write};

/// Runs `chunk` of `job`: its rows are in data files afterwards that no table
/// names yet.
pub(crate) async fn run_chunk(
    job: &Job,
    census: &Census,
    chunk: DateRange,
    earlier: &Earlier,
    reporter: ProgressReporter,
) -> Result<ChunkOutput> {
    let context = session(job)?;
    let (plan, metrics) = plan(&context, job, census, chunk, earlier, reporter).await?;
    let plan = DataFrame::new(context.state(), plan);
    let plan = plan.create_physical_plan().await?;
    let batches = collect(Arc::clone(&plan), context.task_ctx()).await?;
    let mut written = written(&batches)?;
    written.metrics = metrics;
    written.metrics.add(plan_metrics(plan.as_ref()));
    Ok(written)
}

/// The physical plan of `chunk`, as text.
pub(crate) async fn explain_chunk(
    job: &Job,
    census: &Census,
    chunk: DateRange,
    earlier: &Earlier,
) -> Result<String> {
    let context = session(job)?;
    let reporter = ProgressReporter::new(Arc::new(Unwatched), census);
    let (plan, _) = plan(&context, job, census, chunk, earlier, reporter).await?;
    let physical = DataFrame::new(context.state(), plan)
        .create_physical_plan()
        .await?;
    Ok(datafusion::physical_plan::displayable(physical.as_ref())
        .indent(false)
        .to_string())
}

/// The plan of a chunk, and what it took to make it.
async fn plan(
    context: &SessionContext,
    job: &Job,
    census: &Census,
    chunk: DateRange,
    earlier: &Earlier,
    reporter: ProgressReporter,
) -> Result<(LogicalPlan, PlanMetrics)> {
    let settings = &job.settings;
    let archive = || job.archive.clone();
    let scanned = apply(
        scan::Scan {
            archive: archive(),
            dates: chunk,
        },
        work(job, census, chunk)?,
    )?;
    let keyed = apply(
        key::Key {
            archive: archive(),
            settings: Arc::clone(settings),
        },
        scanned,
    )?;
    let metrics = match earlier.is_empty() {
        true => PlanMetrics::default(),
        false => chunk_keys::meet(context, &keyed).await?,
    };
    earlier.register(context, chunk.first()).await?;
    let known = earlier.keys(context, settings.horizon, chunk).await?;
    let deduped = apply(
        dedupe::Dedupe {
            settings: Arc::clone(settings),
        },
        union(keyed, known)?,
    )?;
    let blocked = apply(
        block::Block::new(
            archive(),
            Arc::clone(settings),
            reporter,
            job.resources.threads,
        ),
        deduped,
    )?;
    let windows = earlier.windows(context, settings.window).await?;
    let replayed = apply(
        replay::Replay {
            settings: Arc::clone(settings),
            last: days_from_date(chunk.last()),
        },
        union(blocked, windows)?,
    )?;
    let written = apply(
        write::Write {
            archive: archive(),
            output: job.output.clone(),
            settings: Arc::clone(settings),
            html_bytes: census.html_bytes(chunk),
            sink: write::sink_size(
                job.resources.memory,
                job.output.partitioning().partitions(chunk).len(),
                job.resources.threads * settings.page_tables().count(),
            ),
            batches: gathered_size(job),
        },
        replayed,
    )?;
    Ok((written, metrics))
}

fn union(rows: LogicalPlan, more: Option<LogicalPlan>) -> Result<LogicalPlan> {
    match more {
        Some(more) => LogicalPlanBuilder::from(rows).union(more)?.build(),
        None => Ok(rows),
    }
}

/// The row groups with rows of `chunk`, dealt out to partitions so that each
/// has about the same number of rows to look at.
fn work(job: &Job, census: &Census, chunk: DateRange) -> Result<LogicalPlan> {
    let partitions = job.resources.threads;
    let mut hands: Vec<(u64, WorkColumns)> = (0..partitions)
        .map(|_| (0, WorkColumns::default()))
        .collect();
    for object in census.objects() {
        let units: Vec<(Option<usize>, u64, Option<&str>)> = match &object.row_groups {
            Err(problem) if chunk.contains(object.home) => vec![(None, 1, Some(problem.as_str()))],
            Err(_) => Vec::new(),
            Ok(groups) => (groups.iter().enumerate())
                .filter(|(_, group)| group.dates.keys().any(|date| chunk.contains(*date)))
                .map(|(index, group)| (Some(index), group.rows, group.unreadable.as_deref()))
                .collect(),
        };
        for (row_group, rows, problem) in units {
            if let Some((load, hand)) = hands.iter_mut().min_by_key(|(load, _)| *load) {
                *load += rows;
                hand.append(object, row_group, problem, job.archive.by_date);
            }
        }
    }
    let batches = hands
        .into_iter()
        .map(|(_, hand)| Ok(vec![hand.finish()?]))
        .collect::<Result<Vec<_>>>()?;
    let table = MemTable::try_new(Arc::clone(&WORK), batches)?;
    LogicalPlanBuilder::scan("work", provider_as_source(Arc::new(table)), None)?.build()
}

#[derive(Default)]
struct WorkColumns {
    source: StringBuilder,
    object_bytes: Int64Builder,
    object_version: StringBuilder,
    row_group: Int32Builder,
    home: Date32Builder,
    folder: Date32Builder,
    problem: StringBuilder,
}

impl WorkColumns {
    fn append(
        &mut self,
        object: &crate::archive::ObjectCensus,
        row_group: Option<usize>,
        problem: Option<&str>,
        by_date: bool,
    ) {
        let folder = object.object.folder_date.filter(|_| by_date);
        self.source.append_value(&object.object.source);
        self.object_bytes
            .append_value(i64::try_from(object.object.bytes).unwrap_or(i64::MAX));
        self.object_version.append_option(object.version.as_deref());
        self.row_group
            .append_option(row_group.and_then(|group| i32::try_from(group).ok()));
        self.home.append_value(days_from_date(object.home));
        self.folder.append_option(folder.map(days_from_date));
        self.problem.append_option(problem);
    }

    fn finish(mut self) -> Result<RecordBatch> {
        Ok(RecordBatch::try_new(
            Arc::clone(&WORK),
            vec![
                Arc::new(self.source.finish()),
                Arc::new(self.object_bytes.finish()),
                Arc::new(self.object_version.finish()),
                Arc::new(self.row_group.finish()),
                Arc::new(self.home.finish()),
                Arc::new(self.folder.finish()),
                Arc::new(self.problem.finish()),
            ],
        )?)
    }
}

fn written(batches: &[RecordBatch]) -> Result<ChunkOutput> {
    let mut written = ChunkOutput::default();
    for batch in batches {
        let (tables, files) = (batch.text("table")?, batch.text("file")?);
        let (statuses, causes) = (batch.text("status")?, batch.text("cause")?);
        let dates = batch.numbers::<Date32Type>("date")?;
        let count = |name: &str, row: usize| -> Result<u64> {
            let numbers = batch.numbers::<Int64Type>(name)?;
            Ok(numbers.value(row).unsigned_abs())
        };
        for row in 0..batch.num_rows() {
            if let Some(name) = some(tables, row) {
                let table = Table::from_name(name)
                    .ok_or_else(|| DataFusionError::Internal(format!("no table `{name}`")))?;
                let file = files.value(row).to_owned();
                written.files.entry(table).or_default().push(file);
                continue;
            }
            written.accounting.add(
                date_from_days(dates.value(row)),
                statuses.value(row),
                some(causes, row),
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
