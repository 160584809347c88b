//! The rows of earlier dates that a chunk needs: known URL keys and windows, from the output tables and from the roll-ups of
//! closed months.

pub(crate) mod chunk_keys;
pub(crate) mod key_hash;
pub(crate) mod known_rows;
pub(crate) mod learned;
pub(crate) mod monthly_rollup;
pub(crate) mod prior_table;
pub(crate) mod shared_keys;
pub(crate) mod state;
