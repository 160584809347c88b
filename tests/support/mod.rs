//! Archives to feed the binary with, a job to run, and its tables.

mod archive;
mod job;
mod s3;
mod site;
mod tables;
mod watched;

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;

pub(crate) use archive::{
    Row, batch, changed, micros, with_gold, write, write_batch, write_groups, write_rows,
};
pub(crate) use job::{Finished, Job, text, urltree, urltree_in};
pub(crate) use s3::{KEYS, Store, TOKEN, assert_no_secret, assert_silent, files, signing};
pub(crate) use site::{GAMMA, Site, mix, paragraph};
pub(crate) use tables::{Snapshot, assert_same, contents, contents_anywhere, difference};
pub(crate) use watched::can_watch;

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

/// A folder of the data that is shared beside the repository; where it is
/// missing, says which test skips for want of it.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("URLTREE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared")),
        PathBuf::from,
    );
    let path = root.join(folder);
    let found = path.canonicalize().ok().filter(|path| path.is_dir());
    if found.is_none() {
        skip(path.display());
    }
    found
}

/// Says that the test skips for want of something.
pub(crate) fn skip(missing: impl Display) {
    // A test runs on a thread of its name.
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Not `eprintln!`, which a test that passes keeps to itself.
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: no {missing}");
}
