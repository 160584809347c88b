//! Runs the plan of a chunk on other processes: reports what they have done, and runs it again if some
//! are gone.

use std::time::Duration;

use datafusion::error::Result;
use futures::future::{Either, select};

use crate::accounting::UnitOutput;
use crate::job::Job;
use crate::plan::{self, Unit};
use crate::progress::{ProgressReporter, RowsAndBytes};
use crate::session_extension::SessionExtension;

/// Most times that a chunk runs because processes went away. A higher value runs longer on
/// machines that fail often.
const MAX_TRIES: usize = 5;

/// Time between two questions how many pages the processes have parsed. A request of some hundred
/// bytes to each: shorter costs the driver more, longer shows a progress that jumps.
const ASK_EVERY: Duration = Duration::from_secs(2);

/// Runs the plan of `unit`, again if processes that ran a part of it are gone. Its rows are then in
/// data files that no table refers to yet.
pub(super) async fn run_unit(
    job: &Job,
    unit: Unit<'_>,
    reporter: &ProgressReporter,
) -> Result<UnitOutput> {
    // On the heap: the future of a plan is large.
    let run = || Box::pin(plan::run_unit(job, unit, reporter.clone()));
    let Some(extension) = &job.session_extension else {
        return run().await;
    };
    extension.prepare().await;
    reporter.progress.processes(extension.processes());
    let mut parsed = ParsedRows {
        extension: extension.as_ref(),
        reporter,
        unit: unit.size(),
        reported: 0,
        before: 0,
    };
    let mut tries = 1;
    loop {
        match parsed.report_while(run()).await {
            Err(error) if tries < MAX_TRIES && extension.recover().await => {
                tries += 1;
                reporter.progress.retried(extension.processes());
                tracing::warn!(chunk = %unit.chunk, %error, "the chunk runs again on the workers that answer");
            }
            output => return output,
        }
    }
}

/// The pages of a unit that other processes have parsed.
struct ParsedRows<'a> {
    extension: &'a dyn SessionExtension,
    reporter: &'a ProgressReporter,
    unit: RowsAndBytes,
    reported: u64,
    /// The last answer.
    before: u64,
}

impl ParsedRows<'_> {
    /// Awaits `work`, and reports pages while it runs and at its end.
    async fn report_while<T>(&mut self, work: impl Future<Output = T> + Unpin) -> T {
        self.before = self.extension.parsed_rows().await;
        let asking = async {
            loop {
                tokio::time::sleep(ASK_EVERY).await;
                self.report().await;
            }
        };
        let done = match select(work, Box::pin(asking)).await {
            Either::Left((done, _)) => done,
            Either::Right((never, _)) => never,
        };
        self.report().await;
        // What other processes have written is known at the end.
        self.reporter.progress.written(self.unit.rows);
        done
    }

    async fn report(&mut self) {
        let now = self.extension.parsed_rows().await;
        // The pages of a try that failed are parsed again, and a process may have begun anew.
        let left = self.unit.rows.saturating_sub(self.reported);
        let rows = now.saturating_sub(self.before).min(left);
        self.before = now;
        self.reported += rows;
        self.reporter.report_share(self.unit, rows);
    }
}
