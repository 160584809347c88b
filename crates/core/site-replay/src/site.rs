//! The URL Tree and the template of one domain.

use std::collections::VecDeque;
use std::sync::Arc;

use template::marks::{Label, SiteMarks};
use template::prior::LikelyKind;
use template::{BlockCounts, Outline, PagePaths, Reason, Template, first_equal};
use url_tree::{
    BlockHash, Constants, DomainReplay, Entry, Heuristic, TreeLabels, Verdict, WindowOptions,
};

use crate::Labelling;

/// The replay of one domain: its URL Tree and, with [`Labelling::Template`], its
/// template. Both count the same pages and evict them together.
#[derive(Debug)]
pub struct SiteReplay {
    tree: DomainReplay,
    template: Option<TemplateState>,
    marks: Option<Arc<SiteMarks>>,
    page_kinds: bool,
}

/// A template, and the inserted pages whose slots were not taken yet.
#[derive(Debug, Default)]
struct TemplateState {
    template: Template,
    /// The oldest page first.
    pending: VecDeque<PendingPage>,
    /// Blocks of the outlines in `pending`.
    outline_blocks: usize,
}

#[derive(Debug)]
struct PendingPage {
    slots: PagePaths,
    outline: Option<Outline>,
}

/// Blocks whose outlines are kept from insertion until their page is labelled. Lower:
/// more outlines are computed twice. Higher: more memory; this many take about 20 MB,
/// which is enough for all pages of a usual day.
const MAX_OUTLINE_BLOCKS: usize = 1 << 17;

/// The labels of a page's blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageLabels {
    /// The verdicts and the counts behind them. With [`Labelling::Template`] the counts
    /// are those of the domain node.
    pub labels: TreeLabels,
    /// The reason for each verdict, block by block.
    pub reasons: Vec<Reason>,
    /// The likeliest kind of the page, [if it is wanted](SiteReplay::with_page_kinds).
    pub kind: Option<LikelyKind>,
}

impl SiteReplay {
    /// Creates a domain of which nothing is known. `domain_labels` is the number of
    /// leading items of its branches at or above the domain, as for
    /// [`DomainReplay::new`].
    pub fn new(domain_labels: usize, labelling: Labelling, window: WindowOptions) -> Self {
        let (heuristic, template) = match labelling {
            Labelling::Tree(heuristic) => (heuristic, None),
            Labelling::Template => (Heuristic::StrictAtDomain, Some(TemplateState::default())),
        };
        Self {
            tree: DomainReplay::new(domain_labels, heuristic, window),
            template,
            marks: None,
            page_kinds: false,
        }
    }

    /// Sets whether pages get their kind, with [`Labelling::Template`].
    #[must_use]
    pub fn with_page_kinds(self, page_kinds: bool) -> Self {
        Self { page_kinds, ..self }
    }

    /// Sets the DOM paths that are marked. With [`Labelling::Template`], a marked block gets the label of its
    /// mark. Marks change labels alone: not the counts of the tree, not the sums of the template, and not the
    /// text that a revision adds.
    #[must_use]
    pub fn with_marks(self, marks: Option<Arc<SiteMarks>>) -> Self {
        Self { marks, ..self }
    }

    /// Sets the constants of a heuristic of the paper. [`Labelling::Template`] has none of them.
    /// Nothing must be inserted yet.
    #[must_use]
    pub fn with_constants(self, constants: Constants) -> Self {
        match self.template {
            Some(_) => self,
            None => Self {
                tree: self.tree.with_constants(constants),
                ..self
            },
        }
    }

    /// Inserts a page of a stored window. `slots` is the value that
    /// [`take_slots`](Self::take_slots) returned for it.
    pub fn restore<S: AsRef<str>>(&mut self, page: Entry<'_, S>, slots: &PagePaths) {
        self.tree.insert(page);
        if let Some(state) = &mut self.template {
            state.template.insert(slots);
        }
    }

    /// Inserts a page: counts its blocks, and adds its outline to the template. A page
    /// without an outline, or with an outline of another number of blocks, adds nothing
    /// to the template.
    pub fn insert<S: AsRef<str>>(&mut self, page: Entry<'_, S>, outline: Option<Outline>) {
        let hashes = page.hashes;
        self.tree.insert(page);
        let Some(state) = &mut self.template else {
            return;
        };
        let outline = outline.filter(|outline| outline.block_count() == hashes.len());
        let slots = match &outline {
            Some(outline) => {
                let (pages, blocks) = counts(&self.tree, hashes);
                let counts = BlockCounts {
                    pages,
                    blocks: &blocks,
                    first: &[],
                };
                state.template.page_paths(outline, counts)
            }
            None => PagePaths::default(),
        };
        state.template.insert(&slots);
        let has_room = state.outline_blocks + hashes.len() <= MAX_OUTLINE_BLOCKS;
        let outline = outline.filter(|_| has_room);
        state.outline_blocks += outline.as_ref().map_or(0, Outline::block_count);
        state.pending.push_back(PendingPage { slots, outline });
    }

    /// Inserts the unseen blocks of a known page: an entry of the window that adds
    /// nothing to the template.
    pub fn insert_revision<S: AsRef<str>>(&mut self, revision: Entry<'_, S>) {
        self.tree.insert_revision(revision);
        if let Some(state) = &mut self.template {
            state.template.insert(&PagePaths::default());
        }
    }

    /// Whether [`take_outline`](Self::take_outline) returns one.
    pub fn has_outline(&self) -> bool {
        let pending = self
            .template
            .as_ref()
            .and_then(|state| state.pending.front());
        pending.is_some_and(|page| page.outline.is_some())
    }

    /// Takes the outline of the oldest page whose slots were not taken yet. Returns
    /// `None` if the page has no outline, if it was taken before, or if too many pages
    /// were pending to keep it.
    pub fn take_outline(&mut self) -> Option<Outline> {
        let state = self.template.as_mut()?;
        let outline = state.pending.front_mut()?.outline.take()?;
        state.outline_blocks -= outline.block_count();
        Some(outline)
    }

    /// Takes the slots that the oldest inserted page added to the template. Each
    /// inserted page returns its slots once, in the order of insertion.
    pub fn take_slots(&mut self) -> Option<PagePaths> {
        drop(self.take_outline());
        let page = self.template.as_mut()?.pending.pop_front()?;
        Some(page.slots)
    }

    /// Labels the blocks of a page by the current counts. The page must be inserted
    /// before, unless it is a duplicate. A page without an outline is labelled by the
    /// tree alone.
    pub fn label<S: AsRef<str>>(
        &self,
        branch: &[S],
        hashes: &[BlockHash],
        outline: Option<&Outline>,
    ) -> PageLabels {
        let mut labels = self.tree.label(branch, hashes);
        let outline = outline.filter(|outline| outline.block_count() == hashes.len());
        let (Some(state), Some(outline)) = (&self.template, outline) else {
            let reasons = labels.blocks.iter().map(|label| match label.verdict {
                Verdict::Content => Reason::Unique,
                Verdict::Boilerplate => Reason::Repeated,
            });
            return PageLabels {
                reasons: reasons.collect(),
                kind: None,
                labels,
            };
        };
        let blocks: Vec<u32> = labels.blocks.iter().map(|label| label.count).collect();
        let counts = BlockCounts {
            pages: labels.node.support,
            blocks: &blocks,
            first: &first_equal(hashes),
        };
        let (reasons, kind) = match self.page_kinds {
            true => state.template.label_and_kind(outline, counts),
            false => (state.template.label(outline, counts), None),
        };
        let reasons = match &self.marks {
            Some(marks) => with_marks(reasons, outline, marks),
            None => reasons,
        };
        for (label, reason) in labels.blocks.iter_mut().zip(&reasons) {
            label.verdict = if reason.is_content() {
                Verdict::Content
            } else {
                Verdict::Boilerplate
            };
        }
        PageLabels {
            labels,
            reasons,
            kind,
        }
    }

    /// Evicts the entries that left the window: see [`DomainReplay::end_batch`].
    pub fn end_batch(&mut self, newest_micros: i64) {
        let evicted = self.tree.end_batch(newest_micros);
        if let Some(state) = &mut self.template {
            state.template.evict(evicted);
        }
    }
}

/// Returns the reason of a block that is marked.
pub fn marked_reason(label: Label) -> Reason {
    match label {
        Label::Content => Reason::MarkedContent,
        Label::Boilerplate => Reason::MarkedBoilerplate,
    }
}

/// Returns the reasons of the blocks of a page, those of marked blocks replaced.
fn with_marks(reasons: Vec<Reason>, outline: &Outline, marks: &SiteMarks) -> Vec<Reason> {
    let marked = marks.labels(outline).into_iter();
    let reasons = reasons.into_iter().zip(marked);
    reasons
        .map(|(reason, label)| label.map_or(reason, marked_reason))
        .collect()
}

/// The number of pages of the domain, and for each block the number of those that have
/// it.
fn counts(tree: &DomainReplay, hashes: &[BlockHash]) -> (u32, Vec<u32>) {
    let no_branch: [&str; 0] = [];
    let domain = tree.counts(&no_branch, hashes).into_iter().next();
    domain.map_or_else(
        || (0, vec![0; hashes.len()]),
        |domain| (domain.support, domain.counts),
    )
}
