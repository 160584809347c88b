//! Measures the steps of `page`, and html5ever's tokenizer alone on the same pages.
//! `benches/tokenizers` measures the same blocks with other tokenizers.
//!
//! The pages are the files of the folder `URLTREE_BENCH_PAGES`, or generated pages of
//! `urltree-sample`.

mod pages;

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use html_blocks::{BlockOptions, block_hash, decode, page, title};
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use pages::pages;

/// Drops tokens. Start tags of raw text elements change the state of the tokenizer.
struct DropTokens;

impl TokenSink for DropTokens {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = black_box(token) else {
            return TokenSinkResult::Continue;
        };
        match (tag.kind, &*tag.name) {
            (TagKind::StartTag, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
            (TagKind::StartTag, "style") => TokenSinkResult::RawData(RawKind::Rawtext),
            (TagKind::StartTag, "title") => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

fn html5ever(page: &str) {
    let tokenizer = Tokenizer::new(DropTokens, TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(page.into());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
}

/// Measures the bytes per second of a function called with each of the texts.
fn measure<T: AsRef<[u8]>, R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    texts: &[T],
    with: impl Fn(&T) -> R,
) {
    let bytes: usize = texts.iter().map(|text| text.as_ref().len()).sum();
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for text in texts {
                black_box(with(text));
            }
        });
    });
}

fn bench(criterion: &mut Criterion) {
    let options = BlockOptions::default();
    let pages = pages();
    let decoded = pages.iter().filter_map(|bytes| decode(bytes, None).ok());
    let decoded: Vec<String> = decoded.collect();
    let read = pages
        .iter()
        .filter_map(|bytes| page(bytes, None, &options).ok());
    let blocks = read.flat_map(|page| page.blocks);
    let blocks: Vec<String> = blocks.map(|block| block.text).collect();

    let mut group = criterion.benchmark_group("pages");
    group.sample_size(20);
    measure(&mut group, "page", &pages, |bytes| {
        page(bytes, None, &options)
    });
    measure(&mut group, "title", &pages, |bytes| {
        title(bytes, None, &options)
    });
    measure(&mut group, "decode", &pages, |bytes| decode(bytes, None));
    measure(&mut group, "block_hash", &blocks, |text| block_hash(text));
    measure(&mut group, "html5ever", &decoded, |page| html5ever(page));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
