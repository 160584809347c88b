//! The base of a URL, and its columns.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Builder, Int64Builder};
use url_parameters::Openness;

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

/// Builds the columns of a [`Base`].
#[derive(Default)]
pub(crate) struct BaseColumns {
    hash: Int64Builder,
    openness: Int32Builder,
}

impl BaseColumns {
    pub(crate) fn append(&mut self, base: Option<Base>) {
        self.hash.append_option(base.map(|base| base.hash));
        self.openness
            .append_option(base.map(|base| base.openness as i32));
    }

    pub(crate) fn finish(mut self) -> [(&'static str, ArrayRef); 2] {
        [
            ("base_hash", Arc::new(self.hash.finish())),
            ("openness", Arc::new(self.openness.finish())),
        ]
    }
}
