//! Runs the units of a chunk. A unit that is done waits in data files that no table names, with a manifest that any
//! process finds, until one commit per table has all units of the chunk.

use std::num::NonZeroU32;

use chrono::NaiveDate;
use lease::Units;
use serde::{Deserialize, Serialize};
use tables::{Bucket, DateRange, Table, UnitFiles, fail_point};
use tracing::{info, warn};

use crate::accounting::{RowCounts, UnitOutput};
use crate::archive::Census;
use crate::driver::tries::run_unit;
use crate::error::EngineError;
use crate::job::Job;
use crate::metrics::{OperatorMetrics, PlanMetrics};
use crate::plan::Unit;
use crate::plan::prior::state::PriorState;
use crate::progress::ProgressReporter;
use crate::settings_digest::md5_hex;
use crate::tables_state::runs_table::RunDate;
use crate::tables_state::table_files::external;
use crate::tables_state::tables_snapshot::TablesSnapshot;
use crate::watchdog::watched;

/// The units of a chunk.
pub(super) struct ChunkUnits<'a> {
    pub(super) job: &'a Job,
    pub(super) census: &'a Census,
    pub(super) chunk: DateRange,
    pub(super) buckets: NonZeroU32,
    /// The tables before the chunk.
    pub(super) prior: &'a PriorState,
    pub(super) reporter: &'a ProgressReporter,
}

impl ChunkUnits<'_> {
    /// Runs the unit of `bucket`.
    pub(super) async fn run(&self, bucket: Bucket) -> Result<UnitOutput, EngineError> {
        let output = run_unit(self.job, self.unit(bucket), self.reporter);
        let output = watched(self.job, self.chunk, output).await?;
        output.map_err(|source| EngineError::plan(self.chunk, source))
    }

    fn unit(&self, bucket: Bucket) -> Unit<'_> {
        Unit {
            census: self.census,
            chunk: self.chunk,
            bucket,
            prior: self.prior,
        }
    }

    /// Runs the unit of `bucket` and puts its manifest into `staged`. If another process did the same unit first, its
    /// manifest stays. The rows are equal, and a vacuum removes the files that are not committed.
    pub(super) async fn stage(
        &self,
        staged: &Units,
        bucket: Bucket,
    ) -> Result<UnitOutput, EngineError> {
        let output = self.run(bucket).await?;
        fail_point(format_args!("unit"));
        let manifest = serde_json::to_vec(&Manifest::new(&output))
            .map_err(|error| EngineError::query(external(error)))?;
        staged.finish(bucket.index(), manifest).await?;
        fail_point(format_args!("unit.staged"));
        info!("{}: unit {bucket} is done", self.chunk);
        Ok(output)
    }

    /// Returns the output of all units: those of `staged`, and of the others, which run now and are staged. Only the
    /// owner of the lease may call this. Units whose rows are not those of the archive run again.
    pub(super) async fn all(&self, staged: &Units) -> Result<UnitOutput, EngineError> {
        let (mut output, mut found) = (UnitOutput::default(), Vec::new());
        for bucket in Bucket::all(self.buckets) {
            let unit = match self.found(staged, bucket).await? {
                Some(unit) => {
                    found.push(bucket);
                    unit
                }
                None => self.stage(staged, bucket).await?,
            };
            output.add(unit);
        }
        let archive = self.census.rows(self.chunk);
        if found.is_empty() || output.accounting.check(&archive).is_ok() {
            return Ok(output);
        }
        warn!(
            "{}: the units that were done before have other rows than the archive; {} units run again",
            self.chunk,
            found.len()
        );
        for bucket in found {
            staged.discard(bucket.index()).await?;
        }
        Box::pin(self.all(staged)).await
    }

    /// Returns the output of a unit that is done. A manifest whose files are not there is removed.
    async fn found(
        &self,
        staged: &Units,
        bucket: Bucket,
    ) -> Result<Option<UnitOutput>, EngineError> {
        let Some(manifest) = staged.manifest(bucket.index()).await? else {
            return Ok(None);
        };
        let problem = match serde_json::from_slice::<Manifest>(&manifest) {
            Err(error) => format!("its manifest: {error}"),
            Ok(manifest) => match self.job.output.missing_file(&manifest.files).await? {
                Some(file) => format!("{file} is not there as it was written"),
                None => match manifest.output() {
                    Some(output) => {
                        let rows = output.accounting.rows().rows;
                        self.reporter.report_share(self.unit(bucket).size(), rows);
                        self.reporter.progress.written(rows);
                        return Ok(Some(output));
                    }
                    None => "it has an unknown table".to_owned(),
                },
            },
        };
        warn!("{}: unit {bucket} runs again: {problem}", self.chunk);
        staged.discard(bucket.index()).await?;
        Ok(None)
    }
}

/// Returns the units of `chunk` for processes that run `request` from the same tables.
pub(super) async fn staged_units(
    job: &Job,
    request: &str,
    chunk: DateRange,
) -> Result<Units, EngineError> {
    let mut tables = TablesSnapshot::open(&job.output, vec![Table::Runs]).await?;
    let mut before = Vec::new();
    if let Some(last) = chunk.first().pred_opt() {
        let runs = tables
            .runs(DateRange::between(NaiveDate::MIN, last))
            .await?;
        let known = |run: RunDate| (run.date.to_string(), run.run_id, run.started_micros);
        before.extend(runs.into_iter().map(known));
    }
    let work = serde_json::json!([request, chunk.to_string(), before]);
    Ok(job.output.units(&md5_hex(work.to_string().as_bytes())))
}

/// Returns the number of units in which other processes have begun `left` for the same request, if they have.
pub(super) async fn shared_units(
    job: &Job,
    request: &str,
    left: Option<DateRange>,
) -> Result<Option<NonZeroU32>, EngineError> {
    let Some(left) = left else { return Ok(None) };
    // Most runs are not shared: this is one answer of the store, and the other is more.
    if !job.output.has_units().await? {
        return Ok(None);
    }
    let staged = staged_units(job, request, left).await?;
    Ok(staged.count().await?)
}

/// The record of a unit that is done.
#[derive(Debug, Deserialize, Serialize)]
struct Manifest {
    #[serde(flatten)]
    files: UnitFiles,
    /// By date, status and cause.
    counts: Vec<(NaiveDate, String, String, RowCounts)>,
    spilled_bytes: u64,
}

impl Manifest {
    fn new(output: &UnitOutput) -> Self {
        let files = output.files.iter();
        let files = files.map(|(table, files)| (table.name().to_owned(), files.clone()));
        let counts = output.accounting.counts();
        let counts = counts.map(|(date, status, cause, counts)| {
            (date, status.to_owned(), cause.to_owned(), counts)
        });
        Self {
            files: UnitFiles {
                files: files.collect(),
            },
            counts: counts.collect(),
            spilled_bytes: output.metrics.spilled_bytes(),
        }
    }

    fn output(self) -> Option<UnitOutput> {
        let mut output = UnitOutput::default();
        for (table, files) in self.files.files {
            output.files.insert(Table::from_name(&table)?, files);
        }
        for (date, status, cause, counts) in self.counts {
            (output.accounting).add(date, &status, Some(&cause), counts);
        }
        let spilled = OperatorMetrics {
            spilled_bytes: self.spilled_bytes,
            ..OperatorMetrics::default()
        };
        output.metrics = PlanMetrics([("units done before".to_owned(), spilled)].into());
        Some(output)
    }
}
