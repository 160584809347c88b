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
use crate::driver::failure::{Failure, Position};
use crate::driver::missing_pages::refuse_missing_pages;
use crate::driver::partition;
use crate::driver::relabel;
use crate::driver::resume::{self, request};
use crate::driver::runs_rows::{ChunkCost, RunIds};
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
    pub(super) job: Job,
    tables: TablesSnapshot,
    requested: DateRange,
    /// The requested dates, and the earlier dates that must be relabelled.
    pub(super) dates: DateRange,
    accepted: Accepted,
    pub(super) census: Census,
}

/// One run of a job.
pub(super) struct Run<'a> {
    pub(super) job: &'a Job,
    pub(super) lease: &'a Lease,
    pub(super) ids: RunIds,
    pub(super) census: &'a Census,
    buckets: NonZeroU32,
    /// Whether units wait for each other, with manifests. One unit is committed at once.
    is_staged: bool,
    reporter: ProgressReporter,
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
    let mut at = Position::new(progress, Some(dates));
    let report = async {
        at.enter(Stage::Tables, dates);
        let (job, tables) = unless_stopped(stop, opened(job, dates)).await?;
        run(&job, tables, dates, accepted, &mut at, stop).await
    };
    let report = report.await;
    report.map_err(|error| at.failure(error))
}

/// Runs `job` over `dates`, which are whole partitions. `tables` is a snapshot of the tables
/// from before the lease.
pub(super) async fn run(
    job: &Job,
    tables: TablesSnapshot,
    dates: DateRange,
    accepted: Accepted,
    at: &mut Position,
    stop: &CancellationToken,
) -> Result<RunReport, EngineError> {
    (at.stage, at.left) = (Stage::Job, Some(dates));
    let spill_dir = job.spill_disk.open();
    spill_dir.map_err(|error| SpecError::key("run.spill_dir", error.to_string()))?;
    if let Some(model) = &job.settings.language_model {
        model.read()?;
    }
    let prepared = prepare(job, tables, dates, accepted, at);
    let prepared = unless_stopped(stop, prepared).await?;
    prepared.warn();
    at.stage = Stage::Tables;
    let request = prepared.request();
    let purpose = format!("the run of {}", prepared.dates);
    let lease = acquire_lease(&prepared.job, purpose, Some(request.clone()));
    let lease = unless_stopped(stop, lease).await?;
    let done = unless_stopped(stop, run_under(&lease, prepared, request, at)).await;
    lease.release(done.is_ok()).await;
    done
}

/// Opens the tables of `job`. Returns the job with their partitions.
///
/// # Errors
/// [`EngineError::CutPartition`] if `dates` are not whole partitions, else the error of a table.
pub(super) async fn opened(
    job: &Job,
    dates: DateRange,
) -> Result<(Job, TablesSnapshot), EngineError> {
    let tables = TablesSnapshot::open(&job.output, job.settings.opened_tables()).await?;
    let job = partition::of_tables(job, &tables)?;
    let partitioning = job.output.partitioning();
    let covering = partitioning.covering(dates);
    if covering != dates {
        return Err(EngineError::CutPartition {
            requested: dates,
            partitioning,
            covering,
        });
    }
    Ok((job, tables))
}

/// Awaits `work`, or drops it when `stop` is cancelled.
pub(super) async fn unless_stopped<T>(
    stop: &CancellationToken,
    work: impl Future<Output = Result<T, EngineError>>,
) -> Result<T, EngineError> {
    let done = stop.run_until_cancelled(work).await;
    done.unwrap_or(Err(EngineError::Interrupted))
}

async fn run_under(
    lease: &Lease,
    prepared: Prepared,
    request: String,
    at: &mut Position,
) -> Result<RunReport, EngineError> {
    let started = Instant::now();
    let Prepared {
        job,
        mut tables,
        requested,
        dates,
        accepted,
        census,
    } = prepared;
    // Another run may have committed since the snapshot.
    let output = tables.refresh().await?;
    let job = partition::of_tables(&job, &tables)?;
    let job = &Job {
        output: output.partitioned_by(job.output.partitioning()),
        ..job
    };
    refuse_other_settings(job, &mut tables, dates, accepted).await?;
    if relabel::with_relabelled(job, &mut tables, requested).await? != dates {
        return Err(EngineError::ConcurrentRun);
    }
    if job.output.format() == TableFormat::Parquet {
        // Replaced files, and files of a run that was killed.
        let cleaned = remove_unreferenced(lease, &job.output, Duration::ZERO).await;
        lease.or_taken_over(cleaned).await?;
    }
    create_tables(job, &tables).await?;
    let resumable = resume::resumable_run(job, &mut tables, dates, &census, &request)
        .await?
        // If an identical request already finished, run all its dates again.
        .filter(|run| run.done != dates || lease.resumes(&request));
    let already_done = resumable.as_ref().map(|run| run.done);
    let left = rest(dates, already_done);
    let shared = shared_units(job, &request, left).await?;
    let (chunks, buckets) = match (left, shared) {
        (Some(left), Some(buckets)) => (vec![left], buckets),
        (Some(left), None) => cut(job, left, &census),
        (None, _) => (Vec::new(), NonZeroU32::MIN),
    };
    let chunks: Vec<DateRange> = chunks
        .into_iter()
        .map(|chunk| relabel::reach_back(job, chunk, dates.first()))
        .collect();
    warn_about_chunks(job, &chunks, &census);
    at.progress.planned(RowsAndBytes {
        rows: chunks
            .iter()
            .flat_map(|chunk| census.rows(*chunk).into_values())
            .sum(),
        html_bytes: chunks.iter().map(|chunk| census.html_bytes(*chunk)).sum(),
    });
    let (id, started_micros) = match resumable {
        Some(run) => {
            info!("resuming a run that stopped: {} is committed", run.done);
            (run.run_id, run.started_micros)
        }
        None => (Uuid::new_v4().to_string(), Utc::now().timestamp_micros()),
    };
    let run = Run {
        job,
        lease,
        ids: RunIds {
            id,
            request,
            settings: job.settings.digest.clone(),
            started_micros,
        },
        census: &census,
        buckets,
        is_staged: shared.is_some() || buckets > NonZeroU32::MIN,
        reporter: ProgressReporter::new(Arc::clone(&at.progress), &census),
    };
    let mut accounting = RowAccounting::default();
    let mut metrics = PlanMetrics::default();
    for (index, chunk) in chunks.iter().enumerate() {
        at.left = chunks[index..].iter().copied().reduce(DateRange::through);
        let done = run.chunk(*chunk, at).await?;
        info!(
            "{chunk}: chunk {} of {} committed, {} rows",
            index + 1,
            chunks.len(),
            done.accounting.rows().rows
        );
        metrics.add(done.metrics);
        accounting.replace(done.accounting);
    }
    (at.stage, at.left) = (Stage::Tables, Some(dates));
    job.output.settle().await?;
    Ok(RunReport {
        run_id: run.ids.id,
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
    let mut at = Position::new(Arc::new(Unwatched), Some(dates));
    let plan = async {
        let (job, tables) = opened(job, dates).await?;
        let accepted = Accepted {
            other_settings: true,
            missing_pages: true,
        };
        let prepared = prepare(&job, tables, dates, accepted, &mut at).await?;
        let Prepared { job, census, .. } = &prepared;
        let (chunks, _) = cut(job, prepared.dates, census);
        let chunk = chunks.first().copied().unwrap_or(prepared.dates);
        at.stage = Stage::Tables;
        let prior = PriorState::open(job).await?;
        at.stage = Stage::Plan(None);
        let unit = Unit {
            census,
            chunk,
            bucket: Bucket::WHOLE,
            prior: &prior,
        };
        let plan = plan::explain_unit(job, unit).await;
        plan.map_err(|source| EngineError::plan(chunk, source))
    };
    let plan = plan.await;
    plan.map_err(|error| at.failure(error))
}

/// Refuses everything that can be refused before any work.
pub(super) async fn prepare(
    job: &Job,
    mut tables: TablesSnapshot,
    requested: DateRange,
    accepted: Accepted,
    at: &mut Position,
) -> Result<Prepared, EngineError> {
    at.enter(Stage::Tables, requested);
    let dates = relabel::with_relabelled(job, &mut tables, requested).await?;
    at.left = Some(dates);
    refuse_other_settings(job, &mut tables, dates, accepted).await?;
    at.enter(Stage::Census, dates);
    let census = Census::take(&job.archive, dates).await?;
    relabel::refuse_missing_pages(&mut tables, dates, requested, &census).await?;
    if !accepted.missing_pages {
        refuse_missing_pages(job, &mut tables, dates, &census).await?;
    }
    Ok(Prepared {
        job: partition::of_new_tables(job, Some(dates), &census.rows(dates)),
        tables,
        requested,
        dates,
        accepted,
        census,
    })
}

impl Prepared {
    /// Returns the digest of the request.
    pub(super) fn request(&self) -> String {
        request(&self.job, self.dates, &self.census)
    }

    /// Warns of what may not be what the user intended.
    pub(super) fn warn(&self) {
        warn_about(&self.job, self.dates, &self.tables, &self.census);
    }
}

async fn refuse_other_settings(
    job: &Job,
    tables: &mut TablesSnapshot,
    dates: DateRange,
    accepted: Accepted,
) -> Result<(), EngineError> {
    match tables.other_settings(&job.settings.digest, dates).await? {
        Some(others) if !accepted.other_settings => Err(EngineError::OtherSettings { others }),
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
    let first = match already_done {
        None => dates.first(),
        Some(done) => done.last().succ_opt()?,
    };
    (first <= dates.last()).then(|| DateRange::between(first, dates.last()))
}

impl Run<'_> {
    /// Runs one chunk: executes the plans of its units, checks the accounting, and commits.
    async fn chunk(&self, chunk: DateRange, at: &mut Position) -> Result<UnitOutput, EngineError> {
        let started = Instant::now();
        at.enter(Stage::Tables, chunk);
        let prior = roll_up_months(self.job, chunk.first(), self.buckets, self.lease.token());
        let prior = watched(self.job, chunk, prior).await?;
        let prior = self.lease.or_taken_over(prior).await?;
        at.enter(Stage::Plan(None), chunk);
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
            true => Some(staged_units(self.job, &self.ids.request, chunk).await?),
        };
        let mut output = match &staged {
            None => units.run(Bucket::WHOLE).await?,
            Some(staged) => units.all(staged).await?,
        };
        at.enter(Stage::Accounting, chunk);
        output.accounting.check(&self.census.rows(chunk))?;
        fail_point(format_args!("staged"));
        at.enter(Stage::Commit, chunk);
        if staged.is_some() {
            // The files of single units are small.
            for (table, files) in &mut output.files {
                *files = (self.job.output.merge_small(*table, std::mem::take(files))).await?;
            }
        }
        let cost = ChunkCost {
            seconds: started.elapsed().as_secs_f64(),
            peak_memory: peak_memory(),
            spilled_bytes: output.metrics.spilled_bytes(),
        };
        let runs = self.runs_files(chunk, &output.accounting, cost);
        let (runs, created) = join(runs, self.create_tables_of(&output)).await;
        created?;
        output.files.insert(Table::Runs, runs?);
        self.commit(chunk, &mut output).await?;
        if let Some(staged) = staged {
            staged.remove().await?;
        }
        Ok(output)
    }

    /// Creates `url_parameters` before its first commit, which would wait for it.
    async fn create_tables_of(&self, output: &UnitOutput) -> Result<(), EngineError> {
        if output.files.contains_key(&Table::UrlParameters) {
            self.job.output.open_or_create(Table::UrlParameters).await?;
        }
        Ok(())
    }
}
