//! The tests of the crate in one program, which is linked once.

mod code;
mod common;
mod empty;
mod formulas;
mod laws;
mod link_list;
mod links;
mod oracle;
mod structure;
mod trafilatura;
