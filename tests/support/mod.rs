//! Makes archives, runs jobs, and reads their tables.

mod archive;
pub(crate) mod busy;
mod examples;
mod job;
mod kept;
pub(crate) mod noisy;
mod queries;
mod s3;
mod served;
mod site;
mod tables;
mod watched;

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

pub(crate) use archive::{
    Row, batch, changed, micros, write, write_batch, write_groups, write_rows,
};
pub(crate) use examples::{copy_jobs, type_examples, write_texts};
pub(crate) use job::{
    Finished, Job, finished, program, run_in, signal, small_disk, text, urltree, urltree_command,
    urltree_in, wrapped,
};
pub(crate) use kept::kept;
pub(crate) use s3::{
    KEYS, Store, TOKEN, assert_no_secret, assert_silent, credentials, files, signing,
};
pub(crate) use served::{Response, Served};
pub(crate) use site::{GAMMA, Site, mix, paragraph};
pub(crate) use tables::{
    Snapshot, assert_same, contents, contents_anywhere, difference, load, save,
};
pub(crate) use watched::{can_watch, watched};

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

/// Returns a folder or a file of `shared`, which is beside the repository. If it is missing,
/// prints that the test is skipped.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("URLTREE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared")),
        PathBuf::from,
    );
    let path = root.join(name);
    let found = path.canonicalize().ok();
    if found.is_none() {
        skip(path.display());
    }
    found
}

/// Prints that the test is skipped because something is missing.
pub(crate) fn skip(missing: impl Display) {
    // The thread of a test has the name of the test.
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // `eprintln!` would be captured, and not shown for a test that passes.
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: no {missing}");
}

/// Finds an interpreter of Python that has `packages`, which are names with commas between them.
/// Without `URLTREE_PYTHON` they may be missing, and the test is skipped.
pub(crate) fn python(packages: &str) -> Option<String> {
    let named = std::env::var("URLTREE_PYTHON").ok();
    let python = named.clone().unwrap_or_else(|| "python3".to_owned());
    let import = format!("import {packages}");
    let probe = Command::new(&python).args(["-c", &import]).output();
    if probe.is_ok_and(|probe| probe.status.success()) {
        return Some(python);
    }
    assert!(
        named.is_none(),
        "{python} lacks packages of tests/elsewhere/requirements.txt"
    );
    skip("Python with the packages of tests/elsewhere/requirements.txt");
    None
}
