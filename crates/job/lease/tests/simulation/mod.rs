//! A simulation of processes that share tables: one deterministic run per seed.
//!
//! - `scheduler` polls the tasks of processes, one at a time, in an order that the seed decides. It has the time.
//! - `process` has the state of a process, and gives it time: a [`Host`](lease::Host).
//! - `network` carries requests: it delays, loses and repeats them. `objects` is the store behind it.
//! - `tables` are tables with a log in that store. They stand for `deltalake` alone.
//! - `actors` are the programs: runs, updates, vacuums and readers; `units` are runs by units and shares of them. Leases, fencing and the order of commits are those of the crate.
//! - `plan` draws the actors and faults of a seed, `checks` has the invariants, and `run` puts all together.

pub(crate) mod actors;
pub(crate) mod checks;
pub(crate) mod network;
pub(crate) mod objects;
pub(crate) mod plan;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod run;
pub(crate) mod scheduler;
pub(crate) mod tables;
pub(crate) mod trace;
mod units;
mod vacuum;

pub(crate) use network::Network;
pub(crate) use plan::{Mutation, Plan, Planned, Program};
pub(crate) use process::Fault;
pub(crate) use run::{Outcome, simulate, simulate_plan};
