//! The material of comparisons: files beside the repository, never in it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;

/// The file or folder `part` of the shared material: under `URLTREE_SHARED`, or
/// in a folder `shared` beside the repository. Where it is missing, says on
/// stderr that `test` is skipped.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn material(test: &str, part: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("URLTREE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared")),
        PathBuf::from,
    );
    let path = shared.join(part);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED {test}: no {}", path.display());
    None
}

/// The rows of a JSON Lines file, which may be gzipped (`.gz`).
///
/// # Panics
///
/// If the file cannot be read, has no row, or has one that is no `T`.
pub fn rows<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let place = path.display();
    let file = File::open(path).unwrap_or_else(|error| panic!("{place}: {error}"));
    let bytes: Box<dyn Read> = match path.extension().is_some_and(|end| end == "gz") {
        true => Box::new(GzDecoder::new(file)),
        false => Box::new(file),
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
