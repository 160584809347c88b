//! The pages of all sites, in time order.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;

use evaluation::{GoldSet, PageBlocks};
use html_blocks::BlockOptions;
use scoring::{Tokens, Vocabulary, WordId};
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};
use url_tree::{BlockHash, DAY_MICROS};

/// The bundled rules, which a job uses by default.
const RULES: &str = include_str!("../../../../../jobs/rules/url-keys.tsv");

/// A page with its blocks as words.
pub(crate) struct StreamPage {
    pub(crate) site: String,
    pub(crate) time_micros: i64,
    pub(crate) gold: Vec<WordId>,
    pub(crate) blocks: Vec<Block>,
}

/// A block of text.
pub(crate) struct Block {
    pub(crate) hash: BlockHash,
    pub(crate) words: Vec<WordId>,
}

impl StreamPage {
    /// Days since 1970.
    pub(crate) fn day(&self) -> i64 {
        self.time_micros.div_euclid(DAY_MICROS)
    }

    /// The distinct hashes of the page.
    pub(crate) fn hashes(&self) -> HashSet<BlockHash> {
        self.blocks.iter().map(|block| block.hash).collect()
    }
}

/// Reads the first page of each URL key, of all sets in a folder.
pub(crate) fn read(folder: &Path) -> Result<Vec<StreamPage>, Box<dyn Error>> {
    let keyer = Keyer::new(
        KeyOptions::default(),
        RuleSet::parse(RULES)?,
        Blocklist::default(),
    )?;
    let options = BlockOptions::default();
    let mut stream = Vec::new();
    for set in GoldSet::at(folder)? {
        let mut parsed = HashMap::new();
        set.for_each_fetched(|page| {
            let html = page.html.unwrap_or_default();
            if let Ok(found) = html_blocks::page(html, page.http_charset, &options) {
                parsed.insert(page.row, PageBlocks::of(found));
            }
        })?;
        let mut known: HashSet<String> = HashSet::new();
        for page in set.pages_keyed_by(&keyer)? {
            let (Ok(url), Some(time_micros)) = (keyer.parse(&page.url), page.fetched_at) else {
                continue;
            };
            let key = keyer.key(&url, page.title.as_deref());
            let Some(blocks) = parsed.remove(&page.row).filter(|_| known.insert(key.text)) else {
                continue;
            };
            let mut vocabulary = Vocabulary::default();
            let gold = vocabulary.words(&page.text, Tokens::Unicode);
            let words = blocks
                .texts
                .iter()
                .map(|text| vocabulary.words(text, Tokens::Unicode));
            let blocks = blocks.hashes.iter().zip(words);
            stream.push(StreamPage {
                site: page.domain,
                time_micros,
                gold,
                blocks: blocks
                    .map(|(hash, words)| Block { hash: *hash, words })
                    .collect(),
            });
        }
    }
    // The sort is stable: pages of one time stay in the order of the sets.
    stream.sort_by_key(|page| page.time_micros);
    Ok(stream)
}
