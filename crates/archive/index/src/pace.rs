//! When a host may be asked next.

use std::time::Duration;

use feeds::Backoff;
use serde::{Deserialize, Serialize};

/// Seconds of a day.
const DAY: u64 = 86_400;

/// How a host is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    /// Most requests at a time; 0 is read as 1. Default 2. A higher value is faster until the server refuses.
    pub at_once: usize,
    /// The wait after 403, 429, 503 or `Retry-After`. Default: 10 seconds, doubled up to 30 minutes; not measured.
    pub backoff: Backoff,
    /// Most requests of a day, in UTC. Default: any number.
    pub requests_a_day: Option<u64>,
    /// Most bytes of a day, in UTC. Default: any number.
    pub bytes_a_day: Option<u64>,
}

impl Default for Manners {
    fn default() -> Self {
        Self {
            at_once: 2,
            backoff: Backoff {
                first: Duration::from_secs(10),
                longest: Duration::from_secs(1_800),
            },
            requests_a_day: None,
            bytes_a_day: None,
        }
    }
}

/// The part of the budget of a day that is used. It is kept with the [`Progress`](crate::Progress), because a program that is killed
/// and continues has no second budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Days since 1970, UTC.
    pub day: u64,
    /// Requests of this day.
    pub requests: u64,
    /// Bytes of this day: those received, and those that running requests ask for.
    pub bytes: u64,
}

impl Spent {
    /// The budget at `now`. A clock that goes back opens no new day.
    fn at(self, now: u64) -> Self {
        match now / DAY {
            day if day > self.day => Self {
                day,
                ..Self::default()
            },
            _ => self,
        }
    }
}

/// The state of one host. All times are seconds since 1970, UTC, and the caller's.
#[derive(Debug, Clone)]
pub struct Pace {
    manners: Manners,
    running: usize,
    failures: u32,
    closed_until: u64,
    spent: Spent,
}

/// When the next request may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Now.
    Now,
    /// At this time, in seconds since 1970, UTC.
    At(u64),
    /// After the end of a request that is running.
    AfterAnswer,
    /// On no day: the request alone is above the budget of a day.
    Never,
}

/// The end of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ended {
    /// Bytes that the request has asked for.
    pub asked_bytes: u64,
    /// Bytes that were received.
    pub received_bytes: u64,
    /// Status, or `None` without an answer.
    pub status: Option<u16>,
    /// Seconds of `Retry-After`. [`feeds::retry_after`] reads the header.
    pub retry_after: Option<u64>,
}

impl Pace {
    /// A host that has not been asked since `spent`, which is the default at the first start.
    pub fn new(manners: Manners, spent: Spent) -> Self {
        Self {
            manners,
            running: 0,
            failures: 0,
            closed_until: 0,
            spent,
        }
    }

    /// When a request for `bytes` may begin.
    pub fn next(&self, bytes: u64, now: u64) -> Next {
        let requests = self.manners.requests_a_day.unwrap_or(u64::MAX);
        let most = self.manners.bytes_a_day.unwrap_or(u64::MAX);
        let spent = self.spent.at(now);
        if requests == 0 || bytes > most {
            Next::Never
        } else if self.running >= self.manners.at_once.max(1) {
            Next::AfterAnswer
        } else if now < self.closed_until {
            Next::At(self.closed_until)
        } else if spent.requests >= requests || spent.bytes.saturating_add(bytes) > most {
            Next::At(spent.day.saturating_add(1).saturating_mul(DAY))
        } else {
            Next::Now
        }
    }

    /// A request for `bytes` begins.
    pub fn begin(&mut self, bytes: u64, now: u64) {
        self.running += 1;
        self.spent = self.spent.at(now);
        self.spent.requests = self.spent.requests.saturating_add(1);
        self.spent.bytes = self.spent.bytes.saturating_add(bytes);
    }

    /// A request ends.
    pub fn end(&mut self, ended: Ended, now: u64) {
        self.running = self.running.saturating_sub(1);
        self.spent = self.spent.at(now);
        let others = self.spent.bytes.saturating_sub(ended.asked_bytes);
        self.spent.bytes = others.saturating_add(ended.received_bytes);
        let is_refused = matches!(ended.status, Some(403 | 429 | 503));
        let is_open = now >= self.closed_until;
        if is_refused || ended.retry_after.is_some() {
            // Refusals of requests that ran together are one failure.
            self.failures = self.failures.saturating_add(u32::from(is_open));
            let asked = ended.retry_after.map(Duration::from_secs);
            let wait = self.manners.backoff.wait(self.failures, asked);
            let seconds = wait
                .as_secs()
                .saturating_add(u64::from(wait.subsec_nanos() > 0));
            let until = now.saturating_add(seconds);
            self.closed_until = self.closed_until.max(until);
        } else if is_open && matches!(ended.status, Some(200..=299)) {
            self.failures = 0;
        }
    }

    /// Refusals in a row. The caller decides after how many it gives up.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// The part of the budget that is used.
    pub fn spent(&self) -> Spent {
        self.spent
    }
}
