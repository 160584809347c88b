//! The output tables as they are now: their versions, and the rows of `runs`. The checks before a run and the status of
//! a job read them.

pub(crate) mod delta_scan;
mod file_statistics;
pub(crate) mod runs_table;
pub(crate) mod table_dates;
pub(crate) mod table_files;
pub(crate) mod tables_snapshot;
