//! Runs of a job.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use engine::{
    Accepted, ArchiveDates, CancellationToken, EngineError, Failure, Job, JobSpec, Progress,
    RowsAndBytes, RunReport, Stage, backfill, backfill_archive,
};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tables::DateRange;
use tokio::runtime::{Builder, Runtime};
use tracing::Dispatch;

use crate::errors::{InternalError, exception, usage};
use crate::logging;

/// Time between two looks at signals and at the progress. Shorter: the thread wakes up more often.
/// Longer: Ctrl-C and a display are later.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Time after a run in which its tasks may end.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// Stack of a thread: plans are recursive, and a build without optimisation needs more than 2 MiB.
const STACK_BYTES: usize = 16 << 20;

/// Runs a job over dates, or over all new dates. Returns the report as JSON, or None if the archive has
/// nothing new.
#[pyfunction]
#[pyo3(signature = (job, dates, settings, change_settings, allow_missing, on_progress))]
pub(crate) fn run(
    py: Python<'_>,
    job: PathBuf,
    dates: Option<&str>,
    settings: Vec<String>,
    change_settings: bool,
    allow_missing: bool,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Option<String>> {
    let dates: Option<DateRange> = match dates.map(str::parse).transpose() {
        Ok(dates) => dates,
        Err(error) => return Err(usage(format!("dates: {error}"))),
    };
    let accepted = Accepted {
        other_settings: change_settings,
        missing_pages: allow_missing,
    };
    let job = py.detach(|| JobSpec::read(&job, &settings).and_then(|spec| Job::new(&spec)));
    let job = job.map_err(|error| exception(py, &error))?;
    let report = py.detach(|| watched_run(job, dates, accepted, on_progress))?;
    Ok(report.map(|report| urltree::run_json(&report)))
}

/// Runs a job on other threads, and looks at signals and at the progress on this one. Called
/// detached from the interpreter.
fn watched_run(
    job: Job,
    dates: Option<DateRange>,
    accepted: Accepted,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Option<RunReport>> {
    let (subscriber, records) = logging::subscriber();
    let runtime = runtime(&job, &subscriber)?;
    let (progress, stop) = (Arc::new(Seen::default()), CancellationToken::new());
    let (done, is_done) = channel();
    let task = {
        let (progress, stop) = (Arc::clone(&progress), stop.clone());
        // The future of a run cannot move between threads, so one thread polls it.
        thread::spawn(move || {
            let _logged = tracing::dispatcher::set_default(&subscriber);
            let ended = runtime.block_on(async {
                match dates {
                    Some(dates) => backfill(&job, dates, accepted, progress, &stop)
                        .await
                        .map(Some),
                    None => {
                        let dates = ArchiveDates::New;
                        backfill_archive(&job, dates, accepted, progress, &stop).await
                    }
                }
            });
            runtime.shutdown_timeout(SHUTDOWN);
            let _ = done.send(());
            ended
        })
    };
    let mut raised: Option<PyErr> = None;
    let mut told = Snapshot::default();
    loop {
        let waited = is_done.recv_timeout(LOOK_EVERY);
        let looked = Python::attach(|py| {
            py.check_signals()?;
            records.hand_over(py)?;
            match raised {
                None => tell(py, on_progress.as_ref(), &progress, &mut told),
                Some(_) => Ok(()),
            }
        });
        if let Err(error) = looked {
            if raised.is_some() {
                // The second Ctrl-C does not wait until the run has released its lease.
                return Err(error);
            }
            stop.cancel();
            raised = Some(error);
        }
        if !matches!(waited, Err(RecvTimeoutError::Timeout)) {
            break;
        }
    }
    let ended = task.join();
    let last = Python::attach(|py| records.hand_over(py));
    if let Some(raised) = raised {
        return Err(raised);
    }
    last?;
    match ended {
        Ok(Ok(report)) => Ok(report),
        Ok(Err(failure)) => Err(Python::attach(|py| failed(py, &failure))),
        // The message of the panic is on stderr.
        Err(_) => Err(InternalError::new_err("the run panicked")),
    }
}

/// Starts the threads of a job, which log to `subscriber`.
fn runtime(job: &Job, subscriber: &Dispatch) -> PyResult<Runtime> {
    let subscriber = subscriber.clone();
    let runtime = Builder::new_multi_thread()
        .worker_threads(job.resources.threads)
        .thread_stack_size(STACK_BYTES)
        // A thread has its subscriber until it ends.
        .on_thread_start(move || std::mem::forget(tracing::dispatcher::set_default(&subscriber)))
        .enable_all()
        .build();
    runtime.map_err(|error| InternalError::new_err(format!("cannot start worker threads: {error}")))
}

/// The exception of a failed run, with its stage and the dates that are left.
fn failed(py: Python<'_>, failure: &Failure) -> PyErr {
    if matches!(*failure.source, EngineError::Interrupted) {
        return PyKeyboardInterrupt::new_err("interrupted; run the same dates again to continue");
    }
    let raised = exception(py, failure);
    let value = raised.value(py);
    let dates = failure.dates.map(|dates| dates.to_string());
    let named = value.setattr("stage", failure.stage.to_string());
    match named.and_then(|()| value.setattr("dates", dates)) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

/// Calls `on_progress` if something has changed since the last call.
fn tell(
    py: Python<'_>,
    on_progress: Option<&Py<PyAny>>,
    seen: &Seen,
    told: &mut Snapshot,
) -> PyResult<()> {
    let Some(on_progress) = on_progress else {
        return Ok(());
    };
    let now = seen.snapshot();
    if now == *told {
        return Ok(());
    }
    let event = PyDict::new(py);
    event.set_item("stage", now.stage.map(|stage| stage.to_string()))?;
    event.set_item("dates", now.dates.map(|dates| dates.to_string()))?;
    event.set_item("rows", now.done.rows)?;
    event.set_item("html_bytes", now.done.html_bytes)?;
    event.set_item("total_rows", now.total.rows)?;
    event.set_item("total_html_bytes", now.total.html_bytes)?;
    *told = now;
    on_progress.call1(py, (event,))?;
    Ok(())
}

/// The progress of a run, for the thread that looks at it.
#[derive(Debug, Default)]
struct Seen {
    rows: AtomicU64,
    html_bytes: AtomicU64,
    rest: Mutex<Rest>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Rest {
    stage: Option<Stage>,
    dates: Option<DateRange>,
    total: RowsAndBytes,
}

/// The progress at one time.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Snapshot {
    stage: Option<Stage>,
    dates: Option<DateRange>,
    done: RowsAndBytes,
    total: RowsAndBytes,
}

impl Seen {
    fn snapshot(&self) -> Snapshot {
        let Rest {
            stage,
            dates,
            total,
        } = self.rest.lock().map(|rest| *rest).unwrap_or_default();
        Snapshot {
            stage,
            dates,
            done: RowsAndBytes {
                rows: self.rows.load(Ordering::Relaxed),
                html_bytes: self.html_bytes.load(Ordering::Relaxed),
            },
            total,
        }
    }
}

impl Progress for Seen {
    fn planned(&self, total: RowsAndBytes) {
        if let Ok(mut rest) = self.rest.lock() {
            rest.total = total;
        }
    }

    fn report(&self, done: RowsAndBytes) {
        self.rows.fetch_add(done.rows, Ordering::Relaxed);
        self.html_bytes
            .fetch_add(done.html_bytes, Ordering::Relaxed);
    }

    fn entered(&self, stage: Stage, dates: DateRange) {
        if let Ok(mut rest) = self.rest.lock() {
            (rest.stage, rest.dates) = (Some(stage), Some(dates));
        }
    }
}
