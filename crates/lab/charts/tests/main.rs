//! The tests of the crate in one program, which is linked once.

mod names;
mod structure;
