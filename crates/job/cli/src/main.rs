//! `urltree`: clean text from crawl archives. The command is in the library of this package.

use std::process::ExitCode;

/// Tokenizing makes many small allocations on many threads, and memory allocated in one
/// chunk of a long run is freed in the next.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// deltalake aborts an upload that has failed, which panics in object_store, and catches that. The run
/// reports why it failed. It is so with deltalake 1.1 and object_store 0.13.
const ABORTED_UPLOAD: &str = "Already shut down";

fn main() -> ExitCode {
    boundary::silence_caught_panics(&[ABORTED_UPLOAD]);
    ExitCode::from(urltree::main(std::env::args_os()))
}
