//! Runs a range of dates as a sequence of chunks, after the checks that need no page.

pub(crate) mod backfill;
pub(crate) mod chunk;
mod commit;
pub(crate) mod failure;
pub(crate) mod missing_pages;
pub(crate) mod partition;
pub(crate) mod relabel;
pub(crate) mod resume;
mod runs_rows;
pub(crate) mod share;
mod tries;
mod units;
pub(crate) mod update;
pub(crate) mod vacuum;
pub(crate) mod warnings;
