//! Runs a range of dates as a chain of chunks, and everything a run checks first.

pub(crate) mod backfill;
pub(crate) mod chunk;
pub(crate) mod failure;
pub(crate) mod relabel;
pub(crate) mod resume;
pub(crate) mod update;
pub(crate) mod vacuum;
pub(crate) mod warnings;
