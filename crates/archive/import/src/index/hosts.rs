//! The hosts that are asked, each at its pace.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crawl_index::{Ended, Manners, Next, Pace, Spent};
use tables::Location;
use tokio::sync::Semaphore;
use url::Url;

use crate::Progress;
use crate::error::ImportError;
use crate::index::answer::Received;
use crate::index::clock;

/// Failures in a row after which a host is not asked any more: at least four requests with five attempts each.
const MOST_FAILURES: u32 = 20;
/// Longest sleep before the clock is read again. A machine that slept does not wait longer than it must.
const SLEEP: Duration = Duration::from_secs(60);

/// The hosts that are asked.
#[derive(Debug)]
pub(crate) struct Hosts {
    manners: Manners,
    attempts: u32,
    spent: BTreeMap<String, Spent>,
    hosts: Mutex<BTreeMap<String, Arc<Host>>>,
}

/// A host.
#[derive(Debug)]
struct Host {
    name: String,
    turns: Semaphore,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    pace: Pace,
    /// Failures in a row, of all requests.
    failures: u32,
    received_bytes: u64,
    requests: u64,
}

impl Hosts {
    /// Hosts, some of which have used a part of their budget.
    pub(crate) fn new(manners: Manners, attempts: u32, spent: BTreeMap<String, Spent>) -> Self {
        Self {
            manners,
            attempts: attempts.max(1),
            spent,
            hosts: Mutex::default(),
        }
    }

    fn host(&self, name: &str) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let host = hosts.entry(name.to_owned()).or_insert_with(|| {
            let spent = self.spent.get(name).copied().unwrap_or_default();
            Arc::new(Host {
                name: name.to_owned(),
                turns: Semaphore::new(self.manners.at_once.max(1)),
                state: Mutex::new(State {
                    pace: Pace::new(self.manners, spent),
                    failures: 0,
                    received_bytes: 0,
                    requests: 0,
                }),
            })
        });
        Arc::clone(host)
    }

    /// Sends a request for at most `bytes` until its answer is final, or after the last attempt.
    ///
    /// # Errors
    /// [`ImportError::Host`] if the host does not answer any request any more.
    pub(crate) async fn ask<F: Future<Output = Received>>(
        &self,
        name: &str,
        bytes: u64,
        send: impl Fn() -> F,
        progress: &impl Progress,
    ) -> Result<Received, ImportError> {
        let host = self.host(name);
        let mut attempt = 1;
        loop {
            let received = {
                let turn = host.turns.acquire().await;
                host.wait(bytes, progress).await;
                let received = send().await;
                drop(turn);
                received
            };
            host.end(bytes, &received)?;
            if !received.may_be_better_later() || attempt >= self.attempts {
                return Ok(received);
            }
            tokio::time::sleep(self.manners.backoff.wait(attempt, None)).await;
            attempt += 1;
        }
    }

    /// The part of each budget that is used, with `reserved` bytes and requests more for each of these hosts.
    pub(crate) fn spent(&self, reserved: &BTreeMap<String, (u64, u64)>) -> BTreeMap<String, Spent> {
        let mut spent = self.spent.clone();
        for name in reserved.keys() {
            self.host(name);
        }
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, host) in hosts.iter() {
            let mut pace = host.locked().pace.clone();
            let (requests, bytes) = reserved.get(name).copied().unwrap_or_default();
            if requests > 0 {
                pace.begin(bytes, clock::seconds());
            }
            let mut used = pace.spent();
            used.requests = used.requests.saturating_add(requests.saturating_sub(1));
            spent.insert(name.clone(), used);
        }
        spent
    }

    /// Whether the last answer of a host was a failure.
    pub(crate) fn is_any_failing(&self) -> bool {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.values().any(|host| host.locked().failures > 0)
    }

    /// Requests that were sent, and bytes that were received.
    pub(crate) fn sums(&self) -> (u64, u64) {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.values().fold((0, 0), |(requests, bytes), host| {
            let state = host.locked();
            (requests + state.requests, bytes + state.received_bytes)
        })
    }
}

impl Host {
    fn locked(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a request for `bytes` may begin, and begins it.
    async fn wait(&self, bytes: u64, progress: &impl Progress) {
        let mut told = None;
        loop {
            let now = clock::seconds();
            let next = {
                let mut state = self.locked();
                let next = state.pace.next(bytes, now);
                // No request of a plan is above the budget.
                if matches!(next, Next::Now | Next::Never) {
                    state.pace.begin(bytes, now);
                    state.requests += 1;
                    return;
                }
                next
            };
            let until = match next {
                Next::At(until) => until,
                _ => now + 1,
            };
            if told.replace(until) != Some(until) {
                progress.waits(&self.name, until.saturating_sub(now));
            }
            let seconds = Duration::from_secs(until.saturating_sub(now));
            tokio::time::sleep(seconds.clamp(Duration::from_millis(100), SLEEP)).await;
        }
    }

    fn end(&self, asked_bytes: u64, received: &Received) -> Result<(), ImportError> {
        let received_bytes = received.body.len() as u64;
        let ended = Ended {
            asked_bytes,
            received_bytes,
            status: received.status,
            retry_after: received.retry_after,
        };
        let mut state = self.locked();
        state.pace.end(ended, clock::seconds());
        state.received_bytes += received_bytes;
        if !received.may_be_better_later() {
            state.failures = 0;
            return Ok(());
        }
        state.failures += 1;
        match state.failures >= MOST_FAILURES {
            false => Ok(()),
            true => Err(ImportError::Host {
                host: self.name.clone(),
                failures: state.failures,
                last: received.name(),
            }),
        }
    }
}

/// The name of the host of a location: that of its server, or the bucket.
pub(crate) fn host_of(location: &Location) -> String {
    host_of_url(location.url())
}

/// The name of the host of a URL.
pub(crate) fn host_of_url(url: &Url) -> String {
    match url.host_str() {
        Some(host) => host.to_owned(),
        None => "this machine".to_owned(),
    }
}
