//! What reads HTML, on one core, with the pages in memory.

use anyhow::Result;
use html_blocks::{BlockOptions, block_hash};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use rustix::time::{ClockId, clock_gettime};

use crate::pages::Archive;
use crate::table::{median, table};

/// Bytes of HTML that are held at once.
const BYTES: usize = 64 << 20;

/// A parser with what it does to a page.
type Parser = (&'static str, fn(&[u8]));

const PARSERS: [Parser; 3] = [
    ("html5ever, tokenizer", html5ever_tokenizer),
    ("urltree, blocks with hashes", blocks),
    ("of which hashes", no_page),
];

/// Seconds of the processor that each took.
pub(crate) struct Parsers {
    html_bytes: u64,
    /// In the order of `PARSERS`.
    seconds: Vec<f64>,
}

impl Parsers {
    /// The unit of everything.
    pub(crate) fn html5ever(&self) -> f64 {
        self.seconds[0]
    }

    pub(crate) fn blocks(&self) -> f64 {
        self.seconds[1]
    }

    pub(crate) fn hashes(&self) -> f64 {
        self.seconds[2]
    }

    pub(crate) fn table(&self) -> String {
        let rows = PARSERS
            .iter()
            .zip(&self.seconds)
            .map(|((name, _), seconds)| {
                vec![
                    (*name).to_owned(),
                    format!("{:.0}", self.html_bytes as f64 / 1e6 / seconds),
                    format!("{:.2}", self.html5ever() / seconds),
                ]
            });
        table(&["one core, pages in memory", "MB/s", "x html5ever"], rows)
    }
}

/// Runs all parsers on all pages, by turns.
pub(crate) fn measure(archive: &Archive, rounds: usize) -> Result<Parsers> {
    let mut rounds: Vec<Vec<f64>> = vec![vec![0.0; PARSERS.len()]; rounds];
    let mut held: Vec<Vec<u8>> = Vec::new();
    let mut bytes = 0;
    let mut run = |held: &mut Vec<Vec<u8>>| {
        for round in &mut rounds {
            for ((_, parser), seconds) in PARSERS.iter().zip(round.iter_mut()) {
                let before = thread_seconds();
                held.iter().for_each(|page| parser(page));
                *seconds += thread_seconds() - before;
            }
            round[2] += hashing_seconds(held);
        }
        held.clear();
    };
    archive.for_each(|html| {
        bytes += html.len();
        held.push(html.to_vec());
        if bytes >= BYTES {
            run(&mut held);
            bytes = 0;
        }
    })?;
    run(&mut held);
    let of = |parser: usize| median(rounds.iter().map(|round| round[parser]).collect());
    Ok(Parsers {
        html_bytes: archive.html_bytes,
        seconds: (0..PARSERS.len()).map(of).collect(),
    })
}

fn html5ever_tokenizer(page: &[u8]) {
    struct Nothing;
    impl TokenSink for Nothing {
        type Handle = ();
        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            std::hint::black_box(token);
            TokenSinkResult::Continue
        }
    }
    let text = String::from_utf8_lossy(page);
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(&text));
    let tokenizer = Tokenizer::new(Nothing, TokenizerOpts::default());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
}

fn blocks(page: &[u8]) {
    let _ = std::hint::black_box(html_blocks::page(page, None, &BlockOptions::default()));
}

fn no_page(_: &[u8]) {}

/// What of [`blocks`] the hashes are.
fn hashing_seconds(pages: &[Vec<u8>]) -> f64 {
    let mut seconds = 0.0;
    for page in pages {
        if let Ok(page) = html_blocks::page(page, None, &BlockOptions::default()) {
            let before = thread_seconds();
            for block in &page.blocks {
                std::hint::black_box(block_hash(&block.text));
            }
            seconds += thread_seconds() - before;
        }
    }
    seconds
}

/// Of the processor, by this thread.
pub(crate) fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
