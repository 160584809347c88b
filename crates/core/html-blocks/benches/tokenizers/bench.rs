//! Measures the processor time for the blocks and hashes of pages with three tokenizers: that
//! of urltree-html-blocks, html5gum and lol_html. The block builder is the same.
//!
//! The pages are the files of the folder `URLTREE_BENCH_PAGES`. All tokenizers get the decoded
//! text of a page. The tokenizers take turns, and the fastest of [`PASSES`] passes counts: this
//! gives the same ratios on a busy machine. The program also prints the number of pages for which
//! a tokenizer gives the blocks of urltree-html-blocks.
//!
//! ```text
//! URLTREE_BENCH_PAGES=FOLDER cargo run --release --target-dir target/tokenizers \
//!     --manifest-path crates/core/html-blocks/benches/tokenizers/Cargo.toml
//! ```

mod gum;
mod lol;

use std::hint::black_box;
use std::path::PathBuf;

use html_blocks::{BlockOptions, SplitList, TextBlock, decode, page};
use rustix::time::{ClockId, clock_gettime};

/// Passes over the pages for each tokenizer.
const PASSES: usize = 30;

type Blocks = fn(&str, &BlockOptions) -> Vec<TextBlock>;

const TOKENIZERS: [(&str, Blocks); 3] = [
    ("urltree", ours),
    ("html5gum", gum::blocks),
    ("lol_html", lol::blocks),
];

fn main() {
    // Other tokenizers give no attributes but class and id, which the default reads.
    let mut options = BlockOptions::default();
    options.split = SplitList::Original;
    let pages = pages();
    let bytes: usize = pages.iter().map(String::len).sum();
    let mut seconds = [f64::INFINITY; TOKENIZERS.len()];
    for _ in 0..PASSES {
        for ((_, blocks), fastest) in TOKENIZERS.iter().zip(&mut seconds) {
            let start = cpu_seconds();
            for page in &pages {
                black_box(blocks(page, &options));
            }
            *fastest = fastest.min(cpu_seconds() - start);
        }
    }
    for ((name, blocks), fastest) in TOKENIZERS.iter().zip(seconds) {
        let equal = |page: &&String| blocks(page, &options) == ours(page, &options);
        println!(
            "{name}: {:.0} MB/s, {:.2} of urltree, same blocks for {} of {} pages",
            bytes as f64 / 1e6 / fastest,
            seconds[0] / fastest,
            pages.iter().filter(equal).count(),
            pages.len()
        );
    }
}

/// Processor time of this process.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The text of each page. Files that are not pages are left out.
fn pages() -> Vec<String> {
    let folder = std::env::var_os("URLTREE_BENCH_PAGES").expect("URLTREE_BENCH_PAGES is set");
    let listing = std::fs::read_dir(PathBuf::from(folder)).expect("a folder of pages");
    let mut paths: Vec<_> = listing.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let read = |path: &PathBuf| decode(&std::fs::read(path).expect("a page"), None).ok();
    paths.iter().filter_map(read).collect()
}

fn ours(text: &str, options: &BlockOptions) -> Vec<TextBlock> {
    page(text.as_bytes(), Some("utf-8"), options).map_or_else(|_| Vec::new(), |page| page.blocks)
}
