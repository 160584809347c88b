//! Tests of `urltree-lab`: the program compares texts with gold texts, and quality does not fall.
//!
//! - `accuracy`: quality is not below its thresholds
//! - `eval`: `urltree-lab eval`, `tune`, `gold`, `extract` and `reproduce`
//! - `examples`: the examples of the help

mod accuracy;
mod eval;
mod examples;
mod gold_rows;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tests of urltree use the rest"
)]
#[path = "../support/mod.rs"]
mod support;
