//! The time of polls.

use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};

/// The source of the time.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> DateTime<Utc>;
}

/// The time of the machine.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// A clock that was set to a given time, for tests of days that have passed.
#[derive(Debug, Clone, Copy)]
pub struct TimeFrom {
    start: DateTime<Utc>,
    began: Instant,
}

impl TimeFrom {
    /// It is `start` now.
    pub fn new(start: DateTime<Utc>) -> Self {
        Self {
            start,
            began: Instant::now(),
        }
    }
}

impl Clock for TimeFrom {
    fn now(&self) -> DateTime<Utc> {
        let passed = TimeDelta::from_std(self.began.elapsed()).unwrap_or_default();
        self.start + passed
    }
}
