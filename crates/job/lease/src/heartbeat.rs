//! The heartbeat of a lease: a counter that grows as long as the owner lives.

use std::time::Duration;

use tokio::sync::oneshot;
use tracing::warn;

use crate::error::LeaseError;
use crate::host::{Host, within};
use crate::record::{LeaseRecord, LeaseState};
use crate::store::LeaseStore;

/// Least time for a write. A write that is given up may still arrive, and replace the final state: a
/// busy disk took 0.1 s, two intervals of 40 ms are less.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);

/// The thread that writes the heartbeat.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    final_state: oneshot::Sender<LeaseState>,
    ended: oneshot::Receiver<()>,
}

impl Heartbeat {
    /// Starts the heartbeat of the lease `token` on its own thread. `leases` have their own connections.
    ///
    /// # Errors
    /// [`LeaseError::Heartbeat`] if the thread cannot be started.
    pub(crate) fn start<H: Host>(
        host: &H,
        leases: LeaseStore,
        token: i64,
        record: LeaseRecord,
    ) -> Result<Self, LeaseError> {
        let (final_state, ending) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let own = host.clone();
        let heartbeat = async move {
            run_heartbeat(&own, &leases, token, record, ending).await;
            // A dropped lease does not wait.
            let _ = end.send(());
        };
        host.start("heartbeat", heartbeat)
            .map_err(|error| LeaseError::Heartbeat(error.into()))?;
        Ok(Self { final_state, ended })
    }

    /// Writes `state` in place of the next heartbeat, and ends. Takes up to two heartbeat intervals,
    /// and at least 5 s, if the store does not answer.
    pub(crate) async fn stop(self, state: LeaseState) {
        // A thread that has ended has nothing left to write.
        let _ = self.final_state.send(state);
        let _ = self.ended.await;
    }
}

/// Writes the record once per heartbeat interval with a higher counter, and at the end with
/// the state from `ending`.
async fn run_heartbeat(
    host: &impl Host,
    leases: &LeaseStore,
    token: i64,
    mut record: LeaseRecord,
    mut ending: oneshot::Receiver<LeaseState>,
) {
    let interval = Duration::from_millis(record.heartbeat_ms);
    // After two intervals the next heartbeat matters more than this one.
    let patience = (interval * 2).max(LEAST_PATIENCE);
    loop {
        match within(host, interval, &mut ending).await {
            None => record.heartbeats += 1,
            Some(Ok(state)) => record.state = state,
            Some(Err(_)) => record.state = LeaseState::Stopped,
        }
        match within(host, patience, leases.update(token, &record)).await {
            Some(Ok(())) => {}
            Some(Err(error)) => warn!("cannot write the heartbeat: {error}"),
            None => warn!(
                "cannot write the heartbeat: no answer from the store in {:.1} s",
                patience.as_secs_f64()
            ),
        }
        if record.state != LeaseState::Running {
            return;
        }
    }
}
