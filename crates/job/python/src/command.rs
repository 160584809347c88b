//! The command `urltree`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, of which the first is the name of the program, and returns
/// its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| urltree::main(args))
}
