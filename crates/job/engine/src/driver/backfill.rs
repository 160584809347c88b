//! The driver: a range of dates as a chain of chunks, each one plan and one
//! commit per table.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use chrono::{NaiveDate, Utc};
use tables::{
    DateRange, MemorySpill, Partitioning, Replacement, SinkSize, Table, TableError, days_from_date,
    fail_point,
};
use tracing::info;
use uuid::Uuid;

use crate::accounting::UNREADABLE_OBJECT;
use crate::accounting::{Account, Written};
use crate::archive::Census;
use crate::driver::chunk::{ChunkSize, chunks};
use crate::driver::failure::Failure;
use crate::driver::relabel;
use crate::driver::resume::{self, Stopped, request};
use crate::driver::warnings::{warn_about, warn_about_chunks};
use crate::error::EngineError;
use crate::job::Job;
use crate::lease::Hold;
use crate::metrics::PlanMetrics;
use crate::plan;
use crate::progress::{Gauge, Progress, Stage, Unwatched, Work};
use crate::spec::Batch;
use crate::state::monthly_rollup::{close_months, reopen_months};
use crate::state::prior_state::Earlier;
use crate::state::runs_table::other_settings;
use crate::state::tables_snapshot::TablesSnapshot;

/// What a run did.
#[derive(Debug)]
pub struct RunReport {
    /// The name of the run in the `runs` table.
    pub run_id: String,
    /// The dates.
    pub dates: DateRange,
    /// The first of them, where an earlier start of the same run had finished
    /// them already. They are in no count here.
    pub there_already: Option<DateRange>,
    /// What became of the rows.
    pub account: Account,
    /// What the operators of the plans cost; steps have the names that failures tell.
    pub metrics: PlanMetrics,
    /// Chunks that were committed.
    pub chunks: usize,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// What becomes of a run whose settings are others than those of the dates it
/// replaces, or goes on from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsChange {
    /// It is refused.
    Refused,
    /// It was asked for.
    Asked,
}

/// A run that nothing was found against.
struct Prepared {
    /// The dates that were asked for, and those before them whose labels it settles.
    dates: DateRange,
    census: Census,
}

/// One run of a job.
struct Run<'a> {
    job: &'a Job,
    hold: &'a Hold,
    id: String,
    request: String,
    started_micros: i64,
    census: &'a Census,
    gauge: Gauge,
    progress: &'a dyn Progress,
}

/// Runs `job` over the archive rows of `dates` and replaces these dates in the
/// output tables. What earlier dates left there is the state it starts from. Where
/// the same run was started before and stopped, it goes on from there. With
/// `tree.relabel_days`, the dates just before them that were run are run again.
///
/// # Errors
/// [`Failure`]. Chunks that were committed before it stay; each table holds the
/// old rows or the new ones of every other date, and `runs` has none for a date
/// whose tables were not all changed.
pub async fn backfill(
    job: &Job,
    dates: DateRange,
    change: SettingsChange,
    progress: Arc<dyn Progress>,
) -> Result<RunReport, Failure> {
    refuse_cut_partition(job, dates)?;
    progress.entered(Stage::Tables, dates);
    let tables = TablesSnapshot::open(&job.output, &Table::ALL).await;
    let tables = tables.map_err(Failure::at(Stage::Tables, dates))?;
    run(job, tables, dates, change, progress).await
}

/// Runs `job` over `dates`, which are whole partitions. `tables` are all tables, as they
/// were before the run has its lease.
pub(crate) async fn run(
    job: &Job,
    mut tables: TablesSnapshot,
    dates: DateRange,
    change: SettingsChange,
    progress: Arc<dyn Progress>,
) -> Result<RunReport, Failure> {
    let started = Instant::now();
    let asked = dates;
    let Prepared { dates, census } =
        prepare(job, &mut tables, asked, change, progress.as_ref()).await?;
    let in_tables = Failure::at(Stage::Tables, dates);
    warn_about(job, dates, &tables, &census);
    let request = request(job, dates, &census);
    let hold = Hold::take(job, format!("the run of {dates}"), Some(request.clone())).await;
    let hold = hold.map_err(&in_tables)?;
    // Another run may have ended since the snapshot.
    tables.refresh().await.map_err(&in_tables)?;
    refuse_other_settings(job, &mut tables, dates, change).await?;
    let settled_now = relabel::with_unsettled(job, &mut tables, asked).await;
    if settled_now.map_err(&in_tables)? != dates {
        return Err(in_tables(EngineError::Overtaken));
    }
    // Tables that cannot be written are found out now, and not after the work.
    for table in Table::ALL {
        if job.settings.writes(table) && !tables.has(table) {
            let made = job.output.open_or_create(table).await;
            made.map_err(EngineError::from).map_err(&in_tables)?;
        }
    }
    let stopped = resume::stopped(&mut tables, dates, &request).await;
    let stopped = (stopped.map_err(&in_tables)?)
        // To ask again for what was finished is to ask for all of it.
        .filter(|stopped| stopped.done != dates || hold.succeeds(&request));
    let there_already = stopped.as_ref().map(|stopped| stopped.done);
    let left = rest(dates, there_already);
    let chunks: Vec<DateRange> = (left.into_iter())
        .flat_map(|left| cut(job, left, &census))
        .map(|chunk| relabel::reaching_back(job, chunk, dates.first()))
        .collect();
    warn_about_chunks(job, &chunks, &census);
    progress.planned(Work {
        rows: (chunks.iter())
            .flat_map(|chunk| census.rows(*chunk).into_values())
            .sum(),
        html_bytes: chunks.iter().map(|chunk| census.html_bytes(*chunk)).sum(),
    });
    let (id, started_micros) = match stopped {
        Some(Stopped {
            run_id,
            started_micros,
            done,
        }) => {
            info!("going on with a run that stopped: {done} is there already");
            (run_id, started_micros)
        }
        None => (Uuid::new_v4().to_string(), Utc::now().timestamp_micros()),
    };
    let run = Run {
        job,
        hold: &hold,
        id,
        request,
        started_micros,
        census: &census,
        gauge: Gauge::new(Arc::clone(&progress), &census),
        progress: progress.as_ref(),
    };
    let mut account = Account::default();
    let mut metrics = PlanMetrics::default();
    for (index, chunk) in chunks.iter().enumerate() {
        let left = chunks[index..]
            .iter()
            .copied()
            .fold(*chunk, DateRange::through);
        let done = run.chunk(*chunk, left).await?;
        info!(
            "{chunk}: chunk {} of {} committed, {} rows",
            index + 1,
            chunks.len(),
            done.account.rows().rows
        );
        metrics.add(done.metrics);
        account.replace(done.account);
    }
    let run_id = run.id;
    hold.finish();
    Ok(RunReport {
        run_id,
        dates,
        there_already,
        account,
        metrics,
        chunks: chunks.len(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// The physical plan of the first chunk of `dates`, as text.
///
/// # Errors
/// As [`backfill`].
pub async fn explain(job: &Job, dates: DateRange) -> Result<String, Failure> {
    refuse_cut_partition(job, dates)?;
    let tables = TablesSnapshot::open(&job.output, &Table::ALL).await;
    let mut tables = tables.map_err(Failure::at(Stage::Tables, dates))?;
    let change = SettingsChange::Asked;
    let Prepared { dates, census } = prepare(job, &mut tables, dates, change, &Unwatched).await?;
    let chunk = cut(job, dates, &census).first().copied().unwrap_or(dates);
    let in_tables = Failure::at(Stage::Tables, dates);
    let earlier = Earlier::open(job).await;
    let earlier = earlier.map_err(EngineError::from).map_err(in_tables)?;
    plan::explain_chunk(job, &census, chunk, &earlier)
        .await
        .map_err(|source| EngineError::plan(chunk, source))
        .map_err(Failure::at(Stage::Plan(None), dates))
}

/// Refuses a range of dates that cuts a partition.
fn refuse_cut_partition(job: &Job, dates: DateRange) -> Result<(), Failure> {
    let partitioning = job.output.partitioning();
    let covering = partitioning.covering(dates);
    if covering == dates {
        return Ok(());
    }
    Err(Failure::at(Stage::Job, dates)(EngineError::CutPartition {
        asked: dates,
        partitioning,
        covering,
    }))
}

/// Refuses everything that can be refused before any work.
async fn prepare(
    job: &Job,
    tables: &mut TablesSnapshot,
    asked: DateRange,
    change: SettingsChange,
    progress: &dyn Progress,
) -> Result<Prepared, Failure> {
    progress.entered(Stage::Tables, asked);
    let dates = relabel::with_unsettled(job, tables, asked).await;
    let dates = dates.map_err(Failure::at(Stage::Tables, asked))?;
    refuse_other_settings(job, tables, dates, change).await?;
    progress.entered(Stage::Census, dates);
    let in_census = Failure::at(Stage::Census, dates);
    let census = Census::take(&job.archive, dates).await;
    let census = census.map_err(&in_census)?;
    let still_there = relabel::refuse_missing_pages(tables, dates, asked, &census).await;
    still_there.map_err(in_census)?;
    Ok(Prepared { dates, census })
}

async fn refuse_other_settings(
    job: &Job,
    tables: &mut TablesSnapshot,
    dates: DateRange,
    change: SettingsChange,
) -> Result<(), Failure> {
    let others = other_settings(tables, &job.settings.digest, dates).await;
    let others = others.map_err(Failure::at(Stage::Tables, dates))?;
    match (others, change) {
        (Some(others), SettingsChange::Refused) => {
            let refused = EngineError::OtherSettings { others };
            Err(Failure::at(Stage::Job, dates)(refused))
        }
        _ => Ok(()),
    }
}

/// The dates after those that are there, where there are any.
fn rest(dates: DateRange, there_already: Option<DateRange>) -> Option<DateRange> {
    match there_already {
        None => Some(dates),
        Some(done) if done.last() == dates.last() => None,
        Some(done) => (done.last().succ_opt()).map(|next| DateRange::between(next, dates.last())),
    }
}

/// The chunks of `dates`.
fn cut(job: &Job, dates: DateRange, census: &Census) -> Vec<DateRange> {
    match job.settings.batch {
        // All pages go into the trees before the first is labelled.
        Batch::Run => vec![dates],
        Batch::Page | Batch::Date => {
            let rows = census.rows(dates);
            let size = |partition: DateRange| ChunkSize {
                html_bytes: census.html_bytes(partition),
                rows: (rows.range(partition.first()..=partition.last()))
                    .map(|(_, rows)| rows)
                    .sum(),
            };
            chunks(
                &job.output.partitioning().partitions(dates),
                size,
                ChunkSize::most(job.resources.chunk_bytes, job.resources.plan_memory()),
            )
        }
    }
}

impl Run<'_> {
    /// One chunk: plan, run, check the account, commit. `left` is what would
    /// have to be run again if it failed.
    async fn chunk(&self, chunk: DateRange, left: DateRange) -> Result<Written, Failure> {
        let started = Instant::now();
        let enter = |stage| {
            self.progress.entered(stage, chunk);
            Failure::at(stage, left)
        };
        let failed = enter(Stage::Tables);
        let earlier = close_months(self.job, chunk.first(), self.hold.number()).await;
        let earlier = self.hold.or_taken_over(earlier).await.map_err(failed)?;
        let failed = enter(Stage::Plan(None));
        let gauge = self.gauge.clone();
        let mut written = plan::run_chunk(self.job, self.census, chunk, &earlier, gauge)
            .await
            .map_err(|source| EngineError::plan(chunk, source))
            .map_err(failed)?;
        let failed = enter(Stage::Account);
        (written.account.check(&self.census.rows(chunk))).map_err(failed)?;
        fail_point(format_args!("staged"));
        let failed = enter(Stage::Commit);
        let seconds = started.elapsed().as_secs_f64();
        let runs = self.runs_file(chunk, &written.account, seconds).await;
        written.files.insert(Table::Runs, runs.map_err(&failed)?);
        self.commit(chunk, &mut written).await.map_err(failed)?;
        Ok(written)
    }

    /// One commit per table. `runs` is the first, to take away the old dates, and
    /// the last, to say the new ones: a date that is there is complete.
    async fn commit(&self, chunk: DateRange, written: &mut Written) -> Result<(), EngineError> {
        let output = &self.job.output;
        let reopened = reopen_months(output, chunk, self.hold.number()).await;
        self.hold.or_taken_over(reopened).await?;
        let partitioning = output.partitioning();
        let partitions: BTreeSet<String> = partitioning
            .partitions(chunk)
            .into_iter()
            .map(|partition| partitioning.value(partition.first()))
            .collect();
        let change = |transaction: String, files| Replacement {
            partitions: partitions.clone(),
            files,
            transaction,
            transaction_version: self.hold.number(),
            fencing_token: self.hold.number(),
        };
        let begun = change(format!("urltree {chunk} begun"), Vec::new());
        fail_point(format_args!("begin"));
        self.replace(Table::Runs, begun).await?;
        fail_point(format_args!("begun"));
        for table in Table::ALL {
            let files = written.files.remove(&table).unwrap_or_default();
            if !self.job.settings.writes(table) && output.open(table).await?.is_none() {
                continue;
            }
            fail_point(format_args!("commit.{}", table.name()));
            self.replace(table, change(format!("urltree {chunk}"), files))
                .await?;
            fail_point(format_args!("committed.{}", table.name()));
        }
        Ok(())
    }

    async fn replace(&self, table: Table, change: Replacement) -> Result<(), EngineError> {
        self.hold.check().await?;
        fail_point(format_args!("checked.{}", table.name()));
        let replaced = self.job.output.replace(table, change).await;
        self.hold
            .or_taken_over(replaced.map_err(EngineError::from))
            .await?;
        Ok(())
    }

    /// The account of the chunk as a data file of `runs`.
    async fn runs_file(
        &self,
        chunk: DateRange,
        account: &Account,
        seconds: f64,
    ) -> Result<Vec<String>, EngineError> {
        let rows = self.runs_rows(chunk, account, seconds)?;
        let mut sink = self.job.output.sink(
            Table::Runs,
            SinkSize::default(),
            Arc::new(MemorySpill::default()),
        );
        let failed = |source| {
            EngineError::Table(TableError::Delta {
                table: Table::Runs.name(),
                location: self.job.output.location().to_string(),
                source: Box::new(source),
            })
        };
        sink.write(&rows).await.map_err(failed)?;
        sink.close().await.map_err(failed)
    }

    fn runs_rows(
        &self,
        chunk: DateRange,
        account: &Account,
        seconds: f64,
    ) -> Result<RecordBatch, EngineError> {
        let dates: Vec<NaiveDate> = chunk
            .first()
            .iter_days()
            .take_while(|date| *date <= chunk.last())
            .collect();
        let archive = self.census.rows(chunk);
        let objects = self.census.objects_by_date(chunk);
        let number = |of: &dyn Fn(NaiveDate) -> u64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(
                dates
                    .iter()
                    .map(|date| i64::try_from(of(*date)).unwrap_or(i64::MAX)),
            ))
        };
        let text = |value: &str| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(std::iter::repeat_n(
                value,
                dates.len(),
            )))
        };
        let status = |status: &'static str| number(&|date| account.on(date, status).rows);
        let columns = vec![
            Arc::new(Date32Array::from_iter_values(
                dates.iter().map(|date| days_from_date(*date)),
            )) as ArrayRef,
            text(&self.id),
            text(&self.request),
            text(&self.job.settings.digest),
            text(env!("CARGO_PKG_VERSION")),
            number(&|date| objects.get(&date).copied().unwrap_or(0)),
            number(&|date| archive.get(&date).copied().unwrap_or(0)),
            status("unique"),
            status("duplicate"),
            status("revision"),
            status("blocklisted"),
            status("quarantined"),
            status(UNREADABLE_OBJECT),
            number(&|date| account.rows_on(date).html_bytes),
            number(&|date| account.rows_on(date).text_bytes),
            Arc::new(
                TimestampMicrosecondArray::from_value(self.started_micros, dates.len())
                    .with_timezone("UTC"),
            ),
            Arc::new(Float64Array::from_value(seconds, dates.len())),
        ];
        RecordBatch::try_new(Table::Runs.schema(Partitioning::Day), columns)
            .map_err(|error| EngineError::plan(chunk, error.into()))
    }
}
