//! The memory of the URL Trees of a set [P 6].

use std::collections::{BTreeMap, HashMap, HashSet};

use arrow::array::RecordBatch;
use site_replay::SiteSettings;
use url_tree::{DAY_MICROS, DomainReplay, Entry, HeapBytes, Heuristic};

use super::rounded;
use crate::table::Table;
use crate::{GoldPage, GoldSet, InputError, PageBlocks};

/// The memory that the paper states: megabytes per 1,000 documents [P 6].
const PUBLISHED_MEGABYTES: f64 = 6.5;

/// The tree of a domain after its last page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DomainMemory {
    /// The domain.
    pub domain: String,
    /// Unique pages that were inserted.
    pub pages: usize,
    /// Pages in the window at the end.
    pub window: usize,
    /// Bytes of the tree.
    pub heap: HeapBytes,
}

/// Inserts the pages of a set into the tree of their domain, one by one, under `strict`. Of the
/// pages with one URL key, the first is inserted.
///
/// # Errors
/// [`InputError`], also if the set has no HTML.
pub fn tree_memory(
    set: &GoldSet,
    pages: &[GoldPage],
    settings: &SiteSettings,
) -> Result<Vec<DomainMemory>, InputError> {
    let mut hashes = HashMap::new();
    set.for_each_fetched(|page| {
        let html = page.html.unwrap_or_default();
        if let Ok(parsed) = html_blocks::page(html, page.http_charset, &settings.blocks) {
            hashes.insert(page.row, PageBlocks::of(parsed).hashes);
        }
    })?;
    let mut trees: BTreeMap<String, (DomainReplay, usize)> = BTreeMap::new();
    let mut known: HashSet<String> = HashSet::new();
    for (index, page) in pages.iter().enumerate() {
        let Ok(url) = settings.keyer.parse(&page.url) else {
            continue;
        };
        let key = settings.keyer.key(&url, page.title.as_deref());
        let (Some(hashes), true) = (hashes.get(&page.row), known.insert(key.text.clone())) else {
            continue;
        };
        let new = || {
            let tree = DomainReplay::new(key.domain.labels(), Heuristic::Strict, settings.window);
            (tree.with_constants(settings.constants), 0)
        };
        let domain = key.domain.as_str().to_owned();
        let (tree, pages) = trees.entry(domain).or_insert_with(new);
        let time_micros = page.fetched_at.unwrap_or(index as i64 * DAY_MICROS);
        let branch = key.branch();
        tree.insert(Entry {
            time_micros,
            branch: branch.items(),
            hashes,
        });
        tree.end_batch(time_micros);
        *pages += 1;
    }
    let memories = trees
        .into_iter()
        .map(|(domain, (tree, pages))| DomainMemory {
            domain,
            pages,
            window: tree.window_len(),
            heap: tree.heap_bytes(),
        });
    Ok(memories.collect())
}

/// Returns a row per domain, and one of all, with megabytes per 1,000 pages of the window.
pub fn memory_table(memories: &[DomainMemory]) -> RecordBatch {
    let sum = |of: fn(&DomainMemory) -> usize| memories.iter().map(of).sum::<usize>();
    let all = (
        "all domains",
        sum(|memory| memory.pages),
        sum(|memory| memory.window),
        sum(|memory| memory.heap.total()),
    );
    let mut rows: Vec<(&str, usize, usize, usize)> = Vec::new();
    for memory in memories {
        let bytes = memory.heap.total();
        rows.push((&memory.domain, memory.pages, memory.window, bytes));
    }
    rows.push(all);
    Table::of(&rows)
        .text("domain", |row| Some(row.0))
        .count("pages", |row| Some(row.1))
        .count("window", |row| Some(row.2))
        .count("bytes", |row| Some(row.3))
        .number("mb_per_1000_pages", |row| {
            (row.2 > 0).then(|| rounded(row.3 as f64 / row.2 as f64 / 1e3))
        })
        .number("published_mb_per_1000_pages", |row| {
            (row.0 == all.0).then_some(PUBLISHED_MEGABYTES)
        })
        .finish()
}
