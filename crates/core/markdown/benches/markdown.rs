//! Measures what Markdown costs per page: collecting the markup beside the blocks, its bytes, and
//! writing; and htmd on the same pages.
//!
//! The pages are the files of the folder `URLTREE_BENCH_PAGES`, or generated pages of
//! `urltree-sample`. Divide the time of a measurement by the number of pages, which is printed first.

#[path = "../../html-blocks/benches/pages/mod.rs"]
mod pages;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use html_blocks::{BlockOptions, Page, decode, page, page_with};
use markdown::{MarkdownOptions, Markup, markdown};
use pages::pages;

/// The texts of a page and their labels: content is what is outside of boilerplate elements.
fn texts(page: &Page) -> (Vec<&str>, Vec<bool>) {
    let texts = page.blocks.iter().map(|block| block.text.as_str());
    let content = page.blocks.iter().map(|block| !block.chrome);
    (texts.collect(), content.collect())
}

#[allow(clippy::print_stderr, reason = "a figure to divide by")]
fn bench(criterion: &mut Criterion) {
    let options = BlockOptions::default();
    let everything = MarkdownOptions::default()
        .with_links(true)
        .with_images(true);
    let pages = pages();
    let read = |bytes: &Vec<u8>| page_with(bytes, None, &options, Markup::default());
    let collected: Vec<(Page, Markup)> =
        pages.iter().filter_map(|bytes| read(bytes).ok()).collect();
    let bytes: usize = collected
        .iter()
        .map(|(_, markup)| markup.to_bytes().len())
        .sum();
    let decoded: Vec<String> = pages
        .iter()
        .filter_map(|bytes| decode(bytes, None).ok())
        .collect();
    eprintln!(
        "{} pages, {} bytes of HTML and {} of markup a page",
        pages.len(),
        pages.iter().map(Vec::len).sum::<usize>() / pages.len(),
        bytes / pages.len()
    );

    let mut group = criterion.benchmark_group("markdown");
    group.sample_size(20);
    group.bench_function("blocks alone", |bencher| {
        bencher.iter(|| {
            pages
                .iter()
                .for_each(|bytes| drop(black_box(page(bytes, None, &options))))
        });
    });
    group.bench_function("blocks and markup", |bencher| {
        bencher.iter(|| pages.iter().for_each(|bytes| drop(black_box(read(bytes)))));
    });
    group.bench_function("markup to bytes and back", |bencher| {
        bencher.iter(|| {
            for (_, markup) in &collected {
                black_box(Markup::from_bytes(&markup.to_bytes()).expect("its own bytes"));
            }
        });
    });
    group.bench_function("write", |bencher| {
        bencher.iter(|| {
            for (page, markup) in &collected {
                let (texts, content) = texts(page);
                let address = "http://www.sample.example/news/1.html";
                let written = markdown(&texts, &content, markup, address, &everything);
                black_box(written.expect("its own markup"));
            }
        });
    });
    group.bench_function("htmd, whole pages", |bencher| {
        bencher.iter(|| {
            decoded
                .iter()
                .for_each(|page| drop(black_box(htmd::convert(page))))
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
