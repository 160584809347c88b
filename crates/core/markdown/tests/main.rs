//! The tests of the crate in one program, which is linked once.

mod code;
mod common;
mod laws;
mod oracle;
mod structure;
mod trafilatura;
