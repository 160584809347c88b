//! The operators below the steps, and the memory they share.

pub(crate) mod coalesce;
pub(crate) mod cpu_metrics;
pub(crate) mod label_queue;
pub(crate) mod memory_pool;
pub(crate) mod row_spill;
pub(crate) mod step;
