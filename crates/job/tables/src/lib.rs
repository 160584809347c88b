//! The tables of a job: what their columns are, where they lie, how they are
//! cut into partitions, and how a change to them becomes visible.
//!
//! - [`Table`] names a table; its Arrow schema is read from `schemas/*.sql`,
//!   the one place where columns and their meaning are written down.
//! - [`Location`] is an object or a folder on a disk or in an object store.
//! - [`Partitioning`] says which dates a partition holds.
//! - [`Output`] opens the Delta tables below a location, gives writers for new
//!   data files, and commits: whole partitions are replaced, in one commit per
//!   table, so that a reader sees the old rows or the new ones.
//! - [`Claims`] say whose turn it is to change them, and [`Garbage`] is what is
//!   left behind.
//!
//! ```
//! use tables::{Partitioning, Table};
//!
//! let schema = Table::Documents.schema(Partitioning::Month);
//! assert!(schema.column_with_name("text").is_some());
//! assert!(schema.column_with_name("month").is_some());
//! let date = "2011-10-24".parse().unwrap();
//! assert_eq!(Partitioning::Month.value(date), "2011-10");
//! ```
//!
//! The crate knows nothing about pages, keys or trees, and plans no queries.

mod claim;
mod connection;
mod data_files;
mod error;
mod fail_point;
mod fence;
mod garbage;
mod location;
mod output;
mod own_puts;
mod partition;
mod patience;
mod quarantine;
mod s3_error;
mod schema;
mod sink;
mod spool;
mod store;

pub use claim::{Claim, ClaimState, Claims, NumberedClaim};
pub use error::TableError;
#[doc(hidden)]
pub use fail_point::fail_point;
pub use garbage::{Garbage, GarbageCause, LONGEST_KEEP};
pub use location::{Location, LocationError, without_secrets};
pub use output::{Output, Replacement};
pub use partition::{
    DateRange, DateRangeError, Partitioning, add_adjacent, date_from_days, days_from_date,
};
pub use patience::Patience;
pub use quarantine::Reason;
pub use schema::{Table, archive_schema};
pub use sink::{CLOSING_FILES, SinkSize, TableSink};
