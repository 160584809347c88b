//! The turns of hosts: one request at a time, with a delay, and the rules of robots.txt.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use text::robots::Robots;
use tokio::sync::{OnceCell, OwnedMutexGuard};
use tokio::time::Instant;
use url::Url;

use crate::failure::Failure;

/// The rules of a host, or why it cannot be reached.
pub(crate) type RobotsResult = Result<Robots, Failure>;

/// Hosts of one poll.
#[derive(Debug)]
pub(crate) struct Hosts {
    delay: Duration,
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Host>>>>,
    robots: Mutex<HashMap<String, Arc<OnceCell<RobotsResult>>>>,
}

#[derive(Debug, Default)]
struct Host {
    /// Not requested before this.
    free_at: Option<Instant>,
    /// The time that the host asked for with `Retry-After`.
    closed_for: Option<Duration>,
}

/// The right to send one request to a host. The delay begins when it is dropped.
pub(crate) struct Turn {
    host: OwnedMutexGuard<Host>,
    delay: Duration,
}

impl Hosts {
    pub(crate) fn new(delay: Duration) -> Self {
        Self {
            delay,
            turns: Mutex::default(),
            robots: Mutex::default(),
        }
    }

    /// Waits for the turn of a request. `asked` is the delay that robots.txt asks for.
    pub(crate) async fn turn(&self, url: &Url, asked: Option<Duration>) -> Result<Turn, Failure> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let host = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(host).or_default())
        };
        let host = host.lock_owned().await;
        if let Some(closed_for) = host.closed_for {
            return Err(Failure::Waits(closed_for));
        }
        if let Some(free_at) = host.free_at {
            tokio::time::sleep_until(free_at).await;
        }
        let delay = self.delay.max(asked.unwrap_or_default());
        Ok(Turn { host, delay })
    }

    /// The rules of a host, which are asked for once: the first caller's `read` reads them.
    pub(crate) fn robots(&self, url: &Url) -> Arc<OnceCell<RobotsResult>> {
        let origin = url.origin().ascii_serialization();
        let mut robots = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(robots.entry(origin).or_default())
    }
}

impl Turn {
    /// The host asks for time: no more requests in this poll.
    pub(crate) fn close(&mut self, time: Duration) {
        self.host.closed_for = Some(time);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.host.free_at = Some(Instant::now() + self.delay);
    }
}
