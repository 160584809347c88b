//! The six steps of a plan: scan, key, dedupe, block, site, write.

pub(crate) mod block;
pub(crate) mod dedupe;
pub(crate) mod domain_stream;
pub(crate) mod key;
mod known_pages;
mod later_copies;
pub(crate) mod parse_pages;
mod rejected_pages;
mod render;
pub(crate) mod scan;
pub(crate) mod site;
pub(crate) mod site_keys;
pub(crate) mod write;

#[cfg(test)]
mod tests;
