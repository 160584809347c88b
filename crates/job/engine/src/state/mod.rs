//! Questions about the output tables: the dates that were run, SQL, the labels of a page,
//! and URL rules.

pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod learned_parameters;
pub(crate) mod near_duplicates;
pub(crate) mod register_parquet;
pub(crate) mod robots_allowed;
pub(crate) mod rules_check;
pub(crate) mod rules_learn;
pub(crate) mod sql;
pub(crate) mod status;
