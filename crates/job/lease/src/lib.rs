#![doc = include_str!("../README.md")]
//!
//! ## The simulation
//!
//! `tests/` runs this code, and no copy of it, in ten thousand interleavings: processes over a simulated store with
//! delays, lost answers and late duplicates, each with its own rate of time, some of them frozen or killed. A
//! seed is one run, and `make interleavings SEED=N` repeats it with its events.
//!
//! The scheduler of the simulation is its own, behind [`Host`], as SlateDB's clock is. turmoil simulates
//! networks, of which an object store shows nothing; madsim replaces tokio in every crate of the build; loom
//! and shuttle explore the threads of one process. tokio's paused clock needs its feature `test-util`, with
//! which tests would compile every crate above tokio again, and it cannot freeze one process of several.

mod commit;
mod error;
mod fail_point;
mod fence;
mod heartbeat;
mod host;
mod idempotent_puts;
mod lease;
mod owned_tables;
mod record;
mod refresh;
mod store;
mod tables;
mod units;
mod vacuum;

pub use commit::{commit_chunk, replace};
pub use error::{CommitError, LeaseError, OwnerError, StoreError};
#[doc(hidden)]
pub use fail_point::fail_point;
pub use fence::{fence, fencing_token};
pub use host::{Host, ThisProcess};
pub use idempotent_puts::IdempotentPuts;
pub use lease::Lease;
pub use owned_tables::OwnedTables;
pub use record::{LeaseEntry, LeaseRecord, LeaseState};
pub use refresh::refresh;
pub use store::LeaseStore;
pub use tables::{FENCING_TRANSACTION, Tables};
pub use units::Units;
pub use vacuum::{Vacuumed, remove_unreferenced, vacuum};
