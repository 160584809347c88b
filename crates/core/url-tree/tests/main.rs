//! The tests of the crate in one program, which is linked once.

mod domain;
mod examples;
mod laws;
mod memory;
mod model;
mod observed;
mod stream;
mod transitions;
mod vectors;
