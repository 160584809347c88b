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

/// SIGINT and SIGTERM, heard from the moment this is made: before it, they end the process.
pub(crate) struct Signals([Option<Signal>; 2]);

impl Signals {
    /// Begins to hear signals. Must be called on a runtime. A signal that the system does not let
    /// the process hear is never received.
    pub(crate) fn heard() -> Self {
        Self([SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok()))
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        let [interrupt, terminate] = &mut self.0;
        let received = async |signal: &mut Option<Signal>| match signal {
            Some(signal) => signal.recv().await,
            None => std::future::pending().await,
        };
        tokio::select! {
            _ = received(interrupt) => {}
            _ = received(terminate) => {}
        }
    }
}

/// Stops a run at the first signal from now on, so that it can release its lease. The second ends
/// the process.
pub(crate) fn stop_at_a_signal(stop: CancellationToken) {
    let mut signals = Signals::heard();
    tokio::spawn(async move {
        signals.next().await;
        stop.cancel();
        signals.next().await;
        std::process::exit(i32::from(INTERRUPTED));
    });
}

/// Works for a job until the work ends or the command is interrupted.
pub(crate) fn until_interrupted<T>(
    job: &Job,
    interruption: Interrupted,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let runtime = runtime(job)?;
    let done = runtime.block_on(async {
        let mut signals = Signals::heard();
        tokio::select! {
            () = signals.next() => None,
            done = work => Some(done),
        }
    });
    // Operators delete their spilled rows when they are dropped.
    runtime.shutdown_timeout(SHUTDOWN);
    done.ok_or(interruption)?
}
