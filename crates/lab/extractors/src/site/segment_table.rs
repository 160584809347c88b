//! The texts of the pages of a site.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::Page;
use crate::dom::{Dom, NodeId};

/// The number of pages of each text.
#[derive(Debug)]
pub(crate) struct SegmentTable(HashMap<u64, usize>);

impl SegmentTable {
    pub(crate) fn from_pages(pages: &[Page<'_>]) -> Self {
        let mut table = HashMap::new();
        for page in pages {
            let of_page: HashSet<u64> = page.with_dom(|dom| {
                segments(dom)
                    .into_iter()
                    .map(|(_, segment)| segment)
                    .collect()
            });
            for segment in of_page {
                *table.entry(segment).or_default() += 1;
            }
        }
        Self(table)
    }

    pub(super) fn pages(&self, segment: u64) -> usize {
        self.0.get(&segment).copied().unwrap_or(0)
    }
}

/// Returns the texts of `body`, each with a hash of its path and its words.
pub(super) fn segments(dom: &Dom) -> Vec<(NodeId, u64)> {
    let mut paths = vec![0_u64; dom.len()];
    let mut segments = Vec::new();
    for id in dom.subtree(dom.body()) {
        // The hasher has fixed keys, so hashes are the same in every run.
        let mut hasher = DefaultHasher::new();
        paths[dom.node(id).parent].hash(&mut hasher);
        match dom.element(id) {
            Some(element) => (*element.name).hash(&mut hasher),
            None => dom.text(id).hash(&mut hasher),
        }
        paths[id] = hasher.finish();
        if dom.text(id).is_some() {
            segments.push((id, paths[id]));
        }
    }
    segments
}

/// Returns the block of each node. An element that begins a block belongs to it.
pub(super) fn blocks(dom: &Dom) -> Vec<NodeId> {
    let mut blocks = vec![0; dom.len()];
    for id in dom.subtree(dom.body()) {
        let cuts = dom
            .element(id)
            .is_some_and(|e| BLOCK_ELEMENTS.contains(&&*e.name));
        blocks[id] = if cuts {
            id
        } else {
            blocks[dom.node(id).parent]
        };
    }
    blocks
}

/// The elements that begin a block.
const BLOCK_ELEMENTS: [&str; 15] = [
    "article", "aside", "body", "div", "dl", "footer", "form", "header", "main", "nav", "ol",
    "section", "table", "td", "ul",
];
