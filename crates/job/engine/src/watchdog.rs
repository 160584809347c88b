//! Ends a run in which nothing moves.

use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tables::{DateRange, store_requests};
use tokio::sync::oneshot;

use crate::error::EngineError;
use crate::job::Job;

/// Looks per time-out. A look that comes late, because the process was stopped, counts once.
const LOOKS: u32 = 20;

/// Share of a core that a process has to use between two looks to count as computing. Heartbeat
/// and progress bar use less than a hundredth.
const COMPUTING: f64 = 0.05;

/// Awaits `work`, which executes plans of `job` for the chunk of `dates`. Plans that run on workers are
/// not watched.
///
/// # Errors
/// [`EngineError::Stalled`] if for `run.stall_timeout` no operator of a plan moves a row or a byte,
/// no store is asked or answers, and the process does not compute. `work` is dropped then.
pub(crate) async fn watched<T>(
    job: &Job,
    dates: DateRange,
    work: impl Future<Output = T>,
) -> Result<T, EngineError> {
    // On the heap once: the future of a plan is large.
    let work = Box::pin(work);
    if job.session_extension.is_some() {
        // A driver does not see what moves in workers, and is still while they work.
        return Ok(work.await);
    }
    let timeout = job.resources.stall_timeout;
    let (alarm, stalled) = oneshot::channel();
    let _watch = watch(job, timeout, alarm).map_err(EngineError::Watchdog)?;
    tokio::select! {
        biased;
        done = work => Ok(done),
        // After an error the thread has ended without an alarm, and `work` continues.
        Ok(waiting) = stalled => Err(EngineError::Stalled {
            dates,
            timeout,
            waiting,
        }),
    }
}

/// The thread that watches. It has ended when this is dropped: it holds the run's disk, whose files
/// are deleted by the last that holds it.
struct Watch {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.end.take());
        // A thread that panicked has ended too.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Starts the thread. A timer of the runtime would not run if all its threads waited.
fn watch(job: &Job, timeout: Duration, alarm: oneshot::Sender<String>) -> std::io::Result<Watch> {
    let (plans, disk) = (Arc::clone(&job.running_plans), Arc::clone(&job.spill_disk));
    let (end, ended) = channel();
    let thread = std::thread::Builder::new().name("watchdog".to_owned());
    let thread = thread.spawn(move || {
        let interval = timeout / LOOKS;
        let mut still = StillLooks::default();
        while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
            let look = Look {
                moved: plans.moved(),
                spilled: disk.spilled(),
                requests: store_requests(),
                cpu: process_cpu(),
            };
            if still.after(look, interval) >= LOOKS {
                // The work may have ended meanwhile.
                let _ = alarm.send(plans.waiting());
                return;
            }
        }
    })?;
    Ok(Watch {
        end: Some(end),
        thread: Some(thread),
    })
}

/// The numbers of one look.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Look {
    moved: usize,
    spilled: u64,
    requests: u64,
    /// CPU time of the process.
    cpu: Duration,
}

/// Counts looks in a row between which nothing moved.
#[derive(Debug, Default)]
struct StillLooks {
    last: Option<Look>,
    looks: u32,
}

impl StillLooks {
    fn after(&mut self, look: Look, interval: Duration) -> u32 {
        let is_still = self.last.is_some_and(|last| {
            let computed = look.cpu.saturating_sub(last.cpu);
            let same = Look {
                cpu: look.cpu,
                ..last
            };
            same == look && computed < interval.mul_f64(COMPUTING)
        });
        self.looks = if is_still { self.looks + 1 } else { 0 };
        self.last = Some(look);
        self.looks
    }
}

fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    // It is never negative.
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, Int64Array, RecordBatch};
    use arrow::datatypes::SchemaRef;
    use datafusion::error::Result;
    use datafusion::execution::{SendableRecordBatchStream, TaskContext};
    use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
    use datafusion::prelude::{DataFrame, col};
    use futures::{StreamExt, stream};

    use super::*;
    use crate::plan::exec::cpu_metrics::CpuTimer;
    use crate::plan::exec::step::{Step, apply};
    use crate::plan::session::session;
    use crate::plan::test_support::TestJob;
    use crate::running_plans::collect_watched;

    /// Passes on its input, and then waits for ever or for `pause` per batch.
    #[derive(Debug)]
    struct Slow {
        pause: Duration,
        ends: bool,
    }

    fn numbers() -> RecordBatch {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
        RecordBatch::try_from_iter([("number", numbers)]).unwrap()
    }

    impl Step for Slow {
        fn name(&self) -> &'static str {
            "Slow"
        }

        fn schema(&self) -> SchemaRef {
            numbers().schema()
        }

        fn parameters(&self) -> Result<Vec<u8>> {
            Ok(Vec::new())
        }

        fn run(
            &self,
            input: SendableRecordBatchStream,
            _: &Arc<TaskContext>,
            _: &CpuTimer,
        ) -> Result<SendableRecordBatchStream> {
            let (pause, ends) = (self.pause, self.ends);
            let rows = input
                .then(move |batch| async move {
                    tokio::time::sleep(pause).await;
                    batch
                })
                .chain(stream::once(async move {
                    if !ends {
                        std::future::pending::<()>().await;
                    }
                    Ok(numbers())
                }));
            let rows = RecordBatchStreamAdapter::new(self.schema(), rows);
            Ok(Box::pin(rows))
        }
    }

    /// Sorts the output of `slow`, which reads 8 batches, in a run with `timeout` and one thread.
    async fn run(slow: Slow, timeout: Duration) -> Result<usize, EngineError> {
        let mut job = TestJob::new(&[]).job();
        job.resources.stall_timeout = timeout;
        job.resources.threads = 1;
        let context = session(&job).unwrap();
        let rows = context.read_batches(vec![numbers(); 8]).unwrap();
        let slow = apply(slow, rows.into_unoptimized_plan()).unwrap();
        let sorted = DataFrame::new(context.state(), slow);
        let sorted = sorted.sort(vec![col("number").sort(true, true)]).unwrap();
        let dates = "2011-10-24".parse().unwrap();
        let batches = watched(&job, dates, collect_watched(sorted))
            .await?
            .unwrap();
        Ok(batches.iter().map(RecordBatch::num_rows).sum())
    }

    #[tokio::test]
    async fn a_plan_that_waits_for_ever_is_stopped_and_its_operators_are_named() {
        let slow = Slow {
            pause: Duration::ZERO,
            ends: false,
        };
        let error = run(slow, Duration::from_secs(1)).await.unwrap_err();
        let EngineError::Stalled { waiting, .. } = &error else {
            panic!("{error}");
        };
        for operator in ["SortExec after 0 rows", "Slow after"] {
            assert!(waiting.contains(operator), "{operator}: {waiting}");
        }
        assert!(!waiting.contains("DataSourceExec"), "{waiting}");
        assert!(error.to_string().contains("for 1s"), "{error}");
    }

    #[tokio::test]
    async fn a_plan_that_moves_a_batch_now_and_then_is_not_stopped() {
        let slow = Slow {
            pause: Duration::from_millis(500),
            ends: true,
        };
        let rows = run(slow, Duration::from_millis(1_500)).await.unwrap();
        assert_eq!(rows, 900);
    }

    const INTERVAL: Duration = Duration::from_secs(30);

    fn look(moved: usize, spilled: u64, requests: u64, cpu_millis: u64) -> Look {
        Look {
            moved,
            spilled,
            requests,
            cpu: Duration::from_millis(cpu_millis),
        }
    }

    fn still(looks: &[Look]) -> u32 {
        let mut still = StillLooks::default();
        let counts = looks.iter().map(|look| still.after(*look, INTERVAL));
        counts.last().unwrap()
    }

    #[test]
    fn looks_without_movement_are_counted() {
        assert_eq!(still(&[look(7, 1, 1, 0)]), 0);
        // The heartbeat takes some CPU time.
        assert_eq!(
            still(&[look(7, 1, 1, 0), look(7, 1, 1, 90), look(7, 1, 1, 180)]),
            2
        );
    }

    #[test]
    fn rows_spilled_bytes_requests_and_computing_are_movement() {
        let before = [look(7, 1, 1, 0), look(7, 1, 1, 9)];
        for after in [
            look(8, 1, 1, 9),
            look(7, 2, 1, 9),
            look(7, 1, 2, 9),
            look(7, 1, 1, 1_600),
        ] {
            assert_eq!(still(&[before[0], before[1], after]), 0, "{after:?}");
            assert_eq!(still(&[before[0], before[1], after, after]), 1);
        }
    }
}
