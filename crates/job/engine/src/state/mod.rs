//! Questions about the output tables: the dates that were run, SQL, the labels of a page,
//! and URL rules.

pub(crate) mod delta_scan;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod learned_parameters;
pub(crate) mod near_duplicates;
pub(crate) mod register_parquet;
pub(crate) mod robots_allowed;
pub(crate) mod rules_check;
pub(crate) mod rules_learn;
pub(crate) mod runs_table;
pub(crate) mod sql;
pub(crate) mod status;
pub(crate) mod tables_snapshot;
