//! `urltree`: clean text from crawl archives. The command is in the library of this package.

use std::process::ExitCode;

/// Tokenizing makes many small allocations on many threads, and memory allocated in one
/// chunk of a long run is freed in the next.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(urltree::main(std::env::args_os()))
}
