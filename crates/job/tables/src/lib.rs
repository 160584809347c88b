//! The tables of a job: schemas, locations, partitions, commits and vacuums.
//!
//! - [`Table`] names a table. Its Arrow schema is read from `schemas/*.sql`, which also
//!   documents every column.
//! - [`Location`] is an object or a folder on a disk or in an object store, and
//!   [`RetryPolicy`] limits retries of that store.
//! - [`Partitioning`] maps dates to partitions.
//! - [`Output`] opens the Delta tables below a location and commits to them. A commit
//!   replaces whole partitions of one table: a reader sees the old rows or the new
//!   rows, never both.
//! - [`TableSink`] writes the data files for a commit, and spills rows to a
//!   [`RowSpill`].
//! - [`Output`] has the traits of the crate [`lease`]: the exclusive right to change the tables, and the order of
//!   its commits.
//! - [`TableFormat::Parquet`] keeps the folders of tables right for readers without the log.
//! - [`time_of_text`] and [`time_of_number`] read the times of archives.
//! - [`UnreferencedFile`] is a file that a vacuum may delete.
//! - [`Classified`] gives the class of an error: the party that has to act, and whether the same
//!   command may succeed later.
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
//! The crate plans no queries, and knows no pages, keys or trees. It supports Unix only.

mod archive_file;
mod bucket;
mod data_files;
mod error;
mod error_class;
mod fenced;
mod fencing_transaction;
mod file_names;
mod http_connector;
mod location;
mod merged;
mod output;
mod partition;
mod plain_folders;
mod quarantine;
mod retry;
mod s3_error;
mod schema;
mod sink;
mod small_objects;
mod spill;
mod staged_units;
mod store;
mod table_format;
mod table_version;
mod time;
mod vacuum;

pub use archive_file::{archive_properties, temporary_properties};
pub use bucket::Bucket;
pub use error::{TableError, has_retryable_cause};
pub use error_class::{Classified, ErrorClass};
pub use http_connector::store_requests;
#[doc(hidden)]
pub use lease::fail_point;
pub use location::{Location, LocationError, without_secrets};
pub use output::{Output, Replacement};
pub use partition::{
    DateRange, DateRangeError, Partitioning, add_adjacent, date_from_days, days_from_date,
};
pub use plain_folders::StagedFiles;
pub use quarantine::Reason;
pub use retry::RetryPolicy;
pub use schema::{Table, archive_schema};
pub use sink::{SinkSize, TableSink};
pub use spill::{MemorySpill, RowSpill};
pub use staged_units::{Claims, UNIT_TIME, UnitFiles};
pub use table_format::TableFormat;
pub use table_version::TableVersion;
pub use time::{is_possible_time, time_of_fraction, time_of_number, time_of_text};
pub use vacuum::{MAX_RETENTION, UnreferencedCause, UnreferencedFile};
