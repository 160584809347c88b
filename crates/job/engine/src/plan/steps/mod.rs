//! The six steps of a plan: scan, key, dedupe, block, replay, write.

pub(crate) mod alias;
pub(crate) mod block;
pub(crate) mod dedupe;
pub(crate) mod domain_stream;
pub(crate) mod key;
mod later_copies;
pub(crate) mod parse_pages;
pub(crate) mod replay;
mod revision_pages;
pub(crate) mod scan;
pub(crate) mod write;

#[cfg(test)]
mod tests;
