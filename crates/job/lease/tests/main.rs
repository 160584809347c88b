//! The tests of the crate in one program, which is linked once.

mod every_request;
mod interleavings;
mod leases;
mod mutations;
mod simulation;
