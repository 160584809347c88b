//! The tests of the crate in one program, which is linked once.

mod answers;
mod common;
mod lines;
mod pace;
mod plans;
mod progress;
mod selection;
