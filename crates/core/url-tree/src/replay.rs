//! Replay of one domain's stream: insert, label, forget.

use crate::heap::HeapBytes;
use crate::heuristic::{Heuristic, Jury, N_MIN, Verdict, nearest_to_leaf};
use crate::ids::BlockHash;
use crate::tree::{Path, UrlTree};
use crate::window::{EntryKind, WindowOptions};

/// The state of one domain: its URL Tree and the window of entries the tree
/// counts.
///
/// A batch is: [`insert`](Self::insert) its unique pages,
/// [`label`](Self::label) all of its pages (and
/// [`insert_revision`](Self::insert_revision) what revisions bring, if the caller
/// wants revisions), then [`end_batch`](Self::end_batch). A batch of one page
/// is the paper's online setting.
#[derive(Debug)]
pub struct DomainReplay {
    heuristic: Heuristic,
    n_min: u32,
    tree: UrlTree,
    window: WindowOptions,
}

/// What of a page enters the tree.
#[derive(Debug)]
pub struct Entry<'a, S> {
    /// When the page was fetched, in microseconds since 1970 UTC.
    pub time_micros: i64,
    /// Host labels from the public suffix down, then path segments [O C1].
    pub branch: &'a [S],
    /// Hashes of its text blocks, in any order; repeated ones count once.
    pub hashes: &'a [BlockHash],
}

/// The labels of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLabels {
    /// One per given hash, in the given order.
    pub blocks: Vec<BlockLabel>,
    /// The node that decided; of several voters the one nearest to the leaf.
    pub node: SelectedNode,
}

/// A node of a document's branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectedNode {
    /// Branch items on the path to the node. The root, the public suffix and
    /// the domain node have the same counts [O C3] and are all reported with
    /// the depth of the domain node.
    pub depth: u16,
    /// Documents seen there: `n`.
    pub support: u32,
}

/// What a block is, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLabel {
    /// The label itself.
    pub verdict: Verdict,
    /// Entries with the block at the node this reason is about: `c`. Revisions
    /// count here but not in `support`, so it can be the larger of the two.
    pub count: u32,
    /// Documents seen at that node: `n`.
    pub support: u32,
    /// Depth of that node, as in [`SelectedNode::depth`]. Of several voters it
    /// is the one nearest to the leaf that voted with the winning side.
    pub depth: u16,
    /// Content that the node nearest to the leaf with enough support, else the
    /// root, has never seen [O D8]. The same node under every heuristic. Never
    /// true of a document that was inserted.
    pub unseen: bool,
}

/// The statistics of one node about the blocks of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeCounts {
    /// As in [`SelectedNode::depth`].
    pub depth: u16,
    /// Documents seen there: `n`.
    pub support: u32,
    /// Per given hash, the entries there that contain it: `c`.
    pub counts: Vec<u32>,
}

impl DomainReplay {
    /// An empty tree and an empty window.
    ///
    /// `domain_labels` is the number of leading branch items at or above the
    /// domain node, 2 for `["eu", "news", "www", ...]`. They share one set of
    /// counters, because every entry of the domain passes all of them [O C3].
    pub fn new(domain_labels: usize, heuristic: Heuristic, window: WindowOptions) -> Self {
        DomainReplay {
            heuristic,
            n_min: N_MIN,
            tree: UrlTree::new(domain_labels, heuristic.min_counted_support(N_MIN)),
            window,
        }
    }

    /// With another support than [`N_MIN`] below which a node is not asked.
    pub fn with_n_min(mut self, n_min: u32) -> Self {
        self.n_min = n_min;
        self.tree
            .set_min_counted_support(self.heuristic.min_counted_support(n_min));
        self
    }

    /// Counts a unique page at every node of its branch, and puts it at the
    /// end of the window.
    pub fn insert<S: AsRef<str>>(&mut self, document: Entry<'_, S>) {
        self.enter(document, EntryKind::Page);
    }

    /// Counts the unseen blocks of a known page without counting a document:
    /// `c` grows, `n` does not [O E3]. It is an entry of the window of its own.
    /// [`revision_hashes`](crate::revision_hashes) says which blocks these are.
    pub fn insert_revision<S: AsRef<str>>(&mut self, revision: Entry<'_, S>) {
        self.enter(revision, EntryKind::Revision);
    }

    fn enter<S: AsRef<str>>(&mut self, entry: Entry<'_, S>, kind: EntryKind) {
        let (branch, hashes) = (entry.branch, entry.hashes);
        (self.tree).insert(entry.time_micros, branch, hashes, kind);
    }

    /// TreeLabels the blocks of a document by what the tree holds now. The
    /// document itself should be in it, unless it is a duplicate. Nodes of the
    /// branch that do not exist count as `n = 0`, and none is created.
    pub fn label<S: AsRef<str>>(&self, branch: &[S], hashes: &[BlockHash]) -> TreeLabels {
        let path = self.tree.path(branch);
        let supports = self.supports(&path);
        let jury = self.heuristic.jury(&supports, self.n_min);
        let first_asked = nearest_to_leaf(&supports, |n| n >= self.n_min);
        TreeLabels {
            blocks: (hashes.iter())
                .map(|hash| self.label_block(hash, &path, &jury, first_asked))
                .collect(),
            node: SelectedNode {
                depth: self.tree.depth(jury.nearest()),
                support: supports[jury.nearest()],
            },
        }
    }

    fn label_block(
        &self,
        hash: &BlockHash,
        path: &Path,
        jury: &Jury,
        first_asked: usize,
    ) -> BlockLabel {
        let occurrence = self.tree.occurrence(path, hash);
        let count_at = |position: usize| self.tree.count(path, position, occurrence);
        let decision = jury.decide(count_at);
        BlockLabel {
            verdict: decision.verdict,
            count: decision.count,
            support: self.tree.support(path, decision.position),
            depth: self.tree.depth(decision.position),
            unseen: decision.verdict == Verdict::Content && count_at(first_asked) == 0,
        }
    }

    /// The statistics behind [`label`](Self::label): one item per node of the
    /// branch that exists, from the domain node towards the leaf.
    pub fn counts<S: AsRef<str>>(&self, branch: &[S], hashes: &[BlockHash]) -> Vec<NodeCounts> {
        let path = self.tree.path(branch);
        let occurrence = |hash: &BlockHash| self.tree.occurrence(&path, hash);
        let occurrences: Vec<_> = hashes.iter().map(occurrence).collect();
        (0..path.len())
            .map(|position| NodeCounts {
                depth: self.tree.depth(position),
                support: self.tree.support(&path, position),
                counts: self.tree.counts(&path, position, &occurrences),
            })
            .collect()
    }

    /// Forgets the entries that have left the window, oldest first, and
    /// returns how many: while more than `min_pages` are left, and the
    /// oldest is more than `max_age_micros` older than `newest_micros` or more
    /// than `max_pages` are left [O F1].
    ///
    /// `newest_micros` is the newest time of the batch in this domain. The
    /// authors' code takes it over all pages of the batch, duplicates
    /// included. Stored entries know nothing of duplicates, so a caller that
    /// rebuilds its window from them passes the newest time of an entry: only
    /// then is the window the one [`window_start`](crate::window_start) finds.
    pub fn end_batch(&mut self, newest_micros: i64) -> usize {
        let before = self.window_len();
        while let Some(oldest) = self.tree.window().oldest()
            && (self.window).evicts(self.window_len(), oldest.time_micros, newest_micros)
        {
            self.tree.remove_oldest();
        }
        before - self.window_len()
    }

    /// Entries in the window: documents and revisions.
    pub fn window_len(&self) -> usize {
        self.tree.window().len()
    }

    /// What the tree and the window take. It walks over both: to be asked now
    /// and then, not for every page.
    pub fn heap_bytes(&self) -> HeapBytes {
        self.tree.heap_bytes()
    }

    fn supports(&self, path: &Path) -> Vec<u32> {
        let support = |position| self.tree.support(path, position);
        (0..path.len()).map(support).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MENU: BlockHash = [1; 16];
    const FOOTER: BlockHash = [2; 16];

    fn story(page: u8) -> BlockHash {
        [100 + page; 16]
    }

    /// Pages 0, 1, ... of one section: the menu, a story of its own, a footer.
    fn section(replay: &mut DomainReplay, name: &str, pages: std::ops::Range<u8>) {
        for page in pages {
            replay.insert(Entry {
                time_micros: i64::from(page),
                branch: &["eu", "news", "www", name],
                hashes: &[MENU, story(page), FOOTER],
            });
        }
    }

    fn replay(heuristic: Heuristic) -> DomainReplay {
        DomainReplay::new(2, heuristic, WindowOptions::default())
    }

    #[test]
    fn the_first_page_of_a_domain_is_content() {
        for heuristic in [Heuristic::Strict, Heuristic::VoteSlow, Heuristic::VoteFast] {
            let mut replay = replay(heuristic);
            section(&mut replay, "sport", 0..1);
            let labels = replay.label(&["eu", "news", "www", "sport"], &[MENU, story(0)]);
            for label in labels.blocks {
                let (verdict, count, support) = (label.verdict, label.count, label.support);
                assert_eq!((verdict, count, support), (Verdict::Content, 1, 1));
                assert!(!label.unseen);
            }
        }
    }

    /// The default heuristic of [P 4]: from the leaf towards the root until a
    /// node has five documents, the root if none has.
    #[test]
    fn a_section_with_five_pages_is_selected() {
        let mut replay = replay(Heuristic::Strict);
        section(&mut replay, "politics", 0..3);
        let sport = ["eu", "news", "www", "sport"];
        for (pages, node) in [(3..4, (2, 4)), (4..5, (3, 5)), (5..8, (4, 5))] {
            section(&mut replay, "sport", pages);
            let selected = replay.label(&sport, &[]).node;
            assert_eq!((selected.depth, selected.support), node);
        }
        let elsewhere = replay.label(&["eu", "news", "www", "culture"], &[]).node;
        assert_eq!((elsewhere.depth, elsewhere.support), (3, 8));
    }

    #[test]
    fn a_repeated_block_is_labelled_each_time_and_counts_once() {
        let mut replay = replay(Heuristic::StrictAtDomain);
        section(&mut replay, "sport", 0..2);
        let hashes = [MENU, story(1), story(1), MENU];
        let labels = replay.label(&["eu", "news", "www", "sport"], &hashes);
        let counts: Vec<u32> = labels.blocks.iter().map(|label| label.count).collect();
        assert_eq!(counts, [2, 1, 1, 2]);
        assert_eq!(labels.node.depth, 2);
    }

    #[test]
    fn only_content_that_the_tree_never_saw_is_unseen() {
        let mut replay = replay(Heuristic::VoteFast);
        section(&mut replay, "sport", 0..9);
        let duplicate = replay.label(
            &["eu", "news", "www", "sport"],
            &[MENU, story(3), story(99)],
        );
        let unseen: Vec<bool> = duplicate.blocks.iter().map(|label| label.unseen).collect();
        assert_eq!(unseen, [false, false, true]);
    }

    /// A batch is in the tree before its first page is labelled [O E2]; page by
    /// page, as in the paper, the first knows nothing of the second.
    #[test]
    fn a_batch_is_counted_before_it_is_labelled() {
        let sport = ["eu", "news", "www", "sport"];
        let first_of = |pages| {
            let mut replay = replay(Heuristic::Strict);
            section(&mut replay, "sport", pages);
            replay.label(&sport, &[MENU, story(0)])
        };
        let verdicts =
            |labels: TreeLabels| labels.blocks.iter().map(|l| l.verdict).collect::<Vec<_>>();
        let (content, boilerplate) = (Verdict::Content, Verdict::Boilerplate);
        assert_eq!(verdicts(first_of(0..1)), [content, content]);
        assert_eq!(verdicts(first_of(0..2)), [boilerplate, content]);
    }

    /// First in, first out: an old page that came late stays until its turn
    /// [O F2].
    #[test]
    fn entries_are_evicted_first_in_first_out() {
        let window = WindowOptions {
            max_age_micros: 10,
            min_pages: 0,
            ..WindowOptions::default()
        };
        let mut replay = DomainReplay::new(2, Heuristic::Strict, window);
        for time_micros in [95, 10, 100] {
            replay.insert(Entry {
                time_micros,
                branch: &["eu", "news"],
                hashes: &[MENU],
            });
        }
        assert_eq!(replay.end_batch(100), 0);
        assert_eq!(replay.end_batch(106), 2);
        assert_eq!(replay.window_len(), 1);
    }

    #[test]
    fn evicted_entries_are_not_counted() {
        let window = WindowOptions {
            max_pages: 3,
            min_pages: 0,
            ..WindowOptions::default()
        };
        let mut replay = DomainReplay::new(2, Heuristic::Strict, window);
        section(&mut replay, "sport", 0..5);
        assert_eq!(replay.end_batch(4), 2);
        assert_eq!(replay.window_len(), 3);
        let domain = &replay.counts(&["eu", "news"], &[MENU, story(0), story(4)])[0];
        assert_eq!((domain.support, &domain.counts[..]), (3, &[3, 0, 1][..]));
    }
}
