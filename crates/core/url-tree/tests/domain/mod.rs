//! A generated large domain with the shape of a real one.
//!
//! The real one is a stream of 10,000 pages of a blog, which fills a window. Its pages have
//! 59 distinct blocks, 12 of them new, and 97.5 % of the distinct blocks of the window are
//! in a single page. A generated page has 47 blocks of templates and teasers, and 8 to 42
//! new blocks, 12 on average. Every fourth headline is a teaser on later pages.

use url_tree::{BlockHash, DomainReplay, Entry, Heuristic, WindowOptions};

/// Number of branch items down to the domain node.
pub(crate) const DOMAIN_LABELS: usize = 2;

/// Microseconds between two pages: 10,000 pages are a week, so the window is always full.
const MINUTE: i64 = 60 * 1_000_000;

const SITE_BLOCKS: u64 = 32;
const SECTION_BLOCKS: u64 = 10;
const TEASERS: u64 = 5;
const SECTIONS: u64 = 12;

/// The URL paths of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paths {
    /// `/slug`: all pages are at one node.
    Flat,
    /// `/2026/11/22/slug`.
    Dated,
    /// `/section/topic/slug`: twelve sections of eight topics.
    Sections,
    /// `/section/slug/`: every page has its own node.
    Folders,
}

impl Paths {
    pub(crate) const ALL: [Paths; 4] = [Paths::Flat, Paths::Dated, Paths::Sections, Paths::Folders];
}

/// A page of the domain.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) time_micros: i64,
    pub(crate) branch: Vec<String>,
    pub(crate) hashes: Vec<BlockHash>,
}

/// Returns the page at this place of the stream.
pub(crate) fn page(paths: Paths, at: u64) -> Page {
    let section = mixed(at) % SECTIONS;
    let topic = mixed(at ^ 0x5555) % 8;
    let day = at / 1_440;
    let below = match paths {
        Paths::Flat => vec![],
        Paths::Dated => vec![
            (2000 + day / 360).to_string(),
            (day / 30 % 12 + 1).to_string(),
            (day % 30 + 1).to_string(),
        ],
        Paths::Sections => vec![format!("section-{section}"), format!("topic-{topic}")],
        Paths::Folders => vec![format!("section-{section}"), format!("page-{at}")],
    };
    let branch = ["eu", "news", "www"].map(str::to_owned);
    let site = (0..SITE_BLOCKS).map(|block| hash(0, block));
    let of_section = (0..SECTION_BLOCKS).map(|block| hash(1 + section, block));
    let teased = (1..=TEASERS).filter_map(|back| (at / 4).checked_sub(back));
    let teasers = teased.map(|story| hash(1_000 + 4 * story, 0));
    let own = (0..own_blocks(at)).map(|block| hash(1_000 + at, block));
    Page {
        time_micros: at as i64 * MINUTE,
        branch: branch.into_iter().chain(below).collect(),
        hashes: site.chain(of_section).chain(teasers).chain(own).collect(),
    }
}

/// Returns the number of new blocks of a page: 8 to 42, 12 on average.
fn own_blocks(at: u64) -> u64 {
    let share = (mixed(!at) % 1_000) as f64 / 1_000.0;
    8 + (share.powi(8) * 34.9) as u64
}

fn hash(source: u64, block: u64) -> BlockHash {
    let (high, low) = (mixed(source), mixed(source ^ mixed(block + 1)));
    (u128::from(high) << 64 | u128::from(low)).to_be_bytes()
}

/// The output function of splitmix64.
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Creates a replay of the domain without pages.
pub(crate) fn replay(heuristic: Heuristic) -> DomainReplay {
    DomainReplay::new(DOMAIN_LABELS, heuristic, WindowOptions::default())
}

/// Replays a page as a batch: inserts it, labels it and evicts old entries.
pub(crate) fn pass(replay: &mut DomainReplay, page: &Page) -> usize {
    replay.insert(Entry {
        time_micros: page.time_micros,
        branch: &page.branch,
        hashes: &page.hashes,
    });
    let labels = replay.label(&page.branch, &page.hashes);
    replay.end_batch(page.time_micros);
    labels.blocks.len()
}
