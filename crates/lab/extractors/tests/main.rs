//! The tests of the crate in one program, which is linked once.

mod any_page;
mod hostile;
mod nce;
mod sites;
