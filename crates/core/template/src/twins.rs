//! Pages of a site with one text under several addresses.
//!
//! `/story` and `/story/`, a documentation page of three versions, a product of five colours: what such pages have in
//! common is their text and not the template. On a site of few pages it would count as repeated.

use crate::block_counts::BlockCounts;
use crate::outline::Outline;
use crate::thresholds::pages;

/// The counts of a page without its twins: the pages with its title and most of its text.
#[derive(Debug)]
pub(crate) struct OwnCounts {
    pages: u32,
    /// Empty if the page has no twin.
    blocks: Vec<u32>,
}

impl OwnCounts {
    pub(crate) fn new(outline: &Outline, counts: BlockCounts<'_>) -> Self {
        let twins = twins(outline, counts);
        let own = |pages: &u32| pages.saturating_sub(twins).max(1);
        Self {
            pages: own(&counts.pages),
            blocks: match twins {
                0 => Vec::new(),
                _ => counts.blocks.iter().map(own).collect(),
            },
        }
    }

    /// Returns these counts in the place of `counts`, from which they were made.
    pub(crate) fn in_place_of<'c>(&'c self, counts: BlockCounts<'c>) -> BlockCounts<'c> {
        if self.blocks.is_empty() {
            return counts;
        }
        BlockCounts {
            pages: self.pages,
            blocks: &self.blocks,
            first: counts.first,
        }
    }
}

/// Returns the number of other pages with the title of a page and half of its text outside links, navigation and
/// the like. A page that shows no title has none: its text may be a notice that all pages end with. Nor has a page of a
/// known site, where what two pages have does not repeat yet: a government's pages of fifty states lose .02.
fn twins(outline: &Outline, counts: BlockCounts<'_>) -> u32 {
    let title = outline.shown_title();
    let of_title = title.map_or(1, |title| counts.blocks[title]);
    let is_known = usize::try_from(counts.pages).is_ok_and(|count| count >= pages::KNOWN);
    if of_title < 2 || is_known {
        return 0;
    }
    let nodes = outline.leaves.iter().map(|leaf| &outline.nodes[*leaf]);
    let texts = outline.blocks.iter().zip(counts.blocks).zip(nodes);
    let mut texts: Vec<(u32, u64)> = texts
        .filter(|(_, node)| !node.boilerplate)
        .map(|((block, pages), _)| (*pages, block.chars.saturating_sub(block.link_chars).into()))
        .collect();
    texts.sort_unstable_by(|one, other| other.cmp(one));
    let all: u64 = texts.iter().map(|(_, chars)| chars).sum();
    let mut chars = 0;
    let half = texts.iter().find(|(_, of_block)| {
        chars += of_block;
        2 * chars > all
    });
    // A page that is labelled and not counted, such as a revision, has texts that no page has.
    half.map_or(0, |(pages, _)| of_title.min(*pages).saturating_sub(1))
}
