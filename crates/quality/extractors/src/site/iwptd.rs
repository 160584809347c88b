//! Blocks by their share of repeated texts.
//!
//! Y. Wang, B. Fang, X. Cheng, L. Guo, H. Xu: "Incremental Web Page Template
//! Detection", WWW 2008, pp. 1247-1248 (and "... by Text Segments", WSCS 2008), as
//! section 4 of [Alarte] (see `alarte`) describes it: pages are cut at elements
//! such as `table`, `div` and `ul`; the texts inside are compared with those of
//! all pages; a text that is on five pages or more belongs to the template; a
//! ratio decides for each block. Two texts are the same if they read the same and
//! have the same path in the tree: that is from the paper's section 2.
//!
//! Where these descriptions are silent:
//!
//! - Of the elements only three are named. Others that group blocks of text are
//!   cut at too: see `CUT_AT`. A text belongs to the innermost one around it.
//! - A path is made of names of elements.
//! - The ratio is that of template texts to all texts of the block. A block is
//!   template where it is more than one half. Chosen, not fitted.
//! - The page counts among the pages a text is on. The paper's table of texts
//!   grows and shrinks with the stream of pages; here it holds the given pages.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::dom::{Dom, NodeId};
use crate::text::lines_of;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

/// Pages a text of the template is on [Alarte 4].
const TEMPLATE_PAGES: usize = 5;

/// Elements that make a block.
const CUT_AT: [&str; 15] = [
    "article", "aside", "body", "div", "dl", "footer", "form", "header", "main", "nav", "ol",
    "section", "table", "td", "ul",
];

/// Blocks without repeated texts. See the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct Iwptd;

impl Extractor for Iwptd {
    fn name(&self) -> &'static str {
        "iwptd"
    }

    fn summary(&self) -> &'static str {
        "blocks of which at least half of the texts are on fewer than five pages"
    }

    fn reference(&self) -> &'static str {
        "Y. Wang, B. Fang, X. Cheng, L. Guo, H. Xu: Incremental Web Page Template Detection. \
         WWW 2008, pp. 1247-1248"
    }

    fn scope(&self) -> Scope {
        Scope::Site
    }

    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        let segments = segments(dom);
        if segments.is_empty() {
            return Err(ExtractError::NoText);
        }
        let key = page.address()?;
        let is_there = site.places().contains_key(&key.key);
        if site.pages().len() == usize::from(is_there) {
            return Err(ExtractError::NoOtherPages {
                method: self.name(),
                host: key.host.clone(),
            });
        }
        let table = site.segments();
        let here = usize::from(!is_there);
        let blocks = blocks(dom);
        // Template texts and all texts of a block.
        let mut tallies: HashMap<NodeId, (usize, usize)> = HashMap::new();
        for (id, segment) in &segments {
            let tally = tallies.entry(blocks[*id]).or_default();
            tally.0 += usize::from(table.pages(*segment) + here >= TEMPLATE_PAGES);
            tally.1 += 1;
        }
        let is_content = |id: NodeId| {
            (tallies.get(&blocks[id])).is_some_and(|(template, all)| 2 * template <= *all)
        };
        let nodes = dom.subtree(dom.body()).filter(|id| is_content(*id)).count();
        Ok(Extraction::new(lines_of(dom, is_content), Some(nodes)))
    }
}

/// On how many pages each text is.
#[derive(Debug)]
pub(crate) struct SegmentTable(HashMap<u64, usize>);

impl SegmentTable {
    pub(crate) fn of(pages: &[Page<'_>]) -> Self {
        let mut table = HashMap::new();
        for page in pages {
            let of_page: HashSet<u64> = page.glance(|dom| {
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

    fn pages(&self, segment: u64) -> usize {
        self.0.get(&segment).copied().unwrap_or(0)
    }
}

/// The texts of `body`, each with a hash of its path and what it reads.
fn segments(dom: &Dom) -> Vec<(NodeId, u64)> {
    let mut paths = vec![0_u64; dom.len()];
    let mut segments = Vec::new();
    for id in dom.subtree(dom.body()) {
        // Its keys are fixed: the same in every run.
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

/// The block that each node belongs to; an element that makes one belongs to it.
fn blocks(dom: &Dom) -> Vec<NodeId> {
    let mut blocks = vec![0; dom.len()];
    for id in dom.subtree(dom.body()) {
        let cuts = dom.element(id).is_some_and(|e| CUT_AT.contains(&&*e.name));
        blocks[id] = if cuts {
            id
        } else {
            blocks[dom.node(id).parent]
        };
    }
    blocks
}
