//! Imports by an index, over files that the tests write and a server in the test program.

mod common;
mod faults;
mod forms;
mod killed;
mod many;
mod real;
mod server;
