//! The claim of a run on the tables, as long as the run lasts.
//!
//! Whether an earlier owner still lives is told by its beats alone, watched for a
//! while: clocks of two machines are never compared. Who is taken for dead and is
//! not (a machine that slept, a network that was away) changes nothing any more:
//! every table that is there knows the new claim before its owner reads any of
//! them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use chrono::Utc;
use tables::{LeaseEntry, LeaseRecord, LeaseState, LeaseStore, Output, Table, fail_point};
use tracing::{info, warn};
use uuid::Uuid;

use crate::error::EngineError;
use crate::job::Job;

/// Half heartbeats without a beat after which an owner is taken for dead.
const SILENT_LOOKS: u32 = 6;

/// A claim in force. Dropped, it says that its run stopped.
#[derive(Debug)]
pub(crate) struct Hold {
    number: i64,
    claims: LeaseStore,
    /// The claim before it, where its owner did not finish.
    unfinished: Option<LeaseRecord>,
    last_word: LeaseState,
    pulse: Option<Pulse>,
}

/// The thread that counts the beats.
#[derive(Debug)]
struct Pulse {
    ending: Sender<LeaseState>,
    thread: JoinHandle<()>,
}

impl Hold {
    /// Takes the tables of `job` for `purpose`, a run of `request` where it is one.
    ///
    /// # Errors
    /// [`EngineError::Busy`] where another process is at work on them; else where
    /// the store fails.
    pub(crate) async fn take(
        job: &Job,
        purpose: String,
        request: Option<String>,
    ) -> Result<Self, EngineError> {
        let claims = job.output.leases();
        let claim = LeaseRecord {
            id: Uuid::new_v4().to_string(),
            purpose,
            request,
            host: host(),
            process: std::process::id(),
            acquired_at: Utc::now().format("%Y-%m-%d %H:%M:%S UTC").to_string(),
            heartbeat_ms: u64::try_from(job.resources.heartbeat.as_millis()).unwrap_or(u64::MAX),
            heartbeats: 0,
            state: LeaseState::Running,
        };
        let (number, before) = loop {
            let last = claims.latest().await?;
            if let Some(last) = &last
                && last.record.state == LeaseState::Running
                && silent(job, &claims, last).await? == Silence::Broken
            {
                continue;
            }
            let number = match &last {
                Some(last) => last.token + 1,
                None => first_number(&job.output).await?,
            };
            if claims.create(number, &claim).await? {
                break (number, last);
            }
        };
        fail_point(format_args!("claimed"));
        let unfinished = (before.map(|before| before.record))
            .filter(|claim| claim.state != LeaseState::Finished);
        let hold = Self {
            number,
            pulse: Some(Pulse::start(&claims, number, claim)?),
            claims,
            unfinished,
            last_word: LeaseState::Stopped,
        };
        if hold.unfinished.is_some() {
            hold.fence(&job.output).await?;
        }
        Ok(hold)
    }

    /// Tells every table that earlier claims are over.
    async fn fence(&self, output: &Output) -> Result<(), EngineError> {
        for table in Table::DERIVED.into_iter().filter(|_| output.has_derived()) {
            // Nobody may be making it: what it holds may be true no more.
            output.open_or_create(table).await?;
        }
        for table in Table::every() {
            fail_point(format_args!("fence.{}", table.name()));
            let fenced = output.fence(table, self.number).await;
            self.or_taken_over(fenced.map_err(EngineError::from))
                .await?;
        }
        fail_point(format_args!("fenced"));
        Ok(())
    }

    /// The number of the claim.
    pub(crate) fn number(&self) -> i64 {
        self.number
    }

    /// Did a run of `request` have the tables before, and did not finish?
    pub(crate) fn succeeds(&self, request: &str) -> bool {
        (self.unfinished.as_ref()).is_some_and(|claim| claim.request.as_deref() == Some(request))
    }

    /// # Errors
    /// [`EngineError::TakenOver`] where another process has the tables by now.
    pub(crate) async fn check(&self) -> Result<(), EngineError> {
        if self.claims.latest_token().await? <= Some(self.number) {
            return Ok(());
        }
        match self.claims.latest().await? {
            Some(last) if last.token > self.number => Err(EngineError::TakenOver {
                by: last.record.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Where a change failed since somebody took the tables over, who did.
    pub(crate) async fn or_taken_over<T>(
        &self,
        changed: Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if changed.is_err() {
            self.check().await?;
        }
        changed
    }

    /// Gives the tables free: every change under the claim is there.
    pub(crate) fn finish(mut self) {
        fail_point(format_args!("finish"));
        self.last_word = LeaseState::Finished;
    }

    /// Forgets the claims before this one.
    pub(crate) async fn remove_earlier(&self) -> Result<(), EngineError> {
        Ok(self.claims.remove_before(self.number).await?)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(pulse) = self.pulse.take() {
            // A thread that is gone has nothing left to write.
            let _ = pulse.ending.send(self.last_word);
            let _ = pulse.thread.join();
        }
    }
}

impl Pulse {
    /// Beats on a thread and over connections of its own: threads of the run are
    /// busy with pages for seconds.
    fn start(claims: &LeaseStore, number: i64, claim: LeaseRecord) -> Result<Self, EngineError> {
        let claims =
            (claims.with_own_client()).map_err(|error| EngineError::Thread(error.into()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| EngineError::Thread(error.into()))?;
        let (ending, ended) = channel();
        let thread = std::thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(move || runtime.block_on(beat(&claims, number, claim, &ended)))
            .map_err(|error| EngineError::Thread(error.into()))?;
        Ok(Self { ending, thread })
    }
}

async fn beat(
    claims: &LeaseStore,
    number: i64,
    mut claim: LeaseRecord,
    ended: &Receiver<LeaseState>,
) {
    let heartbeat = Duration::from_millis(claim.heartbeat_ms);
    loop {
        match ended.recv_timeout(heartbeat) {
            Err(RecvTimeoutError::Timeout) => claim.heartbeats += 1,
            Ok(last_word) => claim.state = last_word,
            Err(RecvTimeoutError::Disconnected) => claim.state = LeaseState::Stopped,
        }
        // A store that is away for longer than others wait ends the claim anyway.
        let written = tokio::time::timeout(heartbeat * 2, claims.update(number, &claim)).await;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(error)) => warn!("no heartbeat: {error}"),
            Err(_) => warn!("no heartbeat: the store does not answer"),
        }
        if claim.state != LeaseState::Running {
            return;
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Silence {
    /// Nothing came from the owner.
    Kept,
    /// It ended, or another claim came.
    Broken,
}

/// Watches the owner of `last`, which says that it is at work.
///
/// # Errors
/// [`EngineError::Busy`] where it is.
async fn silent(job: &Job, claims: &LeaseStore, last: &LeaseEntry) -> Result<Silence, EngineError> {
    let look_every = Duration::from_millis(last.record.heartbeat_ms) / 2;
    info!(
        "waiting at most {:.1} s to see whether {} is still at work",
        (look_every * SILENT_LOOKS).as_secs_f64(),
        last.record
    );
    for _ in 0..SILENT_LOOKS {
        tokio::time::sleep(look_every).await;
        let now = claims.latest().await?;
        let same = now.filter(|now| now.token == last.token && now.record.id == last.record.id);
        match same {
            Some(now) if now.record == last.record => {}
            Some(now) if now.record.state == LeaseState::Running => {
                return Err(EngineError::Busy {
                    location: job.output.location().to_string(),
                    owner: now.record.to_string(),
                });
            }
            _ => return Ok(Silence::Broken),
        }
    }
    Ok(Silence::Kept)
}

/// The number of the first claim: above those that tables know from claims that
/// somebody deleted.
async fn first_number(output: &Output) -> Result<i64, EngineError> {
    let mut known = 0;
    for table in Table::every() {
        known = known.max(output.fencing_token(table).await?.unwrap_or(0));
    }
    Ok(known + 1)
}

/// What people call this machine.
fn host() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = named.or_else(|| std::env::var("HOSTNAME").ok());
    let named = named.or_else(|| std::env::var("COMPUTERNAME").ok());
    named.map_or_else(|| "this machine".to_owned(), |name| name.trim().to_owned())
}
