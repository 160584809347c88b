//! Measures the time for the blocks and hashes of pages with three tokenizers: that of
//! urltree-html-blocks, html5gum and lol_html. The block builder is the same.
//!
//! The pages are the files of the folder `URLTREE_BENCH_PAGES`. All tokenizers get the decoded
//! text of a page. Before it measures, the program prints the number of pages for which each
//! tokenizer gives the blocks of urltree-html-blocks.
//!
//! ```text
//! URLTREE_BENCH_PAGES=FOLDER cargo run --release --target-dir target/tokenizers \
//!     --manifest-path crates/core/html-blocks/benches/tokenizers/Cargo.toml -- --bench
//! ```

mod gum;
mod lol;

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use html_blocks::{BlockOptions, TextBlock, decode, page};

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

type Blocks = fn(&str, &BlockOptions) -> Vec<TextBlock>;

const TOKENIZERS: [(&str, Blocks); 3] = [
    ("urltree", ours),
    ("html5gum", gum::blocks),
    ("lol_html", lol::blocks),
];

fn bench(criterion: &mut Criterion) {
    let options = BlockOptions::default();
    let pages = pages();
    let bytes: usize = pages.iter().map(String::len).sum();
    for (name, blocks) in TOKENIZERS {
        let equal = |page: &&String| blocks(page, &options) == ours(page, &options);
        let equal = pages.iter().filter(equal).count();
        println!("{name}: same blocks for {equal} of {} pages", pages.len());
    }
    let mut group = criterion.benchmark_group("blocks");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(bytes as u64));
    for (name, blocks) in TOKENIZERS {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for page in &pages {
                    black_box(blocks(page, &options));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
