//! The tests of the crate in one program, which is linked once.

mod charsets;
mod encodings;
mod examples;
mod hostile;
mod pages;
mod units;
mod vectors;
