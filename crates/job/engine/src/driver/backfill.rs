//! Runs a range of dates as a sequence of chunks, each with one plan and one commit per
//! table.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::Utc;
use futures::future::{join, join_all};
use lease::{Lease, remove_unreferenced};
use tables::{Bucket, DateRange, Table, TableFormat, fail_point};
use tokio_util::sync::CancellationToken;
use tracing::info;
use uuid::Uuid;

use crate::accounting::{RowAccounting, UnitOutput};
use crate::acquire::acquire_lease;
use crate::archive::Census;
use crate::driver::chunk::cut;
use crate::driver::failure::Failure;
use crate::driver::missing_pages::refuse_missing_pages;
use crate::driver::partition;
use crate::driver::relabel;
use crate::driver::resume::{self, ResumableRun, request};
use crate::driver::runs_rows::ChunkCost;
use crate::driver::units::{ChunkUnits, shared_units, staged_units};
use crate::driver::warnings::{warn_about, warn_about_chunks};
use crate::error::EngineError;
use crate::job::Job;
use crate::metrics::PlanMetrics;
use crate::peak_memory::peak_memory;
use crate::plan::prior::monthly_rollup::roll_up_months;
use crate::plan::prior::state::PriorState;
use crate::plan::{self, Unit};
use crate::progress::{Progress, ProgressReporter, RowsAndBytes, Stage, Unwatched};
use crate::spec::SpecError;
use crate::tables_state::tables_snapshot::TablesSnapshot;
use crate::watchdog::watched;

/// The result of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunReport {
    /// The id of the run in the `runs` table.
    pub run_id: String,
    /// The dates of the run.
    pub dates: DateRange,
    /// The first of these dates, if an earlier start of the same run had committed them.
    /// They are in no count here.
    pub already_done: Option<DateRange>,
    /// The counts of the archive's rows.
    pub accounting: RowAccounting,
    /// The metrics of the plans' operators. Steps have the names that failures use.
    pub metrics: PlanMetrics,
    /// Number of chunks that were committed.
    pub chunks: usize,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Most resident memory of the process so far, in bytes. `None` if the system does not tell.
    pub peak_memory: Option<u64>,
}

/// Exceptions that the user of a run accepts. The default accepts none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Other settings than those of the dates that the run replaces or starts from.
    pub other_settings: bool,
    /// Objects that cannot be opened, and dates of which the archive has no rows.
    pub missing_pages: bool,
}

/// The input of a run after all checks.
pub(super) struct Prepared {
    /// The requested dates, and the earlier dates that must be relabelled.
    pub(super) dates: DateRange,
    pub(super) census: Census,
}

/// One run of a job.
pub(super) struct Run<'a> {
    pub(super) job: &'a Job,
    pub(super) lease: &'a Lease,
    pub(super) id: String,
    pub(super) request: String,
    pub(super) started_micros: i64,
    pub(super) census: &'a Census,
    buckets: NonZeroU32,
    /// Whether units wait for each other, with manifests. One unit is committed at once.
    is_staged: bool,
    reporter: ProgressReporter,
    progress: &'a dyn Progress,
}

/// Runs `job` over the archive rows of `dates` and replaces these dates in the output tables.
/// Starts from the state that earlier dates left in the tables. Resumes an earlier start of
/// the same run that stopped. With `tree.relabel_days`, also runs the dates just before
/// `dates` again.
///
/// If `stop` is cancelled, the run ends at once with [`EngineError::Interrupted`] and releases its
/// lease, which waits for the store for two heartbeat intervals, or 5 s.
///
/// # Errors
/// [`Failure`]. Committed chunks stay. Of every other date each table has the old rows or the
/// new ones, and `runs` has no row for a date that some tables have and others do not.
pub async fn backfill(
    job: &Job,
    dates: DateRange,
    accepted: Accepted,
    progress: Arc<dyn Progress>,
    stop: &CancellationToken,
) -> Result<RunReport, Failure> {
    progress.entered(Stage::Tables, dates);
    let in_tables = Failure::at(Stage::Tables, dates);
    let tables = TablesSnapshot::open(&job.output, job.settings.opened_tables());
    let tables = unless_stopped(stop, tables).await.map_err(&in_tables)?;
    let job = partition::of_tables(job, &tables).map_err(in_tables)?;
    refuse_cut_partition(&job, dates)?;
    run(&job, tables, dates, accepted, progress, stop).await
}

/// Runs `job` over `dates`, which are whole partitions. `tables` is a snapshot of the tables
/// from before the lease.
pub(crate) async fn run(
    job: &Job,
    mut tables: TablesSnapshot,
    dates: DateRange,
    accepted: Accepted,
    progress: Arc<dyn Progress>,
    stop: &CancellationToken,
) -> Result<RunReport, Failure> {
    let requested = dates;
    let spill_dir = job.spill_disk.open();
    spill_dir
        .map_err(|error| EngineError::from(SpecError::key("run.spill_dir", error.to_string())))
        .map_err(Failure::at(Stage::Job, dates))?;
    if let Some(model) = &job.settings.language_model {
        let read = model.read().map_err(EngineError::from);
        read.map_err(Failure::at(Stage::Job, dates))?;
    }
    let interrupted = Failure::at(Stage::Tables, dates);
    let prepared = prepare(job, &mut tables, requested, accepted, progress.as_ref());
    let prepared = unless_stopped(stop, async { Ok(prepared.await) }).await;
    let Prepared { dates, census } = prepared.map_err(interrupted)??;
    let job = &partition::of_new_tables(job, Some(dates), &census.rows(dates));
    warn_about(job, dates, &tables, &census);
    let request = request(job, dates, &census);
    let lease = acquire_lease(job, format!("the run of {dates}"), Some(request.clone()));
    let lease = unless_stopped(stop, lease).await;
    let lease = lease.map_err(Failure::at(Stage::Tables, dates))?;
    let request = Request {
        dates,
        requested,
        accepted,
        id: request,
    };
    let done = run_under(&lease, job, tables, &census, request, progress);
    let done = unless_stopped(stop, async { Ok(done.await) }).await;
    let done = done.map_err(Failure::at(Stage::Tables, dates)).flatten();
    lease.release(done.is_ok()).await;
    done
}

/// Awaits `work`, or drops it when `stop` is cancelled.
pub(super) async fn unless_stopped<T>(
    stop: &CancellationToken,
    work: impl Future<Output = Result<T, EngineError>>,
) -> Result<T, EngineError> {
    let done = stop.run_until_cancelled(work).await;
    done.unwrap_or(Err(EngineError::Interrupted))
}

/// The request of a run.
struct Request {
    /// Its dates, with those that are relabelled.
    dates: DateRange,
    requested: DateRange,
    accepted: Accepted,
    /// The digest of the request.
    id: String,
}

async fn run_under(
    lease: &Lease,
    job: &Job,
    mut tables: TablesSnapshot,
    census: &Census,
    request: Request,
    progress: Arc<dyn Progress>,
) -> Result<RunReport, Failure> {
    let started = Instant::now();
    let Request {
        dates,
        requested,
        accepted,
        id: request,
    } = request;
    let in_tables = Failure::at(Stage::Tables, dates);
    // Another run may have committed since the snapshot.
    let output = tables.refresh().await.map_err(&in_tables)?;
    let job = partition::of_tables(job, &tables).map_err(&in_tables)?;
    let job = &Job {
        output: output.partitioned_by(job.output.partitioning()),
        ..job
    };
    refuse_other_settings(job, &mut tables, dates, accepted).await?;
    let now = relabel::with_relabelled(job, &mut tables, requested).await;
    if now.map_err(&in_tables)? != dates {
        return Err(in_tables(EngineError::ConcurrentRun));
    }
    if job.output.format() == TableFormat::Parquet {
        // Replaced files, and files of a run that was killed.
        let cleaned = remove_unreferenced(lease, &job.output, Duration::ZERO).await;
        let cleaned = lease.or_taken_over(cleaned.map_err(EngineError::from));
        cleaned.await.map_err(&in_tables)?;
    }
    create_tables(job, &tables).await.map_err(&in_tables)?;
    let resumable = resume::resumable_run(job, &mut tables, dates, census, &request).await;
    let resumable = resumable
        .map_err(&in_tables)?
        // If an identical request already finished, run all its dates again.
        .filter(|run| run.done != dates || lease.resumes(&request));
    let already_done = resumable.as_ref().map(|run| run.done);
    let left = rest(dates, already_done);
    let shared = shared_units(job, &request, left)
        .await
        .map_err(&in_tables)?;
    let (chunks, buckets) = match (left, shared) {
        (Some(left), Some(buckets)) => (vec![left], buckets),
        (Some(left), None) => cut(job, left, census),
        (None, _) => (Vec::new(), NonZeroU32::MIN),
    };
    let chunks: Vec<DateRange> = chunks
        .into_iter()
        .map(|chunk| relabel::reach_back(job, chunk, dates.first()))
        .collect();
    warn_about_chunks(job, &chunks, census);
    progress.planned(RowsAndBytes {
        rows: chunks
            .iter()
            .flat_map(|chunk| census.rows(*chunk).into_values())
            .sum(),
        html_bytes: chunks.iter().map(|chunk| census.html_bytes(*chunk)).sum(),
    });
    let (id, started_micros) = match resumable {
        Some(ResumableRun {
            run_id,
            started_micros,
            done,
        }) => {
            info!("resuming a run that stopped: {done} is committed");
            (run_id, started_micros)
        }
        None => (Uuid::new_v4().to_string(), Utc::now().timestamp_micros()),
    };
    let run = Run {
        job,
        lease,
        id,
        request,
        started_micros,
        census,
        buckets,
        is_staged: shared.is_some() || buckets > NonZeroU32::MIN,
        reporter: ProgressReporter::new(Arc::clone(&progress), census),
        progress: progress.as_ref(),
    };
    let mut accounting = RowAccounting::default();
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
            done.accounting.rows().rows
        );
        metrics.add(done.metrics);
        accounting.replace(done.accounting);
    }
    let settled = job.output.settle().await;
    settled.map_err(EngineError::from).map_err(in_tables)?;
    Ok(RunReport {
        run_id: run.id,
        dates,
        already_done,
        accounting,
        metrics,
        chunks: chunks.len(),
        seconds: started.elapsed().as_secs_f64(),
        peak_memory: peak_memory(),
    })
}

/// Returns the physical plan of the first chunk of `dates`, as text.
///
/// # Errors
/// As [`backfill`].
pub async fn explain(job: &Job, dates: DateRange) -> Result<String, Failure> {
    let in_tables = Failure::at(Stage::Tables, dates);
    let tables = TablesSnapshot::open(&job.output, job.settings.opened_tables()).await;
    let mut tables = tables.map_err(&in_tables)?;
    let job = &partition::of_tables(job, &tables).map_err(in_tables)?;
    refuse_cut_partition(job, dates)?;
    let accepted = Accepted {
        other_settings: true,
        missing_pages: true,
    };
    let Prepared { dates, census } = prepare(job, &mut tables, dates, accepted, &Unwatched).await?;
    let job = &partition::of_new_tables(job, Some(dates), &census.rows(dates));
    let (chunks, _) = cut(job, dates, &census);
    let chunk = chunks.first().copied().unwrap_or(dates);
    let in_tables = Failure::at(Stage::Tables, dates);
    let prior = PriorState::open(job).await;
    let prior = prior.map_err(EngineError::from).map_err(in_tables)?;
    let unit = Unit {
        census: &census,
        chunk,
        bucket: Bucket::WHOLE,
        prior: &prior,
    };
    plan::explain_unit(job, unit)
        .await
        .map_err(|source| EngineError::plan(chunk, source))
        .map_err(Failure::at(Stage::Plan(None), dates))
}

/// Refuses a range of dates that cuts a partition.
pub(super) fn refuse_cut_partition(job: &Job, dates: DateRange) -> Result<(), Failure> {
    let partitioning = job.output.partitioning();
    let covering = partitioning.covering(dates);
    if covering == dates {
        return Ok(());
    }
    Err(Failure::at(Stage::Job, dates)(EngineError::CutPartition {
        requested: dates,
        partitioning,
        covering,
    }))
}

/// Refuses everything that can be refused before any work.
pub(super) async fn prepare(
    job: &Job,
    tables: &mut TablesSnapshot,
    requested: DateRange,
    accepted: Accepted,
    progress: &dyn Progress,
) -> Result<Prepared, Failure> {
    progress.entered(Stage::Tables, requested);
    let dates = relabel::with_relabelled(job, tables, requested).await;
    let dates = dates.map_err(Failure::at(Stage::Tables, requested))?;
    refuse_other_settings(job, tables, dates, accepted).await?;
    progress.entered(Stage::Census, dates);
    let in_census = Failure::at(Stage::Census, dates);
    let census = Census::take(&job.archive, dates).await;
    let census = census.map_err(&in_census)?;
    let complete = relabel::refuse_missing_pages(tables, dates, requested, &census).await;
    complete.map_err(&in_census)?;
    if !accepted.missing_pages {
        let complete = refuse_missing_pages(job, tables, dates, &census).await;
        complete.map_err(in_census)?;
    }
    Ok(Prepared { dates, census })
}

async fn refuse_other_settings(
    job: &Job,
    tables: &mut TablesSnapshot,
    dates: DateRange,
    accepted: Accepted,
) -> Result<(), Failure> {
    let others = tables.other_settings(&job.settings.digest, dates).await;
    let others = others.map_err(Failure::at(Stage::Tables, dates))?;
    match others {
        Some(others) if !accepted.other_settings => {
            let refused = EngineError::OtherSettings { others };
            Err(Failure::at(Stage::Job, dates)(refused))
        }
        _ => Ok(()),
    }
}

/// Creates the tables that are missing, and adds missing columns. A table that cannot be written
/// fails here, before the work.
async fn create_tables(job: &Job, tables: &TablesSnapshot) -> Result<(), EngineError> {
    let missing = tables.missing();
    if !missing.is_empty() {
        job.output.refuse_foreign_files(&missing).await?;
    }
    let mut created = Vec::new();
    for table in Table::ALL {
        // `url_parameters` is made with its first row.
        let is_needed = job.settings.writes(table) && table != Table::UrlParameters;
        if is_needed && !tables.has_all_columns(table)? {
            created.push(job.output.open_or_create(table));
        }
    }
    // One after the other, a table takes eleven answers of the store.
    for created in join_all(created).await {
        created?;
    }
    Ok(())
}

/// Returns the dates after `already_done`, if there are any.
fn rest(dates: DateRange, already_done: Option<DateRange>) -> Option<DateRange> {
    match already_done {
        None => Some(dates),
        Some(done) if done.last() == dates.last() => None,
        Some(done) => done
            .last()
            .succ_opt()
            .map(|next| DateRange::between(next, dates.last())),
    }
}

impl Run<'_> {
    /// Runs one chunk: executes the plans of its units, checks the accounting, and commits. `left`
    /// is the range to run again if the chunk fails.
    async fn chunk(&self, chunk: DateRange, left: DateRange) -> Result<UnitOutput, Failure> {
        let started = Instant::now();
        let enter = |stage| {
            self.progress.entered(stage, chunk);
            Failure::at(stage, left)
        };
        let failed = enter(Stage::Tables);
        let prior = roll_up_months(self.job, chunk.first(), self.buckets, self.lease.token());
        let prior = watched(self.job, chunk, prior).await.map_err(&failed)?;
        let prior = self.lease.or_taken_over(prior).await.map_err(failed)?;
        let failed = enter(Stage::Plan(None));
        let units = ChunkUnits {
            job: self.job,
            census: self.census,
            chunk,
            buckets: self.buckets,
            prior: &prior,
            reporter: &self.reporter,
        };
        let staged = match self.is_staged {
            false => None,
            true => Some(
                staged_units(self.job, &self.request, chunk)
                    .await
                    .map_err(&failed)?,
            ),
        };
        let output = match &staged {
            None => units.run(Bucket::WHOLE).await,
            Some(staged) => units.all(staged).await,
        };
        let mut output = output.map_err(failed)?;
        let failed = enter(Stage::Accounting);
        let checked = output.accounting.check(&self.census.rows(chunk));
        checked.map_err(failed)?;
        fail_point(format_args!("staged"));
        let failed = enter(Stage::Commit);
        if staged.is_some() {
            self.merge_small(&mut output).await.map_err(&failed)?;
        }
        let cost = ChunkCost {
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: peak_memory(),
            spilled_bytes: output.metrics.spilled_bytes(),
        };
        let runs = self.runs_files(chunk, &output.accounting, cost);
        let (runs, created) = join(runs, self.create_tables_of(&output)).await;
        created.map_err(&failed)?;
        output.files.insert(Table::Runs, runs.map_err(&failed)?);
        self.commit(chunk, &mut output).await.map_err(&failed)?;
        if let Some(staged) = staged {
            let removed = staged.remove().await.map_err(EngineError::from);
            removed.map_err(failed)?;
        }
        Ok(output)
    }

    /// Merges the small files of units.
    async fn merge_small(&self, output: &mut UnitOutput) -> Result<(), EngineError> {
        for (table, files) in &mut output.files {
            *files = (self.job.output.merge_small(*table, std::mem::take(files))).await?;
        }
        Ok(())
    }

    /// Creates `url_parameters` before its first commit, which would wait for it.
    async fn create_tables_of(&self, output: &UnitOutput) -> Result<(), EngineError> {
        if output.files.contains_key(&Table::UrlParameters) {
            self.job.output.open_or_create(Table::UrlParameters).await?;
        }
        Ok(())
    }
}
