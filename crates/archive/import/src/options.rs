//! Settings of an import of WARC files.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use warc::Limits;

/// Settings of an import.
#[derive(Debug, Clone)]
pub struct Options {
    /// Files that are read at a time. A higher number needs more memory and disk.
    pub files_at_a_time: NonZeroUsize,
    /// The URL or folder that the lines of lists of paths are relative to. Without it, they are
    /// relative to the folder of the list.
    pub base: Option<String>,
    /// The memory of one record.
    pub limits: Limits,
    /// Folder of temporary files, which have the HTML of the inputs that are read. Without it, they are
    /// in `TMPDIR`.
    pub spill_dir: Option<PathBuf>,
}

impl Default for Options {
    /// Two files at a time.
    fn default() -> Self {
        Self {
            files_at_a_time: NonZeroUsize::MIN.saturating_add(1),
            base: None,
            limits: Limits::default(),
            spill_dir: None,
        }
    }
}
