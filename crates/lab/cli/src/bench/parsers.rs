//! Parsers of HTML, on one core, with the pages in memory.

use anyhow::Result;
use evaluation::timed;
use html_blocks::{BlockOptions, Page, block_hash};
use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::pages::Archive;
use super::table::{median, table};

/// Bytes of HTML in memory at a time.
const BATCH_BYTES: usize = 64 << 20;

/// CPU seconds of one pass over the pages.
#[derive(Clone, Copy, Default)]
struct Round {
    /// Reading the pages: decompressing and decoding Parquet.
    reading: f64,
    html5ever: f64,
    blocks: f64,
    hashes: f64,
}

/// Several passes over the pages of an archive. Each figure is the median.
pub(crate) struct Parsers {
    html_bytes: u64,
    rounds: Vec<Round>,
}

impl Parsers {
    pub(crate) fn new(archive: &Archive) -> Self {
        Self {
            html_bytes: archive.html_bytes,
            rounds: Vec::new(),
        }
    }

    /// Runs all parsers once on all pages, alternating between batches.
    pub(crate) fn round(&mut self, archive: &Archive) -> Result<()> {
        let mut round = Round::default();
        let pass = |html: &[u8]| {
            std::hint::black_box(html);
        };
        let (read, seconds) = timed(|| archive.for_each(pass));
        read?;
        round.reading = seconds;
        let mut batch: Vec<Vec<u8>> = Vec::new();
        let mut bytes = 0;
        archive.for_each(|html| {
            bytes += html.len();
            batch.push(html.to_vec());
            if bytes >= BATCH_BYTES {
                round.pass(&batch);
                (bytes, batch) = (0, Vec::new());
            }
        })?;
        round.pass(&batch);
        self.rounds.push(round);
        Ok(())
    }

    fn median(&self, figure: impl Fn(&Round) -> f64) -> f64 {
        median(self.rounds.iter().map(figure).collect())
    }

    pub(crate) fn reading(&self) -> f64 {
        self.median(|round| round.reading)
    }

    /// The tokenizer of html5ever, which is the unit of all ratios.
    pub(crate) fn html5ever(&self) -> f64 {
        self.median(|round| round.html5ever)
    }

    pub(crate) fn blocks(&self) -> f64 {
        self.median(|round| round.blocks)
    }

    /// The part of `blocks` that is spent on hashes.
    pub(crate) fn hashes(&self) -> f64 {
        self.median(|round| round.hashes)
    }

    pub(crate) fn table(&self) -> String {
        let parsers = [
            ("html5ever, tokenizer", self.html5ever()),
            ("urltree, blocks with hashes", self.blocks()),
            ("of which hashes", self.hashes()),
        ];
        let rows = parsers.map(|(name, seconds)| {
            vec![
                name.to_owned(),
                format!("{:.0}", self.html_bytes as f64 / 1e6 / seconds),
                format!("{:.2}", self.html5ever() / seconds),
            ]
        });
        table(&["one core, pages in memory", "MB/s", "x html5ever"], rows)
    }
}

impl Round {
    fn pass(&mut self, batch: &[Vec<u8>]) {
        self.html5ever += timed(|| batch.iter().for_each(|page| html5ever(page))).1;
        let read = || batch.iter().filter_map(|page| blocks(page)).collect();
        let (pages, seconds): (Vec<Page>, f64) = timed(read);
        self.blocks += seconds;
        self.hashes += timed(|| hash(&pages)).1;
    }
}

/// Discards all tokens. It switches the tokenizer to raw text where HTML does; otherwise
/// scripts would be read as tags.
struct DiscardingSink;

impl TokenSink for DiscardingSink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = std::hint::black_box(token) else {
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

fn html5ever(page: &[u8]) {
    let text = String::from_utf8_lossy(page);
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(&text));
    let tokenizer = Tokenizer::new(DiscardingSink, TokenizerOpts::default());
    while let TokenizerResult::Script(()) = tokenizer.feed(&queue) {}
    tokenizer.end();
}

fn blocks(page: &[u8]) -> Option<Page> {
    html_blocks::page(page, None, &BlockOptions::default()).ok()
}

fn hash(pages: &[Page]) {
    for block in pages.iter().flat_map(|page| &page.blocks) {
        std::hint::black_box(block_hash(&block.text));
    }
}
