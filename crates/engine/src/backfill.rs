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
use tables::{DateRange, Partitioning, Replacement, Table, TableError, days_from_date};
use tracing::{info, warn};
use uuid::Uuid;

use crate::account::{Account, Written};
use crate::archive::Census;
use crate::chunk::chunks;
use crate::error::EngineError;
use crate::failure::Failure;
use crate::job::Job;
use crate::plan::{self, Earlier, UNREADABLE_OBJECT};
use crate::progress::{Gauge, Progress, Stage, Unwatched, Work};
use crate::spec::Batch;
use crate::status::other_settings;

/// With fewer pages per partition than this, over more than
/// [`SPARSE_PARTITIONS`], most of the time goes into tiny files.
const SPARSE_ROWS: u64 = 50;
const SPARSE_PARTITIONS: usize = 100;

/// What a run did.
#[derive(Debug)]
pub struct RunReport {
    /// The name of the run in the `runs` table.
    pub run_id: String,
    /// The dates.
    pub dates: DateRange,
    /// What became of the rows.
    pub account: Account,
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
    census: Census,
    chunks: Vec<DateRange>,
    /// Tables that the run writes and that are not there yet.
    missing: Vec<Table>,
}

/// One run of a job.
struct Run<'a> {
    job: &'a Job,
    id: String,
    started_micros: i64,
    census: &'a Census,
    gauge: Gauge,
    progress: &'a dyn Progress,
}

/// Runs `job` over the archive rows of `dates` and replaces these dates in the
/// output tables. What earlier dates left there is the state it starts from.
///
/// # Errors
/// [`Failure`]. Chunks that were committed before it stay; the tables hold
/// the old rows or the new ones of every other chunk, never a mixture of both
/// in one table.
pub async fn backfill(
    job: &Job,
    dates: DateRange,
    change: SettingsChange,
    progress: Arc<dyn Progress>,
) -> Result<RunReport, Failure> {
    let started = Instant::now();
    let Prepared {
        census,
        chunks,
        missing,
    } = prepare(job, dates, change, progress.as_ref()).await?;
    let in_tables = Failure::at(Stage::Tables, dates);
    warn_about(job, dates, &census).await.map_err(&in_tables)?;
    // Tables that cannot be written are found out now, and not after the work.
    for table in missing {
        let made = job.output.open_or_create(table).await;
        made.map_err(EngineError::from).map_err(&in_tables)?;
    }
    progress.planned(Work {
        rows: census.rows(dates).values().sum(),
        html_bytes: census.html_bytes(dates),
    });
    let run = Run {
        job,
        id: Uuid::new_v4().to_string(),
        started_micros: Utc::now().timestamp_micros(),
        census: &census,
        gauge: Gauge::new(Arc::clone(&progress), &census),
        progress: progress.as_ref(),
    };
    let mut account = Account::default();
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
            done.rows().rows
        );
        account.extend(done);
    }
    Ok(RunReport {
        run_id: run.id,
        dates,
        account,
        chunks: chunks.len(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// The physical plan of the first chunk of `dates`, as text.
///
/// # Errors
/// As [`backfill`].
pub async fn explain(job: &Job, dates: DateRange) -> Result<String, Failure> {
    let Prepared { census, chunks, .. } =
        prepare(job, dates, SettingsChange::Asked, &Unwatched).await?;
    let chunk = chunks.first().copied().unwrap_or(dates);
    let in_tables = Failure::at(Stage::Tables, dates);
    let earlier = Earlier::open(job).await;
    let earlier = earlier.map_err(EngineError::from).map_err(in_tables)?;
    plan::explain_chunk(job, &census, chunk, &earlier)
        .await
        .map_err(|source| EngineError::plan(chunk, source))
        .map_err(Failure::at(Stage::Plan(None), dates))
}

/// Everything that can be refused is refused here, before any work.
async fn prepare(
    job: &Job,
    dates: DateRange,
    change: SettingsChange,
    progress: &dyn Progress,
) -> Result<Prepared, Failure> {
    let partitioning = job.output.partitioning();
    let covering = partitioning.covering(dates);
    if covering != dates {
        return Err(Failure::at(Stage::Job, dates)(EngineError::CutPartition {
            asked: dates,
            partitioning,
            covering,
        }));
    }
    progress.entered(Stage::Tables, dates);
    let in_tables = Failure::at(Stage::Tables, dates);
    let missing = missing_tables(job).await.map_err(&in_tables)?;
    let others = other_settings(job, dates).await.map_err(&in_tables)?;
    if let (Some(others), SettingsChange::Refused) = (others, change) {
        return Err(Failure::at(Stage::Job, dates)(EngineError::OtherSettings {
            others,
        }));
    }
    progress.entered(Stage::Census, dates);
    let census = Census::take(&job.archive, dates).await;
    let census = census.map_err(Failure::at(Stage::Census, dates))?;
    let chunks = match job.settings.batch {
        // All pages go into the trees before the first is labelled.
        Batch::Run => vec![dates],
        Batch::Page | Batch::Date => chunks(
            &partitioning.partitions(dates),
            |partition| census.html_bytes(partition),
            job.resources.chunk_bytes,
        ),
    };
    Ok(Prepared {
        census,
        chunks,
        missing,
    })
}

async fn missing_tables(job: &Job) -> Result<Vec<Table>, EngineError> {
    let mut missing = Vec::new();
    for table in Table::ALL {
        let there = job.output.open(table).await?.is_some();
        if !there && job.settings.writes(table) {
            missing.push(table);
        }
    }
    Ok(missing)
}

async fn warn_about(job: &Job, dates: DateRange, census: &Census) -> Result<(), EngineError> {
    let rows = census.rows(dates);
    let total: u64 = rows.values().sum();
    if total == 0 {
        warn!(
            "{dates}: {} has no rows on these dates; what the tables hold for them is removed",
            job.archive.location
        );
    }
    let partitioning = job.output.partitioning();
    let last = partitioning.value(dates.last());
    let mut later = job.output.partitions(Table::Runs).await?;
    later.retain(|partition| *partition > last);
    if let (Some(first), Some(last)) = (later.first(), later.last()) {
        warn!(
            "the tables already hold {first}..{last}, computed from the dates that are replaced \
             now; run those again after this"
        );
    }
    let partitions: BTreeSet<_> = rows.keys().map(|date| partitioning.value(*date)).collect();
    if partitions.len() > SPARSE_PARTITIONS && total / (partitions.len() as u64) < SPARSE_ROWS {
        let coarser = match partitioning {
            Partitioning::Day => "month or year",
            Partitioning::Month | Partitioning::Year => "year",
        };
        warn!(
            "{} rows in {} partitions make tiny files; output.partition={coarser} suits this \
             archive better",
            total,
            partitions.len()
        );
    }
    let unreadable = census
        .objects()
        .iter()
        .filter(|object| object.row_groups.is_err());
    for object in unreadable {
        warn!(
            "{} cannot be opened and is quarantined: {}",
            object.object.source,
            object.row_groups.as_ref().err().map_or("", String::as_str)
        );
    }
    Ok(())
}

impl Run<'_> {
    /// One chunk: plan, run, check the account, commit. `left` is what would
    /// have to be run again if it failed.
    async fn chunk(&self, chunk: DateRange, left: DateRange) -> Result<Account, Failure> {
        let started = Instant::now();
        let enter = |stage| {
            self.progress.entered(stage, chunk);
            Failure::at(stage, left)
        };
        let failed = enter(Stage::Tables);
        let closed = plan::close_months(self.job, chunk.first()).await;
        closed.map_err(&failed)?;
        let earlier = Earlier::open(self.job).await;
        let earlier = earlier.map_err(EngineError::from).map_err(failed)?;
        let failed = enter(Stage::Plan(None));
        let gauge = self.gauge.clone();
        let mut written = plan::run_chunk(self.job, self.census, chunk, &earlier, gauge)
            .await
            .map_err(|source| EngineError::plan(chunk, source))
            .map_err(failed)?;
        let failed = enter(Stage::Account);
        (written.account.check(&self.census.rows(chunk))).map_err(failed)?;
        let failed = enter(Stage::Commit);
        let seconds = started.elapsed().as_secs_f64();
        let runs = self.runs_file(chunk, &written.account, seconds).await;
        written.files.insert(Table::Runs, runs.map_err(&failed)?);
        self.commit(chunk, &mut written).await.map_err(failed)?;
        Ok(written.account)
    }

    /// One commit per table, `runs` last: a date that is there is complete.
    async fn commit(&self, chunk: DateRange, written: &mut Written) -> Result<(), EngineError> {
        let output = &self.job.output;
        plan::reopen_months(output, chunk).await?;
        let partitioning = output.partitioning();
        let partitions: BTreeSet<String> = partitioning
            .partitions(chunk)
            .into_iter()
            .map(|partition| partitioning.value(partition.first()))
            .collect();
        for table in Table::ALL {
            let files = written.files.remove(&table).unwrap_or_default();
            if !self.job.settings.writes(table) && output.open(table).await?.is_none() {
                continue;
            }
            let replacement = Replacement {
                partitions: partitions.clone(),
                files,
                transaction: format!("urltree {chunk}"),
                transaction_version: self.started_micros,
            };
            output.replace(table, replacement).await?;
        }
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
        let mut sink = self.job.output.sink(Table::Runs);
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
            text(&self.job.settings.digest),
            text(env!("CARGO_PKG_VERSION")),
            number(&|date| objects.get(&date).copied().unwrap_or(0)),
            number(&|date| archive.get(&date).copied().unwrap_or(0)),
            status("unique"),
            status("duplicate"),
            status("revision"),
            status("blacklisted"),
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
