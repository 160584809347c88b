//! The previous owner's liveness is decided from its heartbeat counter only: clocks of two
//! machines are never compared. An owner that is wrongly declared dead (its machine slept,
//! its network was down) can no longer commit, because the new owner writes its fencing
//! token to every table before it reads any.

use std::time::Duration;

use futures::future::try_join_all;
use tracing::info;

use crate::error::{LeaseError, OwnerError};
use crate::fail_point::fail_point;
use crate::fence::{fence, fencing_token};
use crate::heartbeat::Heartbeat;
use crate::host::Host;
use crate::record::{LeaseEntry, LeaseRecord, LeaseState};
use crate::store::LeaseStore;
use crate::tables::Tables;

/// Half heartbeat intervals without a heartbeat after which the owner of a lease is
/// declared dead. Fewer take the tables from an owner that is only slow, more let a run
/// wait longer for an owner that was killed.
const MISSED_HEARTBEAT_POLLS: u32 = 6;

/// A held lease. If it is dropped without [`release`](Self::release), the thread of the heartbeat
/// marks the owner as stopped, unless the process ends before.
#[derive(Debug)]
pub struct Lease {
    token: i64,
    leases: LeaseStore,
    /// The lease before this one, if its owner did not finish.
    unfinished: Option<LeaseRecord>,
    heartbeat: Option<Heartbeat>,
}

impl Lease {
    /// Acquires the lease on `tables`. `record` is the new owner without heartbeats, [`LeaseState::Running`].
    ///
    /// # Errors
    /// [`LeaseError::Busy`] if another process holds the lease, [`LeaseError::TakenOver`] if it is lost at once, else
    /// the error of the store, of a table or of the heartbeat's thread.
    pub async fn acquire<T: Tables, H: Host>(
        tables: &T,
        host: &H,
        record: LeaseRecord,
    ) -> Result<Self, OwnerError<T::Error>> {
        let leases = tables.leases();
        let (token, previous) = claim(tables, host, &leases, &record).await?;
        fail_point(format_args!("claimed"));
        let unfinished = previous
            .map(|previous| previous.record)
            .filter(|record| record.state != LeaseState::Finished);
        let own = tables.leases_with_own_client();
        let own = own.map_err(LeaseError::Heartbeat)?;
        let lease = Self {
            token,
            leases,
            unfinished,
            heartbeat: Some(Heartbeat::start(host, own, token, record)?),
        };
        if lease.unfinished.is_some() {
            lease.fence(tables).await?;
        }
        Ok(lease)
    }

    /// Writes the fencing token to every table, which ends the commits of earlier owners.
    async fn fence<T: Tables>(&self, tables: &T) -> Result<(), OwnerError<T::Error>> {
        for table in tables.every() {
            if tables.is_derived(table) {
                // An earlier owner must not create it from now on: its rows may be outdated.
                let created = tables.open_or_create(table).await;
                created.map_err(OwnerError::Tables)?;
            }
        }
        for table in tables.every() {
            fail_point(format_args!("fence.{}", T::name(table)));
            let fenced = fence(tables, table, self.token).await;
            self.or_taken_over(fenced).await?;
        }
        fail_point(format_args!("fenced"));
        Ok(())
    }

    /// Returns the fencing token.
    pub fn token(&self) -> i64 {
        self.token
    }

    /// Whether the previous owner ran the same request and did not finish.
    pub fn resumes(&self, request: &str) -> bool {
        let previous = self.unfinished.as_ref();
        previous.is_some_and(|record| record.request.as_deref() == Some(request))
    }

    /// Checks that this is the latest lease.
    ///
    /// # Errors
    /// [`LeaseError::TakenOver`] if another process has acquired the lease since, else the error of the store.
    pub async fn check(&self) -> Result<(), LeaseError> {
        if self.leases.latest_token().await? <= Some(self.token) {
            return Ok(());
        }
        match self.leases.latest().await? {
            Some(last) if last.token > self.token => Err(LeaseError::TakenOver {
                by: last.record.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Replaces an error by [`LeaseError::TakenOver`] if the lease has been lost.
    ///
    /// # Errors
    /// That of `changed`, or of [`Lease::check`].
    pub async fn or_taken_over<R, E: From<LeaseError>>(
        &self,
        changed: Result<R, E>,
    ) -> Result<R, E> {
        if changed.is_err() {
            self.check().await?;
        }
        changed
    }

    /// Releases the lease: as finished after all commits under it, else as stopped. Waits for the
    /// store, for two heartbeat intervals, or 5 s.
    pub async fn release(mut self, is_finished: bool) {
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
    ///
    /// # Errors
    /// [`LeaseError::Store`] if the store fails.
    pub async fn remove_earlier(&self) -> Result<(), LeaseError> {
        Ok(self.leases.remove_before(self.token).await?)
    }
}

/// Creates the next lease. Returns its token and the lease before it.
async fn claim<T: Tables, H: Host>(
    tables: &T,
    host: &H,
    leases: &LeaseStore,
    record: &LeaseRecord,
) -> Result<(i64, Option<LeaseEntry>), OwnerError<T::Error>> {
    loop {
        let last = leases.latest().await.map_err(LeaseError::from)?;
        if let Some(last) = &last
            && last.record.state == LeaseState::Running
            && liveness(&tables.location(), host, leases, last).await? == Liveness::Changed
        {
            continue;
        }
        let token = match &last {
            Some(last) => last.token + 1,
            None => {
                let token = first_token(tables).await.map_err(OwnerError::Tables)?;
                // A token of the tables may be that of an owner who came meanwhile. Its lease is there then.
                let came = leases.latest_token().await.map_err(LeaseError::from)?;
                if came.is_some() {
                    continue;
                }
                token
            }
        };
        let created = leases.create(token, record).await;
        if created.map_err(LeaseError::from)? {
            return Ok((token, last));
        }
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
/// [`LeaseError::Busy`] if a heartbeat comes.
async fn liveness<H: Host>(
    location: &str,
    host: &H,
    leases: &LeaseStore,
    last: &LeaseEntry,
) -> Result<Liveness, LeaseError> {
    let poll_every = Duration::from_millis(last.record.heartbeat_ms) / 2;
    info!(
        "waiting up to {:.1} s for a heartbeat of {}",
        (poll_every * MISSED_HEARTBEAT_POLLS).as_secs_f64(),
        last.record
    );
    for _ in 0..MISSED_HEARTBEAT_POLLS {
        host.sleep(poll_every).await;
        let now = leases.latest().await?;
        let same = now.filter(|now| now.token == last.token && now.record.id == last.record.id);
        match same {
            Some(now) if now.record == last.record => {}
            Some(now) if now.record.state == LeaseState::Running => {
                return Err(LeaseError::Busy {
                    location: location.to_owned(),
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
async fn first_token<T: Tables>(tables: &T) -> Result<i64, T::Error> {
    // One after the other, the tables would take eleven answers of the store.
    let every = tables.every().into_iter();
    let known = try_join_all(every.map(|table| fencing_token(tables, table))).await?;
    Ok(known.into_iter().flatten().max().unwrap_or(0) + 1)
}
