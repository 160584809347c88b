use std::fmt;

use serde::{Deserialize, Serialize};

/// The exclusive right to change the tables of an output, as it is stored.
///
/// A lease is an object named by its fencing token. It is created with
/// put-if-absent, so that of two processes that ask for the next token one gets
/// it. The lease with the highest token is in force. Afterwards only its owner
/// writes the object, and increments [`LeaseRecord::heartbeats`] while it lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRecord {
    /// Distinguishes leases that two processes created under the same token.
    pub id: String,
    /// The reason for the lease, such as `the run of 2011-10-24`.
    pub purpose: String,
    /// The run's request in the `runs` table; `None` if the owner is not a run.
    pub request: Option<String>,
    /// Host name of the owner's machine.
    pub host: String,
    /// Process id of the owner.
    pub process: u32,
    /// Time of acquisition, for people to read.
    pub acquired_at: String,
    /// Milliseconds between two heartbeats.
    pub heartbeat_ms: u64,
    /// Heartbeats so far.
    pub heartbeats: u64,
    /// The owner's state.
    pub state: LeaseState,
}

/// The state that the owner of a lease last wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseState {
    /// The owner is running, or was killed.
    Running,
    /// The owner gave up. A commit that it had already sent may still arrive.
    Stopped,
    /// The owner has made all of its commits.
    Finished,
}

/// A lease and its fencing token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseEntry {
    /// The fencing token, from 1 upwards.
    pub token: i64,
    /// The stored lease.
    pub record: LeaseRecord,
}

impl fmt::Display for LeaseRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            purpose,
            host,
            process,
            acquired_at,
            ..
        } = self;
        write!(
            f,
            "{purpose} (process {process} on {host}, since {acquired_at})"
        )
    }
}
