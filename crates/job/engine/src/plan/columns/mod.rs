//! The columns of the rows between two steps: schemas, readers and builders.

pub(crate) mod base;
pub(crate) mod block_rows;
pub(crate) mod blocks;
pub(crate) mod column;
mod identity;
pub(crate) mod labels;
pub(crate) mod link_rows;
pub(crate) mod page;
pub(crate) mod pages;
pub(crate) mod read_order;
pub(crate) mod said;
pub(crate) mod schemas;
pub(crate) mod select;
pub(crate) mod signal_columns;
pub(crate) mod site_blocks;
pub(crate) mod status;
mod surt_columns;
pub(crate) mod table_rows;
pub(crate) mod url_parameters;
