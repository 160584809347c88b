//! The threads of a command, and the signals that end it.

use std::time::Duration;

use anyhow::{Context, Result};
use engine::{CancellationToken, Job};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

/// Stack of a thread that decodes plans, which is recursive. A plan with the state of earlier months
/// is 40 operators deep, and needs more than the default of 2 MiB in a build without optimisation.
pub(crate) const STACK_BYTES: usize = 16 << 20;

/// Time after a run or query in which its tasks may end. The threads of a run that stalled may never end.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(5);

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

/// Stops a run at the first signal, so that it can release its lease. The second ends the process.
pub(crate) async fn stop_at_a_signal(stop: CancellationToken) {
    interrupted().await;
    stop.cancel();
    interrupted().await;
    std::process::exit(i32::from(INTERRUPTED));
}

/// Waits for SIGINT or SIGTERM.
pub(crate) async fn interrupted() {
    let received = async |kind| match signal(kind) {
        Ok(mut signal) => signal.recv().await,
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        _ = received(SignalKind::interrupt()) => {}
        _ = received(SignalKind::terminate()) => {}
    }
}

/// Works for a job until the work ends or the command is interrupted.
pub(crate) fn until_interrupted<T>(
    job: &Job,
    interruption: Interrupted,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let runtime = runtime(job)?;
    let done = runtime.block_on(async {
        tokio::select! {
            // Signals are heard before the work begins: a reader that has its first bytes may send one.
            biased;
            () = interrupted() => None,
            done = work => Some(done),
        }
    });
    // Operators delete their spilled rows when they are dropped.
    runtime.shutdown_timeout(SHUTDOWN);
    done.ok_or(interruption)?
}
