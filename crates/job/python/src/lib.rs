//! The native module of the Python package `urltree`.
//!
//! It is a thin layer over `site-text` (pages in memory), `engine` (runs of a job) and the library of the
//! command. The package in `python/urltree` is what users import: it has the signatures, their types
//! and their documentation, and turns times into microseconds.
//!
//! # Two wheels
//!
//! The feature `job` is the command, `run` and settings, with all that they link: DataFusion and the clients of stores. Without it
//! the module is `extract` and `Site`, which take some MB. `pyproject.toml` makes a wheel of the module without it, and
//! `job/pyproject.toml` one with it, which the package prefers if it is there.
//!
//! # Locks
//!
//! No function holds the lock of the interpreter while it parses, labels or runs: it borrows the
//! immutable bytes of its arguments, detaches from the interpreter, and attaches to make the result.
//! A `Site` is behind a mutex, which is locked by detached threads only, so the two locks cannot
//! wait for each other.

#[cfg(feature = "job")]
mod command;
mod errors;
mod html;
#[cfg(feature = "job")]
mod logging;
mod metadata;
mod one_page;
mod page;
mod pickled;
#[cfg(feature = "job")]
mod run;
mod settings;
mod site;

/// The native module.
#[pyo3::pymodule]
mod _extension {
    #[cfg(feature = "job")]
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
    #[cfg(feature = "job")]
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::site::Site;

    /// The version of the package and of the command.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
