//! The pages of one site, in time order, to a label per block.
//!
//! A site has a URL Tree, which counts on how many pages a block is, and, if labels are
//! to come from it, a [`Template`], which knows the places of a page. Here both are fed
//! with the same pages and forget them together.
//!
//! ```
//! use site_replay::{Labelling, SiteReplay};
//! use template::{LayoutBlock, Outline};
//! use url_tree::{Entry, Verdict, WindowOptions};
//!
//! let mut site = SiteReplay::new(2, Labelling::Template, WindowOptions::default());
//! let branch = ["example", "news", "www"];
//! let block = |path, chars| LayoutBlock { path, common_prefix: 0, chars, link_chars: 0, title: 0 };
//! let layout = [block("ul.menu>li", 20), block("div.story>p", 400)];
//! for story in 1..=3_u8 {
//!     let hashes = [[0; 16], [story; 16]];
//!     let entry = Entry { time_micros: story.into(), branch: &branch, hashes: &hashes };
//!     site.insert(entry, Some(Outline::new(&layout)));
//!     let outline = site.outline();
//!     let page = site.label(&branch, &hashes, outline.as_ref());
//!     let verdicts: Vec<Verdict> = page.labels.blocks.iter().map(|block| block.verdict).collect();
//!     assert_eq!(verdicts, [Verdict::Boilerplate, Verdict::Content]);
//!     // What is kept of the page, for a site that is replayed from here on another day.
//!     let slots = site.learned().expect("a page was inserted");
//!     assert!(!slots.paths.is_empty());
//!     site.end_batch(story.into());
//! }
//! ```
//!
//! # A batch
//!
//! All pages of a batch are [inserted](SiteReplay::insert), then all are
//! [labelled](SiteReplay::label), in the same order. A batch of one page is the paper's
//! online setting. What a page adds to the template depends on which of its blocks had
//! been seen when it came, whatever its batch. (Where it depends on the whole batch, F1
//! is the same to three digits, and each page has to be gone through once more.)
//!
//! # What it deliberately does not do
//!
//! It decides nothing: rules are in `url_tree` and `template`. It parses nothing, and it
//! cuts no stream into batches: whoever calls it says when a [`Batch`] ends.

mod batch;
mod labelling;

use std::collections::VecDeque;

use template::{BlockCounts, Outline, PagePaths, Reason, Template};
use url_tree::{BlockHash, DomainReplay, Entry, Heuristic, TreeLabels, Verdict, WindowOptions};

pub use batch::Batch;
pub use labelling::{Labelling, UnknownLabelling};

/// One site whose pages are passing.
#[derive(Debug)]
pub struct SiteReplay {
    tree: DomainReplay,
    template: Option<Learning>,
}

/// A template, and what it took from pages that was not asked for.
#[derive(Debug, Default)]
struct Learning {
    template: Template,
    /// Pages that were inserted, the oldest first.
    learned: VecDeque<Learned>,
    /// Blocks of the outlines among them.
    blocks: usize,
}

#[derive(Debug)]
struct Learned {
    slots: PagePaths,
    outline: Option<Outline>,
}

/// Blocks of inserted pages whose outlines are kept until they are labelled: some 20 MB
/// of them, all pages of a usual day.
const KEPT_BLOCKS: usize = 1 << 17;

/// What is known of a page's blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLabels {
    /// The verdicts, and what the tree counted for them: with [`Labelling::Template`] at
    /// the domain node.
    pub labels: TreeLabels,
    /// Why, block by block.
    pub reasons: Vec<Reason>,
}

impl SiteReplay {
    /// A site of which nothing is known. `domain_labels` are the leading items of its
    /// branches at or above the domain, as for [`DomainReplay::new`].
    pub fn new(domain_labels: usize, labelling: Labelling, window: WindowOptions) -> Self {
        let (heuristic, template) = match labelling {
            Labelling::Tree(heuristic) => (heuristic, None),
            Labelling::Template => (Heuristic::StrictAtDomain, Some(Learning::default())),
        };
        Self {
            tree: DomainReplay::new(domain_labels, heuristic, window),
            template,
        }
    }

    /// A page of the window as it was left; `slots` is what [`learned`](Self::learned)
    /// gave then.
    pub fn remember<S: AsRef<str>>(&mut self, page: Entry<'_, S>, slots: &PagePaths) {
        self.tree.insert(page);
        if let Some(learning) = &mut self.template {
            learning.template.insert(slots);
        }
    }

    /// Counts the blocks of a page, and takes its outline into the template. Of one that
    /// has none, or that of other blocks, nothing is learned.
    pub fn insert<S: AsRef<str>>(&mut self, page: Entry<'_, S>, outline: Option<Outline>) {
        let hashes = page.hashes;
        self.tree.insert(page);
        let Some(learning) = &mut self.template else {
            return;
        };
        let outline = outline.filter(|outline| outline.block_count() == hashes.len());
        let slots = match &outline {
            Some(outline) => {
                let (pages, blocks) = counts(&self.tree, hashes);
                let counts = BlockCounts {
                    pages,
                    blocks: &blocks,
                };
                learning.template.page_paths(outline, counts)
            }
            None => PagePaths::default(),
        };
        learning.template.insert(&slots);
        let outline = outline.filter(|_| learning.blocks + hashes.len() <= KEPT_BLOCKS);
        learning.blocks += outline.as_ref().map_or(0, Outline::block_count);
        learning.learned.push_back(Learned { slots, outline });
    }

    /// Counts blocks of a known page that were not on it before: an entry of the window
    /// that the template learns nothing from.
    pub fn insert_unseen<S: AsRef<str>>(&mut self, revision: Entry<'_, S>) {
        self.tree.insert_revision(revision);
        if let Some(learning) = &mut self.template {
            learning.template.insert(&PagePaths::default());
        }
    }

    /// The outline of the oldest page that was inserted and not asked for with
    /// [`learned`](Self::learned), once: it came with the page. None where there are too
    /// many such pages to keep theirs.
    pub fn outline(&mut self) -> Option<Outline> {
        let learning = self.template.as_mut()?;
        let outline = learning.learned.front_mut()?.outline.take()?;
        learning.blocks -= outline.block_count();
        Some(outline)
    }

    /// What the template took from the oldest page that was inserted and not asked for.
    pub fn learned(&mut self) -> Option<PagePaths> {
        drop(self.outline());
        let page = self.template.as_mut()?.learned.pop_front()?;
        Some(page.slots)
    }

    /// Labels the blocks of a page by what is known now. The page itself should be among
    /// that, unless it is a duplicate. A page without an outline is labelled by the tree
    /// alone.
    pub fn label<S: AsRef<str>>(
        &self,
        branch: &[S],
        hashes: &[BlockHash],
        outline: Option<&Outline>,
    ) -> PageLabels {
        let mut labels = self.tree.label(branch, hashes);
        let outline = outline.filter(|outline| outline.block_count() == hashes.len());
        let (Some(learning), Some(outline)) = (&self.template, outline) else {
            let reasons = labels.blocks.iter().map(|label| match label.verdict {
                Verdict::Content => Reason::Unique,
                Verdict::Boilerplate => Reason::Repeated,
            });
            return PageLabels {
                reasons: reasons.collect(),
                labels,
            };
        };
        let blocks: Vec<u32> = labels.blocks.iter().map(|label| label.count).collect();
        let counts = BlockCounts {
            pages: labels.node.support,
            blocks: &blocks,
        };
        let reasons = learning.template.label(outline, counts);
        for (label, reason) in labels.blocks.iter_mut().zip(&reasons) {
            label.verdict = match reason.is_content() {
                true => Verdict::Content,
                false => Verdict::Boilerplate,
            };
        }
        PageLabels { labels, reasons }
    }

    /// Forgets the pages that have left the window: see [`DomainReplay::end_batch`].
    pub fn end_batch(&mut self, newest_micros: i64) {
        let gone = self.tree.end_batch(newest_micros);
        if let Some(learning) = &mut self.template {
            learning.template.evict(gone);
        }
    }
}

/// Pages of the domain, and per block those of them that have it.
fn counts(tree: &DomainReplay, hashes: &[BlockHash]) -> (u32, Vec<u32>) {
    let nowhere: [&str; 0] = [];
    let labels = tree.label(&nowhere, hashes);
    let blocks = labels.blocks.iter().map(|label| label.count).collect();
    (labels.node.support, blocks)
}
