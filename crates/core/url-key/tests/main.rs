//! The tests of the crate in one program, which is linked once.

mod common;
mod examples;
mod laws;
mod original;
mod paper;
mod rule_files;
mod surt;
mod vectors;
