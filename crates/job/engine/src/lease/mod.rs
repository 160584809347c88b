//! The lease of a run: its exclusive right to write the tables of a job.
//!
//! The previous owner's liveness is decided from its heartbeat counter only: clocks of two
//! machines are never compared. An owner that is wrongly declared dead (its machine slept,
//! its network was down) can no longer commit, because the new owner writes its fencing
//! token to every table before it reads any.

mod heartbeat;

use std::time::Duration;

use chrono::Utc;
use futures::future::try_join_all;
use sysinfo::System;
use tables::{LeaseEntry, LeaseRecord, LeaseState, LeaseStore, Output, Table, fail_point};
use tracing::info;
use uuid::Uuid;

use crate::error::EngineError;
use crate::job::Job;
use crate::lease::heartbeat::{Heartbeat, MISSED_HEARTBEAT_POLLS};

/// A held lease. If it is dropped without [`release`](Self::release), the thread of the heartbeat
/// marks the run as stopped, unless the process ends before.
#[derive(Debug)]
pub(crate) struct Lease {
    token: i64,
    leases: LeaseStore,
    /// The lease before this one, if its owner did not finish.
    unfinished: Option<LeaseRecord>,
    heartbeat: Option<Heartbeat>,
}

impl Lease {
    /// Acquires the lease on the tables of `job` for `purpose`. `request` is the digest of
    /// the run's request, or `None` if `purpose` is not a run.
    ///
    /// # Errors
    /// [`EngineError::Busy`] if another process holds the lease; else [`EngineError`] if the
    /// store fails.
    pub(crate) async fn acquire(
        job: &Job,
        purpose: String,
        request: Option<String>,
    ) -> Result<Self, EngineError> {
        let leases = job.output.leases();
        let record = LeaseRecord {
            id: Uuid::new_v4().to_string(),
            purpose,
            request,
            host: System::host_name().unwrap_or_else(|| "unknown".to_owned()),
            process: std::process::id(),
            acquired_at: Utc::now().format("%Y-%m-%d %H:%M:%S UTC").to_string(),
            heartbeat_ms: u64::try_from(job.resources.heartbeat.as_millis()).unwrap_or(u64::MAX),
            heartbeats: 0,
            state: LeaseState::Running,
        };
        let (token, previous) = loop {
            let last = leases.latest().await?;
            if let Some(last) = &last
                && last.record.state == LeaseState::Running
                && liveness(job, &leases, last).await? == Liveness::Changed
            {
                continue;
            }
            let token = match &last {
                Some(last) => last.token + 1,
                None => first_token(&job.output).await?,
            };
            if leases.create(token, &record).await? {
                break (token, last);
            }
        };
        fail_point(format_args!("claimed"));
        let unfinished = previous
            .map(|previous| previous.record)
            .filter(|record| record.state != LeaseState::Finished);
        let lease = Self {
            token,
            heartbeat: Some(Heartbeat::start(&leases, token, record)?),
            leases,
            unfinished,
        };
        if lease.unfinished.is_some() {
            lease.fence(&job.output).await?;
        }
        Ok(lease)
    }

    /// Writes the fencing token to every table, which ends the commits of earlier owners.
    async fn fence(&self, output: &Output) -> Result<(), EngineError> {
        if output.has_derived() {
            for table in Table::DERIVED {
                // An earlier owner must not create it from now on: its rows may be outdated.
                output.open_or_create(table).await?;
            }
        }
        for table in Table::every() {
            fail_point(format_args!("fence.{}", table.name()));
            let fenced = output.fence(table, self.token).await;
            self.or_taken_over(fenced.map_err(EngineError::from))
                .await?;
        }
        fail_point(format_args!("fenced"));
        Ok(())
    }

    /// Returns the fencing token.
    pub(crate) fn token(&self) -> i64 {
        self.token
    }

    /// Whether the previous owner ran the same request and did not finish.
    pub(crate) fn resumes(&self, request: &str) -> bool {
        let previous = self.unfinished.as_ref();
        previous.is_some_and(|record| record.request.as_deref() == Some(request))
    }

    /// Checks that this is the latest lease.
    ///
    /// # Errors
    /// [`EngineError::TakenOver`] if another process has acquired the lease since.
    pub(crate) async fn check(&self) -> Result<(), EngineError> {
        if self.leases.latest_token().await? <= Some(self.token) {
            return Ok(());
        }
        match self.leases.latest().await? {
            Some(last) if last.token > self.token => Err(EngineError::TakenOver {
                by: last.record.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Replaces an error by [`EngineError::TakenOver`] if the lease has been lost.
    pub(crate) async fn or_taken_over<T>(
        &self,
        changed: Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if changed.is_err() {
            self.check().await?;
        }
        changed
    }

    /// Releases the lease: as finished after all commits under it, else as stopped. Waits for the
    /// store, for two heartbeat intervals, or 5 s.
    pub(crate) async fn release(mut self, is_finished: bool) {
        let state = if is_finished {
            fail_point(format_args!("finish"));
            LeaseState::Finished
        } else {
            LeaseState::Stopped
        };
        if let Some(heartbeat) = self.heartbeat.take() {
            heartbeat.stop(state).await;
        }
    }

    /// Deletes the records of earlier leases.
    pub(crate) async fn remove_earlier(&self) -> Result<(), EngineError> {
        Ok(self.leases.remove_before(self.token).await?)
    }
}

/// The state of the owner of a running lease, after its heartbeat was polled.
#[derive(Debug, PartialEq, Eq)]
enum Liveness {
    /// No heartbeat came.
    Dead,
    /// The owner ended, or another process acquired the lease.
    Changed,
}

/// Polls the heartbeat of `last`, whose record says that its owner is running.
///
/// # Errors
/// [`EngineError::Busy`] if a heartbeat comes.
async fn liveness(
    job: &Job,
    leases: &LeaseStore,
    last: &LeaseEntry,
) -> Result<Liveness, EngineError> {
    let poll_every = Duration::from_millis(last.record.heartbeat_ms) / 2;
    info!(
        "waiting up to {:.1} s for a heartbeat of {}",
        (poll_every * MISSED_HEARTBEAT_POLLS).as_secs_f64(),
        last.record
    );
    for _ in 0..MISSED_HEARTBEAT_POLLS {
        tokio::time::sleep(poll_every).await;
        let now = leases.latest().await?;
        let same = now.filter(|now| now.token == last.token && now.record.id == last.record.id);
        match same {
            Some(now) if now.record == last.record => {}
            Some(now) if now.record.state == LeaseState::Running => {
                return Err(EngineError::Busy {
                    location: job.output.location().to_string(),
                    owner: now.record.to_string(),
                });
            }
            _ => return Ok(Liveness::Changed),
        }
    }
    Ok(Liveness::Dead)
}

/// Returns the token of the first lease: higher than the tokens that tables have from
/// leases whose records were deleted.
async fn first_token(output: &Output) -> Result<i64, EngineError> {
    // One after the other, the tables would take nine answers of the store.
    let known = try_join_all(Table::every().map(|table| output.fencing_token(table))).await?;
    Ok(known.into_iter().flatten().max().unwrap_or(0) + 1)
}
