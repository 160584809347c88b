//! What several tests need, made once for a build and kept below `target/`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::job::PROGRAM;

/// The folder `name`, which `make` fills. nextest runs each test in a process of its own: the first that
/// needs the folder makes it, and the others wait.
pub(crate) fn kept(name: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&root).expect("a folder");
    let lock = File::create(root.join("lock")).expect("a file");
    lock.lock().expect("a lock");
    let folder = root.join(build());
    if folder.exists() {
        return folder;
    }
    // Folders of other builds, and of a maker that failed.
    for entry in root.read_dir().expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            std::fs::remove_dir_all(path).expect("an old folder");
        }
    }
    let partial = root.join("partial");
    std::fs::create_dir(&partial).expect("a folder");
    make(&partial);
    std::fs::rename(partial, &folder).expect("a whole folder");
    folder
}

/// Differs between builds of the binary and of the tests: their lengths and times.
fn build() -> String {
    let tests = std::env::current_exe().expect("a program");
    let parts = [Path::new(PROGRAM), &tests].map(|program| {
        let file = program.metadata().expect("a program");
        let time = file.modified().expect("a time");
        let time = time.duration_since(UNIX_EPOCH).expect("a time since 1970");
        format!("{}-{}", file.len(), time.as_nanos())
    });
    parts.join("-")
}
