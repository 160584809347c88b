//! The strategies, and the counters that follow them.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;

use url_tree::{BlockHash, DAY_MICROS};

use crate::stream::StreamPage;

/// A strategy of eviction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Strategy {
    /// Nothing is forgotten.
    Nothing,
    /// Pages of a site older than `days`, but for the `least` most recent ones [P 6].
    Age { days: i64, least: usize },
    /// The oldest pages of a site with more than so many.
    Size(usize),
    /// The oldest pages of any site, if all sites have more than so many: sites share the memory.
    AllSites(usize),
    /// The blocks of a site that were not seen for the longest time, above so many blocks.
    LeastRecentlyUsed(usize),
    /// Like least recently used, but blocks that were seen once are forgotten before all others.
    Once { blocks: usize },
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing is evicted"),
            Self::Age { days, least: 0 } => write!(f, "age: {days} days"),
            Self::Age { days, least } => write!(f, "age: {days} days, at least {least} pages"),
            Self::Size(pages) => write!(f, "size: {pages} pages of a site"),
            Self::AllSites(pages) => write!(f, "size: {pages} pages of all sites"),
            Self::LeastRecentlyUsed(blocks) => {
                write!(f, "least recently used: {blocks} blocks of a site")
            }
            Self::Once { blocks } => write!(f, "seen once first: {blocks} blocks of a site"),
        }
    }
}

/// The counters of all sites.
pub(crate) struct Memory {
    strategy: Strategy,
    sites: BTreeMap<String, Site>,
    /// The sites of the pages, the oldest first.
    order: VecDeque<String>,
    tick: u64,
}

/// The counters of a site.
#[derive(Default)]
struct Site {
    blocks: HashMap<BlockHash, Counter>,
    /// Blocks in the order in which they are forgotten: whether the block was seen more than once
    /// and this protects it, and the tick when it was last seen.
    queue: BTreeMap<(bool, u64), BlockHash>,
    pages: VecDeque<(i64, Vec<BlockHash>)>,
}

#[derive(Clone, Copy, Default)]
struct Counter {
    count: u32,
    place: (bool, u64),
}

impl Memory {
    pub(crate) fn new(strategy: Strategy) -> Self {
        Self {
            strategy,
            sites: BTreeMap::new(),
            order: VecDeque::new(),
            tick: 0,
        }
    }

    /// The number of blocks with a counter.
    pub(crate) fn blocks(&self) -> usize {
        self.sites.values().map(|site| site.blocks.len()).sum()
    }

    /// The number of pages that are counted.
    pub(crate) fn pages(&self) -> usize {
        self.sites.values().map(|site| site.pages.len()).sum()
    }

    /// Whether a block is on another page too, as far as is known.
    pub(crate) fn is_repeated(&self, page: &StreamPage, block: BlockHash) -> bool {
        let site = self.sites.get(&page.site);
        site.and_then(|site| site.blocks.get(&block))
            .is_some_and(|counter| counter.count > 1)
    }

    /// Counts the blocks of a page.
    pub(crate) fn insert(&mut self, page: &StreamPage) {
        let protects = matches!(self.strategy, Strategy::Once { .. });
        let site = self.sites.entry(page.site.clone()).or_default();
        let mut hashes: Vec<BlockHash> = page.hashes().into_iter().collect();
        // A set has no order, and equal input must give equal figures.
        hashes.sort_unstable();
        for hash in &hashes {
            self.tick += 1;
            let counter = site.blocks.entry(*hash).or_default();
            site.queue.remove(&counter.place);
            counter.count += 1;
            counter.place = (protects && counter.count > 1, self.tick);
            site.queue.insert(counter.place, *hash);
        }
        site.pages.push_back((page.time_micros, hashes));
        self.order.push_back(page.site.clone());
    }

    /// Forgets what the strategy says after a page.
    pub(crate) fn evict(&mut self, page: &StreamPage) {
        if let Strategy::AllSites(most) = self.strategy {
            while self.order.len() > most
                && let Some(oldest) = self.order.pop_front()
                && let Some(site) = self.sites.get_mut(&oldest)
            {
                site.forget_page();
            }
            return;
        }
        let Some(site) = self.sites.get_mut(&page.site) else {
            return;
        };
        match self.strategy {
            Strategy::Nothing | Strategy::AllSites(_) => {}
            Strategy::Age { days, least } => {
                let start = page.time_micros - days * DAY_MICROS;
                while site.pages.len() > least
                    && site.pages.front().is_some_and(|(time, _)| *time < start)
                {
                    site.forget_page();
                }
            }
            Strategy::Size(most) => {
                while site.pages.len() > most {
                    site.forget_page();
                }
            }
            Strategy::LeastRecentlyUsed(most) | Strategy::Once { blocks: most } => {
                while site.blocks.len() > most
                    && let Some((_, block)) = site.queue.pop_first()
                {
                    site.blocks.remove(&block);
                }
                // Counters outlive their pages.
                site.pages.clear();
            }
        }
    }
}

impl Site {
    /// Takes the oldest page back.
    fn forget_page(&mut self) {
        let Some((_, hashes)) = self.pages.pop_front() else {
            return;
        };
        for hash in hashes {
            let Some(counter) = self.blocks.get_mut(&hash) else {
                continue;
            };
            counter.count -= 1;
            if counter.count == 0 {
                self.queue.remove(&counter.place);
                self.blocks.remove(&hash);
            }
        }
    }
}
