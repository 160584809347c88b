//! The tests of the crate in one program, which is linked once.

#[macro_use]
mod sketch;

mod copies;
mod figures;
mod kinds;
mod laws;
mod marks;
mod pages;
mod prior;
mod table;
mod twins;
mod units;
