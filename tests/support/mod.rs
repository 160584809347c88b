//! Archives to feed the binary with, a job to run, and its tables.

mod archive;
mod job;
mod site;
mod tables;

use std::path::PathBuf;

pub(crate) use archive::{Row, batch, micros, write, write_batch, write_groups};
pub(crate) use job::{Job, text};
pub(crate) use site::{Site, paragraph};
pub(crate) use tables::{Snapshot, assert_same, contents, contents_anywhere, difference};

/// A folder of the data that is shared beside the repository, if it is there.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("URLTREE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let path = root.join(folder).canonicalize().ok()?;
    path.is_dir().then_some(path)
}
