//! The heartbeat of a lease: a counter that grows as long as the owner lives.

use std::time::Duration;

use tables::{LeaseRecord, LeaseState, LeaseStore};
use tokio::sync::oneshot;
use tracing::warn;

use crate::error::EngineError;

/// Half heartbeat intervals without a heartbeat after which the owner of a lease is
/// declared dead. Fewer take the tables from an owner that is only slow, more let a run
/// wait longer for an owner that was killed.
pub(super) const MISSED_HEARTBEAT_POLLS: u32 = 6;

/// Least time for a write. A write that is given up may still arrive, and replace the final state: a
/// busy disk took 0.1 s, two intervals of 40 ms are less.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);

/// The thread that writes the heartbeat.
#[derive(Debug)]
pub(super) struct Heartbeat {
    final_state: oneshot::Sender<LeaseState>,
    ended: oneshot::Receiver<()>,
}

impl Heartbeat {
    /// Starts a thread with its own runtime and its own connections: the threads of the
    /// run parse pages for seconds without a pause.
    ///
    /// # Errors
    /// [`EngineError::Heartbeat`] if the thread cannot be started.
    pub(super) fn start(
        leases: &LeaseStore,
        number: i64,
        record: LeaseRecord,
    ) -> Result<Self, EngineError> {
        let leases = leases
            .with_own_client()
            .map_err(|error| EngineError::Heartbeat(error.into()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| EngineError::Heartbeat(error.into()))?;
        let (final_state, ending) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        std::thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(move || {
                runtime.block_on(run_heartbeat(&leases, number, record, ending));
                // A dropped lease does not wait.
                let _ = end.send(());
            })
            .map_err(|error| EngineError::Heartbeat(error.into()))?;
        Ok(Self { final_state, ended })
    }

    /// Writes `state` in place of the next heartbeat, and ends. Takes up to two heartbeat intervals,
    /// and at least 5 s, if the store does not answer.
    pub(super) async fn stop(self, state: LeaseState) {
        // A thread that has ended has nothing left to write.
        let _ = self.final_state.send(state);
        let _ = self.ended.await;
    }
}

/// Writes the record once per heartbeat interval with a higher counter, and at the end with
/// the state from `ending`.
async fn run_heartbeat(
    leases: &LeaseStore,
    number: i64,
    mut record: LeaseRecord,
    mut ending: oneshot::Receiver<LeaseState>,
) {
    let interval = Duration::from_millis(record.heartbeat_ms);
    // After two intervals the next heartbeat matters more than this one.
    let patience = (interval * 2).max(LEAST_PATIENCE);
    loop {
        match tokio::time::timeout(interval, &mut ending).await {
            Err(_) => record.heartbeats += 1,
            Ok(Ok(state)) => record.state = state,
            Ok(Err(_)) => record.state = LeaseState::Stopped,
        }
        let written = tokio::time::timeout(patience, leases.update(number, &record)).await;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(error)) => warn!("cannot write the heartbeat: {error}"),
            Err(_) => warn!(
                "cannot write the heartbeat: no answer from the store in {:.1} s",
                patience.as_secs_f64()
            ),
        }
        if record.state != LeaseState::Running {
            return;
        }
    }
}
