//! Tests of the product as its users meet it: archives go in as Parquet files,
//! the binary `urltree` runs, and its tables are read with `urltree sql`.
//!
//! Archives are made up by [`support`], but for the real sites of `streams` and
//! `law`, which lie outside the repository: tests that need them say so and pass
//! where they are missing.

mod accuracy;
mod archives;
mod chaos;
mod claims;
mod dependencies;
mod elsewhere;
mod eval;
mod faults;
mod hostile;
mod jobs;
mod keys;
mod law;
mod manners;
mod memory;
mod objects;
mod paper;
mod poison;
mod refusals;
mod sample;
mod soak;
mod storage;
mod streams;
mod support;
mod untrusted;
mod update;
mod vacuum;
