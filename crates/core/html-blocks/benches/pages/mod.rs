//! The pages of benchmarks: the files of the folder `URLTREE_BENCH_PAGES`, or generated pages of
//! `urltree-sample`.

use std::path::Path;

use chrono::NaiveDate;
use html_blocks::decode;
use sample::SampleOptions;

/// The bytes of each page. Files that are not pages are left out.
pub(crate) fn pages() -> Vec<Vec<u8>> {
    let mut pages = match std::env::var_os("URLTREE_BENCH_PAGES") {
        Some(folder) => files(folder.as_ref()),
        None => generated(),
    };
    pages.retain(|page| decode(page, None).is_ok());
    assert!(!pages.is_empty(), "there are no pages");
    pages
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let listing = std::fs::read_dir(folder).expect("a folder of pages");
    let mut paths: Vec<_> = listing.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let read = |path| std::fs::read(path).expect("a page");
    paths.iter().map(read).collect()
}

fn generated() -> Vec<Vec<u8>> {
    let date = |day| NaiveDate::from_ymd_opt(2011, 10, day).expect("a date");
    let options = SampleOptions {
        first: date(24),
        last: date(25),
        pages: 300,
        seed: 1,
    };
    sample::pages(&options).map(|page| page.html).collect()
}
