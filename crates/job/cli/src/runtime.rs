//! The threads of a command, and the signals that end it.

use std::time::Duration;

use anyhow::{Context, Result};
use engine::{CancellationToken, Job};
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Stack of a thread that decodes plans, which is recursive. A plan with the state of earlier months
/// is 40 operators deep, and needs more than the default of 2 MiB in a build without optimisation.
pub(crate) const STACK_BYTES: usize = 16 << 20;

/// Time after a run or query in which its tasks may end. The threads of a run that stalled may never end.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(5);

/// Time after a signal in which a command may release its lease and delete what it spilled. Tables are as after a
/// crash if that takes longer: intact.
const GRACE: Duration = Duration::from_millis(1800);

/// Exit code of a command that a signal ended. As in shells: 128 and the number of SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Starts the threads of a job.
pub(crate) fn runtime(job: &Job) -> Result<Runtime> {
    runtime_of(job.resources.threads)
}

/// Starts `threads` threads.
pub(crate) fn runtime_of(threads: usize) -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()
        .context("cannot start worker threads")
}

/// A signal ended the command.
#[derive(Debug)]
pub(crate) enum Interrupted {
    /// A run, which the same command continues.
    Run,
    /// A query.
    Query,
}

impl std::error::Error for Interrupted {}

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Run => "interrupted; run the same command again to continue",
            Self::Query => "interrupted",
        })
    }
}

/// Returns a token that SIGINT and SIGTERM cancel, from now on: before, they end the process. They are heard by a
/// thread of its own, so that work which computes without a pause cannot keep them off. It ends the process at
/// a second signal, and [`GRACE`] after the first.
pub(crate) fn stop_at_a_signal() -> Result<CancellationToken> {
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot hear signals")?;
    let signals = {
        let _entered = runtime.enter();
        // A signal that the system does not let the process hear is never received.
        [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok())
    };
    let hears = move || {
        runtime.block_on(async {
            let mut signals = signals;
            next(&mut signals).await;
            stopped.cancel();
            // Whether there is a second one does not matter.
            let _ = tokio::time::timeout(GRACE, next(&mut signals)).await;
        });
        std::process::exit(i32::from(INTERRUPTED));
    };
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(hears).context("cannot hear signals")?;
    Ok(stop)
}

async fn next(signals: &mut [Option<Signal>; 2]) {
    let [interrupt, terminate] = signals;
    let received = async |signal: &mut Option<Signal>| match signal {
        Some(signal) => signal.recv().await,
        None => std::future::pending().await,
    };
    tokio::select! {
        _ = received(interrupt) => {}
        _ = received(terminate) => {}
    }
}

/// Works for a job until the work ends or the command is interrupted.
pub(crate) fn until_interrupted<T>(
    job: &Job,
    interruption: Interrupted,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let runtime = runtime(job)?;
    let stop = stop_at_a_signal()?;
    let done = runtime.block_on(stop.run_until_cancelled(work));
    // Operators delete their spilled rows when they are dropped.
    runtime.shutdown_timeout(SHUTDOWN);
    done.ok_or(interruption)?
}
