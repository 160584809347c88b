//! The base of a URL, and its columns.

use url_parameters::Openness;

use crate::plan::columns::column::{Named, column};
use crate::plan::prior::key_hash::hash;

/// The base of a URL, by which pages are compared. A URL without parts, or with parts that a rule decides about, is
/// its own base.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    /// Hash of the base.
    pub(crate) hash: i64,
    pub(crate) has_parts: bool,
    pub(crate) openness: Openness,
}

impl Base {
    /// The base of a URL without parts: its key.
    pub(crate) fn of_key(key: &str) -> Self {
        Self {
            hash: hash(key),
            has_parts: false,
            openness: Openness::Settled,
        }
    }
}

/// Returns the columns of the bases of rows.
pub(crate) fn base_columns(bases: &[Option<Base>]) -> [Named; 2] {
    [
        column("base_hash", bases, |base| Some(base.as_ref()?.hash)),
        column("openness", bases, |base| {
            Some(base.as_ref()?.openness as i32)
        }),
    ]
}
