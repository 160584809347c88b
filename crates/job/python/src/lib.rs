//! The native module of the Python package `urltree`.
//!
//! It is a thin layer over `site-text` (pages in memory), `engine` (runs of a job) and the library of the
//! command. The package in `python/urltree` is what users import: it has the signatures, their types
//! and their documentation, and turns times into microseconds.
//!
//! # Locks
//!
//! No function holds the lock of the interpreter while it parses, labels or runs: it borrows the
//! immutable bytes of its arguments, detaches from the interpreter, and attaches to make the result.
//! A `Site` is behind a mutex, which is locked by detached threads only, so the two locks cannot
//! wait for each other.

mod command;
mod errors;
mod html;
mod logging;
mod metadata;
mod one_page;
mod page;
mod pickled;
mod run;
mod settings;
mod site;

/// The native module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::command::main;
    #[pymodule_export]
    use crate::errors::{InputError, InternalError, StorageError, UrltreeError, UsageError};
    #[pymodule_export]
    use crate::metadata::Metadata;
    #[pymodule_export]
    use crate::one_page::extract_page;
    #[pymodule_export]
    use crate::page::{Block, Page};
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::site::Site;

    /// The version of the package and of the command.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
