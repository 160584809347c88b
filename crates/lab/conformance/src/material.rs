//! The material of comparisons: files outside of the repository.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;

/// Returns the path of the file or folder `part` of the shared material, which is in
/// `URLTREE_SHARED` or in a folder `shared` beside the repository. If it is missing,
/// prints to stderr that `test` is skipped.
#[expect(clippy::print_stderr, reason = "a test that is skipped reports it")]
pub fn material(test: &str, part: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("URLTREE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared")),
        PathBuf::from,
    );
    let path = shared.join(part);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED {test}: {} does not exist", path.display());
    None
}

/// Reads the rows of a JSON Lines file, which may be gzipped (`.gz`).
///
/// # Panics
///
/// If the file cannot be read, has no rows, or has a row that is not a `T`.
pub fn rows<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let place = path.display();
    let file = File::open(path).unwrap_or_else(|error| panic!("{place}: {error}"));
    let bytes: Box<dyn Read> = if path.extension().is_some_and(|end| end == "gz") {
        Box::new(GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let rows: Vec<T> = BufReader::new(bytes)
        .lines()
        .zip(1..)
        .map(|(line, number)| {
            let line = line.unwrap_or_else(|error| panic!("{place}:{number}: {error}"));
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{place}:{number}: {error}"))
        })
        .collect();
    assert!(!rows.is_empty(), "{place} is empty");
    rows
}
