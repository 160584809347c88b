//! Does a share of the units of a run, without the lease. Any number of processes do so at the same time, and the
//! run that follows commits what they leave.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use tables::{Bucket, DateRange};
use tokio_util::sync::CancellationToken;

use crate::accounting::RowAccounting;
use crate::driver::backfill::{Accepted, Prepared, opened, prepare, unless_stopped};
use crate::driver::chunk::{MAX_BUCKETS, needed_buckets};
use crate::driver::failure::{Failure, Position};
use crate::driver::units::{ChunkUnits, staged_units};
use crate::error::EngineError;
use crate::job::Job;
use crate::metrics::PlanMetrics;
use crate::peak_memory::peak_memory;
use crate::plan::prior::state::PriorState;
use crate::progress::{Progress, ProgressReporter, RowsAndBytes, Stage};
use crate::spec::SpecError;

/// One of several shares of a run: `17/64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// From 0.
    index: u32,
    of: NonZeroU32,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse::<u32>().ok()?, of.parse::<NonZeroU32>().ok()?);
            let index = number.checked_sub(1)?;
            (index < of.get()).then_some(Self { index, of })
        });
        share.ok_or_else(|| "expected one of several shares, such as 17/64".to_owned())
    }
}

/// The report of a process about its share.
#[derive(Debug)]
#[non_exhaustive]
pub struct ShareReport {
    /// The dates of the run.
    pub dates: DateRange,
    /// The units of all shares.
    pub units: u32,
    /// The units of the share that this process did.
    pub done: u32,
    /// The units of the share that were done before.
    pub found: u32,
    /// The counts of the rows of the units that it did.
    pub accounting: RowAccounting,
    /// The metrics of their plans.
    pub metrics: PlanMetrics,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Most resident memory of the process so far, in bytes. `None` if the system does not tell.
    pub peak_memory: Option<u64>,
}

/// Does the units of `share` of the run of `job` over `dates` that are not done, and stages them. A
/// [`backfill`](crate::backfill) of the same dates then does what is missing and commits.
///
/// # Errors
/// As [`backfill`](crate::backfill). Units that were staged stay.
pub async fn backfill_share(
    job: &Job,
    dates: DateRange,
    accepted: Accepted,
    share: Share,
    progress: Arc<dyn Progress>,
    stop: &CancellationToken,
) -> Result<ShareReport, Failure> {
    let mut at = Position::new(progress, Some(dates));
    let report = do_share(job, dates, accepted, share, &mut at);
    let report = unless_stopped(stop, report).await;
    report.map_err(|error| at.failure(error))
}

async fn do_share(
    job: &Job,
    requested: DateRange,
    accepted: Accepted,
    share: Share,
    at: &mut Position,
) -> Result<ShareReport, EngineError> {
    let started = Instant::now();
    let (job, tables) = opened(job, requested).await?;
    let prepared = prepare(&job, tables, requested, accepted, at).await?;
    prepared.warn();
    let Prepared {
        job, dates, census, ..
    } = &prepared;
    let dates = *dates;
    at.stage = Stage::Job;
    let needed = needed_buckets(job, census, &[dates]).min(MAX_BUCKETS);
    let buckets = share.buckets(job, needed)?;
    at.stage = Stage::Tables;
    let staged = staged_units(job, &prepared.request(), dates).await?;
    let buckets = staged.agree(buckets).await?;
    at.progress.planned(RowsAndBytes {
        rows: share.part(census.rows(dates).into_values().sum()),
        html_bytes: share.part(census.html_bytes(dates)),
    });
    let prior = PriorState::open(job).await?;
    let units = ChunkUnits {
        job,
        census,
        chunk: dates,
        buckets,
        prior: &prior,
        reporter: &ProgressReporter::new(Arc::clone(&at.progress), census),
    };
    let mut report = ShareReport {
        dates,
        units: buckets.get(),
        done: 0,
        found: 0,
        accounting: RowAccounting::default(),
        metrics: PlanMetrics::default(),
        seconds: 0.0,
        peak_memory: None,
    };
    at.enter(Stage::Plan(None), dates);
    for bucket in Bucket::all(buckets).filter(|bucket| bucket.index() % share.of == share.index) {
        at.stage = Stage::Tables;
        if staged.manifest(bucket.index()).await?.is_some() {
            report.found += 1;
            continue;
        }
        at.stage = Stage::Plan(None);
        let output = units.stage(&staged, bucket).await?;
        report.done += 1;
        report.accounting.add_all(&output.accounting);
        report.metrics.add(output.metrics);
    }
    report.peak_memory = peak_memory();
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

impl Share {
    /// Returns the number of buckets of the run: that of the job, or as many as are `needed` and each share has.
    fn buckets(self, job: &Job, needed: NonZeroU32) -> Result<NonZeroU32, EngineError> {
        match job.resources.buckets {
            Some(buckets) if buckets < self.of => {
                let expected = format!("{buckets}; expected at least the {} of --units", self.of);
                Err(SpecError::key("run.buckets", expected).into())
            }
            Some(buckets) => Ok(buckets),
            None => {
                let of_share = needed.get().div_ceil(self.of.get());
                let buckets = self
                    .of
                    .checked_mul(of_share.try_into().unwrap_or(NonZeroU32::MIN));
                Ok(buckets.unwrap_or(self.of))
            }
        }
    }

    fn part(self, whole: u64) -> u64 {
        whole / u64::from(self.of.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_counted_from_1() {
        let share: Share = "17/64".parse().unwrap();
        assert_eq!((share.index, share.of.get()), (16, 64));
        for text in ["0/4", "5/4", "1/0", "1", "a/b", "-1/4", ""] {
            let error = text.parse::<Share>().unwrap_err();
            assert!(error.contains("17/64"), "{text}: {error}");
        }
    }
}
